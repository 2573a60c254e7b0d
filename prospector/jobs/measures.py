"""The figures that the requirements ask for (FR-7.2, PM-1 to PM-7), each with the formula it comes from."""

from dataclasses import dataclass

from sqlalchemy import Engine

from prospector.core.job.states import JobState
from prospector.core.system import latency
from prospector.frontier.client import Frontier
from prospector.jobs import figures
from prospector.jobs.figures import Figures
from prospector.store import history, spend
from prospector.store.history import History

DAYS, MINUTES = 30, 5


@dataclass(frozen=True)
class Measure:
    """`value` None: there is nothing to measure yet."""

    name: str
    value: float | int | None
    unit: str
    target: str
    formula: str


def measures(engine: Engine, frontier: Frontier, paid_most: int) -> list[Measure]:
    now = figures.look(engine, frontier)
    with engine.connect() as connection:
        past = history.since(connection, DAYS)
        calls = spend.calls_lately(connection, MINUTES)
    return [*_lately(now, calls), *_performance(now, past, paid_most)]


def _lately(now: Figures, calls: int) -> list[Measure]:
    """FR-7.2."""
    domains = sum(one.domains_recently.in_5_minutes for one in now.statuses) / 5
    pages = sum(one.pages_recently.in_5_minutes for one in now.statuses) / 5
    settled, failed = sum(one.pages for one in now.statuses), sum(one.pages_failed for one in now.statuses)
    return [
        Measure(
            "domains per minute",
            round(domains, 1),
            "1/min",
            "",
            "domains finished in the last 5 minutes / 5, jobs under way",
        ),
        Measure("database write rate", round(pages, 1), "pages/min", "", "pages committed in the last 5 minutes / 5"),
        Measure("error rate", _percent(failed, settled), "%", "", "pages that failed / pages settled, jobs under way"),
        Measure(
            "queue depth", now.open_work, "pages", "< 50,000", "pages queued, in line for paid requests, or parked"
        ),
        Measure(
            "requests to ScrapingBee",
            round(calls / MINUTES / 60, 2),
            "1/s",
            "",
            "paid requests begun in the last 5 minutes / 300",
        ),
        Measure(
            "requests to ScrapingBee in flight", now.provider.in_flight, "", "", "leases of paid pages that are out"
        ),
        Measure("workers", len(now.workers), "", "", "workers with a beat in the last minute"),
    ]


def _performance(now: Figures, past: History, paid_most: int) -> list[Measure]:
    """PM-1 to PM-7."""
    per_hour = sum(one.domains_recently.in_15_minutes for one in now.statuses) * 4
    waits = [one.overdue_ms for one in now.statuses if not one.held]
    ended = past.jobs.get(JobState.COMPLETED, 0) + past.jobs.get(JobState.FAILED, 0)
    allowed = min(paid_most, now.provider.allowed or paid_most)
    p95 = latency.percentile_ms(now.writes, 0.95)
    return [
        Measure("PM-1 throughput", per_hour, "domains/h", "5,000", "domains finished in the last 15 minutes x 4, all jobs"),
        Measure("PM-2 queue latency", max(waits) / 1000 if waits else None, "s", "< 10", "longest that a page which may be fetched now waits for a worker"),
        Measure("PM-3 completion rate", _percent(past.jobs.get(JobState.COMPLETED, 0), ended), "%", "> 95", f"completed / (completed + failed), jobs that ended in the last {DAYS} days"),
        Measure("PM-4 domain success rate", _percent(past.domains_done, past.domains_done + past.domains_failed - past.domains_unreachable), "%", "> 90", f"done / (done + failed - DNS errors and robots.txt), completed jobs of the last {DAYS} days"),
        Measure("PM-5 resumption success", _percent(past.resumed - past.resumed_failed, past.resumed), "%", "100", f"resumes not followed by `failed` / resumes, last {DAYS} days"),
        Measure("PM-6 concurrency compliance", _percent(past.minutes - past.breached_minutes, past.minutes), "%", "100", f"minutes without a look that saw more than {allowed} paid requests in flight / minutes, last {DAYS} days"),
        Measure("PM-7 batch insert P95", p95, "ms", "< 100", "bound below which 95 % of the batches of all live workers lie, commit included"),
    ]  # fmt: skip


def _percent(part: int, whole: int) -> float | None:
    return round(100 * part / whole, 1) if whole else None
