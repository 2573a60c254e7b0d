"""Text at the edge of Postgres: cleaned everywhere, and nothing else changed."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.store.text import copy_lines, storable, storable_json

ANY_TEXT = st.lists(
    st.characters(exclude_categories=[]) | st.sampled_from(["\0", "\\", "u0000", "\ud800", "\n", "\t"])
).map("".join)


def cleaned(value: object) -> object:
    if isinstance(value, str):
        return "".join("\ufffd" if one == "\0" or "\ud800" <= one <= "\udfff" else one for one in value)
    if isinstance(value, list):
        return [cleaned(one) for one in value]
    return value


@given(st.recursive(ANY_TEXT | st.integers() | st.none(), st.lists))
def test_json_loses_only_what_postgres_cannot_hold(value: object) -> None:
    assert json.loads(storable_json(value)) == cleaned(value)
    assert "\\u0000" not in storable_json(value).replace("\\\\", "")


@given(ANY_TEXT)
def test_text_loses_only_what_postgres_cannot_hold(text: str) -> None:
    assert storable(text) == cleaned(text)


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT), max_size=4))
def test_copied_rows_keep_their_shape_whatever_their_text(rows: list[tuple[str, str]]) -> None:
    lines = copy_lines(rows).split("\n")[:-1]

    assert [line.count("\t") for line in lines] == [1] * len(rows)


def test_a_row_may_hold_nothing_numbers_moments_and_objects() -> None:
    row = (None, 7, True, "\\N", {"k": "a\tb"}, {"at": datetime(2026, 1, 2, tzinfo=UTC)})

    assert copy_lines([row]) == '\\N\t7\t1\t\\\\N\t{"k":"a\\\\tb"}\t{"at":"2026-01-02T00:00:00+00:00"}\n'


def test_what_has_no_place_in_a_row_is_refused() -> None:
    with pytest.raises(TypeError, match="object has no place in a row"):
        storable_json(object())
