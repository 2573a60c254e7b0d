"""A job with something of everything, made of real rows; and hands to run exports of it."""

import csv
import io
import json
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from prospector.blobs import Storage, storage
from prospector.core.job.states import JobState
from prospector.core.reading.traits import LinkStatus, PageFlag, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.visits.methods import Method
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.jobs.exports.order import Format, Order
from prospector.jobs.exports.run import Stores, run
from prospector.store import domains, exports, jobs, pages, spend
from prospector.store.domains import Finished
from prospector.store.exports import Export
from prospector.store.jobs import InputIssue, Keyword, ListedDomain, NewJob
from prospector.store.kinds import IssueKind
from prospector.store.pages import MentionRow, PageRow
from prospector.store.spend import Reservation

from .s3_server import BUCKET, KEYS, S3Server

NOON = datetime(2026, 11, 18, 12, 0, 1, 500_000, tzinfo=UTC)
ALL = Order(tuple(Format))
CSV_ONLY = Order((Format.CSV,))
SPEC = {
    "mode": "hybrid",
    "client_domains": ["acme.test"],
    "languages": ["en"],
    "metric_column": "DR",
}
TERMS = (Decimal("0.01"), 90)  # what a credit costs, for how many days results are kept
KEYWORDS = [Keyword("crm"), Keyword("Acme CRM", "brand", case_sensitive=True), Keyword("=SUM(A1)"), Keyword("e-mail")]


def page(number: int, domain: int, **changes: Any) -> PageRow:
    facts: dict[str, Any] = {
        "page": number,
        "domain": domain,
        "url": f"https://d{domain}.example/{number}",
        "outcome": PageOutcome.READ,
        "settled_at": NOON,
        "method": Method.DIRECT,
        "status": 200,
        "kind": PageKind.ARTICLE,
        "link": LinkStatus.UNLINKED,
        "title": f"Page {number}",
        "language": "en",
    }
    return PageRow(**facts | changes)


def mention(keyword: int = 0, zone: Zone = Zone.MAIN, frequency: int = 1, **changes: Any) -> MentionRow:
    facts: dict[str, Any] = {"snippet": "… we tried a crm last year and …"}
    return MentionRow(keyword, frequency, zone, **facts | changes)


# one domain for each way in which a site can end; the number of a domain is its place here
NAMES = ("good", "boring", "menus", "linking", "parked", "empty", "failed", "waiting", "open", "nasty")
PAGES = [
    page(
        1,
        0,
        mentions=[
            mention(1, Zone.H1, 2, snippet="Acme CRM, tried"),
            mention(0, Zone.MAIN, 7, zones={Zone.MAIN: 6, Zone.FOOTER: 1}),
        ],
    ),
    page(2, 0, mentions=[mention(0, Zone.LIST)]),
    page(3, 0, kind=PageKind.CONTACT, flags=PageFlag.CONTACT_FOUND),
    page(4, 1, kind=PageKind.FORUM, mentions=[mention(0, Zone.COMMENT)]),
    page(5, 2, mentions=[mention(0, Zone.FOOTER, 200)]),
    page(6, 3, mentions=[mention(0)], link=LinkStatus.UNLINKED),
    page(
        7,
        3,
        link=LinkStatus.NOFOLLOW,
        links=[{"url": "https://acme.test/", "anchor": "Acme", "rel": ["nofollow"], "zone": "main", "whose": "client"}],
    ),
    page(8, 4, mentions=[mention(0)], flags=PageFlag.PARKED),
    page(9, 5, spellings=["AcmeCRM"]),
    page(10, 8, mentions=[mention(0)]),
    page(
        11,
        9,
        title="=cmd()",
        mentions=[
            mention(2, snippet='=HYPERLINK("http://evil.test")'),
            mention(0, snippet='+1 "quoted", with comma; 日本 👍'),
        ],
    ),
    page(12, 9, outcome=PageOutcome.UNWRITABLE, status=200, detail="value too long"),
]


def cells(number: int) -> dict[str, str]:
    return {"DR": str(10 * number - 5), "Owner": "=1+1" if number == 9 else "Zoë"}


def listed() -> list[ListedDomain]:
    return [ListedDomain(f"{name}.example", row, cells(row - 2)) for row, name in enumerate(NAMES, 2)]


ISSUES = [
    InputIssue(12, IssueKind.DUPLICATE, "www.good.example", "the same site as row 2"),
    InputIssue(13, IssueKind.EXCLUDED, "facebook.com", "a social network"),
    InputIssue(14, IssueKind.UNUSABLE, "=info@acme.de", "is an e-mail address"),
]


def new_job(**changes: Any) -> NewJob:
    facts: dict[str, Any] = {
        "name": 'Acme Q1: <b>"Zoë"</b>/..',
        "spec": SPEC,
        "max_credits": 10_000,
        "keywords": KEYWORDS,
        "domains": listed(),
        "issues": ISSUES,
        "input_rows": len(NAMES) + len(ISSUES),
        "input_columns": ["domain", "DR", "Owner"],
    }
    return NewJob(**facts | changes)


def make_job(engine: Engine, **changes: Any) -> str:
    with engine.begin() as connection:
        job = jobs.create(connection, new_job(**changes)).job
        jobs.move(connection, job, JobState.RUNNING, "started")
    return job


def finish(engine: Engine, job: str, *rows: Finished) -> None:
    with engine.begin() as connection:
        domains.finish(connection, job, rows)


@pytest.fixture
def job(engine: Engine) -> str:
    """Running: two of its ten domains are not finished."""
    made = make_job(engine)
    pages.write(engine, made, PAGES)
    done = [Finished(number, 1, DomainState.DONE, pages=2) for number in (0, 1, 2, 3, 4, 5, 9)]
    failed = Finished(6, 1, DomainState.FAILED, "HTTP 403 Forbidden", last_status=403, attempts=3, blocks=2)
    finish(engine, made, *done, failed)
    with engine.begin() as connection:
        domains.open_(connection, made, [8])
        spend.reserve(
            connection, [Reservation("l1", made, 0, 1, Method.JS, 5), Reservation("l2", made, 0, 2, Method.STANDARD, 1)]
        )
        spend.settle(connection, {"l1": 5})
    return made


@pytest.fixture
def files(tmp_path: Path) -> Storage:
    return storage((tmp_path / "files").as_uri())


@pytest.fixture
def stores(engine: Engine, files: Storage) -> Stores:
    return Stores(engine, engine, files, *TERMS)


def ask(engine: Engine, job: str, order: Order = ALL) -> Export:
    """Asked for, and claimed by this process."""
    with engine.begin() as connection:
        exports.ask(connection, job, [str(one) for one in order.formats], order.options)
        claimed = exports.claim(connection, silent_seconds=30)
    assert claimed
    return claimed


def state(engine: Engine, export: Export) -> Export:
    with engine.connect() as connection:
        return next(one for one in exports.of_job(connection, export.job) if one.id == export.id)


@dataclass
class Made:
    """What an export has made, as somebody who downloads it sees it."""

    export: Export
    files: Mapping[str, bytes]

    def text(self, name: str) -> str:
        return self.files[name].decode("utf-8-sig")

    def rows(self, name: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(self.text(name), newline="")))

    def json(self) -> Any:
        return json.loads(self.files["results.json"])


def export(stores: Stores, job: str, order: Order = ALL) -> Made:
    claimed = ask(stores.record, job, order)
    run(stores, claimed)
    return made(stores, claimed)


def made(stores: Stores, claimed: Export) -> Made:
    found = state(stores.record, claimed)
    assert found.state == "ready", found.reason
    return Made(found, {str(one["name"]): b"".join(stores.files.read(str(one["key"]))) for one in found.files})


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    """One server a process of the run; the keys are in the environment, as in a deployment."""
    with tempfile.TemporaryDirectory(prefix="s3-") as folder, pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in KEYS.items():
            monkeypatch.setenv(name, value)
        server = S3Server(Path(folder))
        try:
            server.start()
            yield server
        finally:
            server.stop()


@pytest.fixture
def bucket(s3: S3Server) -> Storage:
    """A prefix of this test's own in the bucket."""
    return storage(f"s3://{BUCKET}/{secrets.token_hex(8)}", s3.endpoint)
