"""An export from being asked for to being ready: one picture, whole or absent, tried twice, and always an end in words."""

import os
import re
import secrets
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import Engine, text

from prospector.blobs import Storage, storage
from prospector.core.results.sums import SumWrong
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import CredentialsRejected, ServerUnreachable
from prospector.jobs.exports import making
from prospector.jobs.exports.heart import NotOurs
from prospector.jobs.exports.order import Format, Order, order
from prospector.jobs.exports.run import Stores, hand_back, run
from prospector.jobs.exports.shelf import prefix
from prospector.store import exports, pages, partitions, roles, server
from prospector.store.domains import Finished
from prospector.store.jobs import ListedDomain
from prospector.store.partitions import ResultsDeleted

from .conftest import ALL, TERMS, ask, export, finish, made, make_job, mention, page, state
from .s3_server import BUCKET, S3Server, credentials, cut_once

if TYPE_CHECKING:
    from prospector.store.exports import Export

CSV = Order((Format.CSV,))
PATIENCE_SECONDS = 120  # of a loaded machine; every wait ends with its condition


def keys(files: Storage) -> list[str]:
    return [blob.key for blob in files.listed("")]


@pytest.fixture
def between(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """Runs something in the middle of the next export: after its first site, before the others."""

    def arrange(work: Callable[[], None]) -> None:
        original, done = making.Making._rows, []

        def rows(self: making.Making, *rest: Any) -> Any:
            if not done:
                done.append(True)
                work()
            return original(self, *rest)

        monkeypatch.setattr(making.Making, "_rows", rows)

    return arrange


def test_a_ready_export_says_its_rows_and_when_it_expires(stores: Stores, job: str) -> None:
    ready = export(stores, job).export

    assert (ready.state, ready.rows_done, ready.rows_total, ready.attempts) == ("ready", 20, 20, 1)
    assert ready.finished_at
    assert ready.expires_at
    assert round((ready.expires_at - ready.finished_at).total_seconds() / 3600) == 7 * 24
    assert all(one["duplicates"] == 0 for one in ready.files)


def test_files_stand_below_their_job_under_an_id_that_nobody_guesses(stores: Stores, job: str) -> None:
    first, second = export(stores, job, CSV), export(stores, job, CSV)

    assert len(keys(stores.files)) == 10
    assert all(re.fullmatch(rf"exports/{job}/[0-9a-f]{{32}}/1/[a-z_]+\.csv", key) for key in keys(stores.files))
    assert prefix(job, first.export.id) != prefix(job, second.export.id)


def test_an_export_shows_one_picture_while_the_job_writes(
    stores: Stores, engine: Engine, job: str, between: Any
) -> None:
    def write() -> None:
        pages.write(engine, job, [page(100 + number, 9, mentions=[mention()]) for number in range(50)])
        pages.write(engine, job, [page(200, 9, outcome=PageOutcome.UNWRITABLE, detail="after the picture")])
        finish(engine, job, Finished(8, 1, DomainState.DONE))

    between(write)

    first, second = export(stores, job), export(stores, job)

    assert (len(first.rows("results.csv")), len(second.rows("results.csv"))) == (10, 60)
    assert (len(first.rows("errors.csv")), len(second.rows("errors.csv"))) == (2, 3)
    assert [row["verdict"] for row in first.rows("prospects.csv")].count("waiting") == 2
    assert [row["verdict"] for row in second.rows("prospects.csv")].count("waiting") == 1


def test_retention_waits_for_an_export_and_says_so(stores: Stores, engine: Engine, job: str, between: Any) -> None:
    refused = []

    def drop() -> None:
        with pytest.raises(partitions.ResultsInUse) as error, engine.begin() as connection:
            partitions.drop(connection, job)
        refused.append(str(error.value))

    between(drop)

    assert len(export(stores, job).rows("results.csv")) == 10
    assert "being written or exported" in refused[0]


def test_results_that_are_deleted_are_a_clear_end(stores: Stores, engine: Engine, job: str) -> None:
    claimed = ask(engine, job)
    with engine.begin() as connection:
        partitions.drop(connection, job)

    with pytest.raises(ResultsDeleted):
        run(stores, claimed)

    failed = state(engine, claimed)
    assert (failed.state, failed.reason) == (
        "failed",
        f"The results of job {job} are deleted. prospector job list --include-archived shows what is left of it.",
    )
    assert keys(stores.files) == []


def test_a_job_that_is_removed_in_between_ends_its_export(
    stores: Stores, engine: Engine, job: str, between: Any
) -> None:
    def remove() -> None:
        with engine.begin() as connection:
            connection.execute(text("DELETE FROM exports"))

    between(remove)
    claimed = ask(engine, job)

    with pytest.raises(NotOurs):
        run(stores, claimed, beat_seconds=0.01)

    assert keys(stores.files) == []


def test_two_exports_of_one_job_at_once_are_two_whole_exports(stores: Stores, job: str) -> None:
    claimed = [ask(stores.record, job) for _ in range(2)]

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: run(stores, one), claimed))

    first, second = (made(stores, one) for one in claimed)
    assert first.files["results.csv"] == second.files["results.csv"]
    assert first.files["prospects.csv"] == second.files["prospects.csv"]


def test_a_connection_that_postgres_ends_is_tried_again_once(
    stores: Stores, engine: Engine, job: str, between: Any
) -> None:
    reader = server.engine(engine.url.render_as_string(hide_password=False), "the reader")
    end = text(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'the reader' AND datname = current_database()"
    )

    def terminate() -> None:
        with engine.begin() as connection:
            connection.execute(end)

    between(terminate)
    with_reader = Stores(engine, reader, stores.files, *TERMS)
    claimed = ask(engine, job)

    with pytest.raises(ServerUnreachable, match="Postgres ended the work"):
        run(with_reader, claimed)

    waits = state(engine, claimed)
    assert (waits.state, waits.attempts) == ("waiting", 1)
    assert keys(stores.files) == []
    with engine.begin() as connection:
        again = exports.claim(connection, silent_seconds=30)
    assert again
    run(with_reader, again)
    assert len(made(stores, again).rows("results.csv")) == 10
    reader.dispose()


def test_what_fails_twice_is_said(stores: Stores, engine: Engine, job: str) -> None:
    away = Stores(engine, server.engine("postgresql://x@127.0.0.1:1/x"), stores.files, *TERMS)

    for _ in range(2):
        with engine.begin() as connection:
            claimed = exports.claim(connection, silent_seconds=30) or ask(engine, job)
        with pytest.raises(ServerUnreachable):
            run(away, claimed)

    failed = state(engine, claimed)
    assert (failed.state, failed.attempts) == ("failed", 2)
    assert failed.reason
    assert failed.reason.startswith("Postgres at 127.0.0.1:1/x does not take a connection")


def test_a_runner_that_was_given_up_on_leaves_nothing_and_changes_nothing(
    stores: Stores, engine: Engine, job: str, between: Any
) -> None:
    taken: list[Export] = []

    def give_to_another() -> None:
        with engine.begin() as connection:
            connection.execute(text("UPDATE exports SET beat_at = now() - interval '1 hour'"))
            taken.extend(filter(None, [exports.claim(connection, silent_seconds=30)]))

    between(give_to_another)
    slow = ask(engine, job, CSV)

    with pytest.raises(NotOurs):
        run(stores, slow)

    assert state(engine, slow).attempts == 2
    run(stores, taken[0])
    assert len(made(stores, taken[0]).files) == 5
    assert len(keys(stores.files)) == 5


def test_a_sum_that_does_not_add_up_makes_no_file(stores: Stores, engine: Engine) -> None:
    wrong = make_job(engine, input_rows=99)
    claimed = ask(engine, wrong)

    with pytest.raises(SumWrong, match="99 rows, but its parts are 13"):
        run(stores, claimed)

    assert state(engine, claimed).state == "failed"
    assert keys(stores.files) == []


def test_rows_that_are_there_twice_make_no_file(stores: Stores, engine: Engine) -> None:
    job = make_job(engine, domains=[ListedDomain("a.example", 2)], issues=(), input_rows=1)
    pages.write(engine, job, [page(number, 0, url="https://a.example/same", mentions=[mention()]) for number in (1, 2)])
    claimed = ask(engine, job)

    with pytest.raises(SumWrong, match="1 rows have the domain, address and keyword of another row"):
        run(stores, claimed)

    assert keys(stores.files) == []


def test_progress_is_said_in_rows_while_it_works(stores: Stores, engine: Engine, job: str, between: Any) -> None:
    claimed = ask(engine, job)
    seen = []

    def look() -> None:
        deadline = time.monotonic() + 60
        while not seen and time.monotonic() < deadline:
            found = state(engine, claimed)
            if found.rows_total == 20:
                seen.append(found)

    between(look)
    run(stores, claimed, beat_seconds=0.01)

    assert seen[0].state == "running"
    assert seen[0].rows_done < 20


@pytest.fixture
def reader(engine: Engine) -> Iterator[Engine]:
    """Logged in as the role that may only read."""
    prefix, password = f"exports_{secrets.token_hex(4)}", secrets.token_hex(8)
    administer(engine, roles.sql(prefix), f"ALTER ROLE {prefix}_reader PASSWORD '{password}'")
    url = engine.url.set(username=f"{prefix}_reader", password=password)
    made = server.engine(url.render_as_string(hide_password=False))
    yield made
    made.dispose()
    for role in ("owner", "operator", "worker", "reader"):
        name = f"{prefix}_{role}"
        administer(engine, f"REASSIGN OWNED BY {name} TO CURRENT_USER; DROP OWNED BY {name}", f"DROP ROLE {name}")


def administer(engine: Engine, *scripts: str) -> None:
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        for script in scripts:
            connection.connection.cursor().execute(script)


def test_the_role_that_only_reads_is_enough_to_read(engine: Engine, stores: Stores, reader: Engine) -> None:
    job = make_job(engine, input_rows=13)
    pages.write(engine, job, [page(1, 0, mentions=[mention()])])

    made = export(Stores(engine, reader, stores.files, *TERMS), job)

    assert len(made.rows("results.csv")) == 1
    with pytest.raises(Exception, match="permission denied"), reader.begin() as connection:
        connection.execute(text("DELETE FROM jobs"))


def test_the_exporter_needs_only_to_write_and_a_reader_only_to_read(
    engine: Engine, s3: S3Server, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "writer")
    writer = storage(f"s3://{BUCKET}/rights", s3.endpoint)
    claimed = ask(engine, job, CSV)
    run(Stores(engine, engine, writer, *TERMS), claimed)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "reader")
    reader = storage(f"s3://{BUCKET}/rights", s3.endpoint)
    key = str(state(engine, claimed).files[0]["key"])

    assert b"".join(reader.read(key)).startswith("\ufeffdomain".encode())
    with pytest.raises(CredentialsRejected):
        b"".join(writer.read(key))
    for forbidden in (lambda: reader.delete(key), lambda: list(reader.listed("")), lambda: list(writer.listed(""))):
        with pytest.raises(CredentialsRejected):
            forbidden()


def test_to_s3_and_read_back_by_its_link(engine: Engine, bucket: Storage, job: str) -> None:
    whole = export(Stores(engine, engine, bucket, *TERMS), job)

    assert len(whole.rows("results.csv")) == 10
    assert len(keys(bucket)) == 8
    assert bucket.sweep("") == 0


def large(engine: Engine) -> str:
    """A job whose csv is more than one part of an upload."""
    job = make_job(
        engine,
        domains=[ListedDomain(f"d{number}.example", number + 2) for number in range(40)],
        issues=(),
        input_rows=40,
    )
    rows = [page(number, number % 40, mentions=[mention(snippet=os.urandom(2000).hex())]) for number in range(4_000)]
    for start in range(0, len(rows), 500):
        pages.write(engine, job, rows[start : start + 500])
    return job


def test_a_reset_in_the_middle_of_an_upload_changes_no_byte(
    engine: Engine, stores: Stores, s3: S3Server, between: Any
) -> None:
    job = large(engine)
    direct = export(stores, job, CSV)
    with FaultProxy(s3.endpoint.removeprefix("http://")) as proxy:
        remote = Stores(engine, engine, storage(f"s3://{BUCKET}/{job}", f"http://{proxy.address}"), *TERMS)
        with ExitStack() as cutting:
            between(lambda: cutting.enter_context(cut_once(proxy, 1_000_000)))
            uploaded = export(remote, job, CSV)

    assert uploaded.files["results.csv"] == direct.files["results.csv"]
    assert len(uploaded.files["results.csv"]) > 15_000_000


def test_an_s3_that_stays_away_is_tried_again_and_leaves_nothing(
    engine: Engine, s3: S3Server, between: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prospector.blobs.s3.S3_TRIES", 1)
    job = large(engine)
    with FaultProxy(s3.endpoint.removeprefix("http://")) as proxy:
        remote = Stores(engine, engine, storage(f"s3://{BUCKET}/{job}", f"http://{proxy.address}"), *TERMS)
        between(lambda: proxy.order(ProxyFault.DOWN))
        claimed = ask(engine, job, CSV)

        with pytest.raises(ServerUnreachable, match="S3"):
            run(remote, claimed)

        proxy.lift(ProxyFault.DOWN)
    assert state(engine, claimed).state == "waiting"
    direct = storage(f"s3://{BUCKET}/{job}", s3.endpoint)
    assert keys(direct) == []
    with engine.begin() as connection:
        again = exports.claim(connection, silent_seconds=30)
    assert again
    run(Stores(engine, engine, direct, *TERMS), again)
    assert direct.sweep("") == 0
    assert len(keys(direct)) == 5


PROGRAM = ("-m", "prospector.jobs.exports")
WITHOUT_ROOM = """
import resource, runpy
resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000))
runpy.run_module("prospector.jobs.exports", run_name="__main__")
"""


def child(engine: Engine, url: str, program: tuple[str, str] = PROGRAM, **environment: str) -> subprocess.Popen[str]:
    own = (
        credentials()
        | {"DATABASE_URL": engine.url.render_as_string(hide_password=False), "STORAGE_URL": url}
        | environment
    )
    return subprocess.Popen([sys.executable, *program], env=own, stderr=subprocess.PIPE, text=True)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, words = process.communicate(timeout=120)
    return process.returncode, words


def waiting(engine: Engine, job: str, order: Order) -> str:
    with engine.begin() as connection:
        return exports.ask(connection, job, list(map(str, order.formats)), order.options)


def test_the_child_takes_one_export_and_ends(engine: Engine, stores: Stores, job: str, tmp_path: Path) -> None:
    asked = waiting(engine, job, ALL)
    url = (tmp_path / "files").as_uri()

    first, second = ended(child(engine, url)), ended(child(engine, url))

    assert first == (0, "")
    assert second == (5, "No export waits. prospector job export starts one.\n")
    with engine.connect() as connection:
        assert [(one.id, one.state) for one in exports.of_job(connection, job)] == [(asked, "ready")]


def test_the_child_says_in_one_line_why_it_failed(engine: Engine, job: str, tmp_path: Path) -> None:
    waiting(engine, job, CSV)
    with engine.begin() as connection:
        partitions.drop(connection, job)

    code, words = ended(child(engine, tmp_path.as_uri()))

    assert code == 5
    assert words.startswith(f"The results of job {job} are deleted.")
    assert words.count("\n") == 1


def test_the_child_needs_its_two_urls(engine: Engine) -> None:
    code, words = ended(child(engine, ""))

    assert code == 3
    assert "STORAGE_URL" in words


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux keeps this limit")
def test_a_child_that_needs_too_much_memory_says_so(engine: Engine, job: str, tmp_path: Path) -> None:
    """A page of the limit's own size cannot be read within it."""
    pages.write(engine, job, [page(50, 0, title="x" * 120_000_000, mentions=[mention()])])
    asked = waiting(engine, job, CSV)

    code, _ = ended(child(engine, (tmp_path / "f").as_uri(), EXPORT_MEMORY_MB="160"))

    assert code == 1
    with engine.connect() as connection:
        found = next(one for one in exports.of_job(connection, job) if one.id == asked)
    assert (found.state, found.reason) == ("failed", "It needs more than 160 MB: raise EXPORT_MEMORY_MB.")
    assert keys(storage((tmp_path / "f").as_uri())) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits a process that runs")
def test_a_child_whose_machine_has_no_room_says_so(engine: Engine, job: str, tmp_path: Path) -> None:
    """What it puts aside on the way fills the disk as its files do."""
    asked = waiting(engine, job, order(["csv"], {"only": ["prospects"]}))

    code, words = ended(child(engine, (tmp_path / "f").as_uri(), ("-c", WITHOUT_ROOM)))

    assert (code, words.count("\n")) == (3, 1)
    with engine.connect() as connection:
        found = next(one for one in exports.of_job(connection, job) if one.id == asked)
    assert found.state == "waiting", "it has a second try"
    assert found.reason
    assert "File too large" in found.reason
    assert keys(storage((tmp_path / "f").as_uri())) == []


@contextmanager
def in_the_middle(engine: Engine) -> Iterator[None]:
    """Meanwhile an export writes all its rows and cannot end: what it reads last, the issues of the list, has to wait."""
    with engine.begin() as busy:
        busy.execute(text("LOCK TABLE input_issues IN ACCESS EXCLUSIVE MODE"))
        yield


def test_a_child_that_is_asked_to_end_hands_its_export_back_and_leaves_nothing(engine: Engine, tmp_path: Path) -> None:
    job = large(engine)
    files, folder = storage((tmp_path / "f").as_uri()), tmp_path / "temporary"
    folder.mkdir()
    waiting(engine, job, CSV)

    for _ in range(2):
        with in_the_middle(engine):
            runner = child(engine, (tmp_path / "f").as_uri(), TMPDIR=str(folder))
            deadline = time.monotonic() + PATIENCE_SECONDS
            while len(list(tmp_path.glob("f/.incoming/*"))) < len(CSV.files):
                assert time.monotonic() < deadline, "it does not begin its files"
                time.sleep(0.01)
            assert list(folder.iterdir())
            runner.send_signal(signal.SIGTERM)
        assert ended(runner) == (128 + signal.SIGTERM, "")

    with engine.connect() as connection:
        (found,) = exports.of_job(connection, job)
    assert (found.state, found.attempts) == ("waiting", 0)
    assert (keys(files), files.sweep(""), list(folder.iterdir())) == ([], 0, [])
    assert ended(child(engine, (tmp_path / "f").as_uri())) == (0, "")
    assert len(keys(files)) == 5


def test_what_was_begun_when_a_runner_was_asked_to_end_goes_with_it(stores: Stores, engine: Engine, job: str) -> None:
    claimed = ask(engine, job, CSV)
    begun = stores.files.writer(f"{prefix(job, claimed.id)}1/results.csv", "results.csv", "text/csv")

    hand_back(stores, claimed)

    assert stores.files.sweep("") == 0
    assert (state(engine, claimed).state, state(engine, claimed).attempts) == ("waiting", 0)
    begun.abort()


@pytest.mark.parametrize("place", ["folder", "s3"])
def test_a_child_that_is_killed_leaves_nothing_and_the_next_one_finishes(
    engine: Engine, s3: S3Server, tmp_path: Path, place: str
) -> None:
    job = large(engine)
    url = (tmp_path / "f").as_uri() if place == "folder" else f"s3://{BUCKET}/{job}"
    files = storage(url, s3.endpoint)
    asked = waiting(engine, job, CSV)
    with in_the_middle(engine):
        first = child(engine, url, AWS_ENDPOINT_URL=s3.endpoint)
        begun = threading.Event()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not begun.is_set() and time.monotonic() < deadline:
            with engine.connect() as connection:
                found = next(one for one in exports.of_job(connection, job) if one.id == asked)
            if found.rows_total and found.rows_done == found.rows_total:
                begun.set()

        assert begun.is_set()
        first.send_signal(signal.SIGKILL)
        ended(first)

    assert keys(files) == []
    with engine.begin() as connection:
        connection.execute(text("UPDATE exports SET beat_at = now() - interval '31 seconds'"))
    assert ended(child(engine, url, AWS_ENDPOINT_URL=s3.endpoint)) == (0, "")
    assert len(keys(files)) == 5
    assert files.sweep("") == 0
    with engine.connect() as connection:
        assert [one.attempts for one in exports.of_job(connection, job)] == [2]
