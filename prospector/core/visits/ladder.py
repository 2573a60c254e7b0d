"""What to do next with a page: evidence x method x mode -> the next step. The table of DESIGN.md (Fetching), as data."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from prospector.core.visits.evidence import Evidence, reason
from prospector.core.visits.methods import Method, Mode
from prospector.core.visits.ticket import Kind, PageState, Verdict

CALLS_MOST = 4  # that ask the site for one page, all methods together
BACKOFF_MS = (1_000, 2_000, 4_000)
PROVIDER_BACKOFF_MS = (5_000, 10_000, 20_000)  # longer in all than the breaker takes to open: an outage parks the page
PROVIDER_BUSY_MS = 2_000

# what `extra` remembers of a page between two tickets
TRIES = "tries"  # calls by the present method before this one
PROVIDER_TRIES = "provider_tries"  # calls by the present method that failed in ScrapingBee itself


class Next(StrEnum):
    DONE = "done"
    RETRY = "retry"  # the same method
    ESCALATE = "escalate"
    PARK = "park"
    FAIL = "fail"
    SKIP = "skip"


class Parked(StrEnum):
    """What a parked page waits for."""

    BUDGET = "budget"  # the job's own
    KEY = "key"
    CREDITS = "credits"  # the account's
    PROVIDER = "provider"


class Column(StrEnum):
    """Where a page stands on the ladder."""

    HYBRID = "hybrid, from direct"
    STANDARD = "from scrapingbee-standard"
    JS = "from scrapingbee-js"
    FREE = "direct only"


@dataclass(frozen=True)
class Rule:
    """First a retry after each of `waits_ms`, then `then`. `counter` says against what a call counts: TRIES is also a
    call of the page, PROVIDER_TRIES is none, and '' is nothing at all."""

    then: Next
    waits_ms: tuple[int, ...] = ()
    to: Method | None = None
    to_wait_ms: int = 0
    parked: Parked | None = None
    wanted: Method | None = None
    counter: str = TRIES


@dataclass(frozen=True)
class Step:
    """`state` is the page's from now on, for RETRY, ESCALATE and PARK; `reason` is for people, of FAIL and SKIP.

    `wanted` is the paid method that would have gone on from here, had the mode or the key allowed it.
    """

    next: Next
    verdict: Verdict
    state: PageState
    wait_ms: int = 0
    parked: Parked | None = None
    reason: str = ""
    wanted: Method | None = None


def _row(hybrid: Rule, standard: Rule, js: Rule, free: Rule) -> Mapping[Column, Rule]:
    return {Column.HYBRID: hybrid, Column.STANDARD: standard, Column.JS: js, Column.FREE: free}


def _everywhere(rule: Rule) -> Mapping[Column, Rule]:
    return dict.fromkeys(Column, rule)


def _paid(rule: Rule) -> Mapping[Column, Rule]:
    """Of ScrapingBee itself: a direct request cannot meet it."""
    return {Column.STANDARD: rule, Column.JS: rule}


def _parked(reason_: Parked) -> Mapping[Column, Rule]:
    return _paid(Rule(Next.PARK, parked=reason_, counter=""))


DONE, FAIL, SKIP = Rule(Next.DONE), Rule(Next.FAIL), Rule(Next.SKIP)
TO_STANDARD = Rule(Next.ESCALATE, to=Method.STANDARD)
TO_JS = Rule(Next.ESCALATE, to=Method.JS)

BLOCKED = _row(hybrid=TO_STANDARD, standard=TO_JS, js=FAIL, free=replace(FAIL, wanted=Method.STANDARD))
BUSY = _row(
    hybrid=replace(TO_STANDARD, waits_ms=BACKOFF_MS[:1], to_wait_ms=BACKOFF_MS[1]),
    standard=replace(FAIL, waits_ms=BACKOFF_MS[:1]),
    js=replace(FAIL, waits_ms=BACKOFF_MS[:1]),
    free=replace(FAIL, waits_ms=BACKOFF_MS, wanted=Method.STANDARD),
)
BROKEN = _row(
    hybrid=replace(TO_STANDARD, waits_ms=BACKOFF_MS[:1]),
    standard=replace(FAIL, waits_ms=BACKOFF_MS[:2]),
    js=replace(FAIL, waits_ms=BACKOFF_MS[:2]),
    free=replace(FAIL, waits_ms=BACKOFF_MS, wanted=Method.STANDARD),
)
NOBODY = _row(  # nobody pays for a name that does not exist
    hybrid=replace(FAIL, waits_ms=BACKOFF_MS[:1]),
    standard=FAIL,
    js=FAIL,
    free=replace(FAIL, waits_ms=BACKOFF_MS[:1]),
)

TABLE: Mapping[Evidence, Mapping[Column, Rule]] = {
    Evidence.TEXT: _everywhere(DONE),
    Evidence.NEEDS_BROWSER: _row(hybrid=TO_JS, standard=TO_JS, js=DONE, free=replace(DONE, wanted=Method.JS)),
    Evidence.FORBIDDEN: BLOCKED,
    Evidence.CHALLENGE: BLOCKED,
    Evidence.EMPTY: BLOCKED,
    Evidence.TOO_MANY: BUSY,
    Evidence.UNAVAILABLE: BUSY,
    Evidence.TIMED_OUT: BROKEN,
    Evidence.RESET: BROKEN,
    Evidence.SHORT_BODY: BROKEN,
    Evidence.GARBLED: BROKEN,
    Evidence.SERVER_ERROR: BROKEN,
    Evidence.UNRESOLVED: NOBODY,
    Evidence.REFUSED: NOBODY,
    Evidence.GONE: _everywhere(DONE),
    Evidence.LOGIN: _everywhere(FAIL),
    Evidence.REDIRECT_LOOP: _everywhere(FAIL),
    Evidence.REDIRECT_BROKEN: _everywhere(FAIL),
    Evidence.ROBOTS: _everywhere(SKIP),
    Evidence.NOT_HTML: _everywhere(SKIP),
    Evidence.TOO_LARGE: _everywhere(SKIP),
    Evidence.PRIVATE_ADDRESS: _everywhere(SKIP),
    Evidence.PROVIDER_FAILED: _paid(Rule(Next.FAIL, PROVIDER_BACKOFF_MS, counter=PROVIDER_TRIES)),
    Evidence.PROVIDER_OUT: _parked(Parked.PROVIDER),
    Evidence.PROVIDER_BUSY: _paid(Rule(Next.RETRY, (PROVIDER_BUSY_MS,), counter="")),
    Evidence.PROVIDER_REFUSED: _paid(FAIL),
    Evidence.OUT_OF_CREDITS: _parked(Parked.CREDITS),
    Evidence.BAD_KEY: _parked(Parked.KEY),
}
NOT_ASKED = frozenset({Evidence.ROBOTS, Evidence.PRIVATE_ADDRESS})  # so the page does not count as fetched


def first_method(mode: Mode) -> Method:
    """Of pages: robots.txt and sitemaps are asked for directly in every mode."""
    return Method.JS if mode is Mode.PREMIUM_ONLY else Method.DIRECT


def next_step(
    evidence: Evidence,
    state: PageState,
    mode: Mode,
    *,
    has_key: bool = True,
    may_render: bool = True,
    retry_after_ms: int = 0,
    status: int | None = None,
) -> Step:
    """`state` is that of the ticket whose fetch gave the evidence; `status` is the target's, for the reason.

    `may_render` is False where renders have added nothing to this domain (method_memory.py). Without a key hybrid goes
    on as free-only. ScrapingBee's own evidence by a direct method is a KeyError: nobody asked it.
    """
    rule = TABLE[evidence][_column(state, mode, has_key=has_key)]
    if evidence is Evidence.NEEDS_BROWSER and not may_render:
        rule = DONE
    after = _counted(state, rule.counter)
    tried_before = state.extra.get(rule.counter, 0)
    if after.attempt < CALLS_MOST and tried_before < len(rule.waits_ms):
        return Step(Next.RETRY, Verdict.AGAIN, after, retry_after_ms or rule.waits_ms[tried_before])
    if after.attempt < CALLS_MOST and rule.to:
        return Step(Next.ESCALATE, Verdict.AGAIN, _escalated(after, rule.to), retry_after_ms or rule.to_wait_ms)
    return _last_step(rule, evidence, after, status)


def _column(state: PageState, mode: Mode, *, has_key: bool) -> Column:
    match state.method:
        case Method.STANDARD:
            return Column.STANDARD
        case Method.JS:
            return Column.JS
    pays = mode is not Mode.FREE_ONLY and has_key and state.kind is Kind.PAGE
    return Column.HYBRID if pays else Column.FREE


def _counted(state: PageState, counter: str) -> PageState:
    if not counter:
        return state
    extra = {**state.extra, counter: state.extra.get(counter, 0) + 1}
    return replace(state, attempt=state.attempt + (counter == TRIES), extra=extra)


def _escalated(state: PageState, to: Method) -> PageState:
    extra = {name: value for name, value in state.extra.items() if name not in {TRIES, PROVIDER_TRIES}}
    return replace(state, method=to, extra=extra)


def _last_step(rule: Rule, evidence: Evidence, state: PageState, status: int | None) -> Step:
    """Nothing more is tried now. A page that could have gone up but has no call left ends as what it showed."""
    if rule.parked:
        return Step(Next.PARK, Verdict.PARK, state, parked=rule.parked)
    if rule.then is Next.DONE or evidence is Evidence.NEEDS_BROWSER:
        return Step(Next.DONE, Verdict.DONE, state, wanted=_wanted(rule, state))
    why = reason(evidence, state.method, status)
    if rule.then is Next.SKIP:
        verdict = Verdict.ASIDE if evidence in NOT_ASKED else Verdict.DONE
        return Step(Next.SKIP, verdict, state, reason=why)
    return Step(Next.FAIL, Verdict.FAILED, state, reason=why, wanted=_wanted(rule, state))


def _wanted(rule: Rule, state: PageState) -> Method | None:
    return rule.wanted if state.kind is Kind.PAGE else None
