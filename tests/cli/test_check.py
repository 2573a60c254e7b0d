"""`prospector check` as a user runs it: a process, files, words and exit codes."""

import io
import json
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter

LEADS = """Company,Website,DR
Acme,https://www.acme.com/about,55
Info,info@beta.de,40
Gamma,www.gamma.co.uk,31
Gamma again,gamma.co.uk,31
Social,facebook.com,99
Rival,blog.rival.de,20
Delta,delta.com,20
"""
KEYWORDS = "Acme CRM\nacme crm\nSAP,case=sensitive,label=brand\ne-commerce\n!!!\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "leads.csv").write_text(LEADS, encoding="utf-8")
    (tmp_path / "keywords.txt").write_text(KEYWORDS, encoding="utf-8")
    return tmp_path


def check(folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "cli", "check", *words]
    environment = os.environ | {"PROSPECTOR_HOME": str(folder / "home")}
    return subprocess.run(command, cwd=folder, env=environment, input=stdin, capture_output=True, timeout=120)


def checked(folder: Path, *words: str, stdin: bytes = b"") -> dict[str, Any]:
    ended = check(folder, *words, "--json", stdin=stdin)
    assert ended.returncode == 0, ended.stderr.decode()
    answer: dict[str, Any] = json.loads(ended.stdout)
    return answer


def refused(folder: Path, *words: str, stdin: bytes = b"") -> str:
    ended = check(folder, *words, stdin=stdin)
    assert ended.returncode == 2
    assert b"Traceback" not in ended.stderr
    return ended.stderr.decode()


def test_the_report_begins_with_a_sum_that_adds_up_and_ends_with_the_next_command(folder: Path) -> None:
    ended = check(
        folder,
        "leads.csv",
        "--keywords",
        "keywords.txt",
        "--client-domain",
        "acme.com",
        "--competitor-domain",
        "rival.de",
    )

    lines = ended.stdout.decode().splitlines()
    assert ended.returncode == 0
    assert ended.stderr == b""
    assert lines[:5] == [
        '        7  rows in column "Website"',
        "-       1  duplicates",
        "-       3  excluded",
        "-       1  not usable",
        "=       2  domains to crawl",
    ]
    assert lines[-1] == (
        "Next: prospector job run --domains leads.csv --keywords keywords.txt"
        " --client-domain acme.com --competitor-domain rival.de"
    )


@pytest.mark.parametrize(
    "line",
    [
        "Removed 1 duplicate, processing 4 unique domains.",
        "Loaded 3 keywords from keywords.txt.",
        '  Row 3: "info@beta.de" is an e-mail address. Skipped.',
        "  Row 6: facebook.com, social network or share host.",
        "  Row 5: gamma.co.uk is gamma.co.uk of row 4.",
        '  Row 2: "acme crm" is the same as "Acme CRM".',
        '  Row 5: "!!!" has no letter and no digit. Skipped.',
        '  Other spellings are other keywords: "e-commerce" (ecommerce, e commerce). Add what you want found.',
        "Plan: 4 domains on 4 sites, 3 keywords, mode hybrid.",
    ],
)
def test_the_report_says(folder: Path, line: str) -> None:
    ended = check(folder, "leads.csv", "--keywords", "keywords.txt")

    assert line in ended.stdout.decode().splitlines()


def test_with_a_client_the_report_says_how_many_of_its_addresses_may_be_asked_for(folder: Path) -> None:
    words = "At the end, the addresses of your own that they link to (at most 500) are checked for dead links: one a second, free."

    asked = check(folder, "leads.csv", "--client-domain", "acme.com").stdout.decode().splitlines()
    without = check(folder, "leads.csv").stdout.decode().splitlines()

    assert words in asked
    assert words not in without


def test_the_report_gives_time_and_cost_as_ranges_and_says_what_they_rest_on(folder: Path) -> None:
    (folder / "leads.csv").write_text("\n".join(f"site-{number}.com" for number in range(5000)))

    words = check(folder, "leads.csv").stdout.decode()

    assert "Time: 2 minutes to 33 minutes (no history yet: a guess from typical lists)." in words
    assert (
        "Estimated cost: $23-$300 (2,250-30,000 ScrapingBee credits) based on hybrid mode and typical lists (no history yet)."
        in words
    )
    assert "The default limit of 10,000 credits covers 33% of the upper end" in words


def test_what_is_free_is_said_to_be_free(folder: Path) -> None:
    words = check(folder, "leads.csv", "--mode", "free-only").stdout.decode()

    assert "Estimated cost: $0 (mode free-only: nothing is paid for)." in words
    assert words.rstrip().endswith("--mode free-only")


def test_the_mode_of_the_requirements_is_known_by_its_name(folder: Path) -> None:
    assert checked(folder, "leads.csv", "--mode", "smart-hybrid")["plan"]["mode"] == "hybrid"


def test_what_a_file_says_cannot_steer_the_terminal(folder: Path) -> None:
    (folder / "leads.csv").write_text(
        "\x1b[2JName,Domain\x07\n\x1b]0;owned\x07,a.com\n,\x1b[31mb.com\n", encoding="utf-8"
    )

    ended = check(folder, "leads.csv", "--column", "B")

    assert b"\x1b" not in ended.stdout + ended.stderr
    assert b"\x07" not in ended.stdout + ended.stderr
    assert '"\ufffd[31mb.com" has characters that cannot be read.' in ended.stdout.decode()


def test_long_sections_are_bounded_and_say_how_many_more(folder: Path) -> None:
    (folder / "leads.csv").write_text("a.com\n" + "info@acme.de\n" * 1000)

    words = check(folder, "leads.csv").stdout.decode()

    assert "Not usable (1,000):" in words
    assert "  ... and 995 more; prospector check --json lists all." in words
    assert len(words.splitlines()) < 30


def test_a_section_is_not_cut_for_a_single_line(folder: Path) -> None:
    (folder / "leads.csv").write_text("a.com\n" + "info@acme.de\n" * 6)

    words = check(folder, "leads.csv").stdout.decode()

    assert words.count("is an e-mail address") == 6
    assert "more;" not in words


def test_json_has_everything_under_the_names_that_scripts_rely_on(folder: Path) -> None:
    answer = checked(folder, "leads.csv", "--keywords", "keywords.txt", "--client-domain", "acme.com")

    assert answer["domains"][0] == {
        "row": 4,
        "domain": "gamma.co.uk",
        "host": "www.gamma.co.uk",
        "columns": {"Company": "Gamma", "DR": "31"},
    }
    assert answer["rejected"] == [{"row": 3, "value": "info@beta.de", "reason": "e-mail"}]
    assert answer["duplicates"] == [{"row": 5, "value": "gamma.co.uk", "domain": "gamma.co.uk", "first_row": 4}]
    assert [one["reason"] for one in answer["excluded"]] == ["the client's own domain", "social network or share host"]
    assert answer["keywords"][1] == {"keyword": "SAP", "case_sensitive": True, "label": "brand"}
    assert answer["merged_keywords"] == [{"row": 2, "keyword": "acme crm", "kept": "Acme CRM"}]
    assert answer["rejected_keywords"] == [{"row": 5, "value": "!!!", "reason": "no letter or digit"}]
    assert len(answer["warnings"]) == 1
    assert answer["plan"]["domains"] == len(answer["domains"]) == 3
    total = sum(len(answer[part]) for part in ("domains", "duplicates", "excluded", "rejected"))
    assert total == answer["rows"] == 7


def test_json_is_one_line_on_standard_output_and_nothing_else(folder: Path) -> None:
    ended = check(folder, "leads.csv", "--json")

    assert ended.stdout.count(b"\n") == 1
    assert ended.stderr == b""


def test_standard_input_is_a_file_like_any_other(folder: Path) -> None:
    assert [one["domain"] for one in checked(folder, "-", stdin=b"a.com\nb.com\n")["domains"]] == ["a.com", "b.com"]
    assert len(checked(folder, "leads.csv", "--keywords", "-", stdin=b"CRM\nERP system\n")["keywords"]) == 2


def test_standard_input_can_be_only_one_of_them(folder: Path) -> None:
    assert "Only one of the lists can be standard input." in refused(folder, "-", "--keywords", "-")


def test_an_excel_workbook_is_read(folder: Path) -> None:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        sheet.write_row("A1", ["Name", "Root Domain"])
        sheet.write_row("A2", ["Acme", "acme.com"])
    (folder / "leads.xlsx").write_bytes(file.getvalue())

    assert checked(folder, "leads.xlsx")["domains"] == [
        {"row": 2, "domain": "acme.com", "host": "acme.com", "columns": {"Name": "Acme"}}
    ]


def test_exclusions_come_from_files_and_social_networks_can_be_kept(folder: Path) -> None:
    (folder / "out.txt").write_text("*.de\ndelta.com\n")

    kept = checked(folder, "leads.csv", "--exclude", "out.txt", "--keep-social")

    assert [one["domain"] for one in kept["domains"]] == ["acme.com", "gamma.co.uk", "facebook.com"]


def test_the_column_can_be_named(folder: Path) -> None:
    (folder / "two.csv").write_text("Domain,Partner\na.com,b.com\n")

    assert checked(folder, "two.csv", "--column", "partner")["domains"][0]["domain"] == "b.com"
    assert "There is no column 'Phone' in two.csv" in refused(folder, "two.csv", "--column", "Phone")


def _zipped() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("leads.csv", "a.com")
    return file.getvalue()


ZIPPED = _zipped()
BAD = {
    "an xlsx that is none": ("leads.xlsx", b"PK\x03\x04 this is no workbook", "leads.xlsx is damaged"),
    "a PDF named csv": ("leads.csv", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj", "leads.csv is a PDF document"),
    "old Excel": ("leads.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), "choose File > Save As"),
    "NUL bytes": ("leads.csv", b"a.com\n" + bytes(500), "leads.csv is a binary file"),
    "an empty file": ("leads.csv", b"", "leads.csv is empty"),
    "no column": ("leads.csv", b"Name,Phone\nAcme,030 1\nBeta,030 2\n", "I looked at: Name, Phone."),
    "50,001 domains": (
        "leads.csv",
        b"\n".join(b"s%d.com" % n for n in range(50_001)),
        "50,001 domains, the limit is 50,000",
    ),
    "compressed data": ("leads.txt", random.Random(1).randbytes(5_000), "leads.txt is a binary file, not a list."),
    "a zip archive": ("leads.csv", ZIPPED, "leads.csv is a zip archive without an Excel workbook in it, not a list."),
    "prose": (
        "leads.txt",
        b"It was the best of times\nit was the worst of times\n" * 20,
        'leads.txt does not look like a list of domains: 40 of 40 rows have none in column "Column A".',
    ),
    "nothing usable": ("leads.csv", b"localhost\n0x7f.1\n", "No domain is left to crawl."),
}


def test_the_time_heeds_the_delay_of_the_deployment(folder: Path) -> None:
    (folder / "one.txt").write_text("acme.com\n")

    usual = checked(folder, "one.txt")["plan"]["seconds"]
    (folder / "prospector.toml").write_text("DELAY_MS = 3000\n")
    slow = checked(folder, "one.txt")["plan"]["seconds"]

    assert (slow["low"], slow["high"]) == (3 * usual["low"], 3 * usual["high"])


def test_no_password_of_an_address_is_shown(folder: Path) -> None:
    (folder / "secret.csv").write_text(
        "https://me:s3cret@acme.com/,https://me:s3cret@cms.acme.com\nme:s3cret@acme.com\nhttps://me:s3cret@10.0.0.1/\n"
        "https://me:s3cr@3t@a.b_/\n"
    )

    done = check(folder, "secret.csv")
    told = check(folder, "secret.csv", "--json")

    assert b"me:***@acme.com" in done.stdout
    assert b"me:***@10.0.0.1" in told.stdout
    assert b"s3cr" not in done.stdout + done.stderr + told.stdout + told.stderr


@pytest.mark.parametrize(("name", "data", "words"), BAD.values(), ids=BAD.keys())
def test_bad_input_ends_in_words_with_exit_2(folder: Path, name: str, data: bytes, words: str) -> None:
    (folder / name).write_bytes(data)

    assert words in refused(folder, name)


def test_501_keywords_end_in_words_with_exit_2(folder: Path) -> None:
    (folder / "keywords.txt").write_text("\n".join(f"keyword {number}" for number in range(501)))

    assert "has 501 keywords, the limit is 500. Remove 1" in refused(folder, "leads.csv", "--keywords", "keywords.txt")


def test_a_file_that_is_not_there_is_named_with_a_near_one(folder: Path) -> None:
    assert refused(folder, "leads.cvs") == "There is no file leads.cvs. Did you mean leads.csv?\n"
    assert refused(folder, ".") == ". is a folder, not a file. Name the file in it.\n"
    assert "Check the name and the folder." in refused(folder, "nowhere/at/all.csv")


def test_a_wrong_option_is_refused_by_its_name(folder: Path) -> None:
    assert '--client-domain: "acme" has no dot' in refused(folder, "leads.csv", "--client-domain", "acme")
    assert "--mode" in refused(folder, "leads.csv", "--mode", "fast")


def test_the_next_command_can_be_pasted(folder: Path) -> None:
    (folder / "my leads.csv").write_text("Domain,My Site\na.com,b.com\n")

    words = check(folder, "my leads.csv", "--column", "My Site").stdout.decode()

    assert words.rstrip().endswith("--domains 'my leads.csv' --keywords keywords.txt --column 'My Site'")


def test_the_metric_and_the_languages_of_the_score_are_said_and_go_on_into_the_next_command(folder: Path) -> None:
    words = check(folder, "leads.csv", "--metric-column", "dr", "--language", "en,German").stdout.decode()

    assert 'Metric for the score: column "DR", from 20 to 55; all have one.' in words.splitlines()
    assert "Languages wanted: English, German." in words.splitlines()
    assert words.rstrip().endswith("--metric-column dr --language en,German")


def test_the_metric_and_the_languages_are_in_the_json_as_they_were_understood(folder: Path) -> None:
    found = checked(folder, "leads.csv", "--metric-column", "C", "--language", "en-US", "--language", "german")

    assert (found["metric_column"], found["languages"]) == ("DR", ["en", "de"])


def test_a_metric_or_a_language_that_there_is_not_is_answered_with_a_near_one(folder: Path) -> None:
    assert 'Did you mean --metric-column "Company"?' in refused(folder, "leads.csv", "--metric-column", "Compny")
    assert "There is no column '' in leads.csv" in refused(folder, "leads.csv", "--metric-column", "")
    assert refused(folder, "leads.csv", "--language", "jp") == "'jp' is not a language. Did you mean ja (Japanese)?\n"


def test_help_has_an_example(folder: Path) -> None:
    words = check(folder, "--help").stdout.decode()

    assert "Example:" in words
    assert "prospector check leads.csv --keywords keywords.txt" in words


def test_a_folder_in_the_place_of_a_file_is_called_one(folder: Path) -> None:
    (folder / "lists").mkdir()

    assert refused(folder, "lists").strip() == "lists is a folder, not a file. Name the file in it."


def test_a_plain_list_has_no_column_to_speak_of(folder: Path) -> None:
    (folder / "plain.txt").write_text("a.com\nb.com\n")

    assert check(folder, "plain.txt").stdout.decode().splitlines()[0] == "        2  rows in the list"
