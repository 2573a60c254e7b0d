"""Text at the edge of Postgres, which stores neither NUL nor half a surrogate pair; U+FFFD stands in for them."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import datetime

UNSTORABLE = re.compile("[\0\ud800-\udfff]")
REPLACEMENT = "\ufffd"

COPY_ESCAPES = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
COPY_SPECIAL = re.compile(r"[\\\t\n\r]")

# a NUL as JSON writes it: the escape itself, not an escaped backslash that happens to stand before u0000
ESCAPED_NUL = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")


def _moment(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no place in a row")


# made once: json.dumps with options makes one a call
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=_moment)


def storable(text: str) -> str:
    return UNSTORABLE.sub(REPLACEMENT, text)


def storable_json(value: object) -> str:
    """Cleaned as a whole, so that no field can be forgotten."""
    written = ENCODER.encode(value)
    return UNSTORABLE.sub(REPLACEMENT, ESCAPED_NUL.sub(r"\1\\ufffd", written))


def records(rows: Iterable[object]) -> str:
    """Dataclasses or mappings as one parameter for json_to_recordset: a batch is one value, whatever its size."""
    return storable_json([row if isinstance(row, Mapping) else vars(row) for row in rows])


def copy_lines(rows: Iterable[Iterable[object]]) -> str:
    """Rows as COPY reads them: tabs between, `\\N` for NULL."""
    return "".join("\t".join(map(_copied, row)) + "\n" for row in rows)


def _copied(value: object) -> str:
    if value is None:
        return "\\N"
    if isinstance(value, int):
        return str(int(value))
    written = storable(value) if isinstance(value, str) else storable_json(value)
    return COPY_SPECIAL.sub(_escaped, written)


def _escaped(special: re.Match[str]) -> str:
    return COPY_ESCAPES[special[0]]
