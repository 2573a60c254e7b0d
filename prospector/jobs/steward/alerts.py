"""An anomaly becomes an event in the record, a line in the log and one JSON to the webhook; so does the end of a job.

Each anomaly once an hour, each move of a job once, also where another steward has taken over meanwhile.
"""

import time
from collections.abc import Iterable

from prospector import logs
from prospector.core.job.states import JobState
from prospector.core.system.anomalies import Anomaly, Kind, Memory
from prospector.fetch import webhook
from prospector.frontier import job_calls
from prospector.jobs.steward.post import Post
from prospector.store import events
from prospector.store.events import Event
from prospector.store.kinds import EventKind

LOG = logs.named(__name__)
# what an operator waits for, in the words of the one who reads it
NOTICED = {
    JobState.PAUSED: "is paused",
    JobState.COMPLETED: "is completed",
    JobState.FAILED: "failed",
    JobState.CANCELLED: "is cancelled",
    JobState.ARCHIVED: "is archived",
}
EVENTS_A_LOOK = 100
BEFORE_ALL = 0  # an id that no event has: somebody has looked


class Herald:
    def __init__(self, post: Post) -> None:
        self._post = post
        self._memory: Memory | None = None

    def raise_alerts(self, found: Iterable[Anomaly]) -> list[Anomaly]:
        """Returns those that are new."""
        if self._memory is None:
            self._memory = self._remembered()
        new = self._memory.new(found, time.time())
        for one in new:
            LOG.warning("alert", kind=one.kind, job=one.job, message=one.words)
            with self._post.engine.begin() as connection:
                facts = {"kind": one.kind, "of": one.of}
                events.record(connection, EventKind.ALERT, one.words, one.job, facts)
            self._send(f"Prospector: {one.words}", kind=one.kind, job=one.job)
        return new

    def notice_moves(self) -> None:
        """Told before it is sent: a webhook that fails is not asked again, and nobody hears of a move twice."""
        told = self._post.frontier.run(job_calls.told())
        with self._post.engine.connect() as connection:
            if not told:  # no steward has ever looked: what is long past is no news
                past = events.newest_moves(connection, job_calls.TOLD_REMEMBERED)
                self._post.frontier.run(job_calls.tell([BEFORE_ALL, *past]))
                return
            happened = events.moves_beside(connection, told, EVENTS_A_LOOK)
        for event in happened:
            if self._post.frontier.run(job_calls.tell([event.id])):
                self._notice(event)

    def _notice(self, event: Event) -> None:
        if event.to_state is None:
            return
        words = NOTICED.get(JobState(event.to_state))
        if words:
            LOG.info("job_moved", job=event.job, state=event.to_state, reason=event.reason)
            self._send(f"Prospector: job {event.job} {words}: {event.reason}", kind=event.to_state, job=event.job)

    def _send(self, text: str, kind: str, job: str | None) -> None:
        if self._post.webhook_url is None:
            return
        try:
            webhook.post(self._post.webhook_url, {"text": text, "kind": kind, "job": job}, self._post.webhook_policy)
        except webhook.WebhookFailed as error:
            LOG.error("webhook_failed", error=str(error))

    def _remembered(self) -> Memory:
        """What a steward before this one has given alert of."""
        with self._post.engine.connect() as connection:
            given = events.lately(connection, EventKind.ALERT, Memory.QUIET_SECONDS)
        ours = [one for one in given if one.facts and one.facts.get("kind") in set(Kind)]
        return Memory((_anomaly(one), one.at.timestamp()) for one in ours)


def _anomaly(event: Event) -> Anomaly:
    assert event.facts
    return Anomaly(Kind(str(event.facts["kind"])), event.reason, event.job, str(event.facts.get("of", "")))
