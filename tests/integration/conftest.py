"""A job to work with, and rows for it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Engine

from prospector.core.methods import Method
from prospector.core.outcomes import PageOutcome
from prospector.core.states import JobState
from prospector.core.zones import Zone
from prospector.store import jobs
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from prospector.store.pages import MentionRow, PageRow

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


@pytest.fixture
def new_job() -> Callable[..., NewJob]:
    """Three domains and two keywords, unless told otherwise."""

    def made(**changes: Any) -> NewJob:
        facts: dict[str, Any] = {
            "name": "Acme Q1",
            "spec": {"mode": "hybrid"},
            "max_credits": 10_000,
            "keywords": [Keyword("crm"), Keyword("Acme CRM", "brand", case_sensitive=True)],
            "domains": [ListedDomain(f"{name}.example", row) for row, name in enumerate("abc", 2)],
        }
        return NewJob(**facts | changes)

    return made


@pytest.fixture
def job(engine: Engine, new_job: Callable[..., NewJob]) -> str:
    """The id of a running job."""
    with engine.begin() as connection:
        made = jobs.create(connection, new_job()).job
        jobs.move(connection, made, JobState.RUNNING, "started")
    return made


@pytest.fixture
def page() -> Callable[..., PageRow]:
    """A page that was read and says one keyword three times, unless told otherwise."""

    def made(number: int, **changes: Any) -> PageRow:
        facts: dict[str, Any] = {
            "page": number,
            "domain": 0,
            "url": f"https://a.example/{number}",
            "outcome": PageOutcome.READ,
            "settled_at": NOON,
            "method": Method.DIRECT,
            "status": 200,
            "mentions": [MentionRow(0, 3, Zone.MAIN, "we tried a crm last year")],
        }
        return PageRow(**facts | changes)

    return made
