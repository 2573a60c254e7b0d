"""What an export says besides its rows: the headline, the notes, the order of the prospects."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from cli.job import export_wording
from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.results.score import Verdict
from prospector.core.visits.outcomes import DomainState
from prospector.jobs.exports.front import SPEC, settings
from prospector.jobs.exports.order import Format
from prospector.jobs.exports.prospect import Prospect
from prospector.jobs.exports.report import page
from prospector.jobs.exports.spool import Spool
from prospector.jobs.exports.tally import KeywordCount, Summary, Tally, shown_keywords
from prospector.store.jobs import Job, Keyword

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
JOB = Job(
    id="a1b2c3", name="Acme", state=JobState.COMPLETED, reason="every domain is finished", spec={"mode": "hybrid"},
    max_credits=10_000, domains_total=10, input_rows=10, input_columns=[], created_at=NOON, moved_at=NOON, started_at=NOON,
    left_running_at=NOON, warned_at=None,
)  # fmt: skip
DELETED = "This job will be auto-deleted on 2027-02-16. Download your results now."


def tally(done: int = 10, failed: int = 0, waiting: int = 0, opened: int = 0, rows: int = 0, **verdicts: int) -> Tally:
    counted = Tally([KeywordCount()], rows=rows)
    states = {
        DomainState.DONE: done,
        DomainState.FAILED: failed,
        DomainState.WAITING: waiting,
        DomainState.OPEN: opened,
    }
    counted.states.update(states)
    counted.verdicts.update({Verdict[name]: count for name, count in verdicts.items()})
    return counted


def summary(counted: Tally, job: Job = JOB) -> Summary:
    keywords = [Keyword("Acme CRM")]
    return Summary(job, NOON, keywords, {"AcmeCRM": 14}, counted, counted.sum(job), [], Decimal("0.01"), 90)


@pytest.mark.parametrize(
    ("counted", "words"),
    [
        (tally(QUALIFIED=1, REVIEW=9), "1 qualified opportunity and 9 to review on 10 domains"),
        (tally(done=1, QUALIFIED=0), "0 qualified opportunities and 0 to review on 1 domain"),
        (tally(done=5_000, QUALIFIED=1_204), "1,204 qualified opportunities and 0 to review on 5,000 domains"),
    ],
)
def test_the_headline_counts_opportunities(counted: Tally, words: str) -> None:
    assert summary(counted).headline == words


@pytest.mark.parametrize(
    ("counted", "why"),
    [
        (tally(rows=1), []),
        (tally(), ['No mention of "Acme CRM" on 10 domains. Nearest spellings seen: "AcmeCRM" on 14 domains.']),
        (tally(done=0, waiting=7), ["No domain is done yet: 7 wait. Export again later."]),
        (tally(done=0, waiting=7, failed=2), ["No domain is done yet: 7 wait, 2 failed. Export again later."]),
        (tally(done=0, failed=1), ["No domain could be read: 1 domain failed. errors.csv says why."]),
    ],
)
def test_a_file_without_rows_says_why(counted: Tally, why: list[str]) -> None:
    assert summary(counted).nothing_found == why


def test_many_keywords_without_a_mention_are_not_all_named() -> None:
    many = replace(summary(tally()), keywords=[Keyword(f"k{number}") for number in range(12)])

    assert len(many.nothing_found) == 6
    assert many.nothing_found[-1] == "Nor of 7 more keywords."


def test_a_partial_export_says_what_is_missing() -> None:
    notes = summary(tally(done=6, failed=1, waiting=2, opened=1, rows=3)).notes

    assert notes[0].startswith(
        "Partial: 3 of 10 domains are missing (2 waiting, 1 being crawled). This is what was known at 2026-11-18 12:00 UTC"
    )
    assert notes[-1] == DELETED


def test_credits_that_nobody_knows_of_are_said() -> None:
    counted = tally(rows=1)
    counted.reserved_credits = 1

    assert summary(counted).notes == [
        "1 credit more may have been used by calls whose answer is missing (unsettled).",
        DELETED,
    ]


@pytest.mark.parametrize(
    ("state", "says_date"),
    [(JobState.RUNNING, False), (JobState.PAUSING, False), (JobState.PAUSED, True), (JobState.FAILED, True)],
)
def test_a_running_job_has_no_date_of_deletion_yet(state: JobState, says_date: bool) -> None:
    notes = summary(tally(rows=1), replace(JOB, state=state)).notes

    assert (DELETED in notes) is says_date


def test_only_a_keyword_listed_twice_says_that_its_case_counts() -> None:
    keywords = [Keyword("crm"), Keyword("crm", case_sensitive=True), Keyword("ERP", case_sensitive=True)]

    assert shown_keywords(keywords) == ["crm", "crm (case-sensitive)", "ERP"]


def test_prospects_are_sorted_by_verdict_score_and_place_in_the_list(tmp_path: Path) -> None:
    rows = [
        Prospect(0, "waiting", Verdict.WAITING),
        Prospect(1, "fair", Verdict.QUALIFIED, 61),
        Prospect(2, "high but linking", Verdict.LINKING, 99),
        Prospect(3, "best", Verdict.QUALIFIED, 95, keywords=["a", "b"], cells={"DR": "\ud800 7"}),
        Prospect(4, "fair too", Verdict.QUALIFIED, 61),
        Prospect(5, "review", Verdict.REVIEW, 90),
    ]

    with Spool(tmp_path) as spool:
        for row in rows:
            spool.add(row)
        once, twice = list(spool), list(spool)

    assert [row.domain for row in once] == ["best", "fair", "fair too", "review", "high but linking", "waiting"]
    assert once == twice
    assert once[0] == rows[3]


def test_a_report_of_nothing_is_a_whole_page_too() -> None:
    html = page(summary(tally()), [])

    assert "No site to contact was found." in html
    assert "No domain failed." in html
    assert "<script" not in html
    assert "Time</dt><dd>0 s" in html


def test_the_report_escapes_what_others_wrote() -> None:
    evil = '"><script>alert(1)</script>'
    row = Prospect(1, evil, Verdict.QUALIFIED, 80, why=evil, page=f"javascript:{evil}", context=evil, keyword="alert")

    html = page(summary(tally(rows=1), replace(JOB, name=evil, spec={evil: [evil]}, reason=evil)), [row])

    assert "<script" not in html
    assert 'href="javascript' not in html
    assert "&lt;script&gt;<mark>alert</mark>(1)" in html


def test_reasons_of_failures_stand_with_their_remedies() -> None:
    counted = tally(done=7, failed=3, rows=1)
    counted.failures.update({"HTTP 403 Forbidden": 2, "DNS resolution failed": 1})

    html = page(summary(counted), [])

    assert html.index("HTTP 403 Forbidden") < html.index("DNS resolution failed")
    assert "Check its spelling" in html


@pytest.mark.parametrize(
    ("domains", "formats", "when"),
    [
        (10, [Format.CSV], "~1 minute."),
        (50_000, [Format.CSV, Format.JSON, Format.HTML], "~1 minute."),
        (50_000, [Format.XLSX], "~3 minutes."),
    ],
)
def test_who_does_not_wait_is_told_when_to_ask(domains: int, formats: list[Format], when: str) -> None:
    said = list(export_wording.meanwhile(replace(JOB, domains_total=domains), formats))

    assert said == [
        f"Export started. Check status in {when} Run 'prospector job export-status a1b2c3' to check progress.",
        DELETED,
    ]


@pytest.mark.parametrize(
    ("seconds", "words"), [(26, "26 s"), (61, "1 min 1 s"), (3_599, "59 min 59 s"), (7_380, "2 h 3 min")]
)
def test_the_report_says_how_long_it_took(seconds: int, words: str) -> None:
    took = replace(JOB, started_at=NOON, left_running_at=NOON + timedelta(seconds=seconds))

    assert f"<dt>Time</dt><dd>{words}</dd>" in page(summary(tally(), took), [])


def test_every_option_of_a_job_stands_among_the_settings_under_a_name_for_people() -> None:
    asked = JobSpec(client_domains=("acme.test",), metric_column="DR", languages=("en", "de"))

    told = dict(settings(summary(tally(), replace(JOB, spec=asked.stored()))))

    assert [told[label] for label, _ in SPEC.values()] == [
        "hybrid", "500", "50", "no limit", "60", "48", "150", "acme.test", "none", "DR", "en, de",
    ]  # fmt: skip
    assert dict(settings(summary(tally())))["Languages wanted"] == "all"
