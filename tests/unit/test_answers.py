"""What an answer shows, how a domain ends by its counters, and what one job is asked for."""

import json

import pytest

from prospector.core.job.spec import JobSpec, spec_from
from prospector.core.reading.page import read
from prospector.core.results.endings import NOTHING_READ, POISON, Ending, ending
from prospector.core.visits.answers import COOKIE_CHARACTERS, cookies_of, is_html, of_page
from prospector.core.visits.evidence import Evidence
from prospector.core.visits.identity import CRAWLER, IDENTITIES, identity
from prospector.core.visits.methods import Mode
from prospector.core.visits.outcomes import DomainState

WORDS = "<p>" + "river stone bridge " * 30
CHALLENGE = "<title>Just a moment...</title><script>x</script><h1>Checking your browser</h1>"


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("text/html", b"", True),
        ("Text/HTML; charset=utf-8", b"x", True),
        ("application/xhtml+xml", b"", True),
        ("application/pdf", b"<html>", False),
        ("text/plain", b"<html>", False),
        ("text/html charset=utf-8", b"x", True),
        ("text/html, text/html; charset=utf-8", b"x", True),
        ("html", b"<html>", True),
        ("html", b"x", False),
        ("*/*", b"<html>", True),
        ("text/htmlx", b"<html>", False),
        ("", b"  <!doctype html>", True),
        ("", b"\xef\xbb\xbf<html>", True),
        ("", b"%PDF-1.7", False),
        ("text/html", b"\x7fELF\x02\x01", False),
        ("text/html", b"PK\x03\x04...", False),
        ("", b"", False),
    ],
)
def test_a_page_is_html_by_its_type_or_else_by_its_beginning(content_type: str, body: bytes, expected: bool) -> None:
    assert is_html(content_type, body) is expected


@pytest.mark.parametrize(
    ("status", "html", "evidence"),
    [
        (200, WORDS, Evidence.TEXT),
        (200, "<div id=root></div><script src=a.js></script>", Evidence.NEEDS_BROWSER),
        (200, CHALLENGE, Evidence.CHALLENGE),
        (403, CHALLENGE, Evidence.CHALLENGE),
        (503, CHALLENGE, Evidence.CHALLENGE),
        (404, CHALLENGE, Evidence.GONE),
        (403, WORDS, Evidence.FORBIDDEN),
        (999, WORDS, Evidence.FORBIDDEN),
        (401, WORDS, Evidence.LOGIN),
        (429, WORDS, Evidence.TOO_MANY),
        (500, WORDS, Evidence.SERVER_ERROR),
        (410, WORDS, Evidence.GONE),
        (404, "<div id=root></div><script src=a.js></script>", Evidence.GONE),
    ],
)
def test_a_document_is_judged_by_its_signs_and_its_status(status: int, html: str, evidence: Evidence) -> None:
    answer = of_page(status, read(html.encode(), "https://a.test/"), empty=False)

    assert answer.evidence is evidence
    assert answer.target is None


def test_a_page_with_nothing_on_it_is_empty() -> None:
    assert of_page(200, read(b"<html></html>", "https://a.test/"), empty=True).evidence is Evidence.EMPTY


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0; url=/next", "https://a.test/next"),
        ("3;url=https://b.test/", "https://b.test/"),
        ("4; url=/next", None),
        ("0; url=/next#part", "https://a.test/next"),
        ("0; url=#top", None),
        ("0; url=/", None),  # itself: a page that renews itself
        ("0; url=file:///etc/passwd", None),
        ("0", None),
    ],
)
def test_an_immediate_refresh_is_a_hop(content: str, target: str | None) -> None:
    html = f'<meta http-equiv=refresh content="{content}">{WORDS}'

    assert of_page(200, read(html.encode(), "https://a.test/"), empty=False).target == target


@pytest.mark.parametrize(
    ("headers", "line"),
    [
        ([], ""),
        (["seen=1; Path=/; HttpOnly"], "seen=1"),
        (["b=2", "a=1; Secure", "a=1"], "a=1; b=2"),
        (["nonsense", "=x", "a=b c"], ""),
        (["a=1\r\nX-Evil: 1"], ""),
        ([f"a={'x' * COOKIE_CHARACTERS}"], ""),
    ],
)
def test_cookies_are_taken_as_a_request_would_carry_them(headers: list[str], line: str) -> None:
    assert cookies_of(headers) == line


# --- how a domain ends

DONE, FAILED = DomainState.DONE, DomainState.FAILED


@pytest.mark.parametrize(
    ("counters", "expected"),
    [
        ({"done": "3"}, Ending(DONE, None, partial=False, moved_to=None)),
        ({"done": "3", "failed": "2"}, Ending(DONE, None, partial=False, moved_to=None)),
        ({"done": "51", "partial": "top"}, Ending(DONE, None, partial=False, moved_to=None)),
        ({"done": "9", "partial": "pages"}, Ending(DONE, "partial: page limit", partial=True, moved_to=None)),
        ({"done": "9", "partial": "time"}, Ending(DONE, "partial: time limit", partial=True, moved_to=None)),
        ({"moved_to": "b.test", "reason": "moved to b.test"}, Ending(DONE, "moved to b.test", partial=False, moved_to="b.test")),
        ({"failed": "1", "reason": "HTTP 403 Forbidden"}, Ending(FAILED, "HTTP 403 Forbidden", partial=False, moved_to=None)),
        ({"dead": "1"}, Ending(FAILED, POISON, partial=False, moved_to=None)),
        ({"partial": "time"}, Ending(FAILED, "partial: time limit", partial=True, moved_to=None)),
        ({}, Ending(FAILED, NOTHING_READ, partial=False, moved_to=None)),
    ],
)  # fmt: skip
def test_a_domain_ends_as_its_counters_say(counters: dict[str, str], expected: Ending) -> None:
    assert ending(counters) == expected


# --- who asks, and what for


def test_a_domain_sees_one_browser_for_as_long_as_the_job_lasts() -> None:
    assert identity("job", "a.test") is identity("job", "a.test")
    assert len({identity("job", f"{n}.test")["User-Agent"] for n in range(200)}) == len(IDENTITIES) == 5


@pytest.mark.parametrize("one", IDENTITIES)
def test_an_identity_agrees_with_itself(one: dict[str, str]) -> None:
    agent = one["User-Agent"]
    chromium = "Chrome/" in agent

    assert ("sec-ch-ua" in one) is chromium
    assert ("image/apng" in one["Accept"]) is chromium
    if chromium:
        assert f'v="{agent.partition("Chrome/")[2].partition(".")[0]}"' in one["sec-ch-ua"]
        assert ('"Windows"' if "Windows" in agent else '"macOS"') == one["sec-ch-ua-platform"]
        assert ("Edg/" in agent) is ("Microsoft Edge" in one["sec-ch-ua"])


def test_robots_txt_is_asked_for_by_name() -> None:
    assert CRAWLER["User-Agent"].startswith("BacklinkProspector/")


def test_a_spec_comes_back_from_the_record_as_it_was() -> None:
    spec = JobSpec(mode=Mode.FREE_ONLY, max_pages=7, client_domains=("acme.test",))

    assert spec_from(json.loads(json.dumps(spec.stored()))) == spec


def test_a_spec_of_an_older_or_a_newer_version_is_read_as_far_as_it_is_known() -> None:
    assert spec_from({"mode": "smart-hybrid", "of_the_future": 1}) == JobSpec(mode=Mode.HYBRID)
    assert spec_from({}) == JobSpec()
