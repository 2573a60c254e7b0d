"""ScrapingBee as a download handler: the request has the target's url and a paid ticket, the response is the target's."""

from collections.abc import Awaitable, Callable
from ipaddress import ip_address
from typing import Self
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.http import Response
from scrapy.responsetypes import responsetypes
from scrapy.settings import BaseSettings
from scrapy_scrapingbee import ScrapingBeeRequest

from prospector import logs
from prospector.core.visits.evidence import PAID_SECONDS, Evidence
from prospector.core.visits.methods import Method
from prospector.core.visits.ticket import Ticket
from prospector.errors import SettingInvalid
from prospector.fetch.client import NoAnswer, NotReached, OneShotClient, Raw
from prospector.fetch.key import key_in_force
from prospector.fetch.last_look import Leave
from prospector.fetch.paid import CHARGED_CREDITS, PaidCallFailed, PriceMalformed, PriceMissing
from prospector.fetch.scrapingbee_answer import Target, bad_key, credits_charged, target

LOG = logs.named(__name__)
ANSWER_SECONDS = (
    PAID_SECONDS + 10.0
)  # longer than ScrapingBee's own, so that it is ScrapingBee who gives up and says so

# each is said: a default of theirs may change, and render_js is on (5 credits) where nothing is said
PARAMETERS = {
    "premium_proxy": "false",
    "stealth_proxy": "false",
    "transparent_status_code": "false",  # so that a blocked page is a 500 that costs nothing
    "forward_headers": "false",
    "json_response": "false",
    "return_page_source": "false",
    "block_ads": "false",
    "block_resources": "true",  # images and styles; scripts run
    "device": "desktop",
    "timeout": str(PAID_SECONDS * 1000),
}
RENDER_JS = {Method.STANDARD: "false", Method.JS: "true"}


class ScrapingBee:
    """`key` gives the key at the moment of the call. `check` raises where the target's address must not be fetched: it is
    awaited before anything is sent, and there is no default, so that it cannot be forgotten."""

    def __init__(
        self,
        api_url: str,
        key: Callable[[], str | None],
        check: Callable[[str], Awaitable[None]],
        most_bytes: int,
    ) -> None:
        self._api_url = safe_api_url(api_url)
        self._key = key
        self._check = check
        self._most_bytes = most_bytes
        self._client = OneShotClient()

    @classmethod
    def from_settings(cls, settings: BaseSettings, check: Callable[[str], Awaitable[None]]) -> Self:
        return cls(settings["SCRAPINGBEE_API_URL"], key_in_force(), check, settings.getint("DOWNLOAD_MAXSIZE"))

    async def download_request(self, request: Request) -> Response:
        """Raises PaidCallFailed where there is no page, with what it cost in the request's meta; FetchFailed where no call was
        made."""
        ticket: Ticket = request.meta["ticket"]
        await self._check(request.url)
        try:
            raw = await self._call(request.url, ticket, Leave(request.meta["passage"]))
        except PaidCallFailed as failed:
            request.meta[CHARGED_CREDITS] = failed.charged_credits
            raise
        charged = request.meta[CHARGED_CREDITS] = booked_credits(raw, ticket)
        return _response(target(raw, request.url, charged))

    async def close(self) -> None:
        """Nothing is kept open between calls."""

    async def _call(self, url: str, ticket: Ticket, leave: Leave) -> Raw:
        key = self._key()
        if not key or not (key.isascii() and key.isprintable()):
            raise bad_key("There is no usable ScrapingBee key.", 0)
        headers = {"Authorization": f"Bearer {key}"}
        try:
            return await self._client.get(self._url(url, ticket), headers, ANSWER_SECONDS, self._most_bytes, leave)
        except NotReached as error:
            raise PaidCallFailed(Evidence.PROVIDER_FAILED, f"ScrapingBee is not reached: {error}", 0) from error
        except NoAnswer as error:
            raise PaidCallFailed(Evidence.PROVIDER_FAILED, f"ScrapingBee did not answer: {error}", None) from error

    def _url(self, url: str, ticket: Ticket) -> str:
        wanted = {**PARAMETERS, "render_js": RENDER_JS[ticket.state.method], "tag": ticket.job}
        encoded = ScrapingBeeRequest(url, params=wanted).meta["scrapingbee"]["params"]
        return f"{self._api_url}?{'&'.join(f'{name}={value}' for name, value in encoded.items())}"


def booked_credits(raw: Raw, ticket: Ticket) -> int | None:
    """None where nobody knows: then the reservation stays until an operator settles it."""
    try:
        charged = credits_charged(raw)
    except (PriceMissing, PriceMalformed) as error:
        LOG.warning("price_unknown", job=ticket.job, url=ticket.url, lease=ticket.lease, error=str(error))
        return None
    if charged > ticket.price:
        LOG.error(
            "price_exceeded",
            job=ticket.job,
            url=ticket.url,
            lease=ticket.lease,
            error=f"ScrapingBee charged {charged} credits where {ticket.price} were agreed. Check the account's plan.",
        )
    return charged


def safe_api_url(api_url: str) -> str:
    """The key goes to this address: in clear text it may go to this machine only."""
    parts = urlsplit(api_url)
    if parts.scheme == "https" or _is_loopback(parts.hostname or ""):
        return api_url
    raise SettingInvalid(
        f"SCRAPINGBEE_API_URL: {api_url} would send the key unencrypted.", "Use an address that begins with https://."
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _response(answer: Target) -> Response:
    kind = responsetypes.from_args(headers=answer.headers, url=answer.url, body=answer.body)
    return kind(url=answer.url, status=answer.status, headers=answer.headers, body=answer.body)
