"""The Scrapyd API of one node. It answers errors with HTTP 200: only `"status": "ok"` is success."""

import base64
import json
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from http.client import HTTPException, HTTPResponse
from types import MappingProxyType
from typing import Any
from urllib.error import HTTPError
from urllib.parse import unquote, urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from prospector.errors import Conflict, CredentialsRejected, NotFound, ProspectorError, ServerUnreachable

PROJECT = "prospector"
TIMEOUT_SECONDS = 10
UPLOAD_SECONDS = 120  # a node lists the spiders of an egg before it answers
LOOK_THERE = "Look at its log, and at its configuration."
WORDS_SHOWN = 80  # characters of an answer that makes no sense
PARTIAL, UNAUTHORIZED, ABSENT = 206, 401, 404
FORM = "application/x-www-form-urlencoded"
DIRECT = build_opener(ProxyHandler({}))  # a proxy of the environment must not see the password


class NodeRefused(Conflict):
    """Scrapyd is there and does not do what it was asked; its own words are in the problem."""


class NotDeployed(NotFound):
    """The node has never got our code."""


class Absent(NodeRefused):
    """It has nothing there: a service that is switched off, a log that it has deleted."""


class Stage(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    FINISHED = "finished"


@dataclass(frozen=True)
class Run:
    """One run of a spider. `log` is the path of its log on the node, once it has one."""

    id: str
    spider: str
    stage: Stage
    log: str | None = None
    items: str | None = None


@dataclass(frozen=True)
class Node:
    """A node and what runs on it. `url` may hold a password: it is not shown."""

    url: str
    runs: tuple[Run, ...]

    @property
    def name(self) -> str:
        return name(self.url)

    def alive(self, spider: str) -> frozenset[str]:
        """The ids that wait or run."""
        return frozenset(one.id for one in self.runs if one.spider == spider and one.stage is not Stage.FINISHED)

    def ended(self, spider: str) -> frozenset[str]:
        return frozenset(one.id for one in self.runs if one.spider == spider and one.stage is Stage.FINISHED)


def status(url: str) -> dict[str, Any]:
    return call(url, "daemonstatus.json")


def node(url: str) -> Node:
    """Raises NotDeployed for a node that knows nothing of the project."""
    listed = call(url, "listjobs.json", "?" + urlencode({"project": PROJECT}))
    try:
        return Node(url, tuple(_run(stage, one) for stage in Stage for one in listed[stage]))
    except (KeyError, TypeError) as error:
        raise _strange(url, listed) from error


def schedule(
    url: str,
    spider: str,
    run: str,
    settings: Mapping[str, str] | None = None,
    version: str | None = None,
) -> None:
    """`run` is the id it gets; everyone on the machine can read settings in the list of processes."""
    fields = [("project", PROJECT), ("spider", spider), ("jobid", run)]
    fields += [("_version", version)] if version else []
    fields += [("setting", f"{name}={value}") for name, value in (settings or {}).items()]
    call(url, "schedule.json", data=urlencode(fields).encode())


def cancel(url: str, run: str) -> None:
    """A waiting one never begins; a running one ends in good order."""
    call(url, "cancel.json", data=urlencode({"project": PROJECT, "job": run}).encode())


def versions(url: str) -> list[str]:
    """Oldest first; the last one is what runs when no version is named."""
    found: list[str] = call(url, "listversions.json", "?" + urlencode({"project": PROJECT}))["versions"]
    return found


def add_version(url: str, version: str, egg: bytes) -> None:
    fields = {"project": PROJECT.encode(), "version": version.encode(), "egg": egg}
    kind, body = _multipart(fields)
    call(url, "addversion.json", data=body, kind=kind, seconds=UPLOAD_SECONDS)


def delete_version(url: str, version: str) -> None:
    call(url, "delversion.json", data=urlencode({"project": PROJECT, "version": version}).encode())


def call(
    url: str,
    method: str,
    query: str = "",
    data: bytes | None = None,
    kind: str = FORM,
    seconds: float = TIMEOUT_SECONDS,
) -> dict[str, Any]:
    answer = _json_of(url, _read(url, f"{method}{query}", data, kind, seconds))
    if answer.get("status") != "ok":
        raise _refused(url, str(answer.get("message", answer)))
    return answer


def file(url: str, path: str) -> bytes:
    """A log or the items of a run, by the path that its node gave."""
    return _read(url, path.lstrip("/"), None, FORM, TIMEOUT_SECONDS)


def file_bytes(url: str, path: str) -> int:
    """How long it is by now."""
    with _answered(url, path.lstrip("/"), method="HEAD") as response:
        return int(response.headers["Content-Length"])


def piece(url: str, path: str, start: int, end: int) -> bytes:
    """A part of a log, which may be too long to be had at once."""
    headers = {"Range": f"bytes={start}-{end - 1}"}
    with _answered(url, path.lstrip("/"), headers=headers) as response:
        body: bytes = response.read()
        return body if response.status == PARTIAL else body[start:end]


def address(url: str) -> str:
    """The URL without user and password: what is asked, and what a message may show."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")


def name(url: str) -> str:
    """What its workers call the node. With the port, because several Scrapyds may share a host."""
    return urlsplit(address(url)).netloc


def user(url: str) -> str | None:
    given = urlsplit(url).username
    return unquote(given) if given else None


def _run(stage: Stage, listed: Mapping[str, Any]) -> Run:
    return Run(listed["id"], listed["spider"], stage, listed.get("log_url"), listed.get("items_url"))


def _json_of(url: str, raw: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(raw)
    except ValueError as error:
        raise _unreachable(url, error) from error
    if not isinstance(answer, dict):
        raise _strange(url, answer)
    return answer


def _read(url: str, path: str, data: bytes | None, kind: str, seconds: float) -> bytes:
    with _answered(url, path, data, {"Content-Type": kind}, seconds) as response:
        body: bytes = response.read()
        return body


@contextmanager
def _answered(
    url: str,
    path: str,
    data: bytes | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
    seconds: float = TIMEOUT_SECONDS,
    method: str | None = None,
) -> Iterator[HTTPResponse]:
    request = Request(f"{address(url)}/{path}", data, _credentials(url) | dict(headers), method=method)  # noqa: S310  # settings.py allows http and https only
    try:
        with DIRECT.open(request, timeout=seconds) as response:
            yield response
    except HTTPError as error:
        error.close()
        raise _http_failure(url, path, error) from error
    except (OSError, HTTPException) as error:  # the latter: an answer that is cut off, or no HTTP
        raise _unreachable(url, error) from error


def _http_failure(url: str, path: str, error: HTTPError) -> ProspectorError:
    if error.code == UNAUTHORIZED:
        return CredentialsRejected(
            f"Scrapyd at {address(url)} does not accept the user and password of its URL.", "Correct SCRAPYD_URLS."
        )
    if error.code == ABSENT:
        return Absent(f"Scrapyd at {address(url)} has no {path.partition('?')[0]} (HTTP 404).", LOOK_THERE)
    return _unreachable(url, error)


def _multipart(fields: Mapping[str, bytes]) -> tuple[str, bytes]:
    mark = secrets.token_hex(16)
    parts = [
        f'--{mark}\r\nContent-Disposition: form-data; name="{field}"; filename="{field}"\r\n\r\n'.encode()
        + value
        + b"\r\n"
        for field, value in fields.items()
    ]
    return f"multipart/form-data; boundary={mark}", b"".join(parts) + f"--{mark}--\r\n".encode()


def _credentials(url: str) -> dict[str, str]:
    given = user(url)
    if given is None:
        return {}
    token = base64.b64encode(f"{given}:{unquote(urlsplit(url).password or '')}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


def _refused(url: str, words: str) -> NodeRefused | NotDeployed:
    if f"'{PROJECT}' not found" in words:
        return NotDeployed(f"Scrapyd at {address(url)} has no project {PROJECT}.", "Send it there: prospector deploy")
    return NodeRefused(f"Scrapyd at {address(url)} refuses: {words}", LOOK_THERE)


def _strange(url: str, answer: object) -> NodeRefused:
    words = str(answer)[:WORDS_SHOWN]
    return NodeRefused(f"What answers at {address(url)} is no Scrapyd: it says {words!r}.", "Correct SCRAPYD_URLS.")


def _unreachable(url: str, error: Exception) -> ServerUnreachable:
    reason = getattr(error, "reason", error)  # urllib wraps it
    words = (getattr(reason, "strerror", None) or str(reason)).rstrip(".")
    return ServerUnreachable(
        f"Scrapyd at {address(url)} does not answer: {words}.",
        "Check that it runs and SCRAPYD_URLS names it: prospector doctor",
    )
