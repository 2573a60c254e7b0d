"""How many workers each node gets."""

from collections.abc import Mapping

SHARE_OF_CONNECTIONS = 0.8
KEPT_BACK = 2  # connections for the command line


def most_workers(connections_allowed: int) -> int:
    """A worker holds one connection; the rest is for the steward, exports and whoever looks."""
    return max(1, int(connections_allowed * SHARE_OF_CONNECTIONS) - KEPT_BACK)


def missing(alive: Mapping[str, int], per_node: int, most: int, at_once: int) -> dict[str, int]:
    """How many to start on each node that answers: the emptiest first, at most `at_once` a node now, `most` in all."""
    room = most - sum(alive.values())
    start = dict.fromkeys(alive, 0)
    while room > 0:
        wanting = [one for one in alive if alive[one] + start[one] < per_node and start[one] < at_once]
        if not wanting:
            break
        emptiest = min(wanting, key=lambda one: (alive[one] + start[one], one))
        start[emptiest] += 1
        room -= 1
    return {one: count for one, count in start.items() if count}
