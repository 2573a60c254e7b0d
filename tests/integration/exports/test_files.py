"""What stands in each file, column by column and cell by cell, of a job in which everything happens."""

import io
import re
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest
from openpyxl import load_workbook
from sqlalchemy import Engine, text

from prospector.core.job.spec import JobSpec
from prospector.core.job.states import JobState
from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.core.lists.keyword_list import read_keywords
from prospector.core.reading.traits import LinkStatus
from prospector.core.reading.zones import Zone
from prospector.core.visits.outcomes import DomainState
from prospector.jobs.exports import sheet, workbook
from prospector.jobs.exports.order import Format, Order, Part
from prospector.jobs.exports.run import Stores
from prospector.jobs.submit import Submission, submit
from prospector.store import jobs, pages
from prospector.store.domains import Finished
from prospector.store.jobs import Keyword, ListedDomain

from .conftest import ALL, CSV_ONLY, NAMES, Made, export, finish, make_job, mention, page

RESULTS = "domain,url,keyword,frequency,context_snippet,crawl_method,timestamp,http_status"
FORMULA = tuple("=+-@\t\r")
SNIPPET = "… we tried a crm last year and …"


@pytest.fixture
def made(stores: Stores, job: str) -> Made:
    return export(stores, job)


def test_results_csv_has_exactly_the_columns_of_the_requirements(made: Made) -> None:
    rows = made.rows("results.csv")

    assert made.text("results.csv").partition("\r\n")[0] == RESULTS
    assert len(rows) == 10
    assert rows[0] == {
        "domain": "good.example",
        "url": "https://d0.example/1",
        "keyword": "crm",
        "frequency": "7",
        "context_snippet": SNIPPET,
        "crawl_method": "direct",
        "timestamp": "2026-11-18T12:00:01Z",
        "http_status": "200",
    }


def test_results_json_is_the_appendix_and_always_raw(made: Made) -> None:
    found = made.json()

    assert list(found) == ["results"]
    assert list(found["results"]) == [
        "good.example",
        "boring.example",
        "menus.example",
        "linking.example",
        "parked.example",
        "open.example",
        "nasty.example",
    ]
    assert list(found["results"]["good.example"]) == ["crm", "Acme CRM"]
    assert found["results"]["good.example"]["crm"][0] == {
        "url": "https://d0.example/1",
        "frequency": 7,
        "context": SNIPPET,
        "crawl_method": "direct",
        "timestamp": "2026-11-18T12:00:01Z",
        "http_status": 200,
    }
    assert found["results"]["nasty.example"]["=SUM(A1)"][0]["context"] == '=HYPERLINK("http://evil.test")'


def test_csv_and_json_say_the_same(made: Made) -> None:
    def unguarded(cell: str) -> str:
        return cell.removeprefix("'")

    flat = [
        (domain, keyword, one["url"], str(one["frequency"]), one["context"])
        for domain, keywords in made.json()["results"].items()
        for keyword, found in keywords.items()
        for one in found
    ]
    rows = [
        (row["domain"], unguarded(row["keyword"]), row["url"], row["frequency"], unguarded(row["context_snippet"]))
        for row in made.rows("results.csv")
    ]

    assert rows == flat


def test_prospects_are_one_row_a_site_best_first_with_the_users_own_columns(made: Made) -> None:
    rows = made.rows("prospects.csv")

    assert [(row["domain"].partition(".")[0], row["verdict"]) for row in rows] == [
        ("good", "qualified"),
        ("nasty", "qualified"),
        ("boring", "review"),
        ("parked", "rejected"),
        ("menus", "menus only"),
        ("linking", "already linking"),
        ("empty", "without mention"),
        ("failed", "failed"),
        ("waiting", "waiting"),
        ("open", "waiting"),
    ]
    best = rows[0]
    assert (best["page"], best["keyword"], best["zone"], best["contact_page"]) == (
        "https://d0.example/1",
        "Acme CRM",
        "h1",
        "https://d0.example/3",
    )
    assert (best["DR"], best["Owner"], best["input_row"]) == ("-5", "Zoë", "2")
    assert all(
        row["reason"]
        for row in rows
        if row["verdict"] in {"review", "rejected", "menus only", "already linking", "failed"}
    )
    linking = rows[5]
    assert (linking["linking_page"], linking["link_anchor"], linking["link_target"]) == (
        "https://d3.example/7",
        "Acme",
        "https://acme.test/",
    )


def test_errors_csv_lists_failed_domains_and_lost_pages_and_is_there_twice(made: Made) -> None:
    rows = made.rows("errors.csv")

    assert made.files["errors.csv"] == made.files["failed_domains.csv"]
    assert list(rows[0]) == ["domain", "failure_reason", "http_status", "retry_count", "last_attempt_timestamp"]
    assert list(rows[0].values())[:4] == ["failed.example", "HTTP 403 Forbidden", "403", "2"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", rows[0]["last_attempt_timestamp"])
    assert rows[1]["failure_reason"] == "page https://d9.example/12 could not be stored: value too long"


def test_cost_csv_has_a_row_a_domain_and_adds_up_to_the_ledger(made: Made) -> None:
    rows = made.rows("cost.csv")

    assert list(rows[0].items()) == [
        ("domain", "good.example"),
        ("urls_crawled", "3"),
        ("direct_requests", "3"),
        ("scrapingbee_requests", "1"),
        ("js_rendering_requests", "1"),
        ("total_credits", "5"),
        ("estimated_cost_usd", "0.05"),
    ]
    assert len(rows) == len(NAMES)
    assert sum(int(row["total_credits"]) for row in rows) == 5


def test_csv_for_people_opens_right_in_excel(made: Made) -> None:
    for name in ("results.csv", "prospects.csv", "errors.csv", "cost.csv"):
        data = made.files[name]
        assert data.startswith("\ufeff".encode())
        assert data.count(b"\n") == data.count(b"\r\n")


def test_no_cell_of_any_file_begins_like_a_formula(made: Made) -> None:
    for name in ("results.csv", "prospects.csv", "errors.csv", "cost.csv"):
        for row in made.rows(name):
            assert not [cell for cell in row.values() if cell.startswith(FORMULA) and cell != "-5"]
    for row in cells(made):
        assert not [cell for cell in row if isinstance(cell, str) and cell.startswith(FORMULA)]


def test_raw_csv_is_for_machines(stores: Stores, job: str) -> None:
    raw = export(stores, job, Order((Format.CSV,), raw=True))

    data = raw.files["results.csv"]
    assert data.startswith(b"domain,url,")
    assert b"\r" not in data
    assert [row["keyword"] for row in raw.rows("results.csv")][-1] == "=SUM(A1)"
    assert raw.rows("prospects.csv")[1]["Owner"] == "=1+1"


def test_only_the_parts_that_were_asked_for_are_made(stores: Stores, job: str) -> None:
    made = export(stores, job, Order((Format.CSV, Format.JSON), (Part.ERRORS, Part.COST)))

    assert list(made.files) == ["errors.csv", "failed_domains.csv", "cost.csv", "results.json"]


def book(made: Made) -> Any:
    return load_workbook(io.BytesIO(made.files["results.xlsx"]))


def cells(made: Made) -> list[tuple[object, ...]]:
    return [row for page in book(made).worksheets for row in page.iter_rows(values_only=True)]


def table(made: Made, name: str) -> list[dict[str, Any]]:
    head, *rows = book(made)[name].iter_rows(values_only=True)
    return [dict(zip(head, row, strict=True)) for row in rows]


def test_the_workbook_has_its_sheets_in_order_with_heads_filters_and_widths(made: Made) -> None:
    found = book(made)

    assert found.sheetnames == [
        "Summary",
        "Opportunities",
        "Mentions",
        "Already linking",
        "Failed",
        "Input issues",
        "Settings",
    ]
    for name in found.sheetnames[1:-1]:
        assert found[name].freeze_panes == "B2"
        assert found[name].auto_filter.ref.startswith("A1:")
        assert found[name].column_dimensions["A"].width >= 8


def test_the_workbook_loses_no_row_and_keeps_every_type(made: Made) -> None:
    mentions = table(made, "Mentions")
    by_csv = [
        (
            row["domain"],
            row["url"],
            row["keyword"],
            int(row["frequency"]),
            row["context_snippet"],
            int(row["http_status"]),
        )
        for row in made.rows("results.csv")
    ]

    assert [
        (row["Domain"], row["Page"], row["Keyword"], row["Frequency"], row["Context"], row["HTTP status"])
        for row in mentions
    ] == by_csv
    assert mentions[0]["Crawled at (UTC)"] == datetime(2026, 11, 18, 12, 0, 1, 500_000)  # noqa: DTZ001  # Excel's
    assert isinstance(mentions[0]["Frequency"], int)
    assert (mentions[2]["Label"], mentions[5]["Link to you"]) == ("brand", "linked elsewhere on this domain")


def test_text_never_touches_what_stands_right_in_the_cell_before_it(made: Made) -> None:
    beside = 0
    for one in book(made).worksheets:
        for row in one.iter_rows():
            for left, cell in pairwise(row):
                stands_right = left.is_date is False and left.data_type == "n" and left.value is not None
                if cell.data_type == "s" and (stands_right or left.alignment.horizontal == "right"):
                    beside += 1
                    assert cell.alignment.horizontal == "right" or cell.alignment.indent, (one.title, cell.coordinate)

    assert beside > 20


def test_the_workbook_has_no_formula_and_no_link(made: Made) -> None:
    for one in book(made).worksheets:
        assert all(cell.data_type != "f" and cell.hyperlink is None for row in one.iter_rows() for cell in row)


def test_the_other_sheets_hold_the_rest(made: Made) -> None:
    assert [row["Domain"] for row in table(made, "Opportunities")] == [
        "good.example",
        "nasty.example",
        "boring.example",
        "parked.example",
        "menus.example",
    ]
    assert [(row["DR"], row["Owner"]) for row in table(made, "Opportunities")][:2] == [(-5, "Zoë"), (85, "'=1+1")]
    assert [(row["Domain"], row["Links to"]) for row in table(made, "Already linking")] == [
        ("linking.example", "https://acme.test/")
    ]
    failed = table(made, "Failed")
    assert (failed[0]["Domain"], failed[0]["HTTP status"]) == ("failed.example", 403)
    assert "hybrid" in failed[0]["What you can do"]
    assert [(row["Row"], row["What"]) for row in table(made, "Input issues")] == [
        (12, "duplicate"),
        (13, "excluded"),
        (14, "unusable"),
    ]
    assert table(made, "Input issues")[2]["Value"] == "'=info@acme.de"
    assert ("Client domains", "acme.test") in [row[:2] for row in book(made)["Settings"].iter_rows(values_only=True)]


def test_the_sum_stands_first_and_adds_up(made: Made) -> None:
    lines = {str(row[0]).strip(): row[1] for row in book(made)["Summary"].iter_rows(values_only=True) if row[0]}

    assert (
        lines["rows in your list"]
        == 13
        == sum(lines[name] for name in ("duplicates", "excluded", "unusable", "domains"))
    )
    assert lines["domains"] == 10 == sum(lines[name] for name in ("done", "failed", "waiting"))
    parts = ("without mention", "already linking", "menus only", "rejected", "review", "qualified")
    assert lines["done"] == 7 == sum(lines[name] for name in parts)
    assert lines["Estimated cost (US dollars)"] == 0.05
    assert "Check for duplicates of domain, address and keyword: 0." in lines


def test_a_sheet_goes_on_in_the_next_when_excel_has_no_more_rows(
    stores: Stores, job: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook.Workbook.__init__, "__defaults__", (5,))

    made = export(stores, job, Order((Format.XLSX,)))

    found = book(made)
    assert {"Mentions", "Mentions 2", "Mentions 3", "Opportunities 2"} < set(found.sheetnames)
    assert sum(found[name].max_row - 1 for name in ("Mentions", "Mentions 2", "Mentions 3")) == 10
    assert any(
        "Mentions goes on in Mentions 2, Mentions 3" in str(row[0])
        for row in found["Summary"].iter_rows(values_only=True)
    )
    assert sheet.MOST_ROWS == 1_048_576


def test_a_cell_that_is_too_long_is_cut_and_said(stores: Stores, engine: Engine) -> None:
    job = make_job(engine, domains=[ListedDomain("a.example", 2)], issues=(), input_rows=1)
    pages.write(engine, job, [page(1, 0, mentions=[mention(snippet="crm " * 20_000)])])
    finish(engine, job, Finished(0, 1, DomainState.DONE))

    made = export(stores, job)

    assert len(table(made, "Mentions")[0]["Context"]) == 32_767
    assert any("2 cells were cut at 32,767 characters" in str(row[0]) for row in cells(made))
    assert len(made.rows("results.csv")[0]["context_snippet"]) == 80_000


def test_the_report_is_one_file_that_asks_no_network_and_runs_nothing(made: Made) -> None:
    html = made.text("report.html")

    assert not re.findall(r"<(?:script|link|img|iframe|object|embed|form|base)\b|@import|url\(", html)
    assert "default-src 'none'" in html
    assert set(re.findall(r'href="([^":]+):', html)) <= {"http", "https"}
    assert '<b>"Zoë"</b>' not in html
    assert "Acme Q1: &lt;b&gt;" in html


def test_the_report_shows_addresses_as_people_read_them(stores: Stores, engine: Engine) -> None:
    job = make_job(engine)
    urls = ["https://d0.example/%E9%8A%85", "https://d1.example/%E2%80%AEevil%20path"]
    pages.write(
        engine, job, [page(n, n, url=url, title="crm", mentions=[mention(0, Zone.H1)]) for n, url in enumerate(urls)]
    )
    finish(engine, job, *[Finished(number, 1, DomainState.DONE) for number in range(2)])

    html = export(stores, job).text("report.html")

    assert (
        f'href="{urls[0]}" rel="noreferrer noopener nofollow">https://d0.example/\N{CJK UNIFIED IDEOGRAPH-9285}</a>'
        in html
    )
    assert f">{urls[1]}</a>" in html


def test_the_report_says_all_that_matters(made: Made) -> None:
    html = made.text("report.html")

    assert "<h1>2 qualified opportunities and 1 to review on 10 domains</h1>" in html
    assert "<mark>Acme CRM</mark>, tried" in html
    assert "Partial: 2 of 10 domains are missing (1 waiting, 1 being crawled)" in html
    assert "HTTP 403 Forbidden" in html
    assert "--mode hybrid" in html
    assert "&quot;AcmeCRM&quot; on 1 domain" in html
    assert "This job will be auto-deleted 90 days after it ends." in html
    assert html.index("good.example") < html.index("nasty.example") < html.index("boring.example")
    assert "$0.05" in html


def test_nothing_found_says_why_in_every_file(stores: Stores, engine: Engine) -> None:
    domains = [ListedDomain(f"d{number}.example", number + 2) for number in range(15)]
    job = make_job(engine, keywords=[Keyword("Acme CRM")], domains=domains, issues=(), input_rows=15)
    pages.write(engine, job, [page(number, number, spellings=["AcmeCRM"]) for number in range(14)])
    finish(engine, job, *(Finished(number, 1, DomainState.DONE) for number in range(15)))

    made = export(stores, job)

    why = 'No mention of "Acme CRM" on 15 domains. Nearest spellings seen: "AcmeCRM" on 14 domains.'
    assert [row["domain"] for row in made.rows("results.csv")] == [why]
    assert [row["domain"] for row in made.rows("errors.csv")] == ["No domain failed: 15 of 15 are done."]
    assert made.json() == {"results": {}}
    assert why in [row[0] for row in book(made)["Mentions"].iter_rows(values_only=True)]
    assert why in [row[0] for row in book(made)["Summary"].iter_rows(values_only=True)]
    assert why.replace('"', "&quot;") in made.text("report.html")
    assert why in made.export.files[0]["notes"]  # type: ignore[operator]


def test_a_machine_that_asks_for_raw_counts_its_rows_itself(stores: Stores, engine: Engine) -> None:
    job = make_job(engine, input_rows=len(NAMES) + 3)

    made = export(stores, job, Order((Format.CSV,), raw=True))

    assert made.text("results.csv") == RESULTS + "\n"


def test_a_job_that_has_only_begun_says_so(stores: Stores, engine: Engine) -> None:
    made = export(stores, make_job(engine), ALL)

    assert made.rows("results.csv")[0]["domain"] == "No domain is done yet: 10 wait. Export again later."


def test_a_job_without_a_client_or_a_metric_is_scored_without_them(stores: Stores, engine: Engine) -> None:
    job = make_job(
        engine,
        spec={"mode": "hybrid"},
        domains=[ListedDomain("a.example", 2)],
        issues=(),
        input_rows=1,
        input_columns=[],
    )
    pages.write(engine, job, [page(1, 0, mentions=[mention()])])
    finish(engine, job, Finished(0, 1, DomainState.DONE))

    made = export(stores, job)

    row = made.rows("prospects.csv")[0]
    assert table(made, "Mentions")[0]["Link to you"] is None
    assert (row["verdict"], row["link_status"]) == ("review", "")
    assert "link" not in row["why"]


GONE = {"url": "https://acme.test/gone", "anchor": "our <CRM>", "rel": [], "zone": "main", "whose": "client"}
REDIRECTED = {**GONE, "url": "https://out.example/?to=https%3A%2F%2Facme.test%2Fgone&from=a"}
LIVES = {"url": "https://acme.test/", "anchor": "Acme", "rel": [], "zone": "main", "whose": "client"}


def test_a_site_that_links_to_dead_addresses_only_is_an_opportunity_that_says_which_in_every_file(
    stores: Stores, engine: Engine
) -> None:
    names = ("mentions", "silent", "lives")
    domains = [ListedDomain(f"{name}.example", row) for row, name in enumerate(names, 2)]
    job = make_job(engine, domains=domains, issues=(), input_rows=3, input_columns=[])
    pages.write(engine, job, [
        page(1, 0, mentions=[mention(0, Zone.H1)], link=LinkStatus.DEAD, links=[REDIRECTED]),
        page(2, 1, link=LinkStatus.DEAD, links=[GONE]),
        page(3, 2, mentions=[mention(0, Zone.H1)], link=LinkStatus.DEAD, links=[GONE]),
        page(4, 2, link=LinkStatus.FOLLOW, links=[LIVES]),
    ])  # fmt: skip
    finish(engine, job, *[Finished(number, 1, DomainState.DONE) for number in range(3)])

    made = export(stores, job)

    rows = {row["domain"].partition(".")[0]: row for row in made.rows("prospects.csv")}
    assert [rows[name]["verdict"] for name in names] == ["qualified", "without mention", "already linking"]
    assert [rows[name]["link_target"] for name in names] == [GONE["url"], GONE["url"], LIVES["url"]]
    assert [rows[name]["linking_page"] for name in names] == [
        f"https://d{n}.example/{p}" for n, p in ((0, 1), (1, 2), (2, 4))
    ]
    assert rows["mentions"]["link_anchor"] == GONE["anchor"]
    assert {rows["mentions"]["link_status"], rows["lives"]["link_status"]} == {"links to a dead client URL"}
    assert "links to a dead address of yours" in rows["mentions"]["why"]
    assert rows["silent"]["reason"] == "links to a dead address of yours"
    [found] = table(made, "Opportunities")
    assert (found["Dead address of yours"], found["Anchor"]) == (GONE["url"], GONE["anchor"])
    assert found["Page that links"] == "https://d0.example/1"
    html = made.text("report.html")
    assert "<br>Dead link “our &lt;CRM&gt;” to https://acme.test/gone on <a href=" in html
    words = (
        "2 sites link to you, but only to addresses of yours that are dead: link_target in prospects.csv says which."
    )
    assert words in html
    assert words in made.export.files[0]["notes"]  # type: ignore[operator]


LEADS = b"domain,DR\na.example,10\nb.example,20\nc.example,90\n"


def scores(stores: Stores, engine: Engine, **wishes: Any) -> dict[str, dict[str, str]]:
    """Domain -> its row of prospects.csv, of a job that was submitted with these wishes. One page a site; b's is German."""
    intake = take(LEADS, "leads.csv", exclusions())
    keywords = read_keywords(b"crm\n", "keywords.txt")
    job = submit(engine, Submission("Acme", JobSpec(**wishes), 0, intake, keywords)).job
    with engine.begin() as connection:
        jobs.move(connection, job, JobState.RUNNING, "started")
    spoken = ("en", "de_AT", "en-GB")
    pages.write(engine, job, [page(n, n, language=spoken[n], mentions=[mention(0, Zone.H1)]) for n in range(3)])
    finish(engine, job, *[Finished(number, 1, DomainState.DONE) for number in range(3)])
    return {row["domain"]: row for row in export(stores, job, CSV_ONLY).rows("prospects.csv")}


def test_the_metric_column_of_a_job_reaches_the_score_of_every_site(stores: Stores, engine: Engine) -> None:
    without, with_metric = scores(stores, engine), scores(stores, engine, metric_column="DR")

    assert len({row["score"] for row in without.values()}) == 1
    assert "DR" not in "".join(row["why"] for row in without.values())
    assert int(with_metric["a.example"]["score"]) < int(with_metric["b.example"]["score"])
    assert int(with_metric["b.example"]["score"]) < int(with_metric["c.example"]["score"])
    assert "DR 20, higher than 50% of your list" in with_metric["b.example"]["why"]


def test_the_languages_of_a_job_cost_a_page_in_another_one(stores: Stores, engine: Engine) -> None:
    without, wanted = scores(stores, engine), scores(stores, engine, languages=("en",))

    lost = {domain: int(without[domain]["score"]) - int(wanted[domain]["score"]) for domain in without}
    assert lost == {"a.example": 0, "b.example": 45, "c.example": 0}
    assert "minus 45: the page is in another language (de_AT)" in wanted["b.example"]["why"]


def test_a_user_column_that_is_named_like_ours_stays_apart(stores: Stores, engine: Engine) -> None:
    listed = [ListedDomain("a.example", 2, {"Score": "9", "domain": "kept"})]
    job = make_job(engine, domains=listed, issues=(), input_rows=1, input_columns=["Score"])

    row = export(stores, job).rows("prospects.csv")[0]

    assert (row["Score (yours)"], row["domain (yours)"], row["domain"]) == ("9", "kept", "a.example")


def test_two_keywords_of_one_spelling_are_two(stores: Stores, engine: Engine) -> None:
    keywords = [Keyword("crm"), Keyword("crm", case_sensitive=True)]
    job = make_job(engine, keywords=keywords, domains=[ListedDomain("a.example", 2)], issues=(), input_rows=1)
    pages.write(engine, job, [page(1, 0, mentions=[mention(0), mention(1)])])

    made = export(stores, job)

    assert list(made.json()["results"]["a.example"]) == ["crm", "crm (case-sensitive)"]
    assert [row["keyword"] for row in made.rows("results.csv")] == ["crm", "crm (case-sensitive)"]


def test_files_have_names_that_a_person_recognises(made: Made) -> None:
    job = made.export.job

    assert [one["download_name"] for one in made.export.files][:2] == [
        f"Acme Q1 b Zoë b - results - {job}.csv",
        f"Acme Q1 b Zoë b - prospects - {job}.csv",
    ]
    assert {(one["name"], one["rows"]) for one in made.export.files} >= {
        ("results.csv", 10),
        ("prospects.csv", 10),
        ("errors.csv", 2),
        ("cost.csv", 10),
        ("results.json", 10),
    }
    assert all(one["bytes"] == len(made.files[str(one["name"])]) for one in made.export.files)


def test_after_the_job_the_date_of_its_deletion_is_said(stores: Stores, engine: Engine, job: str) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'paused', left_running_at = '2026-11-18 12:00Z'"))

    made = export(stores, job)

    assert "This job will be auto-deleted on 2027-02-16. Download your results now." in made.text("report.html")


def test_the_date_is_that_of_a_deployment_that_keeps_results_for_another_time(
    stores: Stores, engine: Engine, job: str
) -> None:
    with engine.begin() as connection:
        connection.execute(text("UPDATE jobs SET state = 'completed', left_running_at = '2026-11-18 12:00Z'"))

    made = export(replace(stores, retention_days=10), job)

    assert "This job will be auto-deleted on 2026-11-28. Download your results now." in made.text("report.html")


def test_the_metric_column_can_be_sorted_by_also_where_its_numbers_have_a_decimal_comma(
    stores: Stores, engine: Engine
) -> None:
    rows = zip("abcd", ["1.072,1", "9", "1.234", "k.A."], "7777", strict=True)
    domains = [
        ListedDomain(f"{name}.example", 2 + at, cells={"DR": rating, "Traffic": f"{traffic},5"})
        for at, (name, rating, traffic) in enumerate(rows)
    ]
    job = make_job(engine, domains=domains, issues=(), input_rows=4, input_columns=["domain", "DR", "Traffic"])
    pages.write(engine, job, [page(number, number, mentions=[mention(0, Zone.H1)]) for number in range(4)])
    finish(engine, job, *[Finished(number, 1, DomainState.DONE) for number in range(4)])

    found = {row["Domain"][0]: (row["DR"], row["Traffic"]) for row in table(export(stores, job), "Opportunities")}

    assert found == {"a": (1072.1, "7,5"), "b": (9, "7,5"), "c": (1234, "7,5"), "d": ("k.A.", "7,5")}
