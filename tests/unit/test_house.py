"""What no tool checks by itself: nothing public that nobody uses, and a map of the rules that is true."""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

CLONE = Path(__file__).parents[2]
OURS = ("prospector", "cli")
USERS = (*OURS, "migrations", "bench", "setup.py")
# called by others, by these names
SCRAPY = {
    *("update_settings", "from_crawler", "open_spider", "close_spider", "parse_with_rules"),
    *("process_request", "process_item", "next_request", "enqueue_request", "has_pending_requests", "request_seen"),
    *("DomainSpider", "EnvironmentSpider"),  # `scrapy crawl` finds them by their `name`
}
TWISTED = {
    *("dataReceived", "connectionLost", "handshakeCompleted", "buildProtocol", "getConnection"),
    *("install_on_reactor", "resolveHostName"),
}
ASYNCIO = {
    *("connection_made", "connection_lost", "data_received", "datagram_received", "eof_received"),
    *("pause_writing", "resume_writing"),
}
HTTP_SERVER = {"do_GET", "log_message"}
CLICK = {"get_help", "convert", "get_command", "resolve_command", "format_commands", "make_context", "invoke"}
RICH = {"on_broken_pipe"}
BY_OTHERS = SCRAPY | TWISTED | ASYNCIO | HTTP_SERVER | CLICK | RICH
DEFINITIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def sources(*places: str) -> Iterator[tuple[str, ast.Module]]:
    for place in places:
        path = CLONE / place
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            yield str(file.relative_to(CLONE)), ast.parse(file.read_text(encoding="utf-8"))


def definitions(tree: ast.Module | ast.ClassDef) -> Iterator[DEFINITIONS]:
    """Public functions and classes of a module, and public methods of its classes."""
    for node in tree.body:
        if isinstance(node, DEFINITIONS) and not node.name.startswith("_") and not registers(node):
            yield node
        if isinstance(node, ast.ClassDef):
            yield from definitions(node)


def registers(node: DEFINITIONS) -> bool:
    """A command of click's: its decorator is what makes it known."""
    decorators = [one.func if isinstance(one, ast.Call) else one for one in node.decorator_list]
    return any(isinstance(one, ast.Attribute) and one.attr in {"command", "group"} for one in decorators)


def words(tree: ast.AST) -> Iterator[str]:
    """Every name that is used, also as an attribute, and what strings name: `module.path.Name`, `module:name`."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)):
                yield from re.findall(r"(?<=[.:])[A-Za-z_]\w*$", text)


def unused_of(ours: Mapping[str, ast.Module], users: Mapping[str, ast.Module]) -> Iterator[tuple[str, str]]:
    """By name alone: two of one name hide each other, and nothing that is used is ever named."""
    used = Counter(word for tree in users.values() for word in words(tree))
    for file, tree in ours.items():
        for node in definitions(tree):
            by_itself = Counter(words(node))[node.name]  # a call of itself is no use of it
            if used[node.name] == by_itself and node.name not in BY_OTHERS:
                yield file, node.name


def unused() -> list[tuple[str, str]]:
    return list(unused_of(dict(sources(*OURS)), dict(sources(*USERS))))


def test_nothing_public_is_used_by_tests_alone() -> None:
    assert unused() == []


def test_the_exceptions_are_still_there() -> None:
    defined = {node.name for _, tree in sources(*OURS) for node in definitions(tree)}

    assert defined >= BY_OTHERS


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("def one(): ...\ndef two(): one()", {"two"}),
        ("def alone(n): return alone(n - 1)", {"alone"}),
        ("class Shelf:\n    def put(self): ...\nShelf().put()", set()),
        ("class Shelf:\n    def put(self): ...\nShelf()", {"put"}),
        ("def listed(): ...\nCOMMANDS = {'x': 'cli.x:listed'}", set()),
        ("@click.command()\ndef run(): ...", set()),
    ],
)
def test_what_is_unused_is_told_from_what_is_used(source: str, names: set[str]) -> None:
    assert {name for _, name in unused_of({"a.py": ast.parse(source)}, {"a.py": ast.parse(source)})} == names


def test_every_module_of_core_stands_on_the_map_in_its_room() -> None:
    _, table = (CLONE / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| room of `core/` | its modules |", 1)
    rows = re.findall(r"^\| `(\w+)/`.*? \| (.*) \|$", table.partition("\n\n")[0], re.MULTILINE)
    told = {(room, module) for room, modules in rows for module in re.findall(r"`(\w+)`", modules)}

    files = (CLONE / "prospector" / "core").glob("*/*.py")
    assert told == {(file.parent.name, file.stem) for file in files if file.stem != "__init__"}
