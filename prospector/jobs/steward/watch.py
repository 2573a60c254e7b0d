"""Looks at everything a few times a minute, remembers the last minutes, and raises the alarm where a rule says so."""

from collections import defaultdict

from prospector.core.system import anomalies
from prospector.core.system.anomalies import Anomaly, JobSample, Kind, SystemSample
from prospector.jobs import figures, workers
from prospector.jobs.figures import Figures
from prospector.jobs.steward import admission
from prospector.jobs.steward.alerts import Herald
from prospector.jobs.steward.gauges import Gauges
from prospector.jobs.steward.post import Post

DOWN_LOOKS = 4  # a node that restarts is no news


class Watch:
    def __init__(self, post: Post, herald: Herald, gauges: Gauges) -> None:
        self._post = post
        self._herald = herald
        self._gauges = gauges
        self._before: Figures | None = None
        self._jobs: defaultdict[str, list[JobSample]] = defaultdict(list)
        self._system: list[SystemSample] = []
        self._down: defaultdict[str, int] = defaultdict(int)

    def look(self) -> list[Anomaly]:
        """Returns the alerts that were given."""
        now = figures.look(self._post.engine, self._post.frontier)
        found = self._of_jobs(now) + self._of_system(now) + self._of_nodes()
        self._gauges.take(now, self._before)
        self._before = now
        new = self._herald.raise_alerts(found)
        self._gauges.alerts(new)
        return new

    def _of_jobs(self, now: Figures) -> list[Anomaly]:
        """A job that rested begins anew: what it did before its rest is nothing to compare with."""
        running = {one.job: one for one in now.statuses if not one.held}
        for job in set(self._jobs) - set(running):
            del self._jobs[job]
        found = []
        for job, status in running.items():
            samples = anomalies.recent([*self._jobs[job], figures.job_sample(now.at, status)], now.at)
            self._jobs[job] = samples
            found += anomalies.of_job(job, samples)
        return found

    def _of_system(self, now: Figures) -> list[Anomaly]:
        sample = figures.system_sample(now, self._before, self._post.paid_most)
        self._system = anomalies.recent([*self._system, sample], now.at)
        found = anomalies.of_system(self._system)
        crowd = [one.words for one in found if one.kind is Kind.QUEUE]
        admission.say(self._post.frontier, crowd[0] if crowd else "")
        return found

    def _of_nodes(self) -> list[Anomaly]:
        """A node that has not answered several times in a row."""
        _, problems = workers.look(self._post.scrapyd_urls)
        self._gauges.nodes(self._post.scrapyd_urls, problems)
        for node in set(self._down) - set(problems):
            del self._down[node]
        found = []
        for node, problem in problems.items():
            self._down[node] += 1
            if self._down[node] >= DOWN_LOOKS:
                found.append(Anomaly(Kind.NODE, f"{problem} Its work goes on elsewhere.", of=node))
        return found
