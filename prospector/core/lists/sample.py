"""Which domains of a list stand for all of it."""


def sampled(count: int, wanted: int | None) -> range | frozenset[int]:
    """The places of a sample: evenly over the list, and the same ones each time."""
    if wanted is None or wanted >= count:
        return range(count)
    return frozenset(place * count // wanted for place in range(wanted))
