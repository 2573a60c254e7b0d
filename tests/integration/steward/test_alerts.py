"""An anomaly is told once, in three places; a job's end is told once, whoever leads."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from prospector.core.job.states import JobState
from prospector.core.system.anomalies import Anomaly, Kind
from prospector.core.web.addresses import Policy
from prospector.fetch import webhook
from prospector.fetch.webhook import WebhookFailed
from prospector.jobs.steward.alerts import Herald
from prospector.jobs.steward.post import Post
from prospector.store import events, jobs
from prospector.store.jobs import NewJob
from prospector.store.kinds import EventKind
from tests.integration.steward.conftest import LOOPBACK, Receiver

MakePost = Callable[..., Post]


def move(engine: Engine, job: str, to: JobState, reason: str) -> None:
    with engine.begin() as connection:
        jobs.move(connection, job, to, reason)


def test_an_alert_is_an_event_and_one_json_that_slack_understands(
    post: MakePost, engine: Engine, job: str, receiver: Receiver
) -> None:
    found = Anomaly(Kind.ERRORS, "High error rate", job)

    Herald(post()).raise_alerts([found])

    assert receiver.got == [{"text": "Prospector: High error rate", "kind": "errors", "job": job}]
    with engine.connect() as connection:
        newest = events.of_job(connection, job)[0]
    assert (newest.kind, newest.reason) == (EventKind.ALERT, "High error rate")


def test_the_same_alert_is_not_given_again_within_the_hour_not_even_by_another_steward(
    post: MakePost, job: str, receiver: Receiver
) -> None:
    found = Anomaly(Kind.ERRORS, "High error rate", job)
    first = Herald(post())
    first.raise_alerts([found])

    again = [*first.raise_alerts([found]), *Herald(post()).raise_alerts([found])]

    assert again == []
    assert len(receiver.got) == 1


def test_alerts_of_others_do_not_confuse_it(post: MakePost, engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        events.record(connection, EventKind.ALERT, "half of the budget is used", job, {"kind": "budget"})
        events.record(connection, EventKind.ALERT, "without facts", job)

    assert Herald(post()).raise_alerts([Anomaly(Kind.ERRORS, "High error rate", job)])


def test_the_end_of_a_job_is_told_once_whoever_leads(
    post: MakePost, engine: Engine, job: str, receiver: Receiver
) -> None:
    Herald(post()).notice_moves()
    move(engine, job, JobState.COMPLETED, "3 succeeded")

    Herald(post()).notice_moves()
    Herald(post()).notice_moves()

    assert receiver.got == [
        {"text": f"Prospector: job {job} is completed: 3 succeeded", "kind": "completed", "job": job}
    ]


def test_a_move_whose_transaction_took_its_time_is_told_after_later_ones(
    post: MakePost, engine: Engine, new_job: Callable[..., NewJob], receiver: Receiver
) -> None:
    with engine.begin() as connection:
        first, second = (jobs.create(connection, new_job(name=name)).job for name in ("first", "second"))
    Herald(post()).notice_moves()
    with engine.begin() as slow:
        jobs.move(slow, first, JobState.CANCELLED, "cancelled")
        move(engine, second, JobState.CANCELLED, "cancelled")
        Herald(post()).notice_moves()

    Herald(post()).notice_moves()
    Herald(post()).notice_moves()

    assert [one["job"] for one in receiver.got] == [second, first]


def test_what_happened_before_any_steward_looked_is_no_news(
    post: MakePost, engine: Engine, job: str, receiver: Receiver
) -> None:
    move(engine, job, JobState.COMPLETED, "3 succeeded")

    Herald(post()).notice_moves()
    Herald(post()).notice_moves()

    assert receiver.got == []


def test_a_start_and_a_pause_under_way_are_no_news(
    post: MakePost, engine: Engine, job: str, receiver: Receiver
) -> None:
    Herald(post()).notice_moves()
    move(engine, job, JobState.PAUSING, "asked to pause")
    move(engine, job, JobState.PAUSED, "asked to pause")
    move(engine, job, JobState.RUNNING, "resumed")

    Herald(post()).notice_moves()

    assert [one["kind"] for one in receiver.got] == ["paused"]


def test_a_webhook_that_fails_does_not_keep_the_alert_from_the_record(
    post: MakePost, engine: Engine, job: str, receiver: Receiver
) -> None:
    receiver.answers = 500

    given = Herald(post()).raise_alerts([Anomaly(Kind.ERRORS, "High error rate", job)])

    assert len(given) == 1
    with engine.connect() as connection:
        assert events.of_job(connection, job)[0].kind is EventKind.ALERT


def test_a_webhook_inside_a_closed_network_is_not_asked_and_its_secret_is_not_shown(receiver: Receiver) -> None:
    with pytest.raises(WebhookFailed, match="not a public address") as raised:
        webhook.post(receiver.url, {"text": "hello"}, Policy())

    assert "secret-part" not in str(raised.value)
    assert receiver.got == []


def test_a_redirect_of_a_webhook_is_not_followed(receiver: Receiver) -> None:
    receiver.answers = 302

    with pytest.raises(WebhookFailed, match="HTTP 302"):
        webhook.post(receiver.url, {"text": "hello"}, LOOPBACK)

    assert len(receiver.got) == 1
