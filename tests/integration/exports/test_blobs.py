"""Both storages keep the same promises: a file is whole or absent, private, and nothing is left of what was not finished."""

import hashlib
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import urlopen

import pytest

from prospector import blobs
from prospector.blobs import Storage, WriteLost, storage
from prospector.blobs.s3 import PART_BYTES, disposition
from prospector.demo.proxy.faults import ProxyFault
from prospector.demo.proxy.proxy import FaultProxy
from prospector.errors import CredentialsRejected, EnvironmentInvalid, InputInvalid, NotFound, ServerUnreachable

from .s3_server import BUCKET, S3Server, credentials, cut_once

LARGE = os.urandom(2**16) * (3 * PART_BYTES // 2**16 + 1)


@pytest.fixture(params=["folder", "s3"])
def kept(request: pytest.FixtureRequest) -> Storage:
    found: Storage = request.getfixturevalue({"folder": "files", "s3": "bucket"}[request.param])
    return found


@contextmanager
def full_disk() -> Iterator[None]:
    """A limit of the process stands for it: no file may grow beyond a few bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def put(files: Storage, key: str, data: bytes = b"abc") -> None:
    with files.writer(key, "name.csv", "text/csv") as writer:
        writer.write(data)
        writer.commit()


def read(files: Storage, key: str) -> bytes:
    return b"".join(files.read(key))


def keys(files: Storage, prefix: str = "") -> list[str]:
    return [blob.key for blob in files.listed(prefix)]


@pytest.mark.parametrize("data", [b"", b"abc", LARGE])
def test_what_is_written_is_read(kept: Storage, data: bytes) -> None:
    with kept.writer("exports/a/results.csv", "Acme.csv", "text/csv") as writer:
        for start in range(0, len(data), 700_001):
            writer.write(data[start : start + 700_001])
        writer.commit()

    assert hashlib.sha256(read(kept, "exports/a/results.csv")).digest() == hashlib.sha256(data).digest()
    assert writer.size_bytes == len(data)
    assert [(one.key, one.size_bytes) for one in kept.listed("")] == [("exports/a/results.csv", len(data))]


@pytest.mark.parametrize("size", [3, len(LARGE)])
def test_nobody_sees_a_file_before_it_is_whole(kept: Storage, size: int) -> None:
    with kept.writer("a/b.csv", "b.csv", "text/csv") as writer:
        writer.write(LARGE[:size])

        assert keys(kept) == []
        with pytest.raises(NotFound, match=r"a/b\.csv"):
            read(kept, "a/b.csv")


@pytest.mark.parametrize("size", [3, len(LARGE)])
def test_nothing_is_left_of_a_file_that_was_not_committed(kept: Storage, size: int) -> None:
    with kept.writer("a/b.csv", "b.csv", "text/csv") as writer:
        writer.write(LARGE[:size])

    assert keys(kept) == []
    assert kept.sweep("") == 0


def test_a_file_replaces_another_of_its_key_at_once(kept: Storage) -> None:
    put(kept, "a/b.csv", b"old")
    put(kept, "a/b.csv", LARGE)

    assert read(kept, "a/b.csv") == LARGE


def test_files_are_listed_and_deleted_below_a_prefix(kept: Storage) -> None:
    for key in ("exports/a/1.csv", "exports/a/2.csv", "exports/ab/1.csv"):
        put(kept, key)

    kept.delete("exports/a/1.csv")
    kept.delete("exports/a/1.csv")

    assert keys(kept, "exports/a/") == ["exports/a/2.csv"]
    assert keys(kept, "exports/") == ["exports/a/2.csv", "exports/ab/1.csv"]


def test_files_are_listed_while_others_are_written_and_deleted(files: Storage) -> None:
    """A folder is tidied away with its last file: neither a reader nor the next writer may stumble over that."""

    def come_and_go(export: int) -> None:
        for _ in range(100):
            put(files, f"exports/job/{export}/a.csv")
            files.delete(f"exports/job/{export}/a.csv")

    put(files, "exports/kept/a.csv")
    with ThreadPoolExecutor(3) as pool:
        writers = [pool.submit(come_and_go, export) for export in range(3)]
        while not all(one.done() for one in writers):
            assert "exports/kept/a.csv" in keys(files, "exports/")
        for one in writers:
            one.result()

    assert keys(files) == ["exports/kept/a.csv"]


def test_the_folder_itself_stays_when_its_last_file_goes_also_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "real" / "files").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "real" / "files")
    files = storage((tmp_path / "link").as_uri())
    with files.writer("a/b.csv", "b.csv", "text/csv") as writer:
        writer.commit()
    files.sweep("")
    (tmp_path / "real" / "files" / ".incoming").rmdir()

    files.delete("a/b.csv")

    assert (tmp_path / "real" / "files").is_dir()
    assert not (tmp_path / "real" / "files" / "a").exists()


def test_a_sweep_takes_what_is_unfinished_and_its_writer_learns_it(kept: Storage) -> None:
    put(kept, "a/done.csv")
    with kept.writer("a/b.csv", "b.csv", "text/csv") as ours, kept.writer("c/d.csv", "d.csv", "text/csv") as others:
        ours.write(LARGE)
        others.write(LARGE)

        assert kept.sweep("a/") == 1
        with pytest.raises(WriteLost):
            ours.commit()
        others.commit()

    assert keys(kept) == ["a/done.csv", "c/d.csv"]


def test_a_sweep_of_what_is_old_leaves_what_is_being_written(kept: Storage) -> None:
    with kept.writer("a/b.csv", "b.csv", "text/csv") as writer:
        writer.write(LARGE)
        now = datetime.now(UTC)

        assert kept.sweep("a/", now - timedelta(hours=1)) == 0
        assert kept.sweep("a/", now + timedelta(hours=1)) == 1


WRITE_FOR_EVER = """
import sys
from prospector.blobs import storage
writer = storage(*sys.argv[1:]).writer("a/b.csv", "b.csv", "text/csv")
while True:
    writer.write(bytes(1_000_000))
    print("more", flush=True)
"""


@pytest.mark.parametrize("place", ["folder", "s3"])
def test_a_writer_that_is_killed_leaves_nothing_that_anybody_sees(place: str, tmp_path: Path, s3: S3Server) -> None:
    url = [tmp_path.as_uri()] if place == "folder" else [f"s3://{BUCKET}/{tmp_path.name}", s3.endpoint]
    child = subprocess.Popen([sys.executable, "-c", WRITE_FOR_EVER, *url], stdout=subprocess.PIPE, env=credentials())
    assert child.stdout
    for _ in range(12):
        child.stdout.readline()

    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()

    files = storage(*url)
    assert keys(files) == []
    assert files.sweep("a/") == 1
    assert files.sweep("") == 0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_folder_is_for_its_owner_only(tmp_path: Path) -> None:
    files = storage((tmp_path / "files").as_uri())
    put(files, "a/b.csv")

    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "files" / "a").rglob("*")}
    assert modes == {"b.csv": 0o600}
    assert (tmp_path / "files" / "a").stat().st_mode & 0o777 == 0o700


def test_a_folder_keeps_no_empty_folders_and_no_key_leaves_it(tmp_path: Path) -> None:
    files = storage(tmp_path.as_uri())
    put(files, "a/b/c.csv")
    files.delete("a/b/c.csv")

    assert not (tmp_path / "a").exists()
    with pytest.raises(InputInvalid, match="below the folder"):
        put(files, "../x.csv")


def test_a_folder_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")

    with pytest.raises(EnvironmentInvalid, match="Files cannot be kept in"):
        put(storage((tmp_path / "file").as_uri()), "a.csv")


def test_a_link_of_a_folder_opens_the_file(files: Storage) -> None:
    put(files, "a/b.csv")

    with urlopen(files.link("a/b.csv")) as answer:
        assert answer.read() == b"abc"


def fetched(url: str) -> int:
    try:
        with urlopen(url) as answer:
            return int(answer.status)
    except HTTPError as error:
        with error:
            return error.code


def test_a_link_reads_its_one_object_for_seven_days_and_nothing_else(bucket: Storage) -> None:
    for key in ("a/b.csv", "a/c.csv"):
        put(bucket, key)

    link = bucket.link("a/b.csv")

    assert parse_qs(urlsplit(link).query)["X-Amz-Expires"] == ["604800"]
    with urlopen(link) as answer:
        assert answer.read() == b"abc"
        assert answer.headers["Content-Disposition"] == disposition("name.csv")
    assert fetched(link.replace("/b.csv", "/c.csv")) == 403
    assert fetched(link.partition("?")[0]) == 403
    assert fetched(link.replace("604800", "604799")) == 403
    assert fetched(link.replace("/a/b.csv", "/")) == 403


def test_a_link_ends(bucket: Storage) -> None:
    put(bucket, "a/b.csv")
    link = bucket.link("a/b.csv", seconds=1)

    deadline = time.monotonic() + 60
    while fetched(link) == 200:
        assert time.monotonic() < deadline
        time.sleep(0.2)

    assert fetched(link) == 403
    assert fetched(bucket.link("a/b.csv")) == 200


@pytest.fixture
def proxied(s3: S3Server) -> Iterator[tuple[Storage, FaultProxy]]:
    with FaultProxy(urlsplit(s3.endpoint).netloc) as proxy:
        yield storage(f"s3://{BUCKET}/proxied", f"http://{proxy.address}"), proxy


def test_a_reset_in_the_middle_of_an_upload_is_tried_again(proxied: tuple[Storage, FaultProxy]) -> None:
    files, proxy = proxied

    with files.writer("a/b.csv", "b.csv", "text/csv") as writer:
        writer.write(LARGE[:PART_BYTES])
        with cut_once(proxy, 100_000):
            writer.write(LARGE[PART_BYTES:])
            writer.commit()

    assert hashlib.sha256(read(files, "a/b.csv")).digest() == hashlib.sha256(LARGE).digest()


def test_an_s3_that_is_away_is_said_and_nothing_is_there(
    proxied: tuple[Storage, FaultProxy], monkeypatch: pytest.MonkeyPatch
) -> None:
    files, proxy = proxied
    monkeypatch.setattr("prospector.blobs.s3.S3_TRIES", 1)
    proxy.order(ProxyFault.DOWN)

    with pytest.raises(ServerUnreachable, match="S3 does not take"):
        put(files, "gone.csv")

    proxy.lift(ProxyFault.DOWN)
    assert "gone.csv" not in keys(files)


def test_wrong_keys_and_a_missing_bucket_are_said(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFound, match="bucket"):
        put(storage("s3://no-such-bucket/x", s3.endpoint), "a.csv")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(CredentialsRejected, match="S3 refuses"):
        put(storage(f"s3://{BUCKET}/x", s3.endpoint), "a.csv")


@pytest.mark.parametrize("url", ["ftp://x/y", "s3:///x", "/folder", ""])
def test_what_is_no_storage_is_refused(url: str) -> None:
    with pytest.raises(InputInvalid, match="names no storage"):
        storage(url)


def test_a_round_trip_proves_a_storage_and_leaves_nothing(tmp_path: Path, s3: S3Server) -> None:
    blobs.round_trip(tmp_path.as_uri())
    blobs.round_trip(f"s3://{BUCKET}/round", s3.endpoint)

    assert keys(storage(tmp_path.as_uri())) == []
    assert keys(storage(f"s3://{BUCKET}/round", s3.endpoint)) == []


def test_a_round_trip_that_may_write_and_not_read_leaves_nothing(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        changed.setenv("AWS_ACCESS_KEY_ID", "writer")
        with pytest.raises(CredentialsRejected, match="S3 refuses"):
            blobs.round_trip(f"s3://{BUCKET}/written", s3.endpoint)

    assert keys(storage(f"s3://{BUCKET}/written", s3.endpoint)) == []


def test_a_name_that_is_not_ascii_is_said_both_ways() -> None:
    assert disposition('Zoë "x".csv') == "attachment; filename=\"Zo_ _x_.csv\"; filename*=UTF-8''Zo%C3%AB%20%22x%22.csv"


def test_a_full_disk_is_said_and_leaves_nothing_of_the_file(files: Storage, tmp_path: Path) -> None:
    with full_disk(), pytest.raises(EnvironmentInvalid, match="give it space"):
        put(files, "exports/a/results.csv", b"more than fits")

    assert not [path for path in tmp_path.rglob("*") if path.is_file()]
