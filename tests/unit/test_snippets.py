"""Snippets: one line, the best place first, never more than asked for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.core.reading.page import read
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.core.words.snippets import CUT, cut


def snippet(html: str, keyword: str = "crm", characters: int = 150) -> str:
    (mention,) = Matcher([Keyword(keyword)], characters).mentions(read(html.encode(), "https://a.example/"))
    return str(mention.snippet)


def test_a_snippet_is_in_the_original_spelling() -> None:
    assert snippet("<p>The “O’Reilly” Straße", "o'reilly") == "The “O’Reilly” Straße"


def test_blocks_are_joined_by_bars() -> None:
    assert snippet("<p>one</p><p>the CRM</p>\n<ul><li>two<li>three") == "one | the CRM | two | three"


@pytest.mark.parametrize(
    ("html", "beginning"),
    [
        ("<title>t CRM</title><h1>h CRM</h1><h2>g CRM</h2><main>m CRM</main>", "m CRM"),
        ("<title>t CRM</title><main><nav>n CRM</nav><h1>h CRM</h1><h2>g CRM</h2></main>", "h CRM"),
        ("<title>t CRM</title><main><nav>n CRM</nav><h2>g CRM</h2></main>", "g CRM"),
        ("<title>t CRM</title><main><nav>n CRM</nav></main>", "t CRM"),
        ("<main><nav>n CRM</nav></main><footer>f CRM</footer>", "n CRM"),
    ],
)
def test_the_snippet_comes_from_the_best_zone(html: str, beginning: str) -> None:
    (mention,) = Matcher([Keyword("crm")]).mentions(read(html.encode(), "https://a.example/"))

    assert f"{mention.snippet.before}{mention.snippet.found}".endswith(beginning)


def test_a_cut_is_at_white_space_and_shown() -> None:
    words = " ".join(f"word{number}" for number in range(100))

    shown = snippet(f"<p>{words} CRM {words}")

    assert shown.startswith(f"{CUT}word")
    assert shown.endswith(CUT)
    before, after = shown.split("CRM")
    assert set(before.strip(CUT).split()) | set(after.strip(CUT).split()) <= set(words.split())
    assert 120 < len(before) <= 150
    assert 120 < len(after) <= 150


def test_a_text_without_spaces_is_cut_all_the_same() -> None:
    shown = snippet(f"<p>{'漢' * 400}CRM{'字' * 400}")

    assert shown == f"{CUT}{'漢' * 149}CRM{'字' * 149}{CUT}"


def test_a_snippet_is_one_line_without_controls() -> None:
    shown = snippet("<pre>a\n\tb \x07\x1b CRM \u202e\x85 c\u2028d\xad</pre>")

    assert shown.isprintable()
    assert shown == "a b  CRM  cd"


@given(
    st.text(st.sampled_from("ab \n漢\u0301\xad|"), max_size=120),
    st.text(st.sampled_from("ab \n漢\u0301\xad|"), max_size=120),
    st.integers(min_value=0, max_value=30),
)
def test_no_side_is_longer_than_asked_for(before: str, after: str, characters: int) -> None:
    one = cut(f"{before}CRM{after}", len(before), len(before) + 3, characters)

    assert one.found == "CRM"
    assert len(one.before) <= max(1, characters)
    assert len(one.after) <= max(1, characters)
    assert "\n" not in str(one)
