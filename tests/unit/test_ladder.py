"""The ladder: every cell of its table, walked as a page walks it."""

import pytest

from prospector.core.visits.evidence import Evidence, of_status, reason
from prospector.core.visits.ladder import CALLS_MOST, TABLE, Column, Next, Parked, Step, first_method, next_step
from prospector.core.visits.methods import Method, Mode
from prospector.core.visits.ticket import Kind, PageState, Verdict

SHORT = {Method.DIRECT: "direct", Method.STANDARD: "standard", Method.JS: "js"}
PROVIDER = {one for one in Evidence if Column.FREE not in TABLE[one]}


def walk(evidence: Evidence, mode: Mode, method: Method | None = None, *, has_key: bool = True) -> str:
    """What happens to a page that shows the same at every call: methods, waits in seconds, and the end."""
    state = PageState(method=method or first_method(mode))
    words: list[str] = []
    for _ in range(10):
        words.append(SHORT[state.method])
        step = next_step(evidence, state, mode, has_key=has_key)
        if step.next not in {Next.RETRY, Next.ESCALATE}:
            return " ".join([*words, told(step)])
        if step.wait_ms:
            words.append(f"{step.wait_ms // 1000}s")
        state = step.state
    return " ".join([*words, "for ever"])


def told(step: Step) -> str:
    wanted = f" ({SHORT[step.wanted]} wanted)" if step.wanted else ""
    return (step.parked or step.next) + wanted


#                                hybrid                                   premium-only              free-only, and hybrid without a key
PATHS = {
    Evidence.TEXT: ("direct done", "js done", "direct done"),
    Evidence.NEEDS_BROWSER: ("direct js done", "js done", "direct done (js wanted)"),
    Evidence.FORBIDDEN: ("direct standard js fail", "js fail", "direct fail (standard wanted)"),
    Evidence.CHALLENGE: ("direct standard js fail", "js fail", "direct fail (standard wanted)"),
    Evidence.EMPTY: ("direct standard js fail", "js fail", "direct fail (standard wanted)"),
    Evidence.TOO_MANY: (
        "direct 1s direct 2s standard 1s standard fail",
        "js 1s js fail",
        "direct 1s direct 2s direct 4s direct fail (standard wanted)",
    ),
    Evidence.UNAVAILABLE: (
        "direct 1s direct 2s standard 1s standard fail",
        "js 1s js fail",
        "direct 1s direct 2s direct 4s direct fail (standard wanted)",
    ),
    Evidence.TIMED_OUT: (
        "direct 1s direct standard 1s standard fail",
        "js 1s js 2s js fail",
        "direct 1s direct 2s direct 4s direct fail (standard wanted)",
    ),
    Evidence.RESET: (
        "direct 1s direct standard 1s standard fail",
        "js 1s js 2s js fail",
        "direct 1s direct 2s direct 4s direct fail (standard wanted)",
    ),
    Evidence.SHORT_BODY: (
        "direct 1s direct standard 1s standard fail",
        "js 1s js 2s js fail",
        "direct 1s direct 2s direct 4s direct fail (standard wanted)",
    ),
    Evidence.GARBLED: (
        "direct 1s direct standard 1s standard fail",
        "js 1s js 2s js fail",
        "direct 1s direct 2s direct 4s direct fail (standard wanted)",
    ),
    Evidence.SERVER_ERROR: (
        "direct 1s direct standard 1s standard fail",
        "js 1s js 2s js fail",
        "direct 1s direct 2s direct 4s direct fail (standard wanted)",
    ),
    Evidence.UNRESOLVED: ("direct 1s direct fail", "js fail", "direct 1s direct fail"),
    Evidence.REFUSED: ("direct 1s direct fail", "js fail", "direct 1s direct fail"),
    Evidence.GONE: ("direct done", "js done", "direct done"),
    Evidence.LOGIN: ("direct fail", "js fail", "direct fail"),
    Evidence.REDIRECT_LOOP: ("direct fail", "js fail", "direct fail"),
    Evidence.REDIRECT_BROKEN: ("direct fail", "js fail", "direct fail"),
    Evidence.ROBOTS: ("direct skip", "js skip", "direct skip"),
    Evidence.NOT_HTML: ("direct skip", "js skip", "direct skip"),
    Evidence.TOO_LARGE: ("direct skip", "js skip", "direct skip"),
    Evidence.PRIVATE_ADDRESS: ("direct skip", "js skip", "direct skip"),
}

# from each paid method, whatever the mode
PAID_PATHS = {
    Evidence.TEXT: ("standard done", "js done"),
    Evidence.NEEDS_BROWSER: ("standard js done", "js done"),
    Evidence.FORBIDDEN: ("standard js fail", "js fail"),
    Evidence.CHALLENGE: ("standard js fail", "js fail"),
    Evidence.EMPTY: ("standard js fail", "js fail"),
    Evidence.TOO_MANY: ("standard 1s standard fail", "js 1s js fail"),
    Evidence.UNAVAILABLE: ("standard 1s standard fail", "js 1s js fail"),
    Evidence.TIMED_OUT: ("standard 1s standard 2s standard fail", "js 1s js 2s js fail"),
    Evidence.RESET: ("standard 1s standard 2s standard fail", "js 1s js 2s js fail"),
    Evidence.SHORT_BODY: ("standard 1s standard 2s standard fail", "js 1s js 2s js fail"),
    Evidence.GARBLED: ("standard 1s standard 2s standard fail", "js 1s js 2s js fail"),
    Evidence.SERVER_ERROR: ("standard 1s standard 2s standard fail", "js 1s js 2s js fail"),
    Evidence.UNRESOLVED: ("standard fail", "js fail"),
    Evidence.REFUSED: ("standard fail", "js fail"),
    Evidence.GONE: ("standard done", "js done"),
    Evidence.LOGIN: ("standard fail", "js fail"),
    Evidence.REDIRECT_LOOP: ("standard fail", "js fail"),
    Evidence.REDIRECT_BROKEN: ("standard fail", "js fail"),
    Evidence.ROBOTS: ("standard skip", "js skip"),
    Evidence.NOT_HTML: ("standard skip", "js skip"),
    Evidence.TOO_LARGE: ("standard skip", "js skip"),
    Evidence.PRIVATE_ADDRESS: ("standard skip", "js skip"),
    Evidence.PROVIDER_FAILED: (
        "standard 5s standard 10s standard 20s standard fail",
        "js 5s js 10s js 20s js fail",
    ),
    Evidence.PROVIDER_OUT: ("standard provider", "js provider"),
    Evidence.PROVIDER_BUSY: (f"standard{' 2s standard' * 9} 2s for ever", f"js{' 2s js' * 9} 2s for ever"),
    Evidence.PROVIDER_REFUSED: ("standard fail", "js fail"),
    Evidence.OUT_OF_CREDITS: ("standard credits", "js credits"),
    Evidence.BAD_KEY: ("standard key", "js key"),
}


@pytest.mark.parametrize("evidence", [one for one in Evidence if one not in PROVIDER])
def test_each_evidence_leads_where_the_table_says_in_each_mode(evidence: Evidence) -> None:
    hybrid, premium, free = PATHS[evidence]

    assert walk(evidence, Mode.HYBRID) == hybrid
    assert walk(evidence, Mode.PREMIUM_ONLY) == premium
    assert walk(evidence, Mode.FREE_ONLY) == free
    assert walk(evidence, Mode.HYBRID, has_key=False) == free


@pytest.mark.parametrize("evidence", Evidence)
@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.PREMIUM_ONLY])
def test_each_evidence_leads_where_the_table_says_from_each_paid_method(evidence: Evidence, mode: Mode) -> None:
    standard, js = PAID_PATHS[evidence]

    assert walk(evidence, mode, Method.STANDARD) == standard
    assert walk(evidence, mode, Method.JS) == js


@pytest.mark.parametrize("evidence", sorted(PROVIDER))
def test_a_direct_request_cannot_meet_what_only_scrapingbee_says(evidence: Evidence) -> None:
    with pytest.raises(KeyError):
        next_step(evidence, PageState(), Mode.HYBRID)


def test_no_mix_of_evidence_asks_a_site_more_than_four_times_for_a_page() -> None:
    """Every order in which the evidence of sites can come, by state: the states are few, so all are visited."""
    waiting = [(PageState(method=first_method(mode)), mode, 1) for mode in Mode]
    visited = set()
    while waiting:
        state, mode, calls = waiting.pop()
        visited.add((state.method, state.attempt, mode))
        assert calls == state.attempt + 1
        assert calls <= CALLS_MOST
        for evidence in Evidence:
            if evidence in PROVIDER:
                continue
            step = next_step(evidence, state, mode)
            if step.verdict is Verdict.AGAIN:
                waiting.append((step.state, mode, calls + 1))

    assert (Method.JS, CALLS_MOST - 1, Mode.HYBRID) in visited


def test_what_failed_in_scrapingbee_itself_is_no_call_of_the_page() -> None:
    state = next_step(Evidence.FORBIDDEN, PageState(), Mode.HYBRID).state

    for evidence in (Evidence.PROVIDER_BUSY, Evidence.PROVIDER_FAILED, Evidence.PROVIDER_FAILED, Evidence.PROVIDER_OUT):
        state = next_step(evidence, state, Mode.HYBRID).state

    assert (state.method, state.attempt) == (Method.STANDARD, 1)
    assert next_step(Evidence.TIMED_OUT, state, Mode.HYBRID).next is Next.RETRY


def test_each_method_has_its_own_retries() -> None:
    state = PageState(method=Method.STANDARD)
    for _ in range(3):
        state = next_step(Evidence.PROVIDER_FAILED, state, Mode.HYBRID).state
    state = next_step(Evidence.FORBIDDEN, state, Mode.HYBRID).state

    step = next_step(Evidence.PROVIDER_FAILED, state, Mode.HYBRID)

    assert state.method is Method.JS
    assert (step.next, step.wait_ms) == (Next.RETRY, 5_000)


def test_what_else_is_remembered_of_a_page_is_kept() -> None:
    state = PageState(losses=1, extra={"hops": 2})

    step = next_step(Evidence.FORBIDDEN, state, Mode.HYBRID)

    assert (step.state.losses, dict(step.state.extra)) == (1, {"hops": 2})


@pytest.mark.parametrize("evidence", [Evidence.TOO_MANY, Evidence.SERVER_ERROR, Evidence.FORBIDDEN])
@pytest.mark.parametrize("method", Method)
def test_retry_after_is_obeyed_by_whatever_method_goes_next(evidence: Evidence, method: Method) -> None:
    step = next_step(evidence, PageState(method=method), Mode.HYBRID, retry_after_ms=90_000)

    assert step.wait_ms == (90_000 if step.verdict is Verdict.AGAIN else 0)


def test_a_second_busy_answer_with_retry_after_keeps_the_paid_call_off_as_well() -> None:
    again = next_step(Evidence.UNAVAILABLE, PageState(), Mode.HYBRID, retry_after_ms=30_000)

    step = next_step(Evidence.UNAVAILABLE, again.state, Mode.HYBRID, retry_after_ms=45_000)

    assert (step.next, step.state.method, step.wait_ms) == (Next.ESCALATE, Method.STANDARD, 45_000)


@pytest.mark.parametrize("method", [Method.DIRECT, Method.STANDARD])
def test_where_renders_add_nothing_none_is_made(method: Method) -> None:
    step = next_step(Evidence.NEEDS_BROWSER, PageState(method=method), Mode.HYBRID, may_render=False)

    assert (step.next, step.wanted) == (Next.DONE, None)


def test_renders_that_add_nothing_do_not_keep_a_blocked_page_from_its_last_try() -> None:
    step = next_step(Evidence.CHALLENGE, PageState(method=Method.STANDARD), Mode.HYBRID, may_render=False)

    assert step.state.method is Method.JS


def test_a_page_that_needs_a_browser_when_its_calls_are_used_up_is_done_with_what_it_has() -> None:
    step = next_step(Evidence.NEEDS_BROWSER, PageState(method=Method.STANDARD, attempt=3), Mode.HYBRID)

    assert step.next is Next.DONE


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("evidence", [Evidence.FORBIDDEN, Evidence.TIMED_OUT, Evidence.UNAVAILABLE])
def test_no_credit_goes_into_a_sitemap(mode: Mode, evidence: Evidence) -> None:
    state = PageState(kind=Kind.SITEMAP)
    for _ in range(CALLS_MOST):
        step = next_step(evidence, state, mode)
        state = step.state

    assert state.method is Method.DIRECT
    assert (step.next, step.wanted) == (Next.FAIL, None)


@pytest.mark.parametrize(
    ("evidence", "verdict"),
    [
        (Evidence.GONE, Verdict.DONE),
        (Evidence.LOGIN, Verdict.FAILED),
        (Evidence.NOT_HTML, Verdict.DONE),
        (Evidence.TOO_LARGE, Verdict.DONE),
        (Evidence.ROBOTS, Verdict.ASIDE),
        (Evidence.PRIVATE_ADDRESS, Verdict.ASIDE),
    ],
)
def test_only_pages_that_were_asked_for_count_as_fetched(evidence: Evidence, verdict: Verdict) -> None:
    assert next_step(evidence, PageState(), Mode.HYBRID).verdict is verdict


@pytest.mark.parametrize("evidence", [Evidence.PROVIDER_OUT, Evidence.OUT_OF_CREDITS, Evidence.BAD_KEY])
def test_a_parked_page_goes_on_exactly_where_it_stood(evidence: Evidence) -> None:
    state = PageState(method=Method.JS, attempt=2, extra={"tries": 1})

    step = next_step(evidence, state, Mode.HYBRID)

    assert (step.verdict, step.state) == (Verdict.PARK, state)
    assert step.parked in Parked


@pytest.mark.parametrize(
    ("evidence", "method", "status", "words"),
    [
        (Evidence.UNRESOLVED, Method.DIRECT, None, "DNS resolution failed"),
        (Evidence.REFUSED, Method.DIRECT, None, "Connection refused"),
        (Evidence.TIMED_OUT, Method.DIRECT, None, "Timeout after 30s"),
        (Evidence.TIMED_OUT, Method.JS, None, "Timeout after 140s"),
        (Evidence.FORBIDDEN, Method.JS, 403, "HTTP 403 Forbidden"),
        (Evidence.FORBIDDEN, Method.DIRECT, 999, "HTTP 999"),
        (Evidence.SERVER_ERROR, Method.DIRECT, 520, "HTTP 520"),
        (Evidence.SERVER_ERROR, Method.STANDARD, None, "HTTP 500 Internal Server Error"),
        (Evidence.UNAVAILABLE, Method.DIRECT, 503, "HTTP 503 Service Unavailable"),
        (Evidence.TOO_MANY, Method.DIRECT, 429, "HTTP 429 Too Many Requests"),
        (Evidence.LOGIN, Method.DIRECT, 401, "Login required (HTTP 401)"),
        (Evidence.ROBOTS, Method.DIRECT, None, "robots.txt disallowed"),
        (Evidence.CHALLENGE, Method.JS, 200, "Blocked by a captcha or challenge page"),
    ],
)
def test_reasons_are_words_for_people(evidence: Evidence, method: Method, status: int | None, words: str) -> None:
    assert reason(evidence, method, status) == words


def test_every_page_that_fails_or_is_skipped_says_why_in_words_without_holes() -> None:
    for evidence, row in TABLE.items():
        for method in Method:
            if method is Method.DIRECT and Column.FREE not in row:
                continue
            step = next_step(evidence, PageState(method=method, attempt=CALLS_MOST - 1), Mode.HYBRID)
            if step.next in {Next.FAIL, Next.SKIP}:
                assert step.reason
                assert "{" not in step.reason


@pytest.mark.parametrize(
    ("status", "evidence"),
    [
        (200, None),
        (204, None),
        (301, None),
        (400, Evidence.GONE),
        (401, Evidence.LOGIN),
        (403, Evidence.FORBIDDEN),
        (404, Evidence.GONE),
        (410, Evidence.GONE),
        (429, Evidence.TOO_MANY),
        (451, Evidence.GONE),
        (500, Evidence.SERVER_ERROR),
        (503, Evidence.UNAVAILABLE),
        (520, Evidence.SERVER_ERROR),
        (999, Evidence.FORBIDDEN),
    ],
)
def test_a_status_is_evidence_by_itself_unless_the_body_decides(status: int, evidence: Evidence | None) -> None:
    assert of_status(status) is evidence


def test_the_requirements_name_for_hybrid_is_accepted_and_no_other() -> None:
    assert Mode("smart-hybrid") is Mode.HYBRID
    with pytest.raises(ValueError, match="smart"):
        Mode("smart")
