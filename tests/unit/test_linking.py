"""What links say: about the client and competitors, the contact page, the kind of page, and hints for credits."""

import pytest

from prospector.core.reading.linking import ANCHOR_CHARACTERS, KEPT_LINKS, kind_of, linking, without_dead
from prospector.core.reading.links import Link
from prospector.core.reading.markup import Zone
from prospector.core.reading.traits import LinkStatus, PageKind
from prospector.core.visits.priority import Priority, priority
from prospector.core.words.hints import Hints
from prospector.core.words.keywords import Keyword

CLIENTS, COMPETITORS = ("acme.test",), ("rival.test",)


def link(url: str, rel: str = "", anchor: str = "", zone: Zone = Zone.MAIN) -> Link:
    return Link(url, anchor, frozenset(rel.split()), zone)


@pytest.mark.parametrize(
    ("links", "status"),
    [
        ([], "unlinked"),
        ([link("https://other.test/")], "unlinked"),
        ([link("https://acme.test/")], "follow"),
        ([link("https://www.acme.test/tour")], "follow"),
        ([link("https://shop.acme.test/")], "follow"),
        ([link("https://notacme.test/")], "unlinked"),
        ([link("https://acme.test.evil.example/")], "unlinked"),
        ([link("https://acme.test/", "nofollow")], "nofollow"),
        ([link("https://acme.test/", "noopener ugc")], "ugc"),
        ([link("https://acme.test/", "sponsored nofollow")], "sponsored"),
        ([link("https://acme.test/", "nofollow"), link("https://acme.test/")], "follow"),
        ([link("https://acme.test/", "sponsored"), link("https://acme.test/", "nofollow")], "nofollow"),
        ([link("https://a.test/go?to=https%3A%2F%2Facme.test%2Ftour")], "follow"),
        ([link("https://a.test/go?to=https%3A%2F%2Fother.test%2F")], "unlinked"),
        ([link("https://a.test/share?text=about+acme.test")], "unlinked"),
    ],
)
def test_the_strongest_link_to_the_client_is_the_pages_status(links: list[Link], status: str) -> None:
    assert linking(links, CLIENTS, COMPETITORS, domain="a.test").status == LinkStatus(status)


def test_nofollow_of_a_page_is_about_all_its_links() -> None:
    found = linking([link("https://acme.test/")], CLIENTS, (), domain="a.test", robots=["noindex", "nofollow"])

    assert found.status is LinkStatus.NOFOLLOW
    assert without_dead(found.kept, {"https://acme.test/other"}) is LinkStatus.NOFOLLOW


GONE, OLD, HERE = "https://acme.test/gone", "https://acme.test/old", "https://acme.test/"


@pytest.mark.parametrize(
    ("links", "status"),
    [
        ([link(GONE)], "dead"),
        ([link(GONE), link(OLD, "nofollow")], "dead"),
        ([link(GONE), link("https://rival.test/")], "dead"),
        ([link(GONE), link(HERE)], "follow"),
        ([link(GONE), link(HERE, "nofollow")], "nofollow"),
        ([link(GONE, "nofollow"), link(HERE, "ugc"), link(HERE, "sponsored")], "ugc"),
        ([link(HERE)], "follow"),
    ],
)
def test_without_its_dead_links_a_page_has_the_status_of_the_others(links: list[Link], status: str) -> None:
    kept = linking(links, CLIENTS, COMPETITORS, domain="a.test").kept

    assert without_dead(kept, {GONE, OLD}) == LinkStatus(status)


def test_of_a_page_whose_links_may_not_all_be_kept_nothing_is_said() -> None:
    kept = linking([link(GONE)] * KEPT_LINKS, CLIENTS, COMPETITORS, domain="a.test").kept

    assert without_dead(kept, {GONE}) is None
    assert without_dead(kept[1:], {GONE}) is LinkStatus.DEAD


def test_links_to_client_and_competitors_are_kept_small() -> None:
    found = linking(
        [link("https://acme.test/", "ugc", "x" * 500, Zone.COMMENT), link("https://rival.test/")],
        CLIENTS,
        COMPETITORS,
        domain="a.test",
    )

    assert found.to_competitor
    assert [dict(one) for one in found.kept] == [
        {
            "url": "https://acme.test/",
            "anchor": "x" * ANCHOR_CHARACTERS,
            "rel": ["ugc"],
            "zone": "comment",
            "whose": "client",
        },
        {"url": "https://rival.test/", "anchor": "", "rel": [], "zone": "main", "whose": "competitor"},
    ]


def test_a_page_full_of_them_keeps_some() -> None:
    found = linking([link(f"https://acme.test/{n}") for n in range(100)], CLIENTS, (), domain="a.test")

    assert len(found.kept) == KEPT_LINKS


@pytest.mark.parametrize(
    ("one", "found"),
    [
        (link("https://a.test/contact"), True),
        (link("https://a.test/kontakt.html"), True),
        (link("https://a.test/p/7", anchor="Write for us: Contact"), True),
        (link("https://a.test/x", anchor="お問い合わせ"), True),
        (link("https://www.a.test/about"), True),
        (link("https://a.test/x", anchor="About us"), True),
        (link("https://a.test/products"), False),
        (link("https://a.test/all-about-crm"), False),
        (link("https://a.test/x", anchor="More about CRM"), False),
        (link("https://a.test/x?back=/contact"), False),
        (link("https://about.social.test/contact", anchor="Contact"), False),
    ],
)
def test_a_contact_page_is_known_by_its_address_or_its_anchor(one: Link, found: bool) -> None:
    assert linking([one], (), (), domain="a.test").contact_found is found


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/x", "other"), ("/blog/a", "article"), ("/2024/05/a", "article"), ("/contact", "contact"), ("/impressum", "legal"),
        ("/privacy-policy", "legal"), ("/forum/thread/5", "forum"), ("/product/7", "product"), ("/category/tools", "listing"),
        ("/resources/links", "resource"), ("/contacts-of-mine", "other"), ("/blog?x=/contact", "article"),
    ],
)  # fmt: skip
def test_the_kind_of_a_page_is_told_by_its_path(path: str, kind: str) -> None:
    assert kind_of(f"https://a.test{path}", homepage=False) == PageKind(kind)


def test_the_homepage_is_home_wherever_it_is() -> None:
    assert kind_of("https://a.test/blog/", homepage=True) is PageKind.HOME


@pytest.mark.parametrize(
    ("url", "anchor", "found"),
    [
        ("https://a.test/best-crm-software", "", True),
        ("https://a.test/blog/crm", "", True),
        ("https://a.test/x", "Our CRM guide", True),
        ("https://a.test/x", "Big_Corp", True),
        ("https://a.test/big-corp/", "", True),
        ("https://a.test/scrm", "", False),
        ("https://a.test/bigcorp", "", False),
        ("https://a.test/x", "nothing", False),
    ],
)
def test_a_link_is_a_hint_if_a_keyword_is_in_its_words(url: str, anchor: str, found: bool) -> None:
    hints = Hints([Keyword("CRM"), Keyword("Big Corp", case_sensitive=True)])

    assert hints.found(url, anchor) is found


def test_credits_go_to_homepages_then_to_hints_then_to_the_rest() -> None:
    ranked = sorted(
        [
            priority(homepage=False, hinted=False),
            priority(homepage=True, hinted=False),
            priority(homepage=False, hinted=True),
        ]
    )

    assert ranked == [Priority.HOMEPAGE, Priority.HINTED, Priority.OTHER]
