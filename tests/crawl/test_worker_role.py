"""A whole crawl by workers whose role may do only what `prospector db roles` grants it."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Engine

from prospector.demo.web.plan import Plan
from prospector.store import roles

from .conftest import Fleet

KINDS = ("twins", "idn")
ROLES = ("owner", *roles.RIGHTS)


@contextmanager
def worker_role(engine: Engine) -> Iterator[str]:
    """The URL of a worker in that database."""
    prefix, password = f"test_{secrets.token_hex(4)}", secrets.token_hex(8)
    run(engine, roles.sql(prefix))
    run(engine, f"ALTER ROLE {prefix}_worker PASSWORD '{password}'")
    try:
        yield engine.url.set(username=f"{prefix}_worker", password=password).render_as_string(hide_password=False)
    finally:
        for role in ROLES:
            run(engine, f"REASSIGN OWNED BY {prefix}_{role} TO CURRENT_USER; DROP OWNED BY {prefix}_{role}")
            run(engine, f"DROP ROLE {prefix}_{role}")


def run(engine: Engine, script: str) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.connection.cursor().execute(script)


def test_the_rights_of_a_worker_are_enough_for_a_crawl(crew: Callable[..., Fleet]) -> None:
    one, plan = crew(KINDS, 4), Plan(4, len(KINDS), KINDS)
    with worker_role(one.engine) as url:
        job = one.job(plan)
        one.worker(WORKER_DATABASE_URL=url)

        one.until_over(job, seconds=150)
        one.stop()

    log = (one.folder / "worker-0.log").read_text(encoding="utf-8")
    left = one.left(plan, job)
    assert {row["state"] for row in left.domains.values()} == {"done"}
    assert left.verdict().good, left.verdict().lines
    assert "permission denied" not in log
