"""What a paid page teaches, what is never paid for, and the one paid try for a robots.txt."""

from dataclasses import replace
from typing import Any

import pytest

from prospector.core.reading import page as pages
from prospector.core.reading.page import Page
from prospector.core.visits.answers import Answer
from prospector.core.visits.evidence import Evidence
from prospector.core.visits.method_memory import MethodMemory
from prospector.core.visits.methods import Method, Mode
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.robots_visit import RobotsAnswer, judge, known, paid_instead, robots_method
from prospector.core.visits.ticket import Kind, PageState, Ticket, Verdict
from prospector.core.visits.visit import KEY_WANTED, SHELL, Circumstances, Conclusion, conclude, leads_off
from prospector.core.web.robots import Robots, Stance

URL = "https://a.test/page"
AROUND = Circumstances(
    mode=Mode.HYBRID,
    has_key=True,
    may_render=True,
    opening=False,
    same_page=lambda one, other: one == other,
    belongs=lambda url: "//a.test/" in url,
)
SHELL_PAGE = b"<html><body><div id=root></div><script src=app.js></script></body></html>"
FULL_PAGE = b"<html><body><p>" + b"what a browser shows " * 30 + b"</p></body></html>"


def ticket(method: Method = Method.DIRECT, url: str = URL, **facts: Any) -> Ticket:
    state = PageState(method=method, extra=facts.pop("extra", {}))
    return Ticket("1.1", "job1", "a.test", 0, 1, "a.test", url, state, 0, **facts)


def read(body: bytes) -> Page:
    return pages.read(body, URL, "text/html")


def text(body: bytes = FULL_PAGE) -> Answer:
    return Answer(Evidence.TEXT, 200, read(body))


def unreachable(one: Ticket) -> Conclusion:
    """Asked until it is given up."""
    while True:
        end = judge(one, RobotsAnswer(503), lambda _: True)
        assert isinstance(end, Conclusion)
        if end.verdict is Verdict.FAILED:
            return end
        assert end.state
        one = replace(one, state=end.state)


def test_a_page_that_only_a_paid_method_could_read_teaches_its_domain() -> None:
    end = conclude(ticket(Method.STANDARD), text(), AROUND)

    assert end.memory == MethodMemory(last=Method.STANDARD, streak=1, pages=1)


def test_a_direct_page_teaches_nothing_new() -> None:
    assert conclude(ticket(), text(), AROUND).memory is None


@pytest.mark.parametrize("mode", [Mode.PREMIUM_ONLY, Mode.FREE_ONLY])
def test_only_hybrid_learns_for_the_other_modes_have_no_choice(mode: Mode) -> None:
    assert conclude(ticket(Method.JS), text(), replace(AROUND, mode=mode)).memory is None


def test_a_page_goes_to_the_browser_with_the_length_of_what_it_showed_without() -> None:
    shell = read(SHELL_PAGE)

    end = conclude(ticket(), Answer(Evidence.NEEDS_BROWSER, 200, shell), AROUND)

    assert end.state
    assert (end.verdict, end.state.method) == (Verdict.AGAIN, Method.JS)
    assert end.state.extra[SHELL] == shell.text_length


def test_a_render_that_added_nothing_is_remembered_and_is_no_reason_to_render_more() -> None:
    same = ticket(Method.JS, extra={SHELL: read(FULL_PAGE).text_length})

    end = conclude(same, text(), AROUND)

    assert end.memory == MethodMemory(vain_renders=1)


def test_a_render_that_added_text_counts_for_the_browser() -> None:
    end = conclude(ticket(Method.JS, extra={SHELL: 0}), text(), AROUND)

    assert end.memory == MethodMemory(last=Method.JS, streak=1, pages=1)


def test_a_redirector_to_another_site_is_never_paid_for() -> None:
    away = "https://a.test/go?url=https%3A%2F%2Frival.test%2F"

    end = conclude(ticket(url=away), Answer(Evidence.FORBIDDEN, 403), AROUND)

    assert (end.verdict, end.outcome) == (Verdict.FAILED, PageOutcome.FAILED)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.test/go?url=https%3A%2F%2Frival.test%2F", True),
        ("https://a.test/go?url=https%3A%2F%2Fa.test%2Fother", False),
        ("https://a.test/search?q=rival.test", False),
        (URL, False),
    ],
)
def test_a_redirector_is_known_by_the_address_in_its_query(url: str, expected: bool) -> None:
    assert leads_off(url, AROUND.belongs) is expected


def test_without_a_key_hybrid_counts_the_pages_one_would_have_helped_and_free_only_does_not() -> None:
    blocked = Answer(Evidence.FORBIDDEN, 403)

    hybrid = conclude(ticket(), blocked, replace(AROUND, has_key=False))
    free = conclude(ticket(), blocked, replace(AROUND, mode=Mode.FREE_ONLY))

    assert hybrid.facts[KEY_WANTED] == 1
    assert KEY_WANTED not in free.facts


@pytest.mark.parametrize("method", [Method.DIRECT, Method.JS])
def test_a_robots_txt_that_cannot_be_had_is_paid_for_once_and_the_page_keeps_its_method(method: Method) -> None:
    first = ticket(method)
    assert robots_method(first.state) is Method.DIRECT

    paid = paid_instead(first, unreachable(first))

    assert isinstance(paid, Conclusion)
    assert paid.state
    assert (paid.verdict, robots_method(paid.state)) == (Verdict.AGAIN, Method.STANDARD)
    assert known(paid.state) == first.state


def test_a_paid_try_for_robots_txt_is_the_last() -> None:
    first = ticket()
    paid = paid_instead(first, unreachable(first))
    assert isinstance(paid, Conclusion)
    assert paid.state
    second = replace(first, state=paid.state)

    end = judge(second, RobotsAnswer(503), lambda _: True)

    assert isinstance(end, Conclusion)
    assert end.verdict is Verdict.FAILED
    assert paid_instead(second, end) is end


def test_a_robots_txt_that_is_known_is_not_paid_for() -> None:
    assert paid_instead(ticket(), Robots(Stance.NONE)) == Robots(Stance.NONE)


def test_no_robots_txt_is_paid_for_to_ask_whether_an_address_of_the_client_answers() -> None:
    of_target = replace(ticket(), state=PageState(kind=Kind.TARGET))

    assert paid_instead(of_target, unreachable(of_target)).verdict is Verdict.FAILED


def test_a_page_that_no_browser_could_read_is_read_as_it_is_and_not_rendered_again() -> None:
    rendered = ticket(Method.JS, extra={SHELL: 40})

    back = conclude(rendered, Answer(Evidence.FORBIDDEN, 403), AROUND)

    assert back.state
    assert (back.verdict, back.state.method) == (Verdict.AGAIN, Method.DIRECT)
    again = replace(rendered, state=back.state)
    end = conclude(again, Answer(Evidence.NEEDS_BROWSER, 200, read(SHELL_PAGE)), AROUND)
    assert (end.verdict, end.outcome) == (Verdict.DONE, PageOutcome.READ)
