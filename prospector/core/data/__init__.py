"""Lists that rules read, one entry a line; `#` begins a comment."""

from functools import cache
from importlib.resources import files


@cache
def entries(name: str) -> frozenset[str]:
    lines = files(__name__).joinpath(f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(line.strip() for line in lines if line.strip() and not line.startswith("#"))
