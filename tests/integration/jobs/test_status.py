"""Status and list from counters, with and without Redis; what failed; the lines of a job; what was interrupted."""

import json
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, text

from prospector.core.job.states import JobState
from prospector.core.reading.zones import Zone
from prospector.core.results.score import Verdict as Judgement
from prospector.core.visits.outcomes import SITEMAP, PageOutcome
from prospector.core.visits.ticket import Verdict
from prospector.core.web.urls import fingerprint
from prospector.frontier import calls, job_calls, paid_calls
from prospector.frontier.calls import Fetch
from prospector.frontier.client import Frontier
from prospector.jobs import control, job_log
from prospector.jobs.checkpoint import checkpoint
from prospector.jobs.interrupted import go_on, newly_interrupted
from prospector.jobs.listing import NOT_ARCHIVED, listing
from prospector.jobs.status import status
from prospector.store import events, jobs, locks, misses, verdicts
from prospector.store.finds import Find
from prospector.store.locks import Lock
from prospector.store.pages import MentionRow, PageRow, write

from .conftest import Desk

AWAY = "redis://127.0.0.1:1/0"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


def test_a_status_counts_domains_pages_and_mentions(desk: Desk) -> None:
    job = desk.running(count=5)
    desk.crawl(most=2)
    desk.crawl(most=1, failed=True)

    one = status(desk.engine, desk.frontier, job)

    assert (one.domains_done, one.domains_failed, one.domains_waiting + one.domains_open) == (2, 1, 2)
    assert (one.pages, one.mentions, one.percent) == (3, 4, 60)
    assert one.failures == {"DNS resolution failed": 1}
    assert one.last_activity
    assert one.is_live


def test_who_looks_at_a_job_brings_it_to_its_end(desk: Desk) -> None:
    job = desk.running()
    desk.crawl()

    one = status(desk.engine, desk.frontier, job)

    assert one.job.state is JobState.COMPLETED
    assert (one.domains_done, one.mentions, one.is_live) == (3, 6, True)
    assert sum((one.methods or {}).values()) == 3


def test_a_status_without_redis_has_the_last_checkpoint_and_says_so(desk: Desk) -> None:
    job = desk.running()
    desk.crawl(most=1)
    control.pause(desk.engine, desk.frontier, job)

    one = status(desk.engine, Frontier(AWAY), job)

    assert (one.domains_done, one.domains_waiting, one.is_live) == (1, 2, False)
    assert one.job.state is JobState.PAUSED


def test_a_list_has_every_job_newest_first_from_wherever_its_numbers_are(desk: Desk) -> None:
    ended = desk.running(name="ended")
    desk.crawl()
    status(desk.engine, desk.frontier, ended)
    running = desk.running(name="running")
    desk.crawl(most=1)
    pending = desk.made(name="pending")

    found = listing(desk.engine, desk.frontier)
    without_redis = listing(desk.engine, Frontier(AWAY))

    assert [(one.job.id, one.domains_finished) for one in found] == [(pending, 0), (running, 1), (ended, 3)]
    assert [one.domains_finished for one in without_redis] == [0, 0, 3]


def test_a_list_has_how_many_are_qualified_and_does_not_say_that_nothing_failed(desk: Desk) -> None:
    job = desk.running()
    desk.crawl(most=2)
    desk.crawl(most=1, failed=True)
    with desk.engine.begin() as connection:
        verdicts.keep(connection, job, {Judgement.QUALIFIED: [0, 1]})

    (listed,) = (one.as_object() for one in listing(desk.engine, desk.frontier))

    assert (listed["qualified"], listed["failures"]) == (2, None)
    assert status(desk.engine, desk.frontier, job).as_object()["failures"] == {"DNS resolution failed": 1}


def test_the_last_word_of_a_job_has_all_its_domains_judged(desk: Desk) -> None:
    job = desk.running()
    desk.crawl()
    with desk.engine.begin() as connection:
        connection.execute(text("UPDATE domains SET mentions = 1"))
        assert len(verdicts.unjudged(connection, 10)[job]) == 3

    told = status(desk.engine, desk.frontier, job)

    assert told.job.state is JobState.COMPLETED
    with desk.engine.connect() as connection:
        assert verdicts.unjudged(connection, 10) == {}


def test_a_job_that_has_paid_for_something_says_by_which_method_before_it_ends(desk: Desk) -> None:
    job = desk.running()
    desk.crawl(most=1)
    free = status(desk.engine, desk.frontier, job).methods
    desk.frontier.run(paid_calls.balance(job, desk.frontier.run(paid_calls.doubt(job)), 5, []))

    paid = status(desk.engine, desk.frontier, job).methods

    assert free is None
    assert sum((paid or {}).values()) == 1


def test_an_archived_job_is_listed_when_it_is_asked_for(desk: Desk) -> None:
    job = desk.running()
    control.cancel(desk.engine, desk.frontier, job)
    with desk.engine.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'archived'"))

    assert listing(desk.engine, desk.frontier) == []
    assert len(listing(desk.engine, desk.frontier, frozenset(JobState))) == 1
    assert JobState.ARCHIVED not in NOT_ARCHIVED


def test_failed_domains_and_unread_pages_have_their_reasons(desk: Desk) -> None:
    job = desk.running()
    desk.crawl(most=1, failed=True)
    now = datetime.now(UTC)
    rows = [
        PageRow(page=1, domain=1, url="https://site-1.com/a", outcome=PageOutcome.FAILED, settled_at=now, status=403, attempts=4, detail="HTTP 403 Forbidden"),
        PageRow(page=2, domain=1, url="https://site-1.com/b", outcome=PageOutcome.READ, settled_at=now, status=200),
        PageRow(page=3, domain=1, url="https://site-1.com/sitemap.xml", outcome=PageOutcome.SKIPPED, settled_at=now, status=404, detail=SITEMAP),
    ]  # fmt: skip
    write(desk.engine, job, rows)

    with desk.engine.connect() as connection:
        (domain,) = misses.failed_domains(connection, job)
        (page,) = misses.unread_pages(connection, job)

    assert (domain.domain, domain.failure_reason, domain.retry_count) == ("site-0.com", "DNS resolution failed", 0)
    assert (page.domain, page.url, page.failure_reason) == ("site-1.com", "https://site-1.com/a", "HTTP 403 Forbidden")
    assert (page.http_status, page.retry_count) == (403, 3)


def test_the_newest_find_is_told_with_its_keyword(desk: Desk) -> None:
    job = desk.running()
    first, second = desk.claim(most=2)
    for ticket, keyword in ((first, 0), (second, 1)):
        mention = MentionRow(keyword, 3, Zone.MAIN, "we tried it last year")
        row = PageRow(page=fingerprint(ticket.url), domain=ticket.number, url=ticket.url, outcome=PageOutcome.READ, settled_at=datetime.now(UTC), status=200, mentions=[mention])  # fmt: skip
        write(desk.engine, job, [row])
    before = status(desk.engine, desk.frontier, job)
    desk.finish([first, second], mentions=1)
    desk.finish(desk.claim(), mentions=0)

    one = status(desk.engine, desk.frontier, job)

    assert before.newest_find is None
    assert one.newest_find == Find("Acme CRM", second.url, "we tried it last year")
    assert one.as_object()["newest_find"]["url"] == second.url


def test_a_job_that_found_nothing_says_so_with_the_nearest_spellings(desk: Desk) -> None:
    job = desk.running()
    rows = [
        PageRow(page=number, domain=number, url=f"https://site-{number}.com/", outcome=PageOutcome.READ, settled_at=datetime.now(UTC), status=200, spellings=["AcmeCRM"])
        for number in range(2)
    ]  # fmt: skip
    write(desk.engine, job, rows)
    desk.finish(desk.claim(), mentions=0)
    desk.close()

    one = status(desk.engine, desk.frontier, job)

    assert one.not_found == (
        'No mention of "crm" on 3 domains.',
        'No mention of "Acme CRM" on 3 domains. Nearest spellings seen: "AcmeCRM" on 2 domains.',
    )


def hurry(engine: Engine) -> None:
    """Whoever waits for a lock of this record from now on fails instead."""
    with engine.begin() as connection:
        connection.execute(text(f"ALTER DATABASE {engine.url.database} SET lock_timeout = '100ms'"))
    engine.dispose()


def test_who_looks_at_a_job_waits_for_nobody_who_works_on_it(desk: Desk) -> None:
    job = desk.running()
    stopped_at = datetime.now(UTC) + timedelta(seconds=1)
    told = newly_interrupted(desk.engine, stopped_at)
    hurry(desk.engine)

    with desk.engine.begin() as connection:
        jobs.hold_still(connection, job)
        one = status(desk.engine, desk.frontier, job)
        told_again = newly_interrupted(desk.engine, stopped_at)

    assert one.job.state is JobState.RUNNING
    assert (len(told), told_again) == (1, [])


def test_the_numbers_of_a_job_that_is_filled_again_are_those_of_its_checkpoint(desk: Desk) -> None:
    job = desk.running()
    desk.crawl()
    with desk.engine.begin() as connection:
        checkpoint(connection, jobs.job(connection, job), desk.frontier.run(job_calls.status([job]))[0])
    desk.frontier.redis.hdel(f"prospector:job:{job}", "filled", "domains_done", "pages")

    with desk.engine.connect() as connection, locks.alone(connection, Lock.REBUILD):
        jobs.hold_still(connection, job)
        one = status(desk.engine, desk.frontier, job)
        (listed,) = listing(desk.engine, desk.frontier)

    assert (one.domains_done, one.is_live) == (3, False)
    assert (listed.domains_done, listed.is_live) == (3, False)


def test_the_lines_of_a_job_come_out_of_all_logs_in_order(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "prospector" / "domain"
    folder.mkdir(parents=True)

    def event(second: int, job: str) -> str:
        return (
            json.dumps({"time": f"2026-11-18T12:00:0{second}.000Z", "level": "INFO", "event": "seen", "job": job})
            + "\n"
        )

    (folder / "w-1.log").write_text(event(1, "abc123") + event(4, "abc123"))
    (folder / "w-2.log").write_text(
        event(2, "other1") + event(3, "abc123") + "2026-11-18T12:00:05Z [ERROR] Job:abc123 Worker:w-2 broken\n"
    )

    found = job_log.lines(job_log.local_logs(tmp_path), "abc123", most=3, since=LONG_AGO)

    assert [(one["time"][17:19], one["worker"]) for one in found] == [("03", "w-2"), ("04", "w-1"), ("05", "w-2")]
    assert found[-1]["level"] == "ERROR"


def test_a_torn_line_hides_no_other_and_a_long_log_is_read_back_only_as_far_as_it_takes(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "prospector" / "domain"
    folder.mkdir(parents=True)
    written = [
        json.dumps({"time": f"{number:09}", "level": "INFO", "event": "gesehen: süß", "job": "abc123"})
        for number in range(5_000)
    ]
    torn = '{"time": "000004999", "job": "abc123", "eve'
    (folder / "w-1.log").write_text("\n".join([*written, torn, *written[:1], torn]), encoding="utf-8")
    log = job_log.local_logs(tmp_path)["w-1"]

    newest = job_log.lines({"w-1": log}, "abc123", most=3, since=LONG_AGO)
    everything = job_log.lines(job_log.local_logs(tmp_path), "abc123", most=10_000, since=LONG_AGO)

    assert [one["time"] for one in newest] == ["000004998", "000004999", "000000000"]
    assert next(log), "nothing is left of it: all of it was read"
    assert [int(one["time"]) for one in everything] == [*range(5_000), 0]
    assert {one["event"] for one in everything} == {"gesehen: süß"}


def test_a_log_is_not_read_back_to_before_the_job_was_made(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "prospector" / "domain"
    folder.mkdir(parents=True)
    days = [f"2026-11-{day:02}T12:00:00.000Z" for day in range(1, 29)]
    told = [json.dumps({"time": day, "level": "INFO", "event": "seen", "job": "abc123"}) for day in days]
    (folder / "w-1.log").write_text("\n".join([*told, "Traceback of one that has no moment"]))
    log = job_log.local_logs(tmp_path)["w-1"]

    found = job_log.lines({"w-1": log}, "abc123", most=1_000, since=datetime(2026, 11, 27, 12, 30, tzinfo=UTC))

    assert [one["time"][8:10] for one in found] == ["27", "28"], "the clocks of two machines may be an hour apart"
    assert len(list(log)) == 25


def test_a_log_that_scrapyd_has_deleted_meanwhile_hides_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "logs" / "prospector" / "domain"
    folder.mkdir(parents=True)
    for worker in ("w-1", "w-2"):
        (folder / f"{worker}.log").write_text(json.dumps({"time": "0", "event": "seen", "job": "abc123"}))
    logs = job_log.local_logs(tmp_path)

    (folder / "w-1.log").unlink()

    assert [one["worker"] for one in job_log.lines(logs, "abc123", most=3, since=LONG_AGO)] == ["w-2"]


def test_the_moves_of_a_job_are_among_its_lines(desk: Desk) -> None:
    job = desk.running()
    control.pause(desk.engine, desk.frontier, job)

    with desk.engine.connect() as connection:
        found = job_log.lines({"record": job_log.record(connection, job)}, job, most=10, since=LONG_AGO)

    assert [(one["to"], one["reason"]) for one in found] == [
        ("running", "started"),
        ("pausing", "asked to pause"),
        ("paused", "asked to pause"),
    ]


def wait_for_locks(engine: Engine, count: int) -> None:
    waiting = text(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    end = time.monotonic() + 60
    while True:
        with engine.connect() as connection:  # what it shows stays the same within a transaction
            if connection.scalar(waiting) == count:
                return
        assert time.monotonic() < end, f"not {count} wait"
        time.sleep(0.01)


def test_an_interruption_is_told_once_and_the_job_goes_on(desk: Desk) -> None:
    job = desk.running()
    resting = desk.running(name="resting")
    control.pause(desk.engine, desk.frontier, resting)
    stopped_at = datetime.now(UTC) + timedelta(seconds=1)

    with ThreadPoolExecutor(4) as pool:
        with desk.engine.begin() as connection:
            jobs.hold_still(connection, job)
            asked = [pool.submit(newly_interrupted, desk.engine, stopped_at) for _ in range(4)]
            wait_for_locks(desk.engine, 4)
        (found,) = [one.result() for one in asked if one.result()]
    go_on(desk.engine, desk.frontier, found)

    assert [(one.job.id, one.at) for one in found] == [(job, stopped_at)]
    assert newly_interrupted(desk.engine, stopped_at) == []
    assert len(desk.claim()) == 3


def test_each_interruption_is_told_and_none_of_before_a_job_was_started(desk: Desk) -> None:
    long_ago = datetime.now(UTC) - timedelta(hours=1)
    job = desk.running()
    first, second = (datetime.now(UTC) + timedelta(seconds=seconds) for seconds in (1, 60))

    told = [newly_interrupted(desk.engine, at) for at in (long_ago, first, first, second, second)]

    assert [[one.job.id for one in found] for found in told] == [[], [job], [], [job], []]
    with desk.engine.connect() as connection:
        noted = [one for one in events.of_job(connection, job) if one.reason.startswith("interrupted at ")]
    assert len(noted) == 2


def test_a_resumed_job_has_the_speed_of_now_and_one_that_waits_for_its_site_knows_until_when(desk: Desk) -> None:
    job = desk.running(count=4)
    desk.crawl(most=2)
    control.pause(desk.engine, desk.frontier, job)
    desk.advance(3_600_000)
    control.resume(desk.engine, desk.frontier, job)
    desk.crawl(most=1)
    (ticket,) = desk.claim()
    desk.frontier.run(calls.release(ticket.lease, Fetch.STRAINED, 0, 40, 60_000, retry_after_ms=7_200_000))
    desk.frontier.run(calls.settle(ticket.lease, Verdict.AGAIN, wait_ms=7_200_000))

    one = status(desk.engine, desk.frontier, job)

    assert one.speed is not None
    assert one.speed.per_hour > 30  # one domain within two minutes; with the hour of the pause it would be fewer than 4
    assert one.domains_stalled == 1
    assert one.stalled_until
    assert one.eta
    assert one.eta.low_seconds >= 7_000


def test_a_job_of_which_all_wait_for_their_sites_ends_no_sooner(desk: Desk) -> None:
    job = desk.running(count=1)
    (ticket,) = desk.claim()
    desk.frontier.run(calls.release(ticket.lease, Fetch.STRAINED, 0, 40, 60_000, retry_after_ms=7_200_000))
    desk.frontier.run(calls.settle(ticket.lease, Verdict.AGAIN, wait_ms=7_200_000))

    one = status(desk.engine, desk.frontier, job)

    assert one.eta
    assert one.eta.low_seconds == one.eta.high_seconds >= 7_000


def test_every_reason_for_a_failure_is_counted(desk: Desk) -> None:
    job = desk.running(count=8)
    for number in range(7):
        desk.finish(desk.claim(most=1), failed=True)
        desk.close(failed=True, reason=f"HTTP 40{number}")

    assert len(status(desk.engine, desk.frontier, job).failures or {}) == 7
