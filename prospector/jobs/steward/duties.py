"""What the steward does, each with how often. A new promise over time is one more line here."""

import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from prospector import logs
from prospector.core.job.states import IN_FLIGHT, JobState
from prospector.errors import ServerUnreachable
from prospector.fetch.key import key_in_force
from prospector.frontier import calls, rebuild_calls
from prospector.jobs import balance, books, follow, judging, rebuild, workers
from prospector.jobs.exports import shelf
from prospector.jobs.exports.asking import Runners
from prospector.jobs.steward import admission, closing, retention
from prospector.jobs.steward.absence import DAY_SECONDS, Absences
from prospector.jobs.steward.alerts import Herald
from prospector.jobs.steward.counters import Counters
from prospector.jobs.steward.gauges import Gauges
from prospector.jobs.steward.leading import Duty, Steward
from prospector.jobs.steward.overtime import pause_overtime
from prospector.jobs.steward.post import Post
from prospector.jobs.steward.watch import Watch
from prospector.store import events, jobs
from prospector.store.failures import each
from prospector.store.jobs import IllegalMove
from prospector.store.kinds import EventKind

LOG = logs.named(__name__)
AWAY_SECONDS = 60.0  # a restart of Postgres is no reason to hold anything
HOUR = 3600.0


class Duties:
    """The duties that need a word with each other share what they know here."""

    def __init__(self, post: Post, gauges: Gauges, absences: Absences | None = None) -> None:
        self._post = post
        self._herald = Herald(post)
        self._watch = Watch(post, self._herald, gauges)
        self._counters = Counters(post.engine, post.frontier, post.checkpoint_domains)
        self._runners = Runners(post.engine, post.runner_environment)
        self._under_way: tuple[str, ...] = ()
        self._held_since: datetime | None = None
        self._record_was_away_seconds = 0.0
        self._absences = absences or Absences()

    def all(self) -> list[Duty]:
        post = self._post
        return [
            Duty("rebuild", 1, lambda: rebuild.rebuild_if_lost(post.engine, post.frontier)),
            Duty("frontier", 1, lambda: post.frontier.run(rebuild_calls.look())),
            Duty("jobs", 1, self.follow_jobs),
            Duty("workers", 2, self.staff_nodes),
            Duty("leases", 5, lambda: post.frontier.run(calls.reap())),
            Duty("domains", 5, lambda: closing.close_ended(post.engine, post.frontier)),
            Duty("money", 5, self.balance_money),
            Duty("account", 60, lambda: books.learn_limit(post.frontier, post.scrapingbee_url, key_in_force()())),
            Duty("checkpoints", 5, self._counters.keep),
            Duty("new jobs", 5, lambda: admission.admit(post.engine, post.frontier)),
            Duty("servers", 30, self.look_for_servers),
            Duty("verdicts", 5, lambda: judging.judge_finished(post.engine)),
            Duty("notices", 2, self._herald.notice_moves),
            Duty("watch", 15, self._watch.look),
            Duty("overtime", 30, lambda: pause_overtime(post.engine, post.frontier, datetime.now(UTC))),
            Duty("exports", 1, self._runners.look),
            Duty("expired exports", HOUR, self.expire_exports),
            Duty("retention", HOUR, self.keep_in_time),
            Duty("ended jobs", HOUR, lambda: follow.drop_ended(post.engine, post.frontier)),
        ]

    def follow_jobs(self) -> None:
        """Each job under way goes on, rests or ends as the record and the frontier have it; what was interrupted is mended."""
        post = self._post
        if self._record_was_away_seconds >= DAY_SECONDS:
            self._fail_jobs("Postgres")
        self._record_was_away_seconds = 0.0
        with post.engine.connect() as connection:
            states = {one.id: one.state for one in jobs.listed(connection, IN_FLIGHT)}
        self._under_way = tuple(job for job, state in states.items() if state is JobState.RUNNING)
        handed_out: list[str] = post.frontier.run(calls.running())
        each({*states, *handed_out}, lambda job: follow.follow(post.engine, post.frontier, job))
        if self._held_since is not None:
            self._say_resumed(datetime.now(UTC) - self._held_since)
            self._held_since = None

    def staff_nodes(self) -> None:
        post = self._post
        staff = workers.ensure_workers(post.engine, post.frontier, post.scrapyd_urls, post.workers_per_node)
        for node, problem in staff.problems.items():
            LOG.warning("node_unusable", node=node, error=str(problem))

    def look_for_servers(self) -> None:
        """Of Postgres the steward itself hears. Workers that live go on without their Scrapyd."""
        urls, frontier = self._post.scrapyd_urls, self._post.frontier
        try:
            working = bool(frontier.run(calls.workers()))
        except ServerUnreachable:
            if self._absences.note("Redis", is_away=True):
                self._fail_jobs("Redis")
            return
        self._absences.note("Redis", is_away=False)
        unreachable = bool(urls) and not working and not workers.look(urls)[0]
        if self._absences.note("Scrapyd", is_away=unreachable):
            self._fail_jobs("Scrapyd")

    def _fail_jobs(self, server: str) -> None:
        """What is left of them in the frontier goes with the next look at jobs."""
        with self._post.engine.begin() as connection:
            for one in jobs.listed(connection, IN_FLIGHT):
                with suppress(IllegalMove):
                    jobs.move(connection, one.id, JobState.FAILED, f"{server} was away for 24 hours", IN_FLIGHT)

    def balance_money(self) -> None:
        with self._post.engine.connect() as connection:
            balance.balance(connection, self._post.frontier)

    def expire_exports(self) -> None:
        shelf.expire(self._post.engine, self._post.files, datetime.now(UTC))

    def keep_in_time(self) -> None:
        retention.keep_in_time(self._post.engine, datetime.now(UTC), self._post.retention_days)

    def end(self) -> None:
        self._runners.stop()
        self._counters.keep_all()

    def record_is_away(self, seconds: float) -> None:
        """Nothing can be written, so nothing is fetched: jobs are held in the frontier, where their time then does not run.

        The record still says running; as soon as it answers the frontier follows it again.
        """
        self._record_was_away_seconds = seconds
        if seconds < AWAY_SECONDS or self._held_since is not None:
            return
        for job in self._under_way:
            self._post.frontier.run(calls.hold(job))
        self._held_since = datetime.now(UTC)
        LOG.error(
            "jobs_held",
            jobs=" ".join(self._under_way),
            error="Database connection lost: jobs are paused until it is back",
        )

    def _say_resumed(self, away: timedelta) -> None:
        minutes, seconds = divmod(int(away.total_seconds()), 60)
        words = f"paused for {minutes}:{seconds:02} because the database did not answer; resumed by itself"
        for job in self._under_way:
            LOG.info("job_resumed", job=job, message=words)
            with self._post.engine.begin() as connection:
                events.record(connection, EventKind.NOTE, words, job)


def steward(post: Post, gauges: Gauges, stop: threading.Event) -> Steward:
    duties = Duties(post, gauges)
    return Steward(post.engine, duties.all(), gauges, stop, on_away=duties.record_is_away, on_stop=duties.end)
