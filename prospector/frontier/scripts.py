"""The Lua files as Redis runs them: with the keys and the shared functions each of them calls put in front."""

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources

from prospector.frontier.keys import TEMPLATES

_CALL = re.compile(r"\b(\w+)\(")


@dataclass(frozen=True)
class Script:
    name: str
    text: str
    sha: str


@cache
def script(name: str) -> Script:
    parts: dict[str, str] = {}
    _require(_file(f"{name}.lua"), parts)
    text = "\n".join([*parts.values(), _file(f"{name}.lua")])
    return Script(name, text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())


@cache
def every_script() -> tuple[Script, ...]:
    files = sorted(one.name for one in resources.files("prospector.frontier").joinpath("lua").iterdir())
    return tuple(script(name.removesuffix(".lua")) for name in files if name.endswith(".lua"))


def _require(text: str, parts: dict[str, str]) -> None:
    """Adds what `text` calls, and what that calls, dependencies first."""
    for name in dict.fromkeys(_CALL.findall(text)):
        if name in parts:
            continue
        if name in TEMPLATES:
            parts[name] = _key_function(name, TEMPLATES[name])
        elif name in _shared():
            body = _file(f"shared/{name}.lua")
            parts[name] = ""  # a function may call itself
            _require(body, parts)
            del parts[name]
            parts[name] = body


@cache
def _shared() -> frozenset[str]:
    folder = resources.files("prospector.frontier").joinpath("lua/shared")
    return frozenset(one.name.removesuffix(".lua") for one in folder.iterdir())


def _key_function(name: str, template: str) -> str:
    words = re.findall(r"{(\w+)}", template)
    pieces = [
        piece if place % 2 else f"'{piece}'" for place, piece in enumerate(re.split(r"{(\w+)}", template)) if piece
    ]
    return f"local function {name}({', '.join(words)}) return {' .. '.join(pieces)} end"


def _file(path: str) -> str:
    return resources.files("prospector.frontier").joinpath("lua", path).read_text(encoding="utf-8")
