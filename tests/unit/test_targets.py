"""The client's own addresses: which are asked for, and when one is called dead."""

from dataclasses import replace
from typing import Any

import pytest
from scrapy import Request
from twisted.python.failure import Failure

from prospector.core.reading.page import read
from prospector.core.results.targets import Health, Target, belongs, by_domain, conclude, health, settled, targets
from prospector.core.visits.answers import Answer, of_page
from prospector.core.visits.evidence import Evidence
from prospector.core.visits.ladder import CALLS_MOST
from prospector.core.visits.opening import AT
from prospector.core.visits.outcomes import PageOutcome
from prospector.core.visits.ticket import Kind, PageState, Ticket, Verdict
from prospector.core.visits.visit import COOKIE, HOPS, Conclusion
from prospector.core.web.hops import MOST_HOPS
from prospector.core.web.urls import canonical, fingerprint
from prospector.fetch.failures import AddressRefused, DelayTooLong, Disallowed, NameUnknown, NoSuchName
from prospector.frontier import codec
from prospector.spiders import target_readings

URL = "https://acme.test/old"


def ticket(url: str = URL, **state: Any) -> Ticket:
    return Ticket("l", "j", "acme.test", 7, 1, "acme.test", url, PageState(kind=Kind.TARGET, **state), 0)


def same_page(one: str, other: str) -> bool:
    return canonical(one) == canonical(other)


def ended(one: Ticket, evidence: Evidence, status: int | None = None, **facts: Any) -> Conclusion:
    return conclude(one, Answer(evidence, status, **facts), same_page)


def hopped(one: Ticket, target: str, **facts: Any) -> Conclusion:
    return ended(one, Evidence.TEXT, 302, target=target, **facts)


def after(one: Ticket, end: Conclusion) -> Ticket:
    assert end.verdict is Verdict.AGAIN
    assert end.state
    return replace(one, state=end.state)


# which are asked for


def test_the_most_linked_address_comes_first_and_its_spellings_are_one() -> None:
    linked = [
        ("https://acme.test/tour", 5),
        ("https://out.test/go?url=https%3A%2F%2Fwww.acme.test%2Fold%23top", 4),
        ("http://www.acme.test/old?utm_source=x", 3),
        ("https://shop.acme.test/a", 5),
    ]

    found = targets(linked, {"acme.test"})

    assert found == [
        Target("acme.test", "https://www.acme.test/old", fingerprint(URL), (linked[1][0], linked[2][0]), 7),
        Target("acme.test", "https://acme.test/tour", fingerprint("https://acme.test/tour"), (linked[0][0],), 5),
        Target("acme.test", "https://shop.acme.test/a", fingerprint("https://shop.acme.test/a"), (linked[3][0],), 5),
    ]


@pytest.mark.parametrize(
    "spelling", ["https://notacme.test/", "mailto:info@acme.test", "https://acme.test.evil.example/", "https://[/", "x"]
)
def test_what_is_no_address_of_the_client_is_not_asked_for(spelling: str) -> None:
    assert targets([(spelling, 1)], {"acme.test"}) == []


def test_an_address_is_asked_of_the_longest_domain_of_the_client_that_has_its_site() -> None:
    linked = [(url, 1) for url in ("https://a.acme.test/1", "https://acme.test/2", "https://b.example.org/3")]

    found = by_domain(targets(linked, {"acme.test", "a.acme.test", "example.org"}))

    assert {domain: [one.url for one in ones] for domain, ones in found.items()} == {
        "a.acme.test": ["https://a.acme.test/1"],
        "acme.test": ["https://acme.test/2"],
        "example.org": ["https://b.example.org/3"],
    }


def test_a_shared_host_has_no_addresses_of_the_client_but_its_own() -> None:
    assert targets([("https://somebody.github.io/x", 1)], {"github.io"}) == []
    assert not belongs("https://somebody.github.io/x", "github.io")


# when one is dead


@pytest.mark.parametrize(
    ("evidence", "status", "found"),
    [
        (Evidence.GONE, 404, Health.DEAD),
        (Evidence.GONE, 410, Health.DEAD),
        (Evidence.REDIRECT_LOOP, 302, Health.DEAD),
        (Evidence.GONE, 400, Health.UNKNOWN),
        (Evidence.GONE, 451, Health.UNKNOWN),
        (Evidence.LOGIN, 401, Health.UNKNOWN),
        (Evidence.FORBIDDEN, 403, Health.UNKNOWN),
        (Evidence.CHALLENGE, 200, Health.UNKNOWN),
        (Evidence.EMPTY, 200, Health.UNKNOWN),
        (Evidence.TOO_MANY, 429, Health.UNKNOWN),
        (Evidence.UNAVAILABLE, 503, Health.UNKNOWN),
        (Evidence.SERVER_ERROR, 500, Health.UNKNOWN),
        (Evidence.TIMED_OUT, None, Health.UNKNOWN),
        (Evidence.RESET, None, Health.UNKNOWN),
        (Evidence.REFUSED, None, Health.UNKNOWN),
        (Evidence.UNRESOLVED, None, Health.UNKNOWN),
        (Evidence.REDIRECT_BROKEN, 302, Health.UNKNOWN),
        (Evidence.ROBOTS, None, Health.UNKNOWN),
        (Evidence.PRIVATE_ADDRESS, None, Health.UNKNOWN),
        (Evidence.TEXT, 200, Health.ALIVE),
        (Evidence.NEEDS_BROWSER, 200, Health.ALIVE),
        (Evidence.NOT_HTML, 200, Health.ALIVE),
        (Evidence.TOO_LARGE, None, Health.ALIVE),
    ],
)
def test_dead_is_only_what_everybody_meets_who_follows_the_link(
    evidence: Evidence, status: int | None, found: Health
) -> None:
    assert health(Answer(evidence, status)) is found


def test_a_name_that_is_known_not_to_exist_is_dead() -> None:
    assert health(Answer(Evidence.UNRESOLVED), name_exists=False) is Health.DEAD


@pytest.mark.parametrize(
    ("title", "found"), [("Page not found", Health.DEAD), ("404", Health.DEAD), ("The tour", Health.ALIVE)]
)
def test_an_error_page_in_disguise_is_dead(title: str, found: Health) -> None:
    page = read(f"<title>{title}</title><h1>{title}</h1><p>Words.".encode(), URL)

    end = conclude(ticket(), of_page(200, page, empty=False), same_page)

    assert end == settled(found)


def test_an_address_counts_as_no_page_and_no_failure() -> None:
    for found in Health:
        assert (settled(found).verdict, settled(found).outcome) == (Verdict.ASIDE, PageOutcome.SKIPPED)
        assert not settled(found).facts


@pytest.mark.parametrize(
    ("evidence", "calls"),
    [(Evidence.TIMED_OUT, 4), (Evidence.UNAVAILABLE, 4), (Evidence.UNRESOLVED, 2), (Evidence.FORBIDDEN, 1)],
)
def test_it_is_asked_again_as_a_page_is_and_never_for_money(evidence: Evidence, calls: int) -> None:
    one, asked = ticket(), 1
    while (end := ended(one, evidence)).verdict is Verdict.AGAIN:
        one, asked = after(one, end), asked + 1
        assert one.state.method.value == "direct"

    assert end == settled(Health.UNKNOWN)
    assert asked == calls <= CALLS_MOST


def test_a_site_that_asks_for_a_far_moment_is_not_waited_for() -> None:
    assert ended(ticket(), Evidence.TOO_MANY, 429, retry_after_ms=600_000).wait_ms == 600_000
    assert ended(ticket(), Evidence.TOO_MANY, 429, retry_after_ms=600_001) == settled(Health.UNKNOWN)


# redirects


def test_a_redirect_within_the_clients_domain_is_followed_under_the_same_page() -> None:
    end = hopped(ticket(), "https://shop.acme.test/new", cookies="a=1")

    assert after(ticket(), end).url == URL
    assert end.state
    assert (end.state.kind, end.state.extra[AT]) == (Kind.TARGET, "https://shop.acme.test/new")
    assert (end.state.extra[HOPS], end.state.extra[COOKIE]) == (1, "a=1")
    assert ended(after(ticket(), end), Evidence.GONE, 404) == settled(Health.DEAD)


def test_one_that_leads_off_the_clients_domain_is_not_dead() -> None:
    assert hopped(ticket(), "https://other.test/") == settled(Health.ALIVE)


def test_one_that_leads_to_no_address_is_not_known() -> None:
    assert hopped(ticket(), "") == settled(Health.UNKNOWN)


@pytest.mark.parametrize(
    "circle", [[URL], ["https://acme.test/b", URL], ["https://acme.test/b", "https://acme.test/c"]]
)
def test_a_circle_is_dead(circle: list[str]) -> None:
    one = ticket()
    for step in range(2 * MOST_HOPS):
        end = hopped(one, circle[step % len(circle)])
        if end.verdict is not Verdict.AGAIN:
            break
        one = after(one, end)

    assert end == settled(Health.DEAD)
    assert step <= len(circle)


def test_an_address_that_sets_a_cookie_on_itself_is_asked_again_with_it() -> None:
    one = ticket()
    end = hopped(one, URL, cookies="seen=1")

    assert ended(after(one, end), Evidence.TEXT, 200) == settled(Health.ALIVE)
    assert hopped(after(one, end), URL, cookies="seen=1") == settled(Health.DEAD)


# failures as Scrapy has them


@pytest.mark.parametrize(
    ("error", "found"),
    [
        (NoSuchName(""), Health.DEAD),
        (NameUnknown(""), Health.UNKNOWN),
        (AddressRefused(""), Health.UNKNOWN),
        (Disallowed(""), Health.UNKNOWN),
        (DelayTooLong(""), Health.UNKNOWN),
        (ValueError("a defect"), Health.UNKNOWN),
    ],
)
def test_a_failure_leaves_it_unknown_but_for_a_name_that_does_not_exist(error: Exception, found: Health) -> None:
    one = ticket(attempt=CALLS_MOST)

    item = target_readings.without_target(Request(URL, meta={"ticket": one}), Failure(error))

    assert item.conclusion == settled(found)


def test_what_its_robots_txt_ends_is_unknown_and_what_it_delays_goes_on() -> None:
    again = Conclusion(Verdict.AGAIN, state=PageState(kind=Kind.TARGET), wait_ms=1000)
    over = Conclusion(Verdict.FAILED, PageOutcome.FAILED, detail="robots.txt unreachable", facts={"reason": "x"})

    assert target_readings.ended(ticket(), again) is again
    assert target_readings.ended(ticket(), replace(again, wait_ms=600_001)) == settled(Health.UNKNOWN)
    assert target_readings.ended(ticket(), over) == settled(Health.UNKNOWN)
    assert target_readings.ended(replace(ticket(), state=PageState()), over) is over


def test_its_state_is_left_to_workers_that_know_of_it_and_no_other_state_is() -> None:
    assert '"v":2' in codec.dumps(PageState(kind=Kind.TARGET))
    assert '"v":1' in codec.dumps(PageState(kind=Kind.SITEMAP))
    assert codec.state_of(codec.dumps(PageState(kind=Kind.TARGET))).kind is Kind.TARGET
