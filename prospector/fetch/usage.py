"""What ScrapingBee's account says of itself. It answers six times a minute and is a minute behind: ask once a minute, from
one process, and take the ledger for what a job has spent."""

import json
import ssl
from dataclasses import dataclass
from datetime import datetime
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

import certifi

from prospector.errors import Conflict, CredentialsRejected, ServerUnreachable
from prospector.fetch.key import is_usable
from prospector.fetch.scrapingbee import safe_api_url

ANSWER_SECONDS = 30
SAYS = "ScrapingBee's account"


@dataclass(frozen=True)
class Usage:
    limit_credits: int
    used_credits: int
    max_concurrency: int
    in_flight: int
    renews_at: datetime

    @property
    def left_credits(self) -> int:
        return max(0, self.limit_credits - self.used_credits)


class AskedTooOften(Conflict):
    """More than six times in a minute, by all who have this key."""


def usage(api_url: str, key: str) -> Usage:
    if not is_usable(key):
        raise CredentialsRejected(
            "SCRAPINGBEE_API_KEY has a character that no key has: a curly quote, perhaps, or a line break.",
            "Copy it anew from ScrapingBee's dashboard.",
        )
    status, body = _asked(safe_api_url(api_url), key)
    if status == 401:
        raise CredentialsRejected("ScrapingBee says the key is not valid (401).", "Fix SCRAPINGBEE_API_KEY.")
    if status == 429:
        raise AskedTooOften(f"{SAYS} answers six times a minute only (429).", "Ask again in a minute.")
    try:
        told = json.loads(body) if status == 200 else {}
        return Usage(
            limit_credits=int(told["max_api_credit"]),
            used_credits=int(told["used_api_credit"]),
            max_concurrency=int(told["max_concurrency"]),
            in_flight=int(told["current_concurrency"]),
            renews_at=datetime.fromisoformat(told["renewal_subscription_date"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise ServerUnreachable(
            f"{SAYS} gave no answer that can be read (HTTP {status}).", "Ask again in a minute."
        ) from error


def _asked(api_url: str, key: str) -> tuple[int, bytes]:
    """No redirect is followed: the key goes to this address and to no other."""
    parts = urlsplit(api_url)
    connection = _connection(parts.scheme, parts.netloc)
    try:
        connection.request("GET", f"{parts.path.rstrip('/')}/usage", headers={"Authorization": f"Bearer {key}"})
        response = connection.getresponse()
        return response.status, response.read()
    except (OSError, HTTPException) as error:
        raise ServerUnreachable(
            f"{SAYS} at {parts.netloc} does not answer: {error}.", "Check the network and SCRAPINGBEE_API_URL."
        ) from error
    finally:
        connection.close()


def _connection(scheme: str, place: str) -> HTTPConnection:
    if scheme == "http":
        return HTTPConnection(place, timeout=ANSWER_SECONDS)
    return HTTPSConnection(place, timeout=ANSWER_SECONDS, context=ssl.create_default_context(cadata=certifi.contents()))
