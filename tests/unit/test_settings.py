"""Every option is documented, is read somewhere, and nothing is read that is no option."""

import ast
import re
from pathlib import Path

import pytest
from scrapy.settings import default_settings

from prospector import settings

CLONE = Path(__file__).parents[2]
SETTINGS = CLONE / "prospector" / "settings.py"
SOURCES = [path for folder in ("prospector", "cli") for path in (CLONE / folder).rglob("*.py") if path != SETTINGS]
READERS = {"get", "getbool", "getint", "getfloat", "getlist", "getdict"}
SCRAPY_REDIS = {"SCHEDULER_PERSIST", "SCHEDULER_QUEUE_CLASS", "SCHEDULER_SERIALIZER"}


def options() -> dict[str, str]:
    """Each option with the comment above it."""
    lines = SETTINGS.read_text(encoding="utf-8").splitlines()
    found = {}
    for number, line in enumerate(lines):
        if name := re.match(r"([A-Z_]+) = env\.", line):
            above = number
            while above and lines[above - 1].startswith("#"):
                above -= 1
            found[name[1]] = " ".join(one.lstrip("# ") for one in lines[above:number])
    return found


def reads() -> dict[str, set[str]]:
    """Each name that is read as a setting, with the modules that do: settings.NAME, settings["NAME"], settings.getint("NAME")."""
    found: dict[str, set[str]] = {}
    for path in SOURCES:
        module = ".".join(path.relative_to(CLONE).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for name in names_read(node):
                found.setdefault(name, set()).add(module)
    return found


def names_read(node: ast.AST) -> list[str]:
    match node:
        case ast.Attribute(value=ast.Name(id="settings"), attr=name) if name.isupper():
            return [name]
        case ast.Subscript(value=value, slice=ast.Constant(value=str(name))) if "settings" in ast.unparse(value):
            return [name]
        case ast.Call(func=ast.Attribute(value=value, attr=reader), args=[ast.Constant(value=str(name)), *_]) if (
            reader in READERS and "settings" in ast.unparse(value) and name.isupper()
        ):
            return [name]
    return []


def readable() -> set[str]:
    return {name for name in dir(settings) if name.isupper()} | set(dir(default_settings)) | SCRAPY_REDIS


@pytest.mark.parametrize("name", options())
def test_an_option_is_read_by_somebody(name: str) -> None:
    is_another_s_default = any(re.search(rf"[^\"\w]{name}\b", default_of(option)) for option in options())

    assert name in reads() or is_another_s_default, f"{name} is an option that nobody reads"


@pytest.mark.parametrize(("name", "comment"), options().items())
def test_an_option_says_what_it_is_and_who_reads_it(name: str, comment: str) -> None:
    said = re.search(r"read by ([\w., ]+)$", comment)
    assert said, f"{name}: its comment ends with 'read by prospector.…'"

    for module in re.split(r",\s*", said[1]):
        path = CLONE.joinpath(*module.split("."))
        assert path.is_dir() or path.with_suffix(".py").is_file(), f"{name}: there is no {module}"


@pytest.mark.parametrize("name", reads())
def test_what_is_read_is_an_option_or_scrapy_s_own(name: str) -> None:
    assert name in readable(), f"{sorted(reads()[name])} read {name}, which no settings define"


def default_of(option: str) -> str:
    line = next(line for line in SETTINGS.read_text(encoding="utf-8").splitlines() if line.startswith(f"{option} = "))
    return line.partition("=")[2]
