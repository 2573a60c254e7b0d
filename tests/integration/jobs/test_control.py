"""Control: every command in every state, commands at the same moment, and a crash between the record and the frontier (J2)."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

import pytest

from prospector.blobs import Blob, storage
from prospector.blobs.folder import Folder
from prospector.core.job.states import JobState
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.core.visits.ticket import Verdict
from prospector.core.web.urls import fingerprint
from prospector.errors import BudgetReached, NotFound, ServerUnreachable
from prospector.frontier import calls, job_calls
from prospector.jobs import control, fill
from prospector.jobs.control import NotNow
from prospector.jobs.follow import reconcile
from prospector.jobs.rebuild import forget_all, rebuild_if_lost
from prospector.jobs.status import status
from prospector.store import domains, events, jobs, misses, pages
from prospector.store.pages import PageRow

from .conftest import Desk

Together = Callable[..., list[object]]


def known(desk: Desk, job: str) -> job_calls.Status:
    found = desk.frontier.run(job_calls.status([job]))[0]
    assert found
    return found


def test_a_started_job_is_handed_out_and_a_pending_one_is_not(desk: Desk) -> None:
    desk.made(count=2, name="not started")
    job = desk.running(count=2)

    tickets = desk.claim()

    assert [ticket.job for ticket in tickets] == [job, job]


def test_a_pause_waits_for_what_is_in_flight_and_hands_out_nothing_more(desk: Desk) -> None:
    job = desk.running()
    tickets = desk.claim(most=2)

    assert control.pause(desk.engine, desk.frontier, job) is JobState.PAUSING
    assert desk.claim() == ()
    desk.finish(tickets)

    assert reconcile(desk.engine, desk.frontier, job) is JobState.PAUSED


def test_a_resume_repeats_nothing(desk: Desk) -> None:
    job = desk.running(count=5)
    first = desk.claim(most=2)
    control.pause(desk.engine, desk.frontier, job)
    desk.finish(first)
    desk.close()
    reconcile(desk.engine, desk.frontier, job)

    control.resume(desk.engine, desk.frontier, job)
    second = desk.claim()

    assert sorted(ticket.domain for ticket in (*first, *second)) == [f"site-{number}.com" for number in range(5)]


def test_a_resume_while_pausing_goes_on_at_once(desk: Desk) -> None:
    job = desk.running()
    desk.claim(most=1)
    control.pause(desk.engine, desk.frontier, job)

    assert control.resume(desk.engine, desk.frontier, job) is JobState.RUNNING
    assert len(desk.claim()) == 2


def test_a_cancelled_job_leaves_nothing_in_the_frontier(desk: Desk) -> None:
    job = desk.running()
    tickets = desk.claim(most=1)

    control.cancel(desk.engine, desk.frontier, job)
    late = [desk.frontier.run(calls.settle(ticket.lease, calls.Verdict.DONE)) for ticket in tickets]

    assert late == [True]
    assert desk.frontier.run(job_calls.status([job])) == [None]
    assert not list(desk.frontier.redis.scan_iter(f"*{job}*"))
    assert desk.claim() == ()


def test_the_last_domain_ends_the_job(desk: Desk) -> None:
    job = desk.running()

    desk.crawl()

    assert reconcile(desk.engine, desk.frontier, job) is JobState.COMPLETED
    assert desk.frontier.run(job_calls.status([job])) == [None]


def test_a_job_of_which_every_domain_failed_has_failed(desk: Desk) -> None:
    job = desk.running()

    desk.crawl(failed=True)

    assert reconcile(desk.engine, desk.frontier, job) is JobState.FAILED
    with pytest.raises(
        NotNow, match=f"every domain failed, and .* Its failed domains again: prospector job retry {job}"
    ):
        control.resume(desk.engine, desk.frontier, job)
    assert desk.state(job) is JobState.FAILED


def test_failed_domains_are_tried_again_and_only_they(desk: Desk) -> None:
    job = desk.running(count=4)
    desk.crawl(most=2)
    desk.crawl(failed=True)
    reconcile(desk.engine, desk.frontier, job)

    again = control.retry(desk.engine, desk.frontier, job)
    tickets = desk.claim()

    assert again == 2
    assert desk.state(job) is JobState.RUNNING
    assert [ticket.generation for ticket in tickets] == [2, 2]
    now = known(desk, job)
    assert (now.domains_total, now.domains_done, now.domains_failed, now.domains_open) == (4, 2, 0, 2)


def test_a_retry_that_is_cancelled_leaves_the_reasons_of_before(desk: Desk) -> None:
    job = desk.running(count=3)
    desk.crawl(most=1)
    desk.crawl(failed=True)
    reconcile(desk.engine, desk.frontier, job)
    control.retry(desk.engine, desk.frontier, job)

    control.cancel(desk.engine, desk.frontier, job)

    one = status(desk.engine, desk.frontier, job)
    assert (one.domains_done, one.domains_failed, one.domains_waiting) == (1, 2, 0)
    assert one.failures == {"DNS resolution failed": 2}
    with desk.engine.connect() as connection:
        assert len(list(misses.failed_domains(connection, job))) == 2


def test_failed_domains_of_a_running_job_are_tried_again_beside_the_others(desk: Desk) -> None:
    job = desk.running(count=4)
    desk.crawl(most=2, failed=True)

    assert control.retry(desk.engine, desk.frontier, job) == 2
    assert control.retry(desk.engine, desk.frontier, job) == 0

    now = known(desk, job)
    assert (now.domains_total, now.domains_failed, now.domains_waiting + now.domains_open) == (4, 0, 4)
    while desk.crawl():
        pass
    assert reconcile(desk.engine, desk.frontier, job) is JobState.COMPLETED


def test_a_paused_job_says_what_was_waited_for_and_goes_on_with_more_credits(desk: Desk) -> None:
    from prospector.core.visits.methods import Method
    from prospector.core.visits.ticket import PageState, Verdict

    job = desk.running(count=2, max_credits=3)
    for ticket in desk.claim():
        state = PageState(method=Method.JS)
        desk.frontier.run(calls.release(ticket.lease, calls.Fetch.FINE, 0, 40, 60_000))
        desk.frontier.run(calls.settle(ticket.lease, Verdict.AGAIN, state=state))

    assert desk.claim() == ()
    assert reconcile(desk.engine, desk.frontier, job) is JobState.PAUSED
    with desk.engine.connect() as connection:
        assert jobs.job(connection, job).reason == "budget limit reached (3 credits)"

    control.resume(desk.engine, desk.frontier, job, max_credits=100)
    assert len(desk.claim()) == 2


@pytest.mark.parametrize("max_credits", [None, 0, 5])
def test_a_job_whose_budget_is_used_up_does_not_say_that_it_goes_on_with_no_higher_one(
    desk: Desk, max_credits: int | None
) -> None:
    from prospector.core.visits.methods import Method
    from prospector.core.visits.ticket import PageState, Verdict
    from prospector.store import spend

    job = desk.running(count=1, max_credits=4)
    (ticket,) = desk.claim()
    desk.frontier.run(calls.release(ticket.lease, calls.Fetch.FINE, 0, 40, 60_000))
    desk.frontier.run(calls.settle(ticket.lease, Verdict.AGAIN, state=PageState(method=Method.JS)))
    assert desk.claim() == ()
    assert reconcile(desk.engine, desk.frontier, job) is JobState.PAUSED
    with desk.engine.begin() as connection:
        spend.reserve(connection, [spend.Reservation("1.1", job, ticket.number, 1, Method.JS, 5)])

    with pytest.raises(BudgetReached, match=rf"has used 5 credits.*resume {job} --max-credits 1000"):
        control.resume(desk.engine, desk.frontier, job, max_credits)

    found = status(desk.engine, desk.frontier, job).job
    assert (found.state, found.max_credits) == (JobState.PAUSED, 4)


def test_pages_that_wait_in_a_running_job_are_tried_again_by_a_resume(desk: Desk) -> None:
    from prospector.core.visits.methods import Method
    from prospector.core.visits.ticket import PageState, Verdict

    job = desk.running(count=2, max_credits=3)
    dear, _at_work = desk.claim()
    desk.frontier.run(calls.release(dear.lease, calls.Fetch.FINE, 0, 40, 60_000))
    desk.frontier.run(calls.settle(dear.lease, Verdict.AGAIN, state=PageState(method=Method.JS)))
    assert desk.claim() == ()
    assert status(desk.engine, desk.frontier, job).parked_pages == {"budget": 1}

    assert control.resume(desk.engine, desk.frontier, job) is JobState.RUNNING

    assert status(desk.engine, desk.frontier, job).parked_pages == {}


def test_a_deleted_job_is_gone_with_its_files(desk: Desk, tmp_path: object) -> None:
    job = desk.running()
    files = storage(f"file://{tmp_path}")
    with files.writer(f"exports/{job}/one/results.csv", "results.csv", "text/csv") as writer:
        writer.write(b"domain")
        writer.commit()

    control.delete(desk.engine, desk.frontier, job, files)

    with desk.engine.connect() as connection, pytest.raises(NotFound):
        jobs.job(connection, job)
    assert not list(files.listed(""))
    assert desk.claim() == ()


class AwayStorage(Folder):
    def listed(self, prefix: str) -> Iterator[Blob]:
        raise ServerUnreachable(f"S3 does not take {prefix}: connection refused", "Check STORAGE_URL.")


def test_a_deleted_job_whose_files_cannot_be_reached_is_said_to_be_gone_without_them(
    desk: Desk, tmp_path: Path
) -> None:
    job = desk.running()

    with pytest.raises(
        control.FilesLeft, match=f"Job {job} is deleted, but not the files .* connection refused"
    ) as told:
        control.delete(desk.engine, desk.frontier, job, AwayStorage(tmp_path))

    assert told.value.exit_code == ServerUnreachable.exit_code
    with desk.engine.connect() as connection, pytest.raises(NotFound):
        jobs.job(connection, job)


@pytest.mark.parametrize(
    ("state", "command"),
    [
        ("pending", control.pause),
        ("pending", control.resume),
        ("pending", control.retry),
        ("running", control.start),
        ("running", control.resume),
        ("paused", control.start),
        ("paused", control.pause),
        ("completed", control.start),
        ("completed", control.pause),
        ("completed", control.resume),
        ("completed", control.cancel),
        ("cancelled", control.resume),
        ("cancelled", control.retry),
    ],
)
def test_what_a_state_does_not_allow_is_refused_with_what_to_do_instead(
    desk: Desk, state: str, command: Callable[..., object]
) -> None:
    job = desk.made() if state == "pending" else desk.running()
    if state == "completed":
        desk.crawl()
        reconcile(desk.engine, desk.frontier, job)
    if state in {"paused", "cancelled"}:
        {"paused": control.pause, "cancelled": control.cancel}[state](desk.engine, desk.frontier, job)

    with pytest.raises(NotNow, match=rf"Job {job} is {state}: .* prospector job \w+ {job}"):
        command(desk.engine, desk.frontier, job)

    assert desk.state(job) == state


def test_domains_tried_again_count_once_also_where_that_was_interrupted(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise ServerUnreachable("Redis does not answer", "Try again.")

    job = desk.running(count=4)
    desk.crawl(most=1)
    desk.crawl(most=2, failed=True)
    with monkeypatch.context() as patched:
        patched.setattr(job_calls, "reopened", interrupted)
        with pytest.raises(ServerUnreachable):
            control.retry(desk.engine, desk.frontier, job)
    halfway = known(desk, job)

    reconcile(desk.engine, desk.frontier, job)

    assert (halfway.domains_total, halfway.domains_failed) == (6, 2)
    now = known(desk, job)
    assert (now.domains_total, now.domains_done, now.domains_failed, now.domains_waiting) == (4, 1, 0, 3)


def test_what_was_done_after_a_backup_is_done_again_once_that_is_restored(desk: Desk) -> None:
    job = desk.running(count=4)
    in_flight, *done = desk.claim(most=3)
    desk.finish(done)  # the record that is restored knows nothing of it
    desk.frontier.redis.hset("prospector:site:site-0.com", "blocked", 4_000_000_000_000)

    forget_all(desk.engine, desk.frontier)
    rebuild_if_lost(desk.engine, desk.frontier)

    assert not desk.frontier.run(calls.settle(in_flight.lease, Verdict.DONE, 0))
    desk.advance(60_000)  # the manners of a site are kept
    again = desk.claim()
    assert [ticket.url for ticket in again] == [f"https://site-{number}.com/" for number in (1, 2, 3)]
    assert in_flight.lease not in {ticket.lease for ticket in again}
    assert known(desk, job).pages == 0


def test_an_epoch_of_the_record_that_was_replaced_does_not_come_again(desk: Desk) -> None:
    desk.running()
    desk.frontier.redis.hset("prospector:meta", "epoch", 57)

    forget_all(desk.engine, desk.frontier)
    rebuild_if_lost(desk.engine, desk.frontier)

    assert int(desk.frontier.redis.hget("prospector:meta", "epoch") or 0) > 57


@pytest.fixture
def half_filled(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> str:
    """A running job with one domain open and its homepage settled, lost by Redis; who filled it again was interrupted."""

    def interrupted(*_: object) -> None:
        raise ServerUnreachable("Redis does not answer", "Try again.")

    job = desk.running(count=4)
    (ticket,) = desk.claim(most=1)
    found = [f"https://{ticket.domain}/{path}" for path in "abc"]
    row = PageRow(fingerprint(ticket.url), ticket.number, ticket.url, PageOutcome.READ, datetime.now(UTC), found=found)
    with desk.engine.begin() as connection:
        domains.open_(connection, job, [ticket.number])
    pages.write(desk.engine, job, [row])
    desk.frontier.redis.flushdb()
    with monkeypatch.context() as patched:
        patched.setattr(fill, "_restore", interrupted)
        with pytest.raises(ServerUnreachable):
            rebuild_if_lost(desk.engine, desk.frontier)
    return job


def test_a_job_whose_filling_was_interrupted_is_filled_before_it_goes_on(desk: Desk, half_filled: str) -> None:
    assert reconcile(desk.engine, desk.frontier, half_filled) is JobState.RUNNING

    now = known(desk, half_filled)
    assert (now.filled, now.held) == (True, False)
    assert (now.domains_total, now.domains_waiting, now.domains_open, now.queued) == (4, 3, 1, 3)
    assert "https://site-0.com/" not in [ticket.url for ticket in desk.claim()]


@pytest.mark.parametrize("command", [control.pause, control.cancel])
def test_a_job_that_is_filled_in_part_pauses_and_ends_as_any_other(
    desk: Desk, half_filled: str, command: Callable[..., JobState]
) -> None:
    state = command(desk.engine, desk.frontier, half_filled)
    rebuild_if_lost(desk.engine, desk.frontier)

    assert state in {JobState.PAUSED, JobState.CANCELLED}
    assert desk.claim() == ()
    here = desk.frontier.run(job_calls.status([half_filled]))[0]
    if state is JobState.CANCELLED:
        assert here is None
    else:
        assert here
        assert (here.filled, here.held, here.queued) == (True, True, 3)


COMMANDS = {
    "pause": control.pause,
    "resume": control.resume,
    "cancel": control.cancel,
    "retry": control.retry,
    "reconcile": reconcile,
}
PAIRS = [pair for pair in product(COMMANDS, repeat=2) if pair[0] <= pair[1]]


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=["+".join(pair) for pair in PAIRS])
def test_two_commands_at_once_leave_record_and_frontier_agreed(
    desk: Desk, together: Together, first: str, second: str
) -> None:
    job = desk.running(count=4)
    desk.crawl(most=1, failed=True)

    together(*[lambda name=name: COMMANDS[name](desk.engine, desk.frontier, job) for name in (first, second, first)])

    state, counters = desk.state(job), desk.frontier.run(job_calls.status([job]))[0]
    assert state in {JobState.RUNNING, JobState.PAUSED, JobState.CANCELLED}
    if state is JobState.CANCELLED:
        assert counters is None
    else:
        assert counters
        assert counters.held == (state is JobState.PAUSED)
        retried = "retry" in {first, second}
        assert (counters.domains_total, counters.domains_failed) == (4, 0 if retried else 1)


def test_one_of_several_pauses_is_recorded(desk: Desk, together: Together) -> None:
    job = desk.running()

    answers = together(*[lambda: control.pause(desk.engine, desk.frontier, job)] * 6)

    assert sum(isinstance(one, NotNow) for one in answers) == 5
    with desk.engine.connect() as connection:
        moves = [one.to_state for one in events.of_job(connection, job)]
    assert moves == ["paused", "pausing", "running"]


@pytest.mark.parametrize(
    ("to", "reason"), [(JobState.RUNNING, "started"), (JobState.CANCELLED, "cancelled")], ids=["start", "cancel"]
)
def test_a_crash_after_the_move_is_mended_by_whoever_looks_next(desk: Desk, to: JobState, reason: str) -> None:
    job = desk.made()
    with desk.engine.begin() as connection:
        jobs.move(connection, job, to, reason)

    for _ in range(2):
        reconcile(desk.engine, desk.frontier, job)

    assert len(desk.claim()) == (3 if to is JobState.RUNNING else 0)


def test_a_pause_that_the_frontier_has_not_heard_of_is_made_so(desk: Desk) -> None:
    job = desk.running()
    with desk.engine.begin() as connection:
        jobs.move(connection, job, JobState.PAUSING, "asked to pause")

    assert reconcile(desk.engine, desk.frontier, job) is JobState.PAUSED
    assert desk.claim() == ()


def test_domains_that_are_tried_again_leave_the_count_they_were_in(desk: Desk) -> None:
    job = desk.running(count=5)
    desk.crawl(most=1, failed=True)
    desk.crawl(most=2)
    with desk.engine.begin() as connection:
        ended = [one.number for one in domains.unfinished(connection, job)]
        again = [number for number in range(5) if number not in ended][:3]
        domains.reopen(connection, job, again)

    reconcile(desk.engine, desk.frontier, job, check_domains=True)

    now = known(desk, job)
    assert (now.domains_total, now.domains_waiting + now.domains_open) == (5, 5)
    assert (now.domains_done, now.domains_failed) == (0, 0)


def test_a_retry_that_was_cut_off_is_noticed_at_the_latest_at_the_end(desk: Desk) -> None:
    job = desk.running()
    desk.crawl(most=1, failed=True)
    with desk.engine.begin() as connection:
        domains.reopen(connection, job, list(domains.failed(connection, job)))
    desk.crawl()

    assert reconcile(desk.engine, desk.frontier, job) is JobState.RUNNING
    assert desk.crawl() == 1
    assert reconcile(desk.engine, desk.frontier, job) is JobState.COMPLETED
    with desk.engine.connect() as connection:
        assert domains.tally(connection, job)[DomainState.DONE] == 3


def test_a_job_goes_on_in_a_redis_that_has_lost_everything(desk: Desk) -> None:
    job = desk.running(count=3)
    desk.crawl(most=1)
    control.pause(desk.engine, desk.frontier, job)
    desk.frontier.redis.flushdb()

    control.resume(desk.engine, desk.frontier, job)

    assert len(desk.claim()) == 2
    assert known(desk, job).domains_done == 1
