"""What one fetch of a page has shown, and how a person is told of it."""

from enum import StrEnum
from http import HTTPStatus

from prospector.core.visits.methods import Method

DIRECT_SECONDS = 30  # all of one direct request
PAID_SECONDS = 140  # ScrapingBee's own time-out


class Evidence(StrEnum):
    TEXT = "text"
    NEEDS_BROWSER = "needs-browser"
    # blocked
    FORBIDDEN = "forbidden"  # 403
    CHALLENGE = "challenge"  # a captcha, "checking your browser"
    EMPTY = "empty"
    # busy
    TOO_MANY = "too-many"  # 429
    UNAVAILABLE = "unavailable"  # 503
    # broken
    TIMED_OUT = "timed-out"
    RESET = "reset"
    SHORT_BODY = "short-body"
    GARBLED = "garbled"  # compressed in another way than it says, or damaged
    SERVER_ERROR = "server-error"  # any other 5xx
    # nobody there
    UNRESOLVED = "unresolved"
    REFUSED = "refused"
    # an answer, and the last word
    GONE = "gone"  # 404, 410 and every other 4xx
    LOGIN = "login"  # 401
    REDIRECT_LOOP = "redirect-loop"
    REDIRECT_BROKEN = "redirect-broken"  # leads to no web address
    # a rule of ours
    ROBOTS = "robots"
    NOT_HTML = "not-html"
    TOO_LARGE = "too-large"
    PRIVATE_ADDRESS = "private-address"
    # ScrapingBee itself
    PROVIDER_FAILED = "provider-failed"  # this call; others may go through
    PROVIDER_OUT = "provider-out"  # the breaker is open
    PROVIDER_BUSY = "provider-busy"  # 429 "Max concurrency allowed N"
    PROVIDER_REFUSED = "provider-refused"  # 400: it does not take this address
    OUT_OF_CREDITS = "out-of-credits"  # the account, not the job's budget
    BAD_KEY = "bad-key"


def of_status(status: int) -> Evidence | None:
    """What a target's status says by itself; None where the body decides (2xx) or another address (3xx)."""
    match status:
        case 401:
            return Evidence.LOGIN
        case 403 | 999:  # how some large sites say 403
            return Evidence.FORBIDDEN
        case 429:
            return Evidence.TOO_MANY
        case 503:
            return Evidence.UNAVAILABLE
    if 400 <= status < 500:
        return Evidence.GONE
    return Evidence.SERVER_ERROR if status >= 500 else None


class Reason(StrEnum):
    """Why a page failed or was skipped, as the error report says it. HTTP_STATUS and TIMEOUT are filled in by `reason`."""

    HTTP_STATUS = "HTTP {}"
    TIMEOUT = "Timeout after {}s"
    CHALLENGE = "Blocked by a captcha or challenge page"
    EMPTY = "Blocked: the answer was empty"
    RESET = "Connection reset"
    SHORT_BODY = "The answer was cut short"
    GARBLED = "The answer cannot be unpacked"
    UNRESOLVED = "DNS resolution failed"
    REFUSED = "Connection refused"
    LOGIN = "Login required (HTTP 401)"
    REDIRECT_LOOP = "Redirect loop"
    REDIRECT_BROKEN = "Redirect to no web address"
    ROBOTS = "robots.txt disallowed"
    NOT_HTML = "Not an HTML page"
    TOO_LARGE = "Page too large (over 10 MB)"
    PRIVATE_ADDRESS = "Private or reserved address"
    PROVIDER_FAILED = "ScrapingBee could not fetch it"
    PROVIDER_REFUSED = "ScrapingBee does not accept this address"


REASONS = {
    Evidence.FORBIDDEN: Reason.HTTP_STATUS,
    Evidence.CHALLENGE: Reason.CHALLENGE,
    Evidence.EMPTY: Reason.EMPTY,
    Evidence.TOO_MANY: Reason.HTTP_STATUS,
    Evidence.UNAVAILABLE: Reason.HTTP_STATUS,
    Evidence.TIMED_OUT: Reason.TIMEOUT,
    Evidence.RESET: Reason.RESET,
    Evidence.SHORT_BODY: Reason.SHORT_BODY,
    Evidence.GARBLED: Reason.GARBLED,
    Evidence.SERVER_ERROR: Reason.HTTP_STATUS,
    Evidence.UNRESOLVED: Reason.UNRESOLVED,
    Evidence.REFUSED: Reason.REFUSED,
    Evidence.LOGIN: Reason.LOGIN,
    Evidence.REDIRECT_LOOP: Reason.REDIRECT_LOOP,
    Evidence.REDIRECT_BROKEN: Reason.REDIRECT_BROKEN,
    Evidence.ROBOTS: Reason.ROBOTS,
    Evidence.NOT_HTML: Reason.NOT_HTML,
    Evidence.TOO_LARGE: Reason.TOO_LARGE,
    Evidence.PRIVATE_ADDRESS: Reason.PRIVATE_ADDRESS,
    Evidence.PROVIDER_FAILED: Reason.PROVIDER_FAILED,
    Evidence.PROVIDER_REFUSED: Reason.PROVIDER_REFUSED,
}
TYPICAL_STATUS = {
    Evidence.FORBIDDEN: 403,
    Evidence.TOO_MANY: 429,
    Evidence.UNAVAILABLE: 503,
    Evidence.SERVER_ERROR: 500,
}


def reason(evidence: Evidence, method: Method, status: int | None = None) -> str:
    """`status` is the target's, where it gave one."""
    match REASONS[evidence]:
        case Reason.HTTP_STATUS:
            return Reason.HTTP_STATUS.format(_named(status or TYPICAL_STATUS[evidence]))
        case Reason.TIMEOUT:
            return Reason.TIMEOUT.format(DIRECT_SECONDS if method is Method.DIRECT else PAID_SECONDS)
        case fixed:
            return fixed.value


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:  # 520 and its like are nobody's standard
        return str(status)
