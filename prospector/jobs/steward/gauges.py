"""What /metrics tells, for Prometheus. No domain, URL or job is a label: their number has no bound, and they are nobody's business."""

from collections.abc import Iterable, Mapping, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge

from prospector import nodes
from prospector.core.job.states import JobState
from prospector.core.system import latency
from prospector.core.system.anomalies import Anomaly
from prospector.frontier.job_calls import Status
from prospector.jobs.figures import Figures, new_writes


class Gauges:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.leading = self._gauge("leading", "1 while this steward leads")
        self._jobs = self._gauge("jobs", "Jobs by state", "state")
        self._domains = self._gauge("domains", "Domains of jobs under way, by state", "state")
        self._workers = self._gauge("workers", "Workers that are alive, by node", "node")
        self._node_up = self._gauge("node_up", "1 where Scrapyd answers", "node")
        self._queued = self._gauge("queued_pages", "Pages found and not fetched yet")
        self._in_flight = self._gauge("in_flight_pages", "Pages that a worker has in its hands")
        self._parked = self._gauge("parked_pages", "Pages that wait for money, key or provider", "reason")
        self._overdue = self._gauge("overdue_seconds", "How long the page that waits longest for a worker has waited")
        self._paid = self._gauge("paid_in_flight", "Paid requests in flight")
        self._breaker = self._gauge("provider_open_seconds", "Since when ScrapingBee fails; 0: it does not")
        self._connections = self._gauge("postgres_connections", "Connections in use")
        self._allowed = self._gauge("postgres_connections_allowed", "Connections the server takes")
        self._redis = self._gauge("redis_bytes", "Memory that Redis uses")
        self._write_p95 = self._gauge("write_p95_seconds", "95 % of the last batches took at most this long")
        self._memory = self._gauge("worker_memory_most_bytes", "Memory of the largest worker")
        self._finished = self._counter("domains_finished", "Domains finished", "outcome")
        self._pages = self._counter("pages", "Pages settled")
        self._failed = self._counter("pages_failed", "Pages that could not be read")
        self._credits = self._counter("credits", "Credits used")
        self._writes = self._counter("writes", "Batches written, by the bound of their time", "le_ms")
        self._alerts = self._counter("alerts", "Alerts given", "kind")
        self.duty_seconds = self._gauge("duty_seconds", "How long the last round of a duty took", "duty")
        self.duty_failures = self._counter("duty_failures", "Rounds of a duty that failed", "duty")

    def take(self, now: Figures, before: Figures | None) -> None:
        for state in JobState:
            self._jobs.labels(state).set(now.states.get(state, 0))
        self._take_work(now.statuses)
        self._workers.clear()
        for node, count in now.workers_on.items():
            self._workers.labels(node).set(count)
        self._paid.set(now.provider.in_flight)
        self._breaker.set((now.provider.open_ms or 0) / 1000)
        self._connections.set(now.connections)
        self._allowed.set(now.connections_allowed)
        self._redis.set(now.redis_bytes)
        self._memory.set(max((int(one.about.get("memory_mb", 0)) for one in now.workers), default=0) * 1_000_000)
        written = new_writes(now, before)
        self._write_p95.set((latency.percentile_ms(written, 0.95) or 0) / 1000)
        for bound, count in zip((*latency.BOUNDS_MS, "more"), written, strict=True):
            self._writes.labels(str(bound)).inc(count)
        if before:
            self._grow(now.statuses, {one.job: one for one in before.statuses})

    def nodes(self, urls: Sequence[str], problems: Mapping[str, Exception]) -> None:
        for url in urls:
            self._node_up.labels(nodes.name(url)).set(nodes.name(url) not in problems)

    def alerts(self, given: Iterable[Anomaly]) -> None:
        for one in given:
            self._alerts.labels(one.kind).inc()

    def _take_work(self, statuses: Sequence[Status]) -> None:
        self._domains.labels("waiting").set(sum(one.domains_waiting for one in statuses))
        self._domains.labels("open").set(sum(one.domains_open for one in statuses))
        self._queued.set(sum(one.queued for one in statuses))
        self._in_flight.set(sum(one.in_flight for one in statuses))
        for reason in {reason for one in statuses for reason in one.parked_pages}:
            self._parked.labels(reason).set(sum(one.parked_pages.get(reason, 0) for one in statuses))
        self._overdue.set(max((one.overdue_ms for one in statuses if not one.held), default=0) / 1000)

    def _grow(self, statuses: Sequence[Status], before: Mapping[str, Status]) -> None:
        """A frontier that was rebuilt counts from the record, which may be less: a counter never goes back."""
        for now in statuses:
            then = before.get(now.job)
            if then is None:
                continue
            self._finished.labels("done").inc(max(0, now.domains_done - then.domains_done))
            self._finished.labels("failed").inc(max(0, now.domains_failed - then.domains_failed))
            self._pages.inc(max(0, now.pages - then.pages))
            self._failed.inc(max(0, now.pages_failed - then.pages_failed))
            self._credits.inc(max(0, now.credits_used - then.credits_used))

    def _gauge(self, name: str, words: str, *labels: str) -> Gauge:
        return Gauge(f"prospector_{name}", words, labels, registry=self.registry)

    def _counter(self, name: str, words: str, *labels: str) -> Counter:
        return Counter(f"prospector_{name}", words, labels, registry=self.registry)
