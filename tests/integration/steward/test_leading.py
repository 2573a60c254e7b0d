"""One steward leads; when it is gone another does; one broken duty breaks no other."""

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from sqlalchemy import Engine, text

from prospector.errors import ServerUnreachable
from prospector.jobs.steward import metrics_server
from prospector.jobs.steward.gauges import Gauges
from prospector.jobs.steward.leading import Duty, Steward
from prospector.store import server


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + 60
    while not true():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.02)


class Standing:
    """A steward in a thread, with connections of its own."""

    def __init__(self, engine: Engine, name: str, done: list[str]) -> None:
        self.engine = server.engine(engine.url.render_as_string(hide_password=False), name, connections=2)
        self.stop = threading.Event()
        self.ended: list[str] = []
        self.away: list[float] = []
        self.redis_is_away = False
        self.name = name
        self.gauges = Gauges()
        duties = [Duty("note", 0.1, lambda: done.append(name)), Duty("broken", 0.1, self.fail)]
        self.steward = Steward(
            self.engine,
            duties,
            self.gauges,
            self.stop,
            on_away=self.note_away,
            on_stop=lambda: self.ended.append(name),
        )
        self.thread = threading.Thread(target=self.steward.run)
        self.thread.start()

    def note_away(self, seconds: float) -> None:
        self.away.append(seconds)
        if self.redis_is_away:
            raise ServerUnreachable("Redis does not answer", "Try again.")

    def lose_connection(self, engine: Engine) -> None:
        ours = "application_name = :name AND datname = current_database()"
        with engine.begin() as connection:
            end = text(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE {ours}")
            connection.execute(end, {"name": self.name})

    def fail(self) -> None:
        raise ZeroDivisionError

    def end(self) -> None:
        self.stop.set()
        self.thread.join()
        self.engine.dispose()


@contextmanager
def standing(engine: Engine, name: str, done: list[str]) -> Iterator[Standing]:
    made = Standing(engine, name, done)
    try:
        yield made
    finally:
        made.end()


def test_one_leads_and_another_takes_over_when_it_ends(engine: Engine) -> None:
    done: list[str] = []
    with standing(engine, "first", done) as first:
        until(lambda: first.steward.leading)
        with standing(engine, "second", done) as second:
            until(lambda: len(done) > 3)
            assert set(done) == {"first"}
            first.end()

            until(lambda: "second" in done)

            assert second.steward.leading
            assert first.ended == ["first"]


def test_a_leader_that_loses_its_connection_leads_no_longer_until_it_has_the_lock_again(engine: Engine) -> None:
    done: list[str] = []
    with standing(engine, "first", done) as first:
        until(lambda: first.steward.leading)
        first.lose_connection(engine)

        until(lambda: first.away)
        until(lambda: first.steward.leading)


def test_one_that_finds_redis_away_as_well_leads_again_when_postgres_is_back(engine: Engine) -> None:
    with standing(engine, "first", []) as first:
        until(lambda: first.steward.leading)
        first.redis_is_away = True
        first.lose_connection(engine)

        until(lambda: first.away)
        until(lambda: first.steward.leading)

        assert first.thread.is_alive()


def test_a_duty_that_fails_is_counted_and_the_others_go_on(engine: Engine) -> None:
    done: list[str] = []
    with standing(engine, "first", done) as first:
        until(lambda: len(done) > 2)

        failures = first.gauges.registry.get_sample_value("prospector_duty_failures_total", {"duty": "broken"})

    assert failures
    assert failures >= 1


def test_health_is_good_while_it_turns_and_says_whether_it_leads(engine: Engine) -> None:
    with standing(engine, "first", []) as first:
        until(lambda: first.steward.leading)
        served = metrics_server.serve("127.0.0.1:0", first.gauges.registry, first.steward.health)
        assert served
        with urlopen(f"http://127.0.0.1:{served.server_port}/healthz") as answer:
            told = json.load(answer)
        with urlopen(f"http://127.0.0.1:{served.server_port}/metrics") as answer:
            figures = answer.read().decode()
        served.shutdown()
        served.server_close()

    assert (told["healthy"], told["leading"]) == (True, True)
    assert "prospector_leading 1.0" in figures


def test_health_is_bad_where_it_is_not_well() -> None:
    served = metrics_server.serve("127.0.0.1:0", Gauges().registry, lambda: {"healthy": False})
    assert served

    with pytest.raises(HTTPError, match="503") as raised:
        urlopen(f"http://127.0.0.1:{served.server_port}/healthz")

    raised.value.close()
    served.shutdown()
    served.server_close()


def test_an_address_that_is_taken_is_no_reason_to_end() -> None:
    first = metrics_server.serve("127.0.0.1:0", Gauges().registry, dict)
    assert first

    assert metrics_server.serve(f"127.0.0.1:{first.server_port}", Gauges().registry, dict) is None

    first.shutdown()
    first.server_close()
