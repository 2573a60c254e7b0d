"""The operations of those who look after jobs: failed domains that are asked for again, and what can go on."""

from prospector.frontier.calls import Call


def reopened(job: str, domains: int) -> Call[bool]:
    """So many failed domains were seeded again."""
    return Call("reopened", (job, domains), bool)


def stuck(job: str) -> Call[str]:
    """Why nothing of the job can go on before somebody acts: 'budget', 'key', 'credits', or '' where something can."""
    return Call("stuck", (job,), lambda raw: str(raw, "ascii"))
