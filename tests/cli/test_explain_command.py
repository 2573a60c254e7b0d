"""`prospector explain` as a user and a script meet it."""

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from cli.explain import ROWS_SHOWN

HTML = '<title>Acme CRM</title><h1>The <b>Acme</b> CRM</h1><p>AcmeCRM [x]<script>"Acme CRM"</script>'


def run(
    *arguments: str, stdin: bytes = b"", environment: dict[str, str] | None = None
) -> "subprocess.CompletedProcess[bytes]":
    return subprocess.run(
        [sys.executable, "-m", "cli", "explain", *arguments],
        input=stdin,
        capture_output=True,
        env={**os.environ, **(environment or {})},
    )


@pytest.fixture
def saved(tmp_path: Path) -> str:
    path = tmp_path / "page.html"
    path.write_text(HTML)
    return str(path)


def test_json_is_one_object_of_the_promised_shape(saved: str) -> None:
    done = run(saved, "-k", "Acme CRM", "--json")

    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert (told["keyword"], told["count"], told["zones"]) == ("Acme CRM", 2, {"title": 1, "h1": 1})
    assert [(one["zone"], one["counts"], one["rule"]) for one in told["candidates"]] == [
        ("title", True, "visible, in whole words"),
        ("h1", True, "visible, in whole words"),
        ("main", False, "another spelling is another keyword"),
        (None, False, "in an element that is not shown as text"),
    ]
    assert told["candidates"][1]["snippet"] == "Acme CRM | The Acme CRM | AcmeCRM [x]"


def test_two_keywords_are_two_lines_of_json(saved: str) -> None:
    done = run(saved, "-k", "Acme CRM", "-k", "nothing", "--json")

    assert [json.loads(line)["count"] for line in done.stdout.splitlines()] == [2, 0]


def test_a_person_reads_a_table_and_a_sum(saved: str) -> None:
    done = run(saved, "-k", "acme crm")

    assert b'"acme crm": 2 mentions (title 1, h1 1).' in done.stderr
    assert b"another spelling is another keyword" in done.stdout
    assert "»AcmeCRM« [x]".encode() in done.stdout


def test_a_keyword_that_is_nowhere_is_said_to_be(saved: str) -> None:
    done = run(saved, "-k", "nothing")

    assert done.returncode == 0
    assert b"It is nowhere on the page" in done.stderr


def test_standard_input_is_a_page_too() -> None:
    assert json.loads(run("-", "-k", "CRM", "--json", stdin=b"<p>crm CRM").stdout)["count"] == 2


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(100), "a picture (PNG)"),
        (b"PK\x03\x04" + bytes(100), "a zip archive or a document"),
        (b"%PDF-1.7 ...", "a PDF document"),
        (random.Random(1).randbytes(5_000), "a binary file"),
    ],
    ids=["picture", "zip", "PDF", "rubbish"],
)
def test_a_file_that_is_no_page_is_said_to_be_none(tmp_path: Path, data: bytes, kind: str) -> None:
    path = tmp_path / "page.html"
    path.write_bytes(data)

    done = run(str(path), "-k", "crm")

    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"{path} is {kind}, not a web page. ")
    assert done.stderr.count(b"\n") == 1


def test_a_page_in_utf_16_is_a_page() -> None:
    assert b"1 mention" in run("-", "-k", "crm", stdin="\ufeff<p>our crm".encode("utf-16-le")).stderr


def test_a_page_may_come_out_of_a_pipe_that_has_a_name() -> None:
    command = f"{sys.executable} -m cli explain <(echo '<p>our crm') -k crm"

    assert "1 mention" in subprocess.run(["bash", "-c", command], capture_output=True, text=True).stderr


def test_a_table_is_not_endless_and_json_has_all() -> None:
    page = b"<p>" + b"crm " * 1_500

    table = run("-", "-k", "crm", stdin=page)

    assert table.stdout.count(b"\n") == 1 + ROWS_SHOWN
    assert b"... and 500 more; --json lists all." in table.stderr
    assert len(json.loads(run("-", "-k", "crm", "--json", stdin=page).stdout)["candidates"]) == 1_500


def test_case_can_be_made_to_matter() -> None:
    assert json.loads(run("-", "-k", "CRM", "--case-sensitive", "--json", stdin=b"<p>crm CRM").stdout)["count"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("nowhere.html", "-k", "x"), 5, "There is no file nowhere.html"),
        (("/nowhere/page.html", "-k", "x"), 5, "Check the name and the folder."),
        (("/", "-k", "x"), 2, "is a folder, not a file"),
        (("-", "-k", "+"), 2, "no letter and no digit"),
        (("-",), 2, "Missing option"),
        (("http://127.0.0.1/", "-k", "x"), 2, "not a public address"),
        (("file:///etc/passwd", "-k", "x"), 2, "only http and https"),
    ],
)
def test_a_mistake_is_answered_in_words(arguments: tuple[str, ...], code: int, words: str) -> None:
    done = run(*arguments)

    assert done.returncode == code
    assert words in done.stderr.decode()
    assert b"Traceback" not in done.stderr


@pytest.fixture
def web() -> Iterator[str]:
    """A site with a file, a page that sends its visitors on, and no robots.txt."""
    answers = {
        "/report.pdf": ("application/pdf", b"%PDF-1.7 acme crm"),
        "/old": ("text/html", b"<meta http-equiv=refresh content='0;url=/new'><p>acme crm"),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, body = answers.get(self.path, ("text/html", b""))
            self.send_response(200 if body else 404)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_what_a_crawl_would_not_read_is_said(web: str) -> None:
    on_loopback = {"ALLOWED_NETWORKS": "127.0.0.0/8", "DELAY_MS": "1"}

    file = run(f"{web}/report.pdf", "-k", "acme", environment=on_loopback)
    moved = run(f"{web}/old", "-k", "acme", environment=on_loopback)

    assert file.returncode == 2
    assert b"is not an HTML page (application/pdf): a crawl skips it." in file.stderr
    assert moved.returncode == 0
    assert moved.stderr.decode().splitlines()[0] == (
        f"{web}/old sends its visitors on at once: a crawl reads {web}/new instead."
    )
