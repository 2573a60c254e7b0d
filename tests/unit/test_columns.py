"""Columns: which one has the domains, and whether the first row is a header."""

import pytest

from prospector.core.lists.columns import NAMES, Choice, choose, letters, normal, titles
from prospector.core.lists.table import Row
from prospector.errors import InputInvalid


def chosen(*rows: list[str], wanted: str | None = None) -> Choice:
    return choose([Row(number, cells) for number, cells in enumerate(rows, 1)], "leads.csv", wanted)


@pytest.mark.parametrize("name", [*NAMES, "Domain(s)", "URL(S)", "ROOT DOMAIN", "referring_page_url", " Source-URL: "])
def test_a_column_is_known_by_the_names_that_tools_give_it(name: str) -> None:
    choice = chosen(["Company", name], ["Acme", "acme.com"])

    assert (choice.index, choice.has_header) == (1, True)
    assert choice.name == " ".join(name.split())


def test_of_several_known_names_the_more_telling_wins_and_it_is_said() -> None:
    choice = chosen(["URL", "Domain"], ["https://a.com/x", "a.com"])

    assert choice.name == "Domain"
    assert choice.note == '"Domain" was used, not "URL". --column decides otherwise.'


def test_a_known_name_over_counts_is_not_offered() -> None:
    assert chosen(["URL", "Referring domains"], ["a.com", "12"], ["b.com", "7"]).note == ""


def test_in_a_list_of_links_the_client_is_not_what_is_crawled() -> None:
    assert chosen(["Target", "Source"], ["client.com", "a.com"], ["client.com", "b.com"]).name == "Source"
    assert chosen(["Target", "DR"], ["a.com", "1"], ["b.com", "2"]).name == "Target"


@pytest.mark.parametrize("client", ["Source", "URL", "Anchor"])
def test_a_column_of_one_domain_only_is_not_what_is_meant(client: str) -> None:
    links = [["https://client.com/", f"https://site-{number}.com/x"] for number in range(3)]

    assert chosen([client, "Linked"], *links).name == "Linked"
    assert chosen([client, "Link"], *links).note == ""
    assert chosen([client, "Note"], *([one, "x"] for one, _ in links)).name == client
    assert chosen(["Domain", "Link"], *links[:2]).name == "Domain"


def test_a_known_name_over_one_domain_is_taken_without_a_word_where_there_is_no_other() -> None:
    assert chosen(["URL", "Note"], *([f"https://a.com/{page}", "x"] for page in range(4))).note == ""


def test_the_whole_list_is_looked_at_though_one_site_has_its_first_thousand_rows() -> None:
    one_site = [[f"https://big.com/{page}", f"https://{page % 3}.client.com/"] for page in range(1_000)]
    others = [[f"https://site-{number}.com/", "https://client.com/"] for number in range(500)]

    assert chosen(["URL", "Leads to"], *one_site, *others).name == "URL"


def test_a_known_name_over_a_column_that_is_nearly_empty_gives_way() -> None:
    rows = [[f"site-{number}.com" if number < 4 else "", f"https://site-{number}.com/"] for number in range(10)]

    assert chosen(["Domain", "Website"], *rows).name == "Website"
    assert chosen(["Domain", "Website"], *rows[:8]).name == "Domain"


def test_sentences_that_name_sites_are_not_the_list() -> None:
    choice = chosen(["Title", "Page"], ["Amazon.com review", "https://a.com/x"], ["Booking.com tips", "https://b.com/"])

    assert choice.name == "Page"


def test_a_few_domains_among_notes_are_not_the_list() -> None:
    notes = ["see a.com", "b.com", "c.com", *[""] * 12, *["call"] * 13]

    assert chosen(["Who", "Note"], *(["x.com", note] for note in notes)).name == "Who"


def test_domains_amid_words_are_taken_where_there_are_no_others() -> None:
    assert chosen(["No", "Who"], ["1", "Acme (acme.com)"], ["2", "Beta (beta.de)"]).name == "Who"


def test_a_known_name_over_a_column_without_domains_does_not_win() -> None:
    choice = chosen(["Domain", "Website"], ["yes", "a.com"], ["no", "b.com"])

    assert choice.name == "Website"


def test_without_a_known_name_the_column_with_most_domains_wins_and_it_is_said() -> None:
    choice = chosen(["Company", "Where"], ["Acme", "acme.com"], ["Beta.com", "beta.com"])

    assert (choice.name, choice.has_header) == ("Where", True)
    assert choice.note == 'No column of leads.csv is named "domain"; "Where" has most domains and was used.'


def test_without_a_header_the_columns_have_letters() -> None:
    choice = chosen(["Acme", "acme.com", "12"], ["Beta", "beta.com", "13"])

    assert (choice.index, choice.has_header, choice.names) == (1, False, ("Column A", "Column B", "Column C"))


@pytest.mark.parametrize("first", ["localhost", "10.0.0.1", "info@acme.com", "co.uk", "report.pdf"])
def test_a_bad_first_row_is_no_header(first: str) -> None:
    assert not chosen([first, "x"], ["acme.com", "y"], ["beta.com", "z"]).has_header
    assert not chosen([first], ["acme.com"]).has_header


def test_a_number_beside_a_word_makes_it_a_row_not_a_header() -> None:
    assert not chosen(["intranet", "5"], ["acme.com", "6"], ["beta.com", "7"]).has_header
    assert chosen(["Where", "Rank 5"], ["acme.com", "6"], ["beta.com", "7"]).has_header


def test_an_unknown_word_above_one_column_is_a_row() -> None:
    assert not chosen(["Prospects"], ["acme.com"]).has_header
    assert chosen(["Domains"], ["acme.com"]).has_header


def test_a_header_without_rows_is_a_header() -> None:
    assert chosen(["Domain"]).has_header


@pytest.mark.parametrize(
    ("wanted", "index"), [("where", 1), ("WHERE ", 1), ("B", 1), ("b", 1), ("2", 1), ("A", 0), ("1", 0), ("C", 2)]
)
def test_column_decides_by_name_letter_or_number(wanted: str, index: int) -> None:
    assert chosen(["Domain", "Where", ""], ["a.com", "b.com", "c.com"], wanted=wanted).index == index


@pytest.mark.parametrize("wanted", ["Nowhere", "D", "4", "0", "AAA", ""])
def test_a_column_that_is_not_there_is_refused_with_those_that_are(wanted: str) -> None:
    with pytest.raises(InputInvalid, match="Its columns: Domain, Where, Column C"):
        chosen(["Domain", "Where", ""], ["a.com", "b.com", "c.com"], wanted=wanted)


def test_a_mistyped_column_is_answered_with_the_one_that_is_meant() -> None:
    with pytest.raises(InputInvalid, match='Did you mean --column "Web Site"\\?'):
        chosen(["Name", "Web Site"], ["A", "a.com"], wanted="web sit")


def test_a_file_without_domains_is_refused_with_what_was_looked_at() -> None:
    with pytest.raises(InputInvalid) as caught:
        chosen(["Name", "E-mail", "Phone"], ["Acme", "info@acme.com", "030 123"], ["Beta", "x@beta.com", "030 456"])

    assert str(caught.value) == (
        "I could not find a column with domains in leads.csv. I looked at: Name, E-mail, Phone."
        ' Add --column "Website" or rename one column to "domain".'
    )


def test_columns_of_one_name_and_of_none_get_names_of_their_own() -> None:
    header = ["Domain", "Note", "Note", "", "Note (2)"]

    names = chosen(header, ["a.com", "x", "y", "z", "w", "v"]).names

    assert names == ("Domain", "Note", "Note (2)", "Column D", "Note (2) (2)", "Column F")


def rows(*written: str) -> list[Row]:
    return [Row(number, one.split("|")) for number, one in enumerate(written, 1)]


@pytest.mark.parametrize(
    ("written", "above"),
    [
        (("Domain|DR", "a.com|1"), 0),
        (("Links of client.com", "Domain|DR", "a.com|1"), 1),
        (("client.com||", "2024-01-05||", "Domain|DR|Note", "a.com|1|x"), 2),
        (("Website:|client.com||", "Domain|DR|UR|Note", "a.com|1|2|x"), 1),
        (("|Metrics|", "Domain|DR|UR", "a.com|1|2"), 1),
        (("Outreach", "Where to|DR|UR", "a.com|1|2"), 1),
        # a row of the list is no title, nor a header further down
        (("a.com||", "Domain|", "b.com|1"), 0),
        (("a.com||", "b.com||", "words|and|more"), 0),
        (("a.com|1", "b.com|2", "Domain|DR", "c.com|3"), 0),
        (("Domain|client.com", "Domain|rival.com", "a.com|1"), 0),
        (("My sites", "Domain", "a.com"), 0),
        (("Acme", "a.com|b.com"), 0),
        (("Domain||", "two|words|more", "a.com|1|2"), 0),
        (("Acme||", "office|€ 5|x", "a.com|€ 6|y"), 0),
        (("Outreach", *["x"] * 12, "Domain|DR", "a.com|1"), 0),
    ],
)
def test_what_stands_above_the_header_is_no_row_of_the_list(written: tuple[str, ...], above: int) -> None:
    assert titles(rows(*written)) == above


def test_a_column_that_is_asked_for_is_found_below_the_titles() -> None:
    listed = rows("Outreach||", "Where|5|DR", "a.com|b|1")

    assert titles(listed) == 0
    assert titles(listed, "where") == 1


def test_letters_go_on_after_z() -> None:
    assert [letters(at) for at in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_names_are_compared_without_case_space_and_decoration() -> None:
    assert normal(" \ufeffRoot_Domain(s): ") == "root domains"
