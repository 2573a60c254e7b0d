"""A few of many, as a message names them."""

from collections.abc import Sequence

MOST = 3


def examples(values: Sequence[str], most: int = MOST) -> str:
    more = len(values) - most
    return ", ".join(values[:most]) + (f" and {more:,} more" if more > 0 else "")
