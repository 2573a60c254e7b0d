"""Intake: every row of a file ends as a domain, a duplicate, excluded or rejected, and the sum adds up."""

import gc
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from prospector.core.lists.exclusions import Exclusions, exclusions
from prospector.core.lists.intake import MOST_DOMAINS, Duplicate, Intake, Rejected, take
from prospector.core.web.hosts import Reason
from prospector.errors import InputInvalid

NOTHING_OUT = Exclusions()

LEADS = """Company,Website,DR
Acme,https://www.acme.com/about,55
Info,info@beta.de,40
Gamma,www.gamma.co.uk,31
Gamma again,https://gamma.co.uk/page,31
Casino,best-casino.com,10
Social,facebook.com,99
Two,"delta.com, epsilon.org",20
"""


def taken(data: bytes | str, rules: Exclusions = NOTHING_OUT, column: str | None = None) -> Intake:
    return take(data.encode() if isinstance(data, str) else data, "leads.csv", rules, column)


def domains(data: bytes | str) -> list[str]:
    return [one.domain for one in taken(data).domains]


def test_every_row_ends_in_one_place_and_the_sum_adds_up() -> None:
    rules = exclusions(["acme.com"], [], [(b"*casino*", "out.txt")])

    intake = taken(LEADS, rules)

    assert [(one.row, one.domain) for one in intake.domains] == [
        (4, "gamma.co.uk"),
        (8, "delta.com"),
        (8, "epsilon.org"),
    ]
    assert intake.duplicates == [Duplicate(5, "https://gamma.co.uk/page", "gamma.co.uk", first_row=4)]
    assert [(one.row, one.domain, str(one.reason)) for one in intake.excluded] == [
        (2, "acme.com", "the client's own domain"),
        (6, "best-casino.com", "excluded by your list"),
        (7, "facebook.com", "social network or share host"),
    ]
    assert intake.rejected == [Rejected(3, "info@beta.de", Reason.EMAIL)]
    assert (intake.rows, intake.extra) == (7, 1)


@pytest.mark.parametrize(
    ("cell", "kept"),
    [
        ("https://bob:s3cret@cms.acme.com/wp-admin?a=b@c", "https://bob:***@cms.acme.com/wp-admin?a=b@c"),
        ("Login: ftp://bob:s3:cr@t@acme.com (ask Eve)", "Login: ftp://bob:***@acme.com (ask Eve)"),
        ("http://:s3cret@acme.com", "http://:***@acme.com"),
        ("http://bob:s3cret@acme.com?mail=eve@acme.com", "http://bob:***@acme.com?mail=eve@acme.com"),
        ("https://acme.com:8080/@bob", "https://acme.com:8080/@bob"),
        ("Ask:bob@acme.com, https://acme.com/", "Ask:bob@acme.com, https://acme.com/"),
        ("mailto:bob@acme.com", "mailto:bob@acme.com"),
    ],
)
def test_the_users_other_columns_are_kept_without_passwords(cell: str, kept: str) -> None:
    intake = taken(f'Domain,Note\nacme.com,"{cell}"\n')

    assert intake.other_columns(intake.domains[0]) == {"Note": kept}


def test_titles_above_the_header_are_left_out_and_said() -> None:
    data = "Backlinks of client.com,,\nExported 2024-01-05,,\n,,\nWebsite,DR,Note\na.com,5,x\nb.com,7,\n"

    intake = taken(data)

    assert [(one.row, one.domain) for one in intake.domains] == [(5, "a.com"), (6, "b.com")]
    assert (intake.rows, intake.rejected, intake.names) == (2, [], ("Website", "DR", "Note"))
    assert intake.warnings == ["Rows 1 to 2 of leads.csv stand above the header, and were left out."]


def test_a_title_of_one_row_is_said_as_one() -> None:
    assert taken("Leads,,\nDomain,DR,Note\na.com,5,x\n").warnings == [
        "Row 1 of leads.csv stands above the header, and was left out."
    ]


def test_a_value_of_several_lines_is_shown_on_one() -> None:
    intake = taken('name,domain\nx,"not a\ndomain"\ny,a.com\n')

    assert [one.value for one in intake.rejected] == ["not a domain"]


def test_a_rejected_row_says_so_as_the_user_counts() -> None:
    data = "domain\n" + "\n".join(f"site-{number}.com" for number in range(116)) + "\ninfo@acme.de\n"

    assert [str(one) for one in taken(data).rejected] == ['Row 118: "info@acme.de" is an e-mail address.']


def test_the_other_columns_of_a_row_are_kept() -> None:
    gamma = next(one for one in taken(LEADS).domains if one.domain == "gamma.co.uk")

    assert taken(LEADS).other_columns(gamma) == {"Company": "Gamma", "DR": "31"}


def test_a_row_that_is_short_has_empty_columns_and_a_long_one_keeps_its_end() -> None:
    intake = taken("Domain,DR\na.com\nb.com,5,extra\n" + "c.com,6\n" * 8)

    assert intake.other_columns(intake.domains[0]) == {"DR": "", "Column C": ""}
    assert intake.other_columns(intake.domains[1]) == {"DR": "5", "Column C": "extra"}


def test_the_host_that_was_listed_stays_for_the_first_request() -> None:
    assert [(one.domain, one.host) for one in taken("www.acme.com\nbeta.com\n").domains] == [
        ("acme.com", "www.acme.com"),
        ("beta.com", "beta.com"),
    ]


def test_subdomains_are_domains_of_their_own() -> None:
    assert domains("acme.com\nblog.acme.com\nuser.github.io\ngithub.io\n") == [
        "acme.com",
        "blog.acme.com",
        "user.github.io",
        "github.io",
    ]


def test_one_cell_that_names_a_domain_twice_has_a_duplicate() -> None:
    intake = taken("domain\na.com www.a.com\n")

    assert [one.domain for one in intake.domains] == ["a.com"]
    assert [(one.row, one.first_row) for one in intake.duplicates] == [(2, 2)]
    assert (intake.rows, intake.extra) == (1, 1)


def test_blank_rows_and_comments_are_no_rows() -> None:
    intake = taken("# my list\n\na.com\n   \n# more\nb.com\n")

    assert [(one.row, one.domain) for one in intake.domains] == [(3, "a.com"), (6, "b.com")]
    assert intake.rows == 2


def test_a_row_without_a_domain_among_others_is_rejected_as_empty() -> None:
    intake = taken("Name,Domain\nAcme,a.com\nBeta,\n")

    assert [str(one) for one in intake.rejected] == ["Row 3: it has no domain."]


def test_a_file_of_one_line_is_a_list_along_it() -> None:
    assert domains("a.com,b.com,c.com") == ["a.com", "b.com", "c.com"]
    assert domains("a.com b.com c.com") == ["a.com", "b.com", "c.com"]
    assert len(domains(",".join(f"site-{number}.com" for number in range(20_000)))) == 20_000


def test_a_file_of_one_row_with_other_columns_is_a_row() -> None:
    intake = taken("Acme,acme.com,55")

    assert [(one.domain, one.values) for one in intake.domains] == [("acme.com", ["Acme", "acme.com", "55"])]
    assert not intake.rejected


def test_ragged_lines_of_several_domains_are_all_read() -> None:
    assert domains("a.com, b.com\nc.com\nd.com, e.com, f.com\n") == [
        "a.com",
        "b.com",
        "c.com",
        "d.com",
        "e.com",
        "f.com",
    ]


def test_a_named_column_decides() -> None:
    data = "Domain,Target\na.com,b.com\n"

    assert [one.domain for one in taken(data, column="target").domains] == ["b.com"]


def test_a_dropped_path_is_warned_of_with_the_telling_ones_first() -> None:
    intake = taken("acme.com/about\nmedium.com/@name\nbeta.com\n")

    assert intake.warnings == [
        "2 entries have a path, which was dropped; the whole domain is crawled: medium.com/@name as medium.com, acme.com/about as acme.com.",
        "The subdomains of a shared host belong to other people, so only the host itself is crawled: medium.com.",
    ]


def test_an_unknown_ending_is_warned_of_not_refused() -> None:
    intake = taken("acme.cmo\nbeta.com\nshop.test\n")

    assert [one.domain for one in intake.domains] == ["acme.cmo", "beta.com", "shop.test"]
    assert intake.warnings == ["No registry of these endings is known; perhaps they are mistyped: acme.cmo (row 1)."]


def test_warnings_are_bounded() -> None:
    intake = taken("\n".join(f"site-{number}.com/page" for number in range(1000)))

    assert len(intake.warnings) == 1
    assert intake.warnings[0].endswith("and 997 more.")


def test_50_000_domains_are_taken_and_50_001_are_refused() -> None:
    lines = [f"site-{number}.com" for number in range(MOST_DOMAINS + 1)]

    assert len(domains("\n".join(lines[:-1]))) == MOST_DOMAINS
    with pytest.raises(InputInvalid) as caught:
        taken("\n".join(lines))
    assert str(caught.value) == "leads.csv has 50,001 domains, the limit is 50,000. Remove 1 or split the list."


def test_the_limit_counts_what_is_left_without_duplicates() -> None:
    lines = [f"site-{number // 2}.com" for number in range(MOST_DOMAINS + 2)]

    assert len(domains("\n".join(lines))) == MOST_DOMAINS // 2 + 1


def test_a_line_of_200_kilobytes_is_rejected_as_too_long() -> None:
    intake = taken("a.com\n" + "x" * 200_000 + "\nb.com\n")

    assert [(one.row, one.reason) for one in intake.rejected] == [(2, Reason.TOO_LONG)]
    assert [one.domain for one in intake.domains] == ["a.com", "b.com"]
    assert intake.rows == 3


def test_nul_bytes_in_a_row_reject_that_row() -> None:
    intake = taken("a.com\n" * 50 + "b\x00.com\nc.com\n")

    assert [(one.row, one.reason) for one in intake.rejected] == [(51, Reason.UNREADABLE)]


def test_utf_16_without_bom_is_read() -> None:
    assert domains("domain\nmüller.de\nacme.com\n".encode("utf-16-le")) == ["xn--mller-kva.de", "acme.com"]


def test_an_export_of_ahrefs_is_read_as_it_comes() -> None:
    lines = [
        ["#", "Referring page title", "Referring page URL", "Referring domains", "Target URL"],
        ["1", "A, B", "https://www.blog.example.com/post", "12", "https://acme.com/"],
        ["2", "C", "https://example.net/a?b=1", "0", "https://acme.com/"],
    ]
    text = "".join("\t".join(f'"{cell}"' for cell in line) + "\r\n" for line in lines)

    intake = taken(text.encode("utf-16"))

    assert intake.column == "Referring page URL"
    assert [one.domain for one in intake.domains] == ["blog.example.com", "example.net"]
    assert intake.other_columns(intake.domains[0])["Referring domains"] == "12"


def test_quotes_that_never_close_lose_no_row() -> None:
    intake = taken('domain,note\na.com,"open\nb.com,fine\n')

    assert [one.domain for one in intake.domains] == ["a.com", "b.com"]
    assert intake.warnings == ["Row 2: a quote is opened and not closed. Each line was read on its own."]


@pytest.mark.parametrize(
    "data",
    [b"", b"# only a comment\n", b"%PDF-1.4", b"PK\x03\x04", b"Name,Phone\nAcme,1\n", b"\x00" * 100],
    ids=["empty", "comment", "PDF", "zip", "no column", "NULs"],
)
def test_a_file_that_cannot_be_used_is_one_error_with_its_remedy(data: bytes) -> None:
    with pytest.raises(InputInvalid, match=r"leads\.csv") as caught:
        taken(data)

    assert caught.value.remedy


@pytest.mark.parametrize("data", ["a.com\n", ""])
def test_the_collector_runs_again_after_a_list_and_after_an_error(data: str) -> None:
    with suppress(InputInvalid):
        taken(data)

    assert gc.isenabled()


def test_a_list_of_nothing_but_bad_rows_has_all_their_reasons() -> None:
    intake = taken("localhost\n10.0.0.1\ninfo@acme.de\nco.uk\n")

    assert [one.reason for one in intake.rejected] == [
        Reason.PRIVATE,
        Reason.PRIVATE,
        Reason.EMAIL,
        Reason.PUBLIC_SUFFIX,
    ]
    assert not intake.domains


TEXTS = st.text("ab.-com@/:,;|\t\"' \n\r#é\x00www", max_size=120)


@settings(max_examples=300)
@given(
    st.binary(max_size=300)
    | TEXTS.map(str.encode)
    | TEXTS.map(lambda text: text.encode("utf-16"))
    | TEXTS.map(lambda text: text.encode("utf-16-le"))
    | st.builds(
        lambda start, rest: start + rest, st.sampled_from([b"PK\x03\x04", b"domain\n", b"\xef\xbb\xbf"]), st.binary()
    )
)
@example(b'"\n\x00')
def test_any_bytes_are_a_list_whose_sum_adds_up_or_one_of_our_errors(data: bytes) -> None:
    try:
        intake = taken(data)
    except InputInvalid:
        return

    assert intake.extra >= 0
    assert len({one.domain for one in intake.domains}) == len(intake.domains)
    assert all(one.row >= 1 for one in intake.domains)
