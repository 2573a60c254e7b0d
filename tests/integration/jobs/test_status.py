"""Status and list from counters, with and without Redis; what failed; the lines of a job; what was interrupted."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import text

from prospector.core.states import JobState
from prospector.frontier.client import Frontier
from prospector.jobs import control, job_log
from prospector.jobs.interrupted import go_on, interrupted
from prospector.jobs.listing import NOT_ARCHIVED, listing
from prospector.jobs.status import status
from prospector.store import misses
from prospector.store.pages import PageRow, write

from .conftest import Desk

AWAY = "redis://127.0.0.1:1/0"


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


def test_an_archived_job_is_listed_when_it_is_asked_for(desk: Desk) -> None:
    job = desk.running()
    control.cancel(desk.engine, desk.frontier, job)
    with desk.engine.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'archived'"))

    assert listing(desk.engine, desk.frontier) == []
    assert len(listing(desk.engine, desk.frontier, frozenset(JobState))) == 1
    assert JobState.ARCHIVED not in NOT_ARCHIVED


def test_failed_domains_and_unread_pages_have_their_reasons(desk: Desk) -> None:
    from prospector.core.outcomes import PageOutcome

    job = desk.running()
    desk.crawl(most=1, failed=True)
    now = datetime.now(UTC)
    rows = [
        PageRow(page=1, domain=1, url="https://site-1.com/a", outcome=PageOutcome.FAILED, settled_at=now, status=403, attempts=4, detail="HTTP 403 Forbidden"),
        PageRow(page=2, domain=1, url="https://site-1.com/b", outcome=PageOutcome.READ, settled_at=now, status=200),
    ]  # fmt: skip
    write(desk.engine, job, rows)

    with desk.engine.connect() as connection:
        (domain,) = misses.failed_domains(connection, job)
        (page,) = misses.unread_pages(connection, job)

    assert (domain.domain, domain.failure_reason, domain.retry_count) == ("site-0.com", "DNS resolution failed", 0)
    assert (page.domain, page.url, page.failure_reason) == ("site-1.com", "https://site-1.com/a", "HTTP 403 Forbidden")
    assert (page.http_status, page.retry_count) == (403, 3)


def test_a_job_that_found_nothing_says_so_with_the_nearest_spellings(desk: Desk) -> None:
    from prospector.core.outcomes import PageOutcome

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

    found = job_log.lines(job_log.local_logs(tmp_path), "abc123", most=3)

    assert [(one["time"][17:19], one["worker"]) for one in found] == [("03", "w-2"), ("04", "w-1"), ("05", "w-2")]
    assert found[-1]["level"] == "ERROR"


def test_the_moves_of_a_job_are_among_its_lines(desk: Desk) -> None:
    job = desk.running()
    control.pause(desk.engine, desk.frontier, job)

    with desk.engine.connect() as connection:
        found = job_log.lines({"record": job_log.record(connection, job)}, job, most=10)

    assert [(one["to"], one["reason"]) for one in found] == [
        ("running", "started"),
        ("pausing", "asked to pause"),
        ("paused", "asked to pause"),
    ]


def test_a_job_of_which_nothing_was_heard_since_the_servers_began_was_interrupted(desk: Desk) -> None:
    job = desk.running()
    resting = desk.running(name="resting")
    control.pause(desk.engine, desk.frontier, resting)
    now = datetime.now(UTC)

    before = interrupted(desk.engine, desk.frontier, now - timedelta(hours=1))
    found = interrupted(desk.engine, desk.frontier, now + timedelta(hours=1))
    go_on(desk.engine, desk.frontier, found)

    assert before == []
    assert [one.job.id for one in found] == [job]
    assert found[0].at <= now
    assert len(desk.claim()) == 3
