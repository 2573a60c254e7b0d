"""Tickets whose job or robots.txt cannot be read go back to the frontier: none stays in a worker's hands for nothing."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from scrapy.crawler import Crawler
from scrapy.settings import Settings
from sqlalchemy import Engine

from prospector.core.visits.ticket import Ticket
from prospector.frontier import calls
from prospector.frontier.client import AsyncFrontier
from prospector.frontier.pump import Pump
from prospector.spiders import briefs, preparation
from prospector.spiders.domain import DomainSpider
from prospector.store import jobs
from prospector.store.jobs import NewJob

from .conftest import Hand
from .test_pump import run, until

JOB = "one"


@asynccontextmanager
async def spider(hand: Hand, record: str, prepared: list[Ticket]) -> AsyncIterator[DomainSpider]:
    """A worker up to where its tickets become requests."""
    settings = Settings()
    settings.setmodule("prospector.settings")
    settings.setdict({"WORKER_DATABASE_URL": record, "REDIS_URL": hand._url})
    made = DomainSpider.from_crawler(Crawler(DomainSpider, settings))
    made.pump = pump = Pump(
        AsyncFrontier(hand._url),
        "node/w",
        hand.terms,
        lambda: 10 - len(made.pump.hands),
        lambda tickets: made.prepare(tickets, prepared.extend),
        lambda: {"n": 1},
    )
    pump.start()
    try:
        yield made
    finally:
        await pump.stop(2)


def given_back(hand: Hand, job: str) -> bool:
    return hand.redis.hlen("prospector:leases") == 0 and hand.counters(job)["flying"] == 0


@pytest.fixture(autouse=True)
def again_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Given back at once, and looked at before they are handed out again."""
    monkeypatch.setattr(preparation, "AGAIN_SECONDS", 0.0)


def test_while_the_record_is_away_tickets_of_an_unknown_job_are_given_back(
    frontier: Hand, engine: Engine, caplog: pytest.LogCaptureFixture
) -> None:
    away = engine.url.set(database="not_there").render_as_string(hide_password=False)
    prepared: list[Ticket] = []

    async def work() -> None:
        async with spider(frontier, away, prepared) as made:
            frontier.job(JOB, ["shop.test", "blog.test"])
            await until(lambda: "tickets_not_prepared" in caplog.messages)
            frontier.run(calls.hold(JOB))
            await until(lambda: not made.pump.hands and given_back(frontier, JOB))

    run(work())

    assert prepared == []


def test_tickets_are_given_back_where_redis_cannot_say_what_robots_txt_is(
    frontier: Hand, engine: Engine, job: str, caplog: pytest.LogCaptureFixture
) -> None:
    prepared: list[Ticket] = []
    frontier.redis.hset("prospector:packed-robots:https://shop.test", "no", "string")

    async def work() -> None:
        async with spider(frontier, engine.url.render_as_string(hide_password=False), prepared) as made:
            frontier.job(job, ["shop.test"])
            await until(lambda: "tickets_not_prepared" in caplog.messages)
            frontier.redis.delete("prospector:packed-robots:https://shop.test")
            await until(lambda: prepared)
            assert set(made.pump.hands) == {ticket.lease for ticket in prepared}

    run(work())


def test_tickets_of_a_job_that_is_deleted_are_given_back_and_the_others_go_on(
    frontier: Hand, engine: Engine, job: str
) -> None:
    prepared: list[Ticket] = []

    async def work() -> None:
        async with spider(frontier, engine.url.render_as_string(hide_password=False), prepared) as made:
            frontier.job("gone00", ["gone.test"])
            frontier.job(job, ["shop.test"])
            await until(lambda: prepared and set(made.pump.hands) == {ticket.lease for ticket in prepared})

    run(work())

    assert {ticket.job for ticket in prepared} == {job}


def test_the_brief_of_a_job_that_is_over_is_forgotten_when_another_is_learnt_and_learnt_anew_when_it_goes_on(
    frontier: Hand,
    engine: Engine,
    job: str,
    new_job: Callable[..., NewJob],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(briefs, "USED_SECONDS", 0.0)
    with engine.begin() as connection:
        other = jobs.create(connection, new_job(name="other")).job
    prepared: list[Ticket] = []

    async def work() -> None:
        async with spider(frontier, engine.url.render_as_string(hide_password=False), prepared) as made:
            frontier.job(job, ["shop.test"])
            await until(lambda: [ticket.job for ticket in prepared] == [job])
            frontier.run(calls.hold(job))
            made.pump.give_back(prepared[0])
            await until(lambda: given_back(frontier, job))
            frontier.job(other, ["blog.test"])
            await until(lambda: other in made.briefs)
            assert job not in made.briefs
            frontier.run(calls.lift(job))
            await until(lambda: [ticket.job for ticket in prepared] == [job, other, job])
            assert job in made.briefs
            assert other in made.briefs

    run(work())
