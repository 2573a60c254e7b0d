"""What a frontier that lost everything finds in Postgres."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine

from prospector.core.job.states import JobState
from prospector.core.visits.outcomes import DomainState
from prospector.errors import Conflict, NotFound
from prospector.store import checkpoints, dead_letters, domains, events, jobs, pages, rebuild, sites
from prospector.store.checkpoints import Checkpoint
from prospector.store.dead_letters import Death
from prospector.store.domains import Finished
from prospector.store.kinds import EventKind
from prospector.store.pages import PageRow
from prospector.store.sites import SiteMemory

Page = Callable[..., PageRow]
NOW = datetime.now(UTC)


def test_an_epoch_never_comes_twice_even_when_its_transaction_is_rolled_back(engine: Engine) -> None:
    def rolled_back(_: int) -> int:
        with engine.connect() as connection:
            return rebuild.next_epoch(connection)

    with ThreadPoolExecutor(8) as pool:
        epochs = list(pool.map(rolled_back, range(40)))

    assert len(set(epochs)) == 40
    assert rolled_back(0) > max(epochs)


def test_settled_pages_of_open_domains_come_back_with_the_addresses_they_named(
    engine: Engine, job: str, page: Page
) -> None:
    with engine.begin() as connection:
        domains.open_(connection, job, [0, 1])
    pages.write(engine, job, [page(1, domain=0, found=["https://a.example/2"]), page(2, domain=1), page(3, domain=2)])

    with engine.connect() as connection:
        found = sorted(rebuild.settled(connection, job), key=lambda one: one.page)

    assert [(one.domain, one.page, list(one.found)) for one in found] == [(0, 1, ["https://a.example/2"]), (1, 2, [])]


def test_pages_of_finished_domains_and_of_older_generations_do_not_come_back(
    engine: Engine, job: str, page: Page
) -> None:
    pages.write(engine, job, [page(1, domain=0), page(2, domain=1)])
    with engine.begin() as connection:
        domains.open_(connection, job, [0, 1])
        domains.finish(connection, job, [Finished(number, 1, DomainState.DONE) for number in (0, 1)])
        domains.reopen(connection, job, [1])
        domains.open_(connection, job, [1])

    with engine.connect() as connection:
        assert not list(rebuild.settled(connection, job))


def test_the_newest_word_on_a_site_stands(engine: Engine) -> None:
    old = SiteMemory("a.example", NOW - timedelta(minutes=1), 9_000, None, 5)
    new = SiteMemory("a.example", NOW, 2_000, NOW + timedelta(hours=1), 1)

    with engine.begin() as connection:
        sites.remember(connection, [new])
        sites.remember(connection, [old])

        assert sites.recall(connection) == [new]


def test_a_site_that_wants_nothing_special_any_more_is_not_recalled(engine: Engine) -> None:
    with engine.begin() as connection:
        sites.remember(
            connection,
            [
                SiteMemory("slow.example", NOW, 1_001),
                SiteMemory("ordinary.example", NOW, 1_000),
                SiteMemory("was-blocked.example", NOW, 1_000, NOW - timedelta(seconds=1)),
                SiteMemory("blocked.example", NOW, 1_000, NOW + timedelta(hours=1)),
            ],
        )

        assert {one.site for one in sites.recall(connection)} == {"slow.example", "blocked.example"}


def test_a_dead_letter_is_kept_once_and_queued_again_once(engine: Engine, job: str) -> None:
    death = Death(
        job, domain=0, page=7, generation=1, attempts=3, url="https://a.example/x", reason="worker died alone"
    )

    with engine.begin() as connection:
        dead_letters.bury(connection, [death])
        dead_letters.bury(connection, [death])
        (letter,) = dead_letters.waiting(connection)
        assert {name: getattr(letter, name) for name in vars(death)} == vars(death)

        assert dead_letters.requeue(connection, letter.id).requeued_at
        assert not dead_letters.waiting(connection)
        with pytest.raises(Conflict, match=f"Dead letter {letter.id} was queued again before"):
            dead_letters.requeue(connection, letter.id)
        with pytest.raises(NotFound):
            dead_letters.requeue(connection, letter.id + 1)


def test_a_checkpoint_never_goes_back(engine: Engine, job: str) -> None:
    def checkpoint(minute: int, done: int) -> Checkpoint:
        at = NOW + timedelta(minutes=minute)
        return Checkpoint(job, at, at, 3, done, 1, pages=40, mentions=9, credits=25, state=JobState.RUNNING)

    with engine.begin() as connection:
        checkpoints.take(connection, checkpoint(1, done=1))
        checkpoints.take(connection, checkpoint(2, done=2))
        checkpoints.take(connection, checkpoint(1, done=1))

        assert checkpoints.last(connection, [job, "abc234"]) == {job: checkpoint(2, done=2)}


def test_events_of_a_job_are_shown_newest_first_and_its_moves_are_followed_beside_what_was_told(
    engine: Engine, job: str
) -> None:
    with engine.begin() as connection:
        events.record(connection, EventKind.ALERT, "Redis is nearly full", facts={"used": 0.97})
        events.record(connection, EventKind.NOTE, "throughput dropped\0", job)

        jobs.move(connection, job, JobState.COMPLETED, "3 succeeded")

        started, completed = events.moves_beside(connection, [0])
        assert [(one.job, one.kind, one.reason) for one in (started, completed)] == [
            (job, "moved", "started"),
            (job, "moved", "3 succeeded"),
        ]
        assert events.moves_beside(connection, [0, completed.id]) == [started]
        assert events.newest_moves(connection, 1) == [completed.id]
        assert [one.reason for one in events.of_job(connection, job, limit=2)] == [
            "3 succeeded",
            "throughput dropped\ufffd",
        ]
