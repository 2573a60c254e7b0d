"""Text for cells, near spellings, remedies, dates, names of files: small rules with their cases."""

import csv
import io
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.core.job import retention
from prospector.core.job.states import JobState
from prospector.core.results.cells import (
    EXCEL_CELL_CHARACTERS,
    csv_line,
    excel_length,
    excel_text,
    guarded,
    guarded_value,
)
from prospector.core.results.remedies import ELSE, remedy
from prospector.core.visits.evidence import REASONS, Evidence, reason
from prospector.core.visits.methods import Method
from prospector.core.words.near import nearest, not_found
from prospector.errors import InputInvalid
from prospector.jobs.exports.order import FileKind, Format, Order, Part, download_name, order
from prospector.jobs.exports.report import highlighted


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "=", '=HYPERLINK("http://evil.test")'])
def test_what_a_spreadsheet_would_run_gets_an_apostrophe(text: str) -> None:
    assert guarded(text) == "'" + text
    assert excel_text(text) == "'" + text


@pytest.mark.parametrize("text", ["", "crm", " =1", "'=1", "1=1", "a@b", "…=", "日本"])
def test_other_text_stays_as_it_is(text: str) -> None:
    assert guarded(text) == text
    assert excel_text(text) == text


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        ("-5", "-5"),
        ("-5.25", "-5.25"),
        ("7", "7"),
        ("-5+1", "'-5+1"),
        ("+49 30", "'+49 30"),
        ("-", "'-"),
        ("=5", "'=5"),
        ("-007", "'-007"),
        ("-1234567890123456", "'-1234567890123456"),
    ],
)
def test_a_number_in_a_column_of_the_user_is_no_formula(cell: str, shown: str) -> None:
    assert guarded_value(cell) == shown


@pytest.mark.parametrize("phone", ["+49 30 12312", "+1 (555) 010-9999", "+44.20/7946 0018", "+4930123"])
def test_a_phone_number_keeps_its_plus_in_the_workbook_and_is_guarded_in_csv(phone: str) -> None:
    assert excel_text(phone) == phone
    assert guarded_value(phone) == "'" + phone


@pytest.mark.parametrize(
    "text", ["+49 30 1 ext. 5", "+1+cmd|' /C calc'!A0", "+A1 20 30", "-49 30 12312", "+ 49 30", "+1"]
)
def test_what_only_looks_like_a_phone_number_is_guarded(text: str) -> None:
    assert excel_text(text) == "'" + text


def test_a_cell_is_never_longer_than_excel_can_hold() -> None:
    for text in ("a" * 40_000, "👍" * 20_000, "=" + "a" * EXCEL_CELL_CHARACTERS, "a" + "👍" * 20_000):
        cell = excel_text(text)

        assert excel_length(cell) <= EXCEL_CELL_CHARACTERS
        assert excel_length(cell) > EXCEL_CELL_CHARACTERS - 3
        assert cell.endswith("… (cut)")
    assert excel_text("a" * EXCEL_CELL_CHARACTERS) == "a" * EXCEL_CELL_CHARACTERS


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from(list('",\r\n;'))), min_size=2))
def test_a_line_of_csv_is_read_back_as_it_was_written(cells: list[str]) -> None:
    line = csv_line(cells, "\r\n")

    assert next(csv.reader(io.StringIO(line, newline=""))) == cells


def test_nothing_and_numbers_are_written_plainly() -> None:
    assert csv_line([None, 7, 0.5, ""], "\n") == ",7,0.5,\n"


def test_what_xml_cannot_hold_is_replaced() -> None:
    assert excel_text("a\x07b\x00c\ud800d\ufffee") == "a\ufffdb\ufffdc\ufffdd\ufffde"


def test_near_spellings_are_the_joined_spaced_and_hyphenated_ones() -> None:
    seen = {"AcmeCRM": 14, "acme-crm": 2, "Acme ERP": 90}

    assert nearest("Acme CRM", seen) == [("AcmeCRM", 14), ("acme-crm", 2)]


def test_nothing_found_says_the_nearest_spelling() -> None:
    assert not_found("Acme CRM", 5000, {"AcmeCRM": 14}) == (
        'No mention of "Acme CRM" on 5,000 domains. Nearest spellings seen: "AcmeCRM" on 14 domains.'
    )
    assert not_found("erp", 1, {"AcmeCRM": 14}) == 'No mention of "erp" on 1 domain.'


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("robots.txt disallowed", "by design"),
        ("Robots.txt disallowed: Disallow: /", "by design"),
        ("DNS resolution failed", "spelling"),
        ("Timeout after 15s", "too slow"),
        ("HTTP 403 Forbidden", "--mode hybrid"),
        ("Login required (HTTP 401)", "members"),
        ("HTTP 503 Service Unavailable", "fault of its own"),
        ("HTTP 429 Too Many Requests", "tomorrow"),
        ("robots.txt unreachable", "hides its rules"),
        ("something new", ELSE),
    ],
)
def test_every_failure_has_a_remedy(said: str, words: str) -> None:
    assert words in remedy(said)


@pytest.mark.parametrize("evidence", list(REASONS))
def test_no_reason_of_ours_is_without_its_own_remedy(evidence: Evidence) -> None:
    assert remedy(reason(evidence, Method.DIRECT)) != ELSE


def test_a_user_is_told_when_results_are_deleted() -> None:
    assert retention.warning(datetime(2027, 2, 16, tzinfo=UTC), 90) == (
        "This job will be auto-deleted on 2027-02-16. Download your results now."
    )
    assert retention.warning(None, 30) == "This job will be auto-deleted 30 days after it ends."


@pytest.mark.parametrize(
    ("state", "left_running", "due"),
    [
        (JobState.RUNNING, None, None),
        (JobState.PENDING, None, None),
        (JobState.PAUSED, datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 11, tzinfo=UTC)),
        (JobState.COMPLETED, datetime(2026, 11, 1, tzinfo=UTC), datetime(2026, 11, 11, tzinfo=UTC)),
        (JobState.CANCELLED, None, datetime(2026, 11, 12, tzinfo=UTC)),
    ],
)
def test_results_are_kept_for_so_many_days_after_a_job_last_ran(
    state: JobState, left_running: datetime | None, due: datetime | None
) -> None:
    assert retention.deleted_on(state, left_running, datetime(2026, 11, 2, tzinfo=UTC), 10) == due


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Acme Q1 2025", "Acme Q1 2025 - results - a1b2c3.csv"),
        ("../../etc/passwd", "etc passwd - results - a1b2c3.csv"),
        ('Zoë: "x" / <b>\r\n', "Zoë x b - results - a1b2c3.csv"),
        ("///", "job - results - a1b2c3.csv"),
        ("x" * 300, "x" * 60 + " - results - a1b2c3.csv"),
    ],
)
def test_a_downloaded_file_has_a_name_that_a_person_recognises(name: str, shown: str) -> None:
    assert download_name(name, "a1b2c3", FileKind.RESULTS_CSV) == shown


def test_an_order_says_which_files_there_will_be() -> None:
    assert order([], {}) == Order((Format.CSV,))
    assert order(["csv", "json"], {"only": ["errors"]}).files == ["errors.csv", "failed_domains.csv", "results.json"]
    assert len(Order(tuple(Format)).files) == len(FileKind)
    kept = Order((Format.CSV,), (Part.COST,), raw=True)
    assert order(["csv"], kept.options) == kept


@pytest.mark.parametrize(("formats", "options"), [(["xls"], {}), (["csv"], {"only": ["everything"]})])
def test_an_order_for_what_there_is_not_says_what_there_is(formats: list[str], options: dict[str, object]) -> None:
    with pytest.raises(InputInvalid, match="Choose of"):
        order(formats, options)


@pytest.mark.parametrize(
    ("context", "keyword", "shown"),
    [
        ("our CRM, a crm", "crm", "our <mark>CRM</mark>, a <mark>crm</mark>"),
        ("small  business-CRM", "small business crm", "<mark>small  business-CRM</mark>"),
        ("<script>crm</script>", "crm", "&lt;script&gt;<mark>crm</mark>&lt;/script&gt;"),
        ("a & b", "b", "a &amp; <mark>b</mark>"),
        ("c++ (x", "c++ (x", "<mark>c++ (x</mark>"),
        ("nothing", "crm", "nothing"),
        (
            "GESTION D\u2019\u00c9QUIPE <b>",
            "gestion d'\u00e9quipe",
            "<mark>GESTION D\u2019\u00c9QUIPE</mark> &lt;b&gt;",
        ),
        ("die Stra\u00dfe, STRASSE", "stra\u00dfe", "die <mark>Stra\u00dfe</mark>, <mark>STRASSE</mark>"),
        ("soft\u00adware", "software", "<mark>soft\u00adware</mark>"),
        ("our SAP and sap", "SAP (case-sensitive)", "our <mark>SAP</mark> and <mark>sap</mark>"),
    ],
)
def test_the_report_highlights_the_mention_and_escapes_all(context: str, keyword: str, shown: str) -> None:
    assert highlighted(context, keyword) == shown
