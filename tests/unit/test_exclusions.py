"""Exclusions: what is left out of a list, and why."""

import pytest

from prospector.core.lists.exclusions import MOST_WILDCARDS, ExclusionReason, exclusions
from prospector.errors import InputInvalid


def why(domain: str, *lines: str, clients: tuple[str, ...] = (), competitors: tuple[str, ...] = ()) -> str | None:
    lists = [("\n".join(lines).encode(), "out.txt")] if lines else []
    return exclusions(clients, competitors, lists).why(domain)


@pytest.mark.parametrize("client", ["acme.com", "https://www.acme.com/about", "ACME.com", "shop.acme.com"])
@pytest.mark.parametrize("domain", ["acme.com", "blog.acme.com"])
def test_every_host_of_the_clients_site_is_left_out(client: str, domain: str) -> None:
    assert why(domain, clients=(client,)) is ExclusionReason.CLIENT


def test_a_client_on_a_shared_host_leaves_its_neighbours_in() -> None:
    assert why("acme.substack.com", clients=("acme.substack.com",)) is ExclusionReason.CLIENT
    assert why("other.substack.com", clients=("acme.substack.com",)) is None


def test_competitors_are_left_out_with_their_own_reason() -> None:
    assert why("blog.rival.de", competitors=("rival.de", "other.com")) is ExclusionReason.COMPETITOR


@pytest.mark.parametrize("domain", ["facebook.com", "de.linkedin.com", "youtube.com", "t.co", "x.com", "pinterest.com"])
def test_social_networks_and_share_hosts_are_left_out_unless_kept(domain: str) -> None:
    assert why(domain) is ExclusionReason.SOCIAL
    assert exclusions(keep_social=True).why(domain) is None


def test_somebodys_blog_on_a_social_host_is_a_prospect() -> None:
    assert why("tumblr.com") is ExclusionReason.SOCIAL
    assert why("somebody.tumblr.com") is None


def test_names_that_only_look_alike_stay_in() -> None:
    assert why("netflix.com") is None
    assert why("notfacebook.com") is None
    assert why("acme.com.example.net", clients=("acme.com",)) is None


@pytest.mark.parametrize(
    ("line", "out", "kept"),
    [
        ("foo.com", ["foo.com", "a.foo.com"], ["notfoo.com", "foo.com.au"]),
        ("https://www.foo.com/page", ["foo.com"], ["foo.org"]),
        ("*.foo.com", ["foo.com", "a.foo.com", "a.b.foo.com"], ["notfoo.com"]),
        ("*.ru", ["a.ru", "b.c.ru"], ["ru.com", "aru"]),
        ("*.substack.com", ["a.substack.com", "substack.com"], ["substack.org"]),
        ("*casino*", ["best-casino.com", "casino.de", "a.casinos.net"], ["cas.in"]),
        ("forum.*", ["forum.foo.com"], ["foo.forum.com"]),
        ("foo?.com", ["foo1.com"], ["foo.com", "foo12.com"]),
        ("*.FOO.com", ["a.foo.com"], []),
    ],
)
def test_a_list_names_domains_and_wildcards(line: str, out: list[str], kept: list[str]) -> None:
    assert {why(domain, line) for domain in out} == {ExclusionReason.ASKED}
    assert {why(domain, line) for domain in kept} <= {None}


def test_comments_headers_and_empty_lines_of_a_list_mean_nothing() -> None:
    lines = ("Domain", "# ours", "", "foo.com")

    assert why("foo.com", *lines) is ExclusionReason.ASKED
    assert why("bar.com", *lines) is None


@pytest.mark.parametrize(
    "data",
    [
        b"Domain,DR\nfoo.com,5\n*casino*,7\n",
        b"Contacted in May\n\nDomain;DR;Note\nfoo.com;1,5;ours, too\n*casino*;;\n",
        "Referring domains\tReferring page URL\n12\thttps://foo.com/x\n7\t*casino*\n".encode("utf-16"),
        b"foo.com, ours\n*casino*\n",
    ],
    ids=["csv", "German csv", "Ahrefs", "notes"],
)
def test_a_list_may_be_an_export_with_columns(data: bytes) -> None:
    rules = exclusions(lists=[(data, "out.csv")])

    assert rules.why("foo.com") is ExclusionReason.ASKED
    assert rules.why("best-casino.com") is ExclusionReason.ASKED
    assert rules.why("bar.com") is None


def test_a_column_of_wildcards_only_is_one_too() -> None:
    assert exclusions(lists=[(b"Domain,Why\n*casino*,bad\n", "out.csv")]).why("best-casino.com")


def test_a_line_that_is_no_domain_is_refused_with_its_place() -> None:
    with pytest.raises(InputInvalid, match=r'out\.txt, row 2: "info@foo\.com" is an e-mail address'):
        why("bar.com", "foo.com", "info@foo.com")


def test_an_option_that_is_no_domain_is_refused_by_its_name() -> None:
    with pytest.raises(InputInvalid, match=r'--client-domain: "acme" has no dot'):
        exclusions(["acme"])
    with pytest.raises(InputInvalid, match=r"--competitor-domain: .* more than one domain"):
        exclusions([], ["a.com b.com"])


def test_wildcards_have_a_limit_and_hostile_ones_no_hold() -> None:
    with pytest.raises(InputInvalid, match=r"1,001 wildcards, the limit is 1,000"):
        why("a.com", *(f"*x{number}*" for number in range(MOST_WILDCARDS + 1)))

    assert why("a" * 60 + ".com", "*a" * 30 + "*b*") is None
