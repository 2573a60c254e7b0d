"""The demo's list: as people have them, and always the same."""

from collections import Counter
from datetime import UTC, datetime

import pytest

from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.core.lists.keyword_list import read_keywords
from prospector.core.reading.linking import linking
from prospector.core.reading.page import read
from prospector.core.reading.signs import Sign
from prospector.core.reading.traits import LinkStatus, PageFlag
from prospector.core.results.findings import Asked, Gathered, Mention, SiteLinks, findings
from prospector.core.results.score import Scored, Verdict, score
from prospector.core.visits.methods import Method
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher
from prospector.core.words.match import Mention as Found
from prospector.demo import showcase
from prospector.demo.web import document
from prospector.demo.web.kinds import KINDS
from prospector.demo.web.plan import Plan
from prospector.demo.web.site import CLIENT, COMPETITORS
from prospector.demo.web.truth import address


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(1, 60, showcase.kinds())


def test_every_kind_of_the_showcase_is_one() -> None:
    assert set(showcase.kinds()) <= KINDS.keys()
    assert Counter(showcase.kinds()) == showcase.SHARES


def test_the_list_has_every_site_and_what_real_lists_have(plan: Plan) -> None:
    rules = exclusions((CLIENT,), COMPETITORS, (), keep_social=False)

    intake = take(showcase.domains_csv(plan).encode(), "domains.csv", rules, None)

    assert {one.domain for one in intake.domains} == {one.name for one in plan.domains}
    assert (len(intake.excluded), len(intake.rejected)) == (2, 2)
    assert len(intake.duplicates) >= 3
    assert set(intake.other_columns(intake.domains[0])) == {"DR", "Note"}


def test_the_keywords_are_taken_as_they_are(plan: Plan) -> None:
    found = read_keywords(showcase.keywords_txt(plan).encode(), "keywords.txt")

    assert [one.text for one in found.keywords] == list(plan.keywords)
    assert not found.rejected


def verdict(kind: str) -> Scored:
    """By the product's own rules, over all pages of such a site."""
    plan = Plan(1, 1, [kind])
    (site,) = plan.sites
    matcher = Matcher([Keyword(one) for one in plan.keywords])
    found = Gathered()
    for number, planned in enumerate(site.pages.values()):
        page = read(document.encoded(planned, rendered=False), address(planned, site))
        flags = PageFlag.PARKED if Sign.PARKED in page.signs else 0
        status = linking(page.links, [CLIENT], COMPETITORS, domain=site.domains[0].name).status
        for mention in matcher.mentions(page):
            found.add(row(number, page.url, mention, flags, status, plan.keywords.index(mention.keyword.text)))
    asked = Asked(plan.keywords, has_client=True, languages=frozenset())
    return score(findings(found, SiteLinks(pages_read=len(site.pages)), asked, None))


def row(page: int, url: str, mention: Found, flags: int, link: LinkStatus, keyword: int) -> Mention:
    """As the record keeps it."""
    zones = {str(zone): count for zone, count in mention.zones.items()}
    return Mention(
        1, page, url, keyword, mention.frequency, next(iter(mention.zones)), zones, str(mention.snippet), mention.anchor,
        Method.DIRECT, datetime.now(UTC), 200, link, None, flags, None, None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "expected", "reason"),
    [
        ("menus", Verdict.MENUS_ONLY, "in menus and footers only"),
        ("for-sale", Verdict.REJECTED, "the page is parked or for sale"),
    ],
)
def test_the_showcase_has_sites_that_are_no_prospects(kind: str, expected: Verdict, reason: str) -> None:
    scored = verdict(kind)

    assert kind in showcase.SHARES
    assert (scored.verdict, scored.reason) == (expected, reason)


def test_the_same_seed_gives_the_same_list(plan: Plan) -> None:
    assert showcase.domains_csv(Plan(1, 60, showcase.kinds())) == showcase.domains_csv(plan)
    assert showcase.domains_csv(Plan(2, 60, showcase.kinds())) != showcase.domains_csv(plan)
