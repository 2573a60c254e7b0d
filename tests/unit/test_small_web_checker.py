"""The checker: each broken promise is seen, and a crawl that keeps them all is not blamed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector.demo.verdict.checker import Bars, Crawl, Verdict, check, credits_charged
from prospector.demo.verdict.coverage import Row, results
from prospector.demo.verdict.dead_links import dead_links, said_to_be_dead
from prospector.demo.verdict.politeness import manners, peak
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import Entry, Heading, RequestLog, entries, heading
from prospector.demo.web.site import CLIENT, Ending, Reach
from prospector.demo.web.truth import Limits, endings, expected, links
from prospector.errors import Conflict, InputInvalid

SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(4, 14, ["company", "session", "calendar", "robots-closed", "robots-delay", "limited"])


def perfect(plan: Plan) -> Iterator[Row]:
    return (Row(one.domain, one.url, one.keyword, one.count) for one in expected(plan, Limits()))


def request(host: str, path: str, at_seconds: float, **fields: object) -> Entry:
    at_ns = int(at_seconds * SECOND)
    site = ".".join(host.rsplit(".", 2)[-2:])
    entry = Entry(at_ns, at_ns + 1000, site, host, "http", path, 200, 10, "x", "", "127.0.0.1:1")
    for name, value in fields.items():
        setattr(entry, name, value)
    return entry


def host_of(plan: Plan, kind: str) -> str:
    return next(site for site in plan.sites if site.kind == kind).name


def broken(verdict: Verdict) -> set[str]:
    return {line.what for line in verdict.lines if line.good is False}


def judged(plan: Plan, *log: Entry, rows: list[Row] | None = None, **bars: object) -> set[str]:
    crawl = Crawl(log, list(perfect(plan)) if rows is None else rows)
    return broken(check(plan, crawl, Bars(**bars)))


def test_a_crawl_that_keeps_every_promise_is_not_blamed(plan: Plan) -> None:
    host = host_of(plan, "company")

    assert judged(plan, request(host, "/robots.txt", 0), request(host, "/", 1.0)) == set()


def test_a_gap_a_microsecond_short_is_seen(plan: Plan) -> None:
    host = host_of(plan, "company")

    assert judged(plan, request(host, "/robots.txt", 0), request(host, "/", 0.999999)) == {"gaps under 1.000 s"}


def test_gaps_that_a_late_timer_does_not_explain_are_told_apart(plan: Plan) -> None:
    host = host_of(plan, "company")
    log = [request(host, "/robots.txt", 0), request(host, "/", 0.95), request(host, "/", 1.8)]

    kept = manners(plan, log, delay_seconds=1.0, page_cap=9)

    assert (len(kept.short_gaps), kept.very_short_gaps) == (2, 1)


def test_the_gap_is_between_all_hosts_of_a_site(plan: Plan) -> None:
    host = host_of(plan, "company")
    log = [request(host, "/robots.txt", 0), request(f"www.{host}", "/robots.txt", 0.5)]

    kept = manners(plan, log, delay_seconds=1.0, page_cap=9)

    # www. of a company is no host of the plan, so the site must be found by the log's own word
    assert kept.gaps == 1
    assert kept.smallest_gap_seconds == 0.5


def test_a_paid_request_counts_for_the_gap(plan: Plan) -> None:
    host = host_of(plan, "company")
    log = [request(host, "/robots.txt", 0), request(host, "/", 0.5, via="scrapingbee-js")]

    assert judged(plan, *log) == {"gaps under 1.000 s"}


def test_redirects_that_the_provider_follows_are_one_call(plan: Plan) -> None:
    host = host_of(plan, "company")
    hop = request(host, "/", 1.0, via="scrapingbee-js", status=302)
    landing = request(host, "/start", 1.1, via="scrapingbee-js")

    assert judged(plan, request(host, "/robots.txt", 0), hop, landing) == set()


def test_the_delay_that_robots_asks_for_is_held_against_pages(plan: Plan) -> None:
    host = host_of(plan, "robots-delay")
    robots, first = request(host, "/robots.txt", 0), request(host, "/", 1.0)

    assert judged(plan, robots, first, request(host, "/1", 3.0)) == set()
    assert judged(plan, robots, first, request(host, "/1", 2.9)) == {"gaps under 1.000 s"}


def test_a_forbidden_page_is_seen(plan: Plan) -> None:
    host = host_of(plan, "robots-closed")

    assert judged(plan, request(host, "/robots.txt", 0), request(host, "/", 1.0)) == {"robots.txt violations"}


def test_an_unplanned_page_of_a_closed_site_is_seen(plan: Plan) -> None:
    host = host_of(plan, "robots-closed")

    assert judged(plan, request(host, "/robots.txt", 0), request(host, "/other", 1.0)) == {"robots.txt violations"}


def test_a_page_before_robots_is_seen(plan: Plan) -> None:
    assert judged(plan, request(host_of(plan, "company"), "/", 0)) == {"robots.txt violations"}


def test_robots_read_twice_is_seen_and_a_retry_is_not(plan: Plan) -> None:
    host = host_of(plan, "company")
    busy, cut = request(host, "/robots.txt", 0, status=503), request(host, "/robots.txt", 1, whole=False)

    assert judged(plan, busy, cut, request(host, "/robots.txt", 2)) == set()
    assert judged(plan, request(host, "/robots.txt", 1), request(host, "/robots.txt", 2)) == {"robots.txt read again"}


def test_robots_behind_a_redirect_is_read_for_the_host_that_was_asked(plan: Plan) -> None:
    host = host_of(plan, "company")
    log = [request(host, "/robots.txt", 0, status=301), request(f"www.{host}", "/robots.txt", 1)]

    assert judged(plan, *log, request(f"www.{host}", "/robots.txt", 2)) == set()


def test_a_request_before_retry_after_is_seen(plan: Plan) -> None:
    host = host_of(plan, "limited")
    log = [request(host, "/robots.txt", 0), request(host, "/", 1, status=429, retry_ms=3000)]

    assert judged(plan, *log, request(host, "/", 3.9)) == {"before Retry-After"}
    assert judged(plan, *log, request(host, "/", 4.1)) == set()


def test_a_canary_hit_is_seen(plan: Plan) -> None:
    assert judged(plan, request("127.66.0.1", "/canary", 0, canary=True, site="")) == {"canary hits"}


def test_pages_of_a_trap_beyond_the_cap_are_seen(plan: Plan) -> None:
    host = host_of(plan, "calendar")
    log = [request(host, "/robots.txt", 0), *(request(host, f"/calendar/1/{n}", n) for n in range(1, 12))]

    assert judged(plan, *log, page_cap=11) == set()
    assert judged(plan, *log, page_cap=10) == {"pages in traps beyond 10"}


def test_too_many_paid_requests_at_once_are_seen(plan: Plan) -> None:
    hosts = [domain.name for domain in plan.domains]
    log = [request(host, "/robots.txt", 0, end_ns=SECOND, via="scrapingbee-js") for host in hosts]

    assert judged(plan, *log, paid_cap=len(hosts)) == set()
    assert judged(plan, *log, paid_cap=len(hosts) - 1) == {"peak paid in flight"}


def test_direct_requests_do_not_count_as_paid(plan: Plan) -> None:
    hosts = [domain.name for domain in plan.domains]
    log = [request(host, "/robots.txt", 0, end_ns=SECOND) for host in hosts]

    assert judged(plan, *log, paid_cap=1) == set()


def test_a_page_that_came_whole_twice_is_told_and_not_judged(plan: Plan) -> None:
    host = host_of(plan, "company")
    log = [request(host, "/robots.txt", 0), *(request(host, "/", n, whole=n != 1) for n in (1, 2, 3))]

    assert manners(plan, log, delay_seconds=1.0, page_cap=9).fetched_again == 1
    assert judged(plan, *log) == set()


def test_the_verdict_is_good_unless_a_line_is_not(plan: Plan) -> None:
    good = check(plan, Crawl([], perfect(plan)), Bars())
    bad = check(plan, Crawl([], []), Bars())

    assert good.good
    assert not bad.good
    assert bad.as_json()["good"] is False


def test_requests_that_touch_are_not_in_flight_together() -> None:
    first, second = request("a.test", "/", 0, end_ns=SECOND), request("a.test", "/", 1)

    assert peak([first, second]) == 1


def test_missing_rows_are_seen(plan: Plan) -> None:
    assert judged(plan, rows=list(perfect(plan))[:-5]) == {"recall"}


def test_a_row_that_nobody_placed_is_seen(plan: Plan) -> None:
    host = host_of(plan, "company")

    assert judged(plan, rows=[*perfect(plan), Row(host, f"http://{host}/", "Zeppelin", 1)]) == {"precision"}


def test_a_row_under_another_domain_is_untrue(plan: Plan) -> None:
    first = next(perfect(plan))

    assert "precision" in judged(plan, rows=[*perfect(plan), Row("other.test", first.url, first.keyword, 1)])


def test_a_row_of_a_page_that_robots_forbids_is_untrue(plan: Plan) -> None:
    page = next(page for page in plan.pages if page.reach is Reach.FORBIDDEN and page.placements)
    keyword, count = next(iter(page.placements[0].phrase.counts.items()))
    row = Row(page.domain, f"http://{page.key}", keyword, count)

    assert judged(plan, rows=[*perfect(plan), row]) == {"precision"}


def test_a_wrong_frequency_is_seen(plan: Plan) -> None:
    first, *others = perfect(plan)

    assert judged(plan, rows=[Row(first.domain, first.url, first.keyword, 99), *others]) == {"wrong frequencies"}


def test_a_row_given_twice_in_another_scheme_is_a_duplicate(plan: Plan) -> None:
    rows = list(perfect(plan))
    twin = Row(rows[0].domain, "https:" + rows[0].url.partition(":")[2], rows[0].keyword, rows[0].frequency)

    assert judged(plan, rows=[*rows, twin]) == {"duplicate rows"}


def test_a_page_found_under_a_session_counts_as_found(plan: Plan) -> None:
    host = host_of(plan, "session")
    rows = [
        Row(row.domain, f"{row.url}?sid=0badcafe" if row.domain == host else row.url, row.keyword, row.frequency)
        for row in perfect(plan)
    ]

    assert judged(plan, rows=rows) == set()


def test_failures_are_held_against_the_truth(plan: Plan) -> None:
    truth = endings(plan, Limits().mode)
    failed = [name for name, ending in truth.items() if ending is Ending.FAILED]
    done = next(name for name, ending in truth.items() if ending is Ending.DONE)

    right = check(plan, Crawl([], perfect(plan), failed), Bars())
    silent = check(plan, Crawl([], perfect(plan), []), Bars())
    wrong = check(plan, Crawl([], perfect(plan), [*failed, done]), Bars())

    assert broken(right) == set()
    assert broken(silent) == {"failures not said"}
    assert broken(wrong) == {"accessible domains failed"}


@pytest.fixture(scope="module")
def linking() -> Plan:
    return Plan(89, 12, ["company", "blog", "subdomains"])


def test_dead_links_are_held_against_the_truth(linking: Plan) -> None:
    found = dead_links(linking, [], Limits())
    to_client = [one for one in links(linking) if one.backlink.target == CLIENT]
    dead = {one.domain for one in to_client if one.status == "dead"}
    alive = next(one.domain for one in to_client if one.domain not in dead)
    none = next(name.name for name in linking.domains if name.name not in {one.domain for one in to_client})

    right = check(linking, Crawl([], perfect(linking), dead_links=found.planned), Bars())
    silent = check(linking, Crawl([], perfect(linking), dead_links=found.planned[1:]), Bars())
    wrong = [
        check(linking, Crawl([], perfect(linking), dead_links=[*found.planned, one]), Bars()) for one in (alive, none)
    ]

    assert found.planned
    assert broken(right) == set()
    assert broken(silent) == {"dead links not said"}
    assert [broken(one) for one in wrong] == [{"dead links that are not"}] * 2


def test_a_link_to_a_former_page_is_read_from_prospects_however_it_is_written(tmp_path: Path) -> None:
    targets = {
        "a.test": "https://www.acme.test/retired",
        "b.test": "https://out.test/?u=https%3A%2F%2Facme.test%2Fcircle",
        "c.test": "https://acme.test/tour",
        "d.test": "",
        "e.test": "https://acme.test/retired/else",
    }
    rows = "".join(f"{domain},{target}\n" for domain, target in targets.items())
    (tmp_path / "prospects.csv").write_text(f"domain,link_target\n{rows}", encoding="utf-8")

    assert list(said_to_be_dead(tmp_path / "prospects.csv")) == ["a.test", "b.test"]


def test_credits_are_the_sum_of_the_calls(tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"cost": 5}\n{"cost": 1}\n{"cost": 0}\n', encoding="utf-8")

    assert credits_charged(calls) == 6


def test_calls_without_a_cost_are_refused(tmp_path: Path) -> None:
    calls = tmp_path / "calls.jsonl"
    calls.write_text('{"price": 5}\n', encoding="utf-8")

    with pytest.raises(InputInvalid, match="cost"):
        credits_charged(calls)


def test_results_for_people_are_read_too(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_bytes("\ufeffdomain,url,keyword,frequency,http_status\r\na.test,http://a.test/,CRM,2,200\r\n".encode())

    assert list(results(file)) == [Row("a.test", "http://a.test/", "CRM", 2)]


def test_results_without_a_column_are_refused_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text("domain,url,keyword\n", encoding="utf-8")

    with pytest.raises(InputInvalid, match="no column frequency"):
        list(results(file))


def test_the_log_gives_back_what_was_written_in_the_order_of_arrival(tmp_path: Path) -> None:
    path = tmp_path / "web.jsonl"
    late, early = request("a.test", "/ü", 2), request("a.test", "/", 1)
    with RequestLog(path, Heading(1, 5)) as log:
        log.end(late)
        log.end(early)

    assert list(entries(path)) == [early, late]
    assert heading(path) == Heading(1, 5)


def test_an_answer_that_never_ended_is_in_the_log(tmp_path: Path) -> None:
    path = tmp_path / "web.jsonl"
    with RequestLog(path, Heading(1, 5)) as log:
        log.begin(request("a.test", "/endless", 1))

    assert [entry.path for entry in entries(path)] == ["/endless"]


def test_half_a_line_at_the_end_of_a_log_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "web.jsonl"
    with RequestLog(path, Heading(1, 5)) as log:
        log.end(request("a.test", "/", 1))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"at_ns": 12')

    assert [entry.path for entry in entries(path)] == ["/"]


def test_a_log_goes_on_only_for_the_same_web(tmp_path: Path) -> None:
    path = tmp_path / "web.jsonl"
    for _ in range(2):
        with RequestLog(path, Heading(1, 5)) as log:
            log.end(request("a.test", "/", 1))

    assert len(list(entries(path))) == 2
    with pytest.raises(Conflict, match="another web"):
        RequestLog(path, Heading(2, 5))


def test_another_file_is_not_taken_for_a_log(tmp_path: Path) -> None:
    path = tmp_path / "other.txt"
    path.write_text("hello\n", encoding="utf-8")

    with pytest.raises(InputInvalid, match="not a log"):
        heading(path)


def test_a_line_that_is_none_of_a_log_is_named(tmp_path: Path) -> None:
    path = tmp_path / "web.jsonl"
    with RequestLog(path, Heading(1, 5)) as log:
        log.end(request("a.test", "/", 1))
    with path.open("a", encoding="utf-8") as file:
        file.write('{"x": 1}\n')

    with pytest.raises(InputInvalid, match=r"line 3, is not of a log of the small web"):
        list(entries(path))


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"\xff\xfe\x00", "is not a CSV file"),
        (b"domain,url,keyword,frequency\na.test\n", "row 2: frequency None is not a number"),
    ],
)
def test_a_file_that_is_no_result_of_a_crawl_is_refused(content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_bytes(content)

    with pytest.raises(InputInvalid, match=says):
        list(results(tmp_path / "results.csv"))
