"""What became of jobs and their domains over the last days, for `system metrics`."""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, text

from prospector.core.job.states import JobState

MINUTES_A_DAY = 1_440


@dataclass(frozen=True)
class History:
    """`domains_unreachable`: of the failed ones, those that nobody can read: no such name, or not allowed."""

    jobs: Mapping[JobState, int]
    domains_done: int
    domains_failed: int
    domains_unreachable: int
    resumed: int
    resumed_failed: int
    minutes: int
    breached_minutes: int


JOBS = text("""
SELECT state, count(*) FROM jobs WHERE moved_at > now() - make_interval(days => :days) GROUP BY state
""")

DOMAINS = text("""
SELECT count(*) FILTER (WHERE domains.state = 'done'), count(*) FILTER (WHERE domains.state = 'failed'),
    count(*) FILTER (WHERE domains.state = 'failed' AND (domains.reason ILIKE '%dns%' OR domains.reason ILIKE '%robots.txt%'))
FROM domains JOIN jobs ON jobs.id = domains.job
WHERE jobs.state = 'completed' AND jobs.moved_at > now() - make_interval(days => :days)
""")

# each move of a job, and the one after it
RESUMES = text("""
SELECT count(*), count(*) FILTER (WHERE next_state = 'failed') FROM (
    SELECT from_state, to_state, lead(to_state) OVER (PARTITION BY job ORDER BY id) AS next_state
    FROM events WHERE kind = 'moved' AND at > now() - make_interval(days => :days)
) AS moves WHERE from_state IN ('paused', 'failed') AND to_state = 'running'
""")

# an alert is given once an hour at most, so each stands for a minute at least
BREACHES = text("""
SELECT count(*) FROM events
WHERE kind = 'alert' AND facts ->> 'kind' = 'concurrency' AND at > now() - make_interval(days => :days)
""")


def since(connection: Connection, days: int) -> History:
    given = {"days": days}
    states = {JobState(state): count for state, count in connection.execute(JOBS, given)}
    done, failed, unreachable = connection.execute(DOMAINS, given).one()
    resumed, resumed_failed = connection.execute(RESUMES, given).one()
    breached = connection.execute(BREACHES, given).scalar_one()
    return History(states, done, failed, unreachable, resumed, resumed_failed, days * MINUTES_A_DAY, breached)
