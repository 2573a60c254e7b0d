"""Files of exports after they are made: signed anew, copied whole, and gone when their time has come."""

import os
import secrets
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest
from sqlalchemy import Engine, text

from cli import deployment
from prospector import settings
from prospector.blobs import Storage, storage
from prospector.errors import Conflict, EnvironmentInvalid, NotFound
from prospector.frontier.client import Frontier
from prospector.jobs.exports import shelf
from prospector.jobs.exports.run import Stores
from prospector.local.servers import Servers

from .conftest import ALL, CSV_ONLY, TERMS, ask, export, state
from .s3_server import BUCKET, S3Server

NOW = datetime.now(UTC)


def test_links_are_signed_anew_each_time_and_read_the_files(engine: Engine, bucket: Storage, job: str) -> None:
    made = export(Stores(engine, engine, bucket, *TERMS), job)

    links = shelf.links(bucket, made.export)

    assert list(links) == [one["name"] for one in made.export.files]
    for name, link in links.items():
        with urlopen(link) as answer:
            assert answer.read() == made.files[name]


def test_a_command_that_deletes_a_job_reaches_its_files_on_an_s3_that_is_not_amazons(
    engine: Engine, s3: S3Server, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"s3://{BUCKET}/{secrets.token_hex(8)}"
    monkeypatch.setattr(settings, "AWS_ENDPOINT_URL", s3.endpoint)
    opened = deployment.Deployment(Servers("", "", (), url), engine, Frontier("redis://127.0.0.1:1"))
    export(Stores(engine, engine, storage(url, s3.endpoint), *TERMS), job, CSV_ONLY)

    shelf.forget(opened.files, job)

    assert list(storage(url, s3.endpoint).listed("")) == []


def test_files_are_copied_under_their_own_names(stores: Stores, job: str, tmp_path: Path) -> None:
    made = export(stores, job)

    copied = list(shelf.fetch(stores.files, made.export, tmp_path / "out"))

    assert {path.name: path.read_bytes() for path in copied} == made.files
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(made.files)


def test_files_that_a_steward_put_elsewhere_are_not_said_to_be_here(
    stores: Stores, engine: Engine, bucket: Storage, job: str, tmp_path: Path
) -> None:
    made = export(Stores(engine, engine, bucket, *TERMS), job).export

    with pytest.raises(shelf.Elsewhere, match=f"are in {bucket.url}, and this command looks in {stores.files.url}"):
        shelf.links(stores.files, made)
    with pytest.raises(shelf.Elsewhere, match=f"Set STORAGE_URL={bucket.url} here"):
        list(shelf.fetch(stores.files, made, tmp_path / "out"))


def test_a_copy_that_breaks_off_leaves_no_half_file(stores: Stores, job: str, tmp_path: Path) -> None:
    made = export(stores, job)
    stores.files.delete(str(made.export.files[1]["key"]))

    with pytest.raises(NotFound, match="It may have expired"):
        list(shelf.fetch(stores.files, made.export, tmp_path / "out"))

    assert [path.name for path in (tmp_path / "out").iterdir()] == ["results.csv"]


def test_a_folder_that_cannot_be_written_is_said_with_what_to_do(stores: Stores, job: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    made = export(stores, job, CSV_ONLY).export

    with pytest.raises(EnvironmentInvalid, match="taken/below: Not a directory"):
        list(shelf.fetch(stores.files, made, tmp_path / "taken" / "below"))


def test_a_file_that_cannot_be_put_in_its_place_leaves_no_part_of_it(stores: Stores, job: str, tmp_path: Path) -> None:
    (tmp_path / "results.csv").mkdir()
    made = export(stores, job, CSV_ONLY).export

    with pytest.raises(EnvironmentInvalid, match="Is a directory"):
        list(shelf.fetch(stores.files, made, tmp_path))

    assert [path.name for path in tmp_path.glob(".*")] == []


def test_an_export_that_is_not_ready_has_no_links(stores: Stores, job: str) -> None:
    with pytest.raises(Conflict, match="is running"):
        shelf.links(stores.files, ask(stores.record, job, ALL))


def test_after_seven_days_an_export_is_expired_and_its_files_are_gone(stores: Stores, job: str, tmp_path: Path) -> None:
    old, new = export(stores, job), export(stores, job)
    before = (NOW - timedelta(days=8)).timestamp()
    for path in (tmp_path / "files").rglob(f"{old.export.id}/*/*"):
        os.utime(path, (before, before))
    with stores.record.begin() as connection:
        expired = text("UPDATE exports SET expires_at = now() - interval '1 day' WHERE id = :id")
        connection.execute(expired, {"id": old.export.id})

    assert shelf.expire(stores.record, stores.files, NOW) == 8
    assert shelf.expire(stores.record, stores.files, NOW) == 0

    assert (state(stores.record, old.export).state, state(stores.record, new.export).state) == ("expired", "ready")
    assert {blob.key.split("/")[2] for blob in stores.files.listed("")} == {new.export.id}
    with pytest.raises(Conflict, match="is expired"):
        shelf.links(stores.files, state(stores.record, old.export))


def test_what_killed_runners_left_behind_goes_after_a_day(
    stores: Stores, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    old, new = tmp_path / "prospector-export-old", tmp_path / "prospector-export-new"
    for folder in (old, new):
        folder.mkdir()
        (folder / "prospects.jsonl").touch()
    before = (NOW - timedelta(days=1, hours=1)).timestamp()
    os.utime(old, (before, before))
    unfinished = [stores.files.writer(shelf.prefix("job", name) + "2/y.csv", "y.csv", "text/csv") for name in "ab"]
    (left,) = (tmp_path / "files" / ".incoming").glob("*%2Fa%2F*")
    os.utime(left, (before, before))

    shelf.expire(stores.record, stores.files, NOW)

    assert [path.name for path in tmp_path.glob("prospector-export-*")] == ["prospector-export-new"]
    assert stores.files.sweep("") == 1
    for writer in unfinished:
        writer.abort()


def test_the_files_of_a_job_go_with_it(stores: Stores, job: str) -> None:
    export(stores, job)
    unfinished = stores.files.writer(shelf.prefix(job, "x") + "1/y.csv", "y.csv", "text/csv")

    shelf.forget(stores.files, job)

    assert list(stores.files.listed("")) == []
    assert stores.files.sweep("") == 0
    unfinished.abort()
