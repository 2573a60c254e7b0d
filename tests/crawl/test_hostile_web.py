"""Every kind of site of the small web, crawled once by one worker process, and held to what each of them promises."""

from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import Engine

from prospector.core.reading.traits import PageFlag
from prospector.core.web.hops import MOST_HOPS
from prospector.demo.web.kinds import KINDS
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan

from .conftest import SPEC, Crawled, fleet, flush, load, once_a_run, save, watch

pytestmark = pytest.mark.timeout(600)  # whoever comes first crawls for all, and the others wait for it

SEED = 4
CAP = SPEC.threshold_pages


@pytest.fixture(scope="session")
def web(databases: object, migrated: str, shared_redis_url: str, shared_folder: Path) -> Crawled:
    """One crawl for all tests of this file, whichever process of the run comes first."""
    with once_a_run(shared_folder, "hostile") as kept:
        if not kept.exists():
            with databases(migrated) as engine:  # type: ignore[operator]
                save(crawl(engine, shared_redis_url, shared_folder), kept)
    return load(kept)


def crawl(engine: Engine, redis_url: str, folder: Path) -> Crawled:
    flush(redis_url)
    plan = Plan(SEED, len(KINDS))
    with (
        running(folder / "web.jsonl", seed=SEED, sites=len(KINDS)) as ready,
        fleet(engine, redis_url, ready, folder) as one,
    ):
        job = one.job(plan)
        # a proxy of the environment that would swallow everything, were it obeyed; a time-out that a test can wait for
        one.worker("-s", "DOWNLOAD_TIMEOUT=8", http_proxy="http://127.0.0.1:9", https_proxy="http://127.0.0.1:9")
        seen = Crawled(plan, folder / "web.jsonl")
        one.until_over(job, seconds=400, look=watch(one, seen, job))
        one.stop()
        crawled = one.left(plan, job)
    flush(redis_url)
    crawled.peak_mb, crawled.ports, crawled.most_queued = seen.peak_mb, seen.ports, seen.most_queued
    return crawled


def test_every_line_of_the_checker_holds(web: Crawled) -> None:
    verdict = web.verdict()

    assert [(line.what, line.seen, line.examples) for line in verdict.lines if line.good is False] == []


# names and connections: H1 and H2 and H3


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("unknown-name", "DNS resolution failed"),
        ("broken-name", "DNS resolution failed"),
        ("closed-port", "Connection refused"),
        ("closing", "Connection reset"),
        ("silent", "Timeout after 30s"),
        ("login", "Login required (HTTP 401)"),
        ("missing", "HTTP 404 Not Found"),
        ("gone", "HTTP 410 Gone"),
        ("refused", "HTTP 403 Forbidden"),
        ("refused-always", "HTTP 403 Forbidden"),
        ("challenge", "Blocked by a captcha or challenge page"),
        ("captcha", "Blocked by a captcha or challenge page"),
        ("empty", "Blocked: the answer was empty"),
        ("unavailable-always", "HTTP 503 Service Unavailable"),
        ("limited-always", "HTTP 429 Too Many Requests"),
        ("robots-closed", "robots.txt disallowed"),
        ("robots-failing", "robots.txt unreachable"),
        ("robots-delay-far", "Crawl-delay of 120 s is too long"),
        ("home-loop", "Redirect loop"),
        ("canary-home", "Private or reserved address"),
        ("canary-name", "Private or reserved address"),
    ],
)
def test_a_domain_that_cannot_be_crawled_fails_for_a_reason_people_understand(
    web: Crawled, kind: str, reason: str
) -> None:
    assert web.ending(kind) == ("failed", reason)


def test_no_domain_fails_without_a_real_reason(web: Crawled) -> None:
    reasons = {row["reason"] for row in web.domains.values() if row["state"] == "failed"}

    assert reasons.isdisjoint({None, "", "No page could be read", "Internal error"})


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        ("reset", ("failed", "The answer was cut short")),
        ("short", ("failed", "The answer was cut short")),
        ("drip", ("failed", "Timeout after 30s")),
        ("slow-headers", ("failed", "Timeout after 30s")),
        ("endless", ("skipped", "Page too large (over 10 MB)")),
        ("heavy", ("skipped", "Page too large (over 10 MB)")),
        ("bomb", ("skipped", "Page too large (over 10 MB)")),
        ("binary", ("skipped", "Not an HTML page")),
    ],
)
def test_a_page_that_never_arrives_whole_is_not_read_and_costs_its_domain_nothing(
    web: Crawled, kind: str, outcome: tuple[str, str]
) -> None:
    assert web.outcomes(kind)["bad"] == outcome
    assert web.ending(kind) == ("done", None)
    assert not [row for row in web.mentions if row["url"].endswith("/bad")]


def test_a_page_is_asked_for_four_times_at_most(web: Crawled) -> None:
    for kind in ("reset", "short", "drip", "flapping", "patchy"):
        asked = Counter(one.path for one in web.requests(kind))
        assert max(asked.values()) <= 4, (kind, asked)


# memory and traps: H4 and H6 and H8 and H11


def test_the_whole_of_it_fits_into_300_mb(web: Crawled) -> None:
    assert 0 < web.peak_mb < 300


@pytest.mark.parametrize("kind", ["session", "calendar", "growing", "wildcard", "soft-missing", "many-links", "shop"])
def test_a_trap_costs_no_more_than_the_cap(web: Crawled, kind: str) -> None:
    row = web.domains[web.name(kind)]

    assert row["state"] == "done"
    assert row["pages"] <= CAP


def test_what_is_queued_of_a_domain_is_bounded(web: Crawled) -> None:
    assert 0 < web.most_queued <= 2 * CAP


@pytest.mark.parametrize("kind", ["large-index", "large-text", "large-quiet", "large-links"])
def test_a_large_site_is_read_by_its_best_pages(web: Crawled, kind: str) -> None:
    row = web.domains[web.name(kind)]

    # at a tenth of a second a few more are asked for before the last ones are committed
    assert 0 <= row["pages"] - (SPEC.top_pages + 1) <= 5
    assert (row["state"], row["partial"]) == ("done", False)


@pytest.mark.parametrize(
    "kind", ["deep", "after-the-end", "binary", "robots-expensive", "canary-entities", "robots-huge"]
)
def test_hostile_documents_end_like_others(web: Crawled, kind: str) -> None:
    assert web.ending(kind)[0] == "done"


# where redirects and refreshes lead: H5 with H9


def test_rows_carry_the_last_address_of_a_chain(web: Crawled) -> None:
    outcomes = web.outcomes("hops")

    assert outcomes["one"][0] == outcomes["three"][0] == "redirected"
    assert outcomes["here"] == outcomes["there"] == outcomes["d%C3%B6rf"] == ("read", None)


def test_a_chain_ends_in_time_and_is_called_a_loop(web: Crawled) -> None:
    outcomes, asked = web.outcomes("loops"), Counter(one.path for one in web.requests("loops"))
    chain = [target for target in asked if target.startswith("/chain-")]

    assert outcomes["self"] == outcomes["pong"] == outcomes["nowhere"] == ("failed", "Redirect loop")
    assert len(chain) <= MOST_HOPS + 2
    assert max(asked.values()) == 1


def test_a_page_that_leads_away_is_told_and_not_followed(web: Crawled) -> None:
    assert web.outcomes("leaving")["partner"] == ("redirected", "offsite: http://rival.test/landing")


def test_a_domain_that_moved_is_done_and_says_where(web: Crawled) -> None:
    for kind in ("moved-away", "moved-next-door"):
        row = web.domains[web.name(kind)]
        assert row["state"] == "done"
        assert row["reason"] == f"moved to {row['moved_to']}"


def test_an_immediate_refresh_is_a_redirect_and_a_slow_one_is_not(web: Crawled) -> None:
    outcomes = web.outcomes("refresh")

    assert outcomes["now"][0] == "redirected"
    assert outcomes["after-now"] == outcomes["later"] == ("read", None)
    assert "after-later" not in outcomes


def test_a_site_that_wants_a_cookie_gets_it(web: Crawled) -> None:
    assert web.ending("cookies") == ("done", None)
    assert web.domains[web.name("cookies")]["pages"] >= 3


def test_answers_that_are_the_last_word_are_not_asked_for_again(web: Crawled) -> None:
    asked = Counter(one.path for one in web.requests("patchy"))

    assert {asked[f"/answers-{status}"] for status in (401, 404, 410, 418)} == {1}
    assert web.outcomes("patchy")["answers-410"] == ("failed", "HTTP 410 Gone")


# robots, twins, certificates: H7


def test_robots_txt_is_asked_for_once_an_authority(web: Crawled) -> None:
    for kind in ("blog", "twins", "robots-groups", "robots-slow", "robots-redirected", "robots-html"):
        asked = Counter((one.host, one.scheme) for one in web.requests(kind) if one.path == "/robots.txt")
        assert set(asked.values()) == {1}, kind


@pytest.mark.parametrize("kind", ["to-www", "to-apex", "secure", "expired", "wrong-name"])
def test_a_domain_is_found_at_its_twin_and_whatever_its_certificate(web: Crawled, kind: str) -> None:
    assert web.ending(kind) == ("done", None)


def test_a_bad_certificate_is_noted_and_a_good_one_is_not(web: Crawled) -> None:
    def flags(kind: str) -> set[bool]:
        mine = [row for row in web.pages if row["domain"] == web.name(kind) and row["outcome"] == "read"]
        return {bool(PageFlag(row["flags"]) & PageFlag.BAD_CERTIFICATE) for row in mine}

    assert flags("expired") == flags("wrong-name") == {True}
    assert flags("secure") == flags("blog") == {False}


def test_a_parked_domain_is_flagged(web: Crawled) -> None:
    parked = [row for row in web.pages if row["domain"] == web.name("parked") and row["outcome"] == "read"]

    assert parked
    assert all(PageFlag(row["flags"]) & PageFlag.PARKED for row in parked)


def test_a_domain_keeps_what_its_crawl_was_like(web: Crawled) -> None:
    needs, barred, calm = (web.domains[web.name(kind)] for kind in ("half-application", "refused", "blog"))

    assert (needs["js_pages"], barred["blocks"]) == (2, 1)
    assert calm["delay_ms"] >= 100
    assert calm["direct_requests"] >= calm["pages"]


def test_pages_that_need_a_browser_say_so_and_their_link_status_is_unknown(web: Crawled) -> None:
    pages = [row for row in web.pages if row["domain"] == web.name("application") and row["outcome"] == "read"]

    assert pages
    assert {row["link"] for row in pages} == {"unknown"}


# what must never be asked: X2 and X3 and X13 and X14


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.startswith("canary-")])
def test_no_road_leads_to_an_address_that_is_not_public(web: Crawled, kind: str) -> None:
    assert not [one for one in web.requests(kind) if one.canary]


def test_a_host_below_the_domain_with_a_private_address_is_a_reason_of_that_page(web: Crawled) -> None:
    pages = [row for row in web.pages if row["url"].split("/")[2].startswith("intern.")]

    assert {(row["outcome"], row["detail"]) for row in pages} == {("skipped", "Private or reserved address")}
    assert web.ending("canary-host") == ("done", None)


def test_a_worker_listens_on_no_port(web: Crawled) -> None:
    assert web.ports == set()
