"""The Scrapyd API of one node. It answers errors with HTTP 200: only `"status": "ok"` is success."""

import base64
import json
from typing import Any
from urllib.error import HTTPError
from urllib.parse import unquote, urlencode, urlsplit
from urllib.request import ProxyHandler, Request, build_opener

from prospector.errors import CredentialsRejected, ServerUnreachable

PROJECT = "prospector"
TIMEOUT_SECONDS = 10
UNAUTHORIZED = 401
DIRECT = build_opener(ProxyHandler({}))  # a proxy of the environment must not see the password


def status(url: str) -> dict[str, Any]:
    return call(url, "daemonstatus.json")


def spiders(url: str, state: str) -> list[str]:
    """The ids of the spiders in this state: pending, running or finished."""
    return [one["id"] for one in call(url, "listjobs.json", "?" + urlencode({"project": PROJECT}))[state]]


def cancel(url: str, spider: str) -> None:
    """A waiting one never begins; a running one gets SIGTERM and ends in good order."""
    call(url, "cancel.json", data={"project": PROJECT, "job": spider})


def call(url: str, method: str, query: str = "", data: dict[str, str] | None = None) -> dict[str, Any]:
    request = Request(f"{address(url)}/{method}{query}", urlencode(data).encode() if data else None, _credentials(url))  # noqa: S310  # settings.py allows http and https only
    try:
        with DIRECT.open(request, timeout=TIMEOUT_SECONDS) as response:
            answer: dict[str, Any] = json.load(response)
    except HTTPError as error:
        if error.code == UNAUTHORIZED:
            raise CredentialsRejected(
                f"Scrapyd at {address(url)} does not accept the user and password of its URL.", "Correct SCRAPYD_URLS."
            ) from error
        raise _unreachable(url, error) from error
    except (OSError, ValueError) as error:
        raise _unreachable(url, error) from error
    if answer.get("status") != "ok":
        raise _unreachable(url, ValueError(answer.get("message", answer)))
    return answer


def address(url: str) -> str:
    """The URL without user and password: what is asked, and what a message may show."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")


def user(url: str) -> str | None:
    name = urlsplit(url).username
    return unquote(name) if name else None


def _credentials(url: str) -> dict[str, str]:
    name = user(url)
    if name is None:
        return {}
    token = base64.b64encode(f"{name}:{unquote(urlsplit(url).password or '')}".encode()).decode()
    return {"Authorization": f"Basic {token}"}


def _unreachable(url: str, error: Exception) -> ServerUnreachable:
    return ServerUnreachable(
        f"Scrapyd at {address(url)} does not answer: {error}",
        "Check that it runs and SCRAPYD_URLS names it: prospector doctor",
    )
