"""ScrapingBee's rules: what a call asks for, what it costs, how each outcome is answered. No input, no output, no clock."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from urllib.parse import urlsplit

TIMEOUT_MS = 140_000
TAG_ALLOWED = re.compile(r"[A-Za-z0-9_\- ]{0,36}")
FLAGS = (
    "render_js",
    "premium_proxy",
    "stealth_proxy",
    "forward_headers",
    "forward_headers_pure",
    "transparent_status_code",
)
# accepted because they change nothing that the small web would show
WITHOUT_EFFECT = frozenset(
    {
        "block_ads",
        "block_resources",
        "country_code",
        "device",
        "session_id",
        "wait",
        "wait_browser",
        "wait_for",
        "window_height",
        "window_width",
    }
)
# real parameters that change the answer in ways nothing here imitates; false is the default of each and harmless
NOT_SIMULATED = frozenset(
    {
        "ai_extract_rules",
        "ai_query",
        "ai_selector",
        "custom_google",
        "extract_rules",
        "js_scenario",
        "js_snippet",
        "json_response",
        "max_cost",
        "mode",
        "own_proxy",
        "return_page_markdown",
        "return_page_source",
        "return_page_text",
        "scraping_config",
        "screenshot",
        "screenshot_full_page",
        "screenshot_selector",
    }
)
READ = frozenset({"url", "tag", "timeout", "cookies", "api_key", *FLAGS})
BOOLEANS = {"true": True, "1": True, "false": False, "0": False}

# headers of one connection, and cookies, which ScrapingBee does not prefix
NOT_PREFIXED = frozenset({"connection", "keep-alive", "transfer-encoding", "set-cookie"})
OWN_HEADERS = frozenset({"cost", "auto-cost", "initial-status-code", "resolved-url", "request-id"})

ADVICE = (
    "Error with your request, please try again (you will not be charged for this request)."
    "You should: 1) check that your URL is correctly encoded 2) try with block_resources=False "
    "Do not hesitate to check our troubleshooting guide:https://www.scrapingbee.com/help"
)


class Outcome(StrEnum):
    ANSWERED = "answered"
    TARGET_FAILED = "target_failed"
    TIMED_OUT = "timed_out"
    BAD_KEY = "bad_key"
    NO_CREDITS = "no_credits"
    TOO_MANY = "too_many"
    INVALID = "invalid"
    NOT_SIMULATED = "not_simulated"
    INTERNAL_URL = "internal_url"
    OUTAGE = "outage"
    SERVER_ERROR = "server_error"


@dataclass(frozen=True)
class Call:
    """What one request to /api/v1/ asks for, with ScrapingBee's defaults filled in."""

    url: str
    render_js: bool = True
    premium_proxy: bool = False
    stealth_proxy: bool = False
    forward_headers: bool = False
    forward_headers_pure: bool = False
    transparent_status_code: bool = False
    tag: str = ""
    timeout_ms: int = TIMEOUT_MS
    cookies: str = ""


@dataclass(frozen=True)
class Fetched:
    """What the target answered: the last hop, and the status of the first."""

    first_status: int
    status: int
    url: str
    headers: tuple[tuple[str, str], ...]
    body: bytes


@dataclass(frozen=True)
class Answer:
    outcome: Outcome
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    cost: int = 0


class ParameterInvalid(Exception):
    def __init__(self, name: str, problem: str) -> None:
        super().__init__(name, problem)
        self.name = name
        self.problem = problem


class ParameterNotSimulated(ParameterInvalid):
    pass


def read_call(parameters: Mapping[str, str]) -> Call:
    for name, value in parameters.items():
        if name in NOT_SIMULATED and value.lower() != "false":
            raise ParameterNotSimulated(name, "The simulator does not do this.")
        if name not in READ | NOT_SIMULATED | WITHOUT_EFFECT:
            raise ParameterInvalid(name, "Unknown field.")
    flags = {name: _boolean(name, parameters[name]) for name in FLAGS if name in parameters}
    return Call(
        url=_url(parameters),
        tag=_tag(parameters.get("tag", "")),
        timeout_ms=_timeout_ms(parameters),
        cookies=parameters.get("cookies", ""),
        **flags,
    )


def price_credits(call: Call) -> int:
    if call.stealth_proxy:
        return 75
    if call.premium_proxy:
        return 25 if call.render_js else 10
    return 5 if call.render_js else 1


def charged_credits(call: Call, status: int) -> int:
    """Success and "not there" cost the price; so does any 4xx that was asked for with transparent_status_code."""
    passes = 200 <= status < 300 or status in {404, 410}
    return price_credits(call) if passes or (call.transparent_status_code and status < 500) else 0


def target_headers(call: Call, sent: Mapping[str, str], browser: Mapping[str, str]) -> dict[str, str]:
    """What the target receives: the browser's own headers, and the caller's `Spb-` ones where it asked for that."""
    forwarded = {}
    if call.forward_headers or call.forward_headers_pure:
        forwarded = {name[4:].title(): value for name, value in sent.items() if name.lower().startswith("spb-")}
    own = {} if call.forward_headers_pure else dict(browser)
    cookies = {"Cookie": call.cookies} if call.cookies else {}
    return {**own, **forwarded, **cookies}


def target_answer(call: Call, fetched: Fetched) -> Answer:
    cost = charged_credits(call, fetched.status)
    own = (
        ("Spb-cost", str(cost)),
        ("Spb-initial-status-code", str(fetched.first_status)),
        ("Spb-resolved-url", fetched.url),
    )
    if cost == 0 and not call.transparent_status_code:
        reason = f"Server responded with {fetched.status}"
        failed = _failure(Outcome.TARGET_FAILED, reason)
        return Answer(failed.outcome, failed.status, (*_prefixed(fetched.headers), *own, *failed.headers), failed.body)
    kind = next((value for name, value in fetched.headers if name.lower() == "content-type"), "text/html")
    cookies = tuple(("Set-Cookie", value) for name, value in fetched.headers if name.lower() == "set-cookie")
    headers = (*_prefixed(fetched.headers), *own, *cookies, ("Content-Type", kind))
    outcome = Outcome.ANSWERED if cost else Outcome.TARGET_FAILED
    return Answer(outcome, fetched.status, headers, fetched.body, cost)


def unreached(call: Call) -> Fetched:
    """Nobody at the target's address: ScrapingBee reports its own proxy's 503 as if it were the target's."""
    return Fetched(503, 503, call.url, (("Content-Type", "text/plain; charset=utf-8"),), b"Proxy connection error")


def timed_out() -> Answer:
    return _failure(Outcome.TIMED_OUT, "Timeout")


def bad_key(key: str) -> Answer:
    # ScrapingBee repeats the key in its message, so a caller that logs messages logs its key
    return _message(Outcome.BAD_KEY, 401, f"Invalid api key: {key}" if key else "No api key provided.")


def no_credits(limit_credits: int) -> Answer:
    return _message(Outcome.NO_CREDITS, 401, f"Monthly API calls limit reached: {limit_credits}")


def too_many(limit: int) -> Answer:
    return _message(Outcome.TOO_MANY, 429, f"Max concurrency allowed {limit}")


def invalid(error: ParameterInvalid) -> Answer:
    outcome, status = Outcome.INVALID, 400
    if isinstance(error, ParameterNotSimulated):
        outcome, status = Outcome.NOT_SIMULATED, 501
    return _json(outcome, status, {"errors": {error.name: [error.problem]}})


def internal_url() -> Answer:
    return _json(Outcome.INTERNAL_URL, 400, {"errors": {"url": ["Not a valid URL."]}})


def own_failure(outcome: Outcome, status: int) -> Answer:
    """ScrapingBee itself failed: none of its headers, because nothing of it was reached."""
    page = f"<html><head><title>{status}</title></head><body><h1>Server Error ({status})</h1></body></html>"
    return Answer(outcome, status, (("Content-Type", "text/html"),), page.encode())


def numbered(answer: Answer, call_id: int) -> Answer:
    """Every answer that reached ScrapingBee's application has a request id."""
    if not any(name.startswith("Spb-") for name, _ in answer.headers):
        return answer
    return replace(answer, headers=(*answer.headers, ("Spb-request-id", f"demo-{call_id}")))


def _boolean(name: str, raw: str) -> bool:
    if raw.lower() not in BOOLEANS:
        raise ParameterInvalid(name, "Not a valid boolean.")
    return BOOLEANS[raw.lower()]


def _url(parameters: Mapping[str, str]) -> str:
    url = parameters.get("url", "")
    if not url:
        raise ParameterInvalid("url", "Missing data for required field.")
    try:
        parts = urlsplit(url)
        usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise ParameterInvalid("url", "Not a valid URL.")
    return url


def _tag(tag: str) -> str:
    if not TAG_ALLOWED.fullmatch(tag):
        raise ParameterInvalid("tag", "At most 36 letters, digits, hyphens, underscores and spaces.")
    return tag


def _timeout_ms(parameters: Mapping[str, str]) -> int:
    raw = parameters.get("timeout", str(TIMEOUT_MS))
    if not raw.isdecimal() or not 1_000 <= int(raw) <= 141_000:
        raise ParameterInvalid("timeout", "Must be between 1000 and 141000.")
    return int(raw)


def _prefixed(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """A target's `Cost: 0` must not pass for ScrapingBee's own."""
    lowered = ((name.lower(), value) for name, value in headers)
    return tuple((f"Spb-{name}", value) for name, value in lowered if name not in NOT_PREFIXED | OWN_HEADERS)


def _failure(outcome: Outcome, reason: str) -> Answer:
    body = json.dumps({"error": ADVICE, "reason": reason, "help": ""}).encode()
    return Answer(outcome, 500, (("Content-Type", "application/json"),), body)


def _message(outcome: Outcome, status: int, words: str) -> Answer:
    return _json(outcome, status, {"message": words})


def _json(outcome: Outcome, status: int, value: object) -> Answer:
    body = json.dumps(value, separators=(",", ":")).encode() + b"\n"
    return Answer(outcome, status, (("Spb-cost", "0"), ("Content-Type", "application/json")), body)
