"""What becomes of a page after one fetch: openings, hops and endings, as tables."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from prospector.core.visits.answers import Answer
from prospector.core.visits.evidence import Evidence
from prospector.core.visits.methods import Method, Mode
from prospector.core.visits.opening import AT, FIRST, OPENING, address_of
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import PageState, Ticket, Verdict
from prospector.core.visits.visit import COOKIE, HOPS, VIA, Circumstances, Conclusion, conclude
from prospector.core.web.hops import MOST_HOPS, Hop, is_web_host, openings
from prospector.core.web.urls import canonical

HOME = "https://a.test/"


def ticket(url: str = HOME, *, opening: bool = False, **state: Any) -> Ticket:
    return Ticket("l", "j", "a.test", 0, 1, "a.test", url, PageState(**state), 0, opening=opening)


def around(*, opening: bool = False, mode: Mode = Mode.FREE_ONLY) -> Circumstances:
    return Circumstances(
        mode=mode,
        has_key=mode is not Mode.FREE_ONLY,
        may_render=True,
        opening=opening,
        same_page=lambda one, other: canonical(one) == canonical(other),
        belongs=lambda url: url.split("/")[2].split(":")[0].endswith("a.test"),
    )


def concluded(one: Ticket, evidence: Evidence, status: int | None = None, **facts: Any) -> Conclusion:
    return conclude(one, Answer(evidence, status, **facts), around(opening=one.opening))


def hopped(one: Ticket, target: str, **facts: Any) -> Conclusion:
    return concluded(one, Evidence.TEXT, 302, target=target, **facts)


def opened(answers: Sequence[tuple[Evidence, int | None]]) -> tuple[list[str], Conclusion]:
    """The addresses asked for while a domain is opened, and how it ends."""
    one, asked = ticket(opening=True), []
    for evidence, status in answers:
        asked.append(address_of(one).removesuffix("/"))
        end = concluded(one, evidence, status)
        if end.verdict is not Verdict.AGAIN:
            return asked, end
        assert end.state
        one = replace(one, state=end.state)
    raise AssertionError(f"not ended after {asked}")


S, H, WS, WH = "https://a.test", "http://a.test", "https://www.a.test", "http://www.a.test"
NO, GONE, OUT, RST = Evidence.REFUSED, Evidence.GONE, Evidence.TIMED_OUT, Evidence.RESET
UNKNOWN = Evidence.UNRESOLVED


@pytest.mark.parametrize(
    ("answers", "asked", "reason"),
    [
        ([(Evidence.TEXT, 200)], [S], None),
        ([(NO, None), (Evidence.TEXT, 200)], [S, H], None),
        ([(RST, None), (Evidence.TEXT, 200)], [S, H], None),  # while TLS is agreed on
        ([(UNKNOWN, None), (Evidence.TEXT, 200)], [S, WS], None),  # another scheme has the same name
        ([(NO, None), (NO, None), (NO, None), (Evidence.TEXT, 200)], [S, H, WS, WH], None),
        ([(NO, None), (Evidence.FORBIDDEN, 403)], [S, H], "HTTP 403 Forbidden"),  # somebody is there
        ([(UNKNOWN, None)] * 4, [S, WS, S, WS], "DNS resolution failed"),
        ([(NO, None)] * 2 + [(UNKNOWN, None)] + [(NO, None)] * 2 + [(UNKNOWN, None)],
         [S, H, WS, S, H, WS], "Connection refused"),
        ([(NO, None), (NO, None), (NO, None), (GONE, 404)], [S, H, WS, WH], "Connection refused"),
        ([(NO, None), (GONE, 404)], [S, H], "HTTP 404 Not Found"),
        ([(OUT, None)] * 7, [S, H, WS, WH, WH, WH, WH], "Timeout after 30s"),
        ([(RST, None), (OUT, None)] * 2 + [(OUT, None)] * 3, [S, H, WS, WH, WH, WH, WH], "Timeout after 30s"),
        ([(GONE, 404)], [S], "HTTP 404 Not Found"),
        ([(Evidence.LOGIN, 401)], [S], "Login required (HTTP 401)"),
        ([(Evidence.NOT_HTML, 200)], [S], "Not an HTML page"),
        ([(Evidence.PRIVATE_ADDRESS, None)], [S], "Private or reserved address"),
        ([(Evidence.ROBOTS, None)], [S], "robots.txt disallowed"),
    ],
)  # fmt: skip
def test_a_domain_is_opened_where_it_answers_and_fails_for_what_its_listed_host_did(
    answers: Sequence[tuple[Evidence, int | None]], asked: list[str], reason: str | None
) -> None:
    seen, end = opened(answers)

    assert seen == asked
    assert end.facts.get("reason") == reason


def test_a_reason_of_the_first_failure_comes_without_the_status_of_the_last() -> None:
    _, end = opened([(NO, None), (NO, None), (NO, None), (GONE, 404)])

    assert "status" not in end.facts
    assert end.detail == "HTTP 404 Not Found"  # the page's own


def test_only_the_opening_looks_for_other_addresses_and_says_how_the_domain_ended() -> None:
    end = concluded(ticket(), Evidence.REFUSED)

    assert end.verdict is Verdict.AGAIN
    assert end.state
    assert OPENING not in end.state.extra
    assert not end.facts


def test_a_paid_method_does_not_go_on_to_another_opening() -> None:
    one = ticket(opening=True, method=Method.JS)

    end = conclude(one, Answer(Evidence.TIMED_OUT), around(opening=True, mode=Mode.PREMIUM_ONLY))

    assert end.state
    assert OPENING not in end.state.extra


@pytest.mark.parametrize("evidence", [Evidence.NOT_HTML, Evidence.TOO_LARGE])
def test_a_domain_whose_opening_page_cannot_be_read_by_a_rule_fails(evidence: Evidence) -> None:
    assert concluded(ticket(opening=True), evidence, 200).verdict is Verdict.FAILED
    assert concluded(ticket(), evidence, 200).verdict is Verdict.DONE


# --- hops

PAGE = "https://a.test/page"
PRIVATE = "Private or reserved address"


@pytest.mark.parametrize(
    ("target", "verdict", "detail"),
    [
        ("http://a.test/page", Verdict.AGAIN, None),
        ("https://www.a.test/page", Verdict.AGAIN, None),
        ("https://a.test/page?PHPSESSID=0123456789abcdef0123456789abcdef", Verdict.AGAIN, None),
        ("https://a.test/other", Verdict.ASIDE, "to https://a.test/other"),
        ("https://sub.a.test/", Verdict.ASIDE, "to https://sub.a.test/"),
        ("https://b.test/", Verdict.DONE, "offsite: https://b.test/"),
        ("http://127.0.0.1/", Verdict.DONE, "offsite: http://127.0.0.1/"),
        (PAGE, Verdict.FAILED, "Redirect loop"),
        ("", Verdict.FAILED, "Redirect to no web address"),
    ],
)
def test_a_hop_of_a_page_is_the_same_page_another_one_or_the_end(
    target: str, verdict: Verdict, detail: str | None
) -> None:
    end = hopped(ticket(PAGE), target)

    assert (end.verdict, end.detail) == (verdict, detail)


@pytest.mark.parametrize(
    ("target", "reason", "moved"),
    [
        ("https://b.test/", "moved to b.test", "b.test"),
        ("https://127.66.0.1/", PRIVATE, None),
        ("http://[::1]:8000/", PRIVATE, None),
        ("http://169.254.169.254/latest/meta-data/", PRIVATE, None),
        ("http://localhost/", PRIVATE, None),
        ("http://8.8.8.8/", "moved to 8.8.8.8", "8.8.8.8"),
        (HOME, "Redirect loop", None),
        ("", "Redirect to no web address", None),
    ],
)
def test_a_domain_whose_opening_leads_away_has_moved_unless_that_is_no_place_to_move_to(
    target: str, reason: str, moved: str | None
) -> None:
    end = hopped(ticket(opening=True), target)

    assert end.facts["reason"] == reason
    assert end.facts.get("moved_to") == moved


def test_another_address_of_the_same_page_is_remembered_with_its_hop() -> None:
    end = hopped(ticket(PAGE), "http://a.test/page")

    assert end.outcome is None
    assert end.state
    assert dict(end.state.extra) == {AT: "http://a.test/page", HOPS: 1}


def test_a_chain_over_pages_is_a_loop_when_it_comes_back() -> None:
    first = hopped(ticket("https://a.test/ping"), "https://a.test/pong").onward
    assert first

    end = hopped(ticket(first.url, **vars(first.state)), "https://a.test/ping")

    assert end.detail == "Redirect loop"


def test_a_chain_has_an_end() -> None:
    one, hops = ticket("https://a.test/0"), 0
    while (end := hopped(one, f"https://a.test/{hops + 1}")).onward:
        one, hops = ticket(end.onward.url, **vars(end.onward.state)), hops + 1

    assert hops == MOST_HOPS
    assert end.detail == "Redirect loop"


def test_a_page_that_is_led_to_keeps_the_method_that_got_through() -> None:
    end = hopped(ticket(PAGE, method=Method.JS), "https://a.test/other")

    assert end.onward
    assert end.onward.state.method is Method.JS


def test_a_site_that_asks_for_a_cookie_is_asked_once_more_with_it() -> None:
    first = hopped(ticket(PAGE), PAGE, cookies="seen=1")
    assert first.state

    again = hopped(ticket(PAGE, extra=first.state.extra), PAGE, cookies="seen=1")

    assert first.state.extra[COOKIE] == "seen=1"
    assert again.detail == "Redirect loop"


def test_a_site_that_sets_another_cookie_each_time_is_left_in_the_end() -> None:
    one, asked = ticket(PAGE), 0
    while (end := hopped(one, PAGE, cookies=f"n={asked}")).verdict is Verdict.AGAIN:
        assert end.state
        one, asked = ticket(PAGE, extra=end.state.extra), asked + 1

    assert asked == MOST_HOPS


def test_what_led_to_a_page_is_text_because_lua_rounds_large_numbers() -> None:
    end = hopped(ticket(PAGE), "https://a.test/other")

    assert end.onward
    assert all(isinstance(one, str) for one in end.onward.state.extra[VIA])


# --- endings


@pytest.mark.parametrize(
    ("evidence", "status", "verdict", "outcome", "detail"),
    [
        (Evidence.TEXT, 200, Verdict.DONE, PageOutcome.READ, None),
        (Evidence.NEEDS_BROWSER, 200, Verdict.DONE, PageOutcome.READ, None),
        (Evidence.GONE, 404, Verdict.FAILED, PageOutcome.FAILED, "HTTP 404 Not Found"),
        (Evidence.GONE, 418, Verdict.FAILED, PageOutcome.FAILED, "HTTP 418 I'm a Teapot"),
        (Evidence.ROBOTS, None, Verdict.ASIDE, PageOutcome.SKIPPED, "robots.txt disallowed"),
        (Evidence.NOT_HTML, 200, Verdict.DONE, PageOutcome.SKIPPED, "Not an HTML page"),
        (Evidence.TOO_LARGE, None, Verdict.DONE, PageOutcome.SKIPPED, "Page too large (over 10 MB)"),
        (Evidence.UNAVAILABLE, 503, Verdict.AGAIN, None, None),
    ],
)
def test_a_page_ends_as_what_it_showed(
    evidence: Evidence, status: int | None, verdict: Verdict, outcome: PageOutcome | None, detail: str | None
) -> None:
    end = concluded(ticket(PAGE), evidence, status)

    assert (end.verdict, end.outcome, end.detail) == (verdict, outcome, detail)


@pytest.mark.parametrize(
    ("evidence", "method", "facts"),
    [
        (Evidence.TEXT, Method.DIRECT, {}),
        (Evidence.NEEDS_BROWSER, Method.DIRECT, {"+js_pages": 1}),
        (Evidence.TEXT, Method.JS, {"+js_pages": 1}),
        (Evidence.FORBIDDEN, Method.DIRECT, {"+blocks": 1}),
        (Evidence.CHALLENGE, Method.DIRECT, {"+blocks": 1}),
        (Evidence.TOO_MANY, Method.DIRECT, {"+blocks": 1}),
        (Evidence.GONE, Method.DIRECT, {}),
    ],
)
def test_blocks_and_pages_that_need_a_browser_are_counted_for_the_domain(
    evidence: Evidence, method: Method, facts: dict[str, int]
) -> None:
    end = concluded(ticket(PAGE, method=method), evidence)

    assert end.facts == facts


def test_money_that_is_missing_parks_the_page() -> None:
    end = conclude(ticket(PAGE, method=Method.JS), Answer(Evidence.OUT_OF_CREDITS), around(mode=Mode.HYBRID))

    assert (end.verdict, end.parked) == (Verdict.PARK, "credits")


def test_the_listed_host_comes_before_its_twin_and_https_before_http() -> None:
    assert openings("www.a.test") == (f"{WS}/", f"{WH}/", f"{S}/", f"{H}/")
    assert openings("a.test") == (f"{S}/", f"{H}/", f"{WS}/", f"{WH}/")


@pytest.mark.parametrize(
    ("host", "is_one"),
    [("b.test", True), ("8.8.8.8", True), ("[2606:4700::1]", True), ("10.0.0.1", False), ("[::1]", False), ("localhost", False), ("167772161", False), ("10.1", False)],
)  # fmt: skip
def test_a_web_host_is_a_name_or_a_public_address(host: str, is_one: bool) -> None:
    assert is_web_host(host) is is_one


def test_each_kind_of_hop_has_an_ending() -> None:
    assert {one.value for one in Hop} == {"same", "inside", "moved", "outside", "private", "loop", "broken"}


def test_the_first_failure_is_kept_while_others_follow() -> None:
    one = ticket(opening=True, extra={FIRST: "refused", OPENING: 1, AT: f"{H}/"})

    end = concluded(one, Evidence.TIMED_OUT)

    assert end.state
    assert end.state.extra[FIRST] == "timed-out"  # says more of the host
