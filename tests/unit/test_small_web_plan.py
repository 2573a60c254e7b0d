"""The planned web: the same everywhere, its truth right, its sites and hosts well defined."""

import re
import subprocess
import sys
from collections import Counter
from html import unescape

import pytest

from prospector.demo.web import document, prose, truth
from prospector.demo.web.kinds import KINDS
from prospector.demo.web.plan import Plan, registrable
from prospector.demo.web.site import Ending, Page, Reach
from prospector.errors import InputInvalid

# prints a digest of everything that a plan decides
DIGEST = """
import hashlib
from prospector.demo.web.answers import Answers
from prospector.demo.web.plan import Plan
from prospector.demo.web.site import Request
from prospector.demo.web.truth import mentions
plan, digest = Plan(7, 150), hashlib.sha256()
answers = Answers(plan, 9)
for site in plan.sites:
    digest.update(repr((site.name, site.kind, site.domains, sorted(site.hosts), site.schemes)).encode())
    for page in site.pages.values():
        if len(site.pages) < 100:
            digest.update(answers.reply(site, Request(page.host, page.target), pressed=True).body)
for mention in mentions(plan):
    digest.update(repr(mention).encode())
print(digest.hexdigest())
"""


def digest(hash_seed: str) -> str:
    words = [sys.executable, "-c", DIGEST]
    return subprocess.run(words, capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": hash_seed}).stdout


@pytest.fixture(scope="module")
def plan() -> Plan:
    return Plan(seed=3, sites=300)


def test_two_processes_plan_the_same_bytes() -> None:
    assert digest("1") == digest("2")


def test_another_seed_plans_another_web() -> None:
    first, second = Plan(1, 30, ["company"]), Plan(2, 30, ["company"])

    assert list(truth.mentions(first)) != list(truth.mentions(second))


def test_a_large_web_has_every_kind_of_site(plan: Plan) -> None:
    assert {site.kind for site in plan.sites} == set(KINDS)


def test_an_unknown_kind_is_refused_by_name() -> None:
    with pytest.raises(InputInvalid, match="no kind of site bakery"):
        Plan(1, 5, ["bakery"])


def test_no_two_sites_share_a_host(plan: Plan) -> None:
    hosts = Counter(host for site in plan.sites for host in site.hosts)

    assert [host for host, count in hosts.items() if count > 1] == []


def test_every_page_belongs_to_a_domain_that_covers_its_host(plan: Plan) -> None:
    strangers = [
        page.key for page in plan.pages if page.domain != page.host and not page.host.endswith(f".{page.domain}")
    ]

    assert strangers == []


def test_hosts_below_one_name_are_one_site() -> None:
    assert {registrable(host) for host in ("a.test", "www.a.test", "x.y.a.test")} == {"a.test"}


def test_filler_text_holds_no_word_of_a_keyword() -> None:
    keywords = [re.escape(keyword) for keyword in prose.keywords()]
    for language in prose.languages().values():
        filler = " ".join(language.paragraphs)

        assert re.findall("|".join(keywords), filler, re.IGNORECASE) == []


def test_every_charset_of_a_language_can_write_its_words() -> None:
    for language in prose.languages().values():
        for charset in language.charsets:
            text = "".join(language.words)

            assert (
                text.encode(document.CODECS.get(charset, charset)).decode(document.CODECS.get(charset, charset)) == text
            )


def plain(page: Page) -> bool:
    parts = [placement.phrase.html for placement in page.placements] + list(page.decoys)
    return page.language == "en" and not page.backlinks and all(part.isascii() and "<" not in part for part in parts)


def naive_count(page: Page, keyword: str) -> int:
    body = re.sub(r"<head>.*?(<title>.*?</title>).*?</head>", r"\1", document.document(page), flags=re.DOTALL)
    text = " ".join(unescape(re.sub(r"<[^>]+>", "\n", body)).replace("\u00ad", "").split())
    return len(re.findall(r"\b" + re.escape(keyword) + r"\b", text, re.IGNORECASE))


def test_the_truth_agrees_with_a_naive_count_on_plain_pages() -> None:
    pages = [page for page in Plan(5, 400, ["patchy", "hops", "loops", "subdomains"]).pages if plain(page)]

    wrong = [
        (page.key, keyword)
        for page in pages
        for keyword in ("CRM", "CRM software", "Acme CRM", "project management")
        if naive_count(page, keyword) != truth.counts(page)[keyword]
    ]

    assert len(pages) > 300
    assert wrong == []


def test_decoys_are_on_pages_and_not_in_the_truth() -> None:
    pages = [page for page in Plan(5, 60, ["company"]).pages if page.decoys and not page.placements]

    assert any("CRM" in document.document(page) for page in pages)
    assert all(not truth.counts(page) for page in pages)


def test_zones_add_up_to_the_count(plan: Plan) -> None:
    assert all(sum(count for _, count in mention.zones) == mention.count for mention in truth.mentions(plan))


def test_free_crawls_are_not_expected_to_read_what_costs(plan: Plan) -> None:
    hybrid = {mention.reach for mention in truth.expected(plan, truth.Limits())}
    free = {mention.reach for mention in truth.expected(plan, truth.Limits(mode=truth.Mode.FREE_ONLY))}

    assert hybrid == {Reach.DIRECT, Reach.RENDERED, Reach.PAID}
    assert free == {Reach.DIRECT}


def test_below_the_threshold_all_of_a_large_site_is_expected() -> None:
    large = Plan(1, 1, ["large-links"])

    top = list(truth.expected(large, truth.Limits()))
    whole = list(truth.expected(large, truth.Limits(site_threshold=5000)))

    assert len(whole) > 5 * len(top)
    assert len(whole) == len(list(truth.mentions(large)))


def test_of_more_pages_than_a_limit_allows_only_the_homepage_is_expected() -> None:
    large = Plan(1, 1, ["large-links"])

    for limits in (truth.Limits(top_pages=20), truth.Limits(max_pages=20)):
        assert {truth.canonical(one.url).partition("/")[2] for one in truth.expected(large, limits)} <= {""}


def test_barred_sites_end_otherwise_without_money() -> None:
    barred = Plan(1, 1, ["refused"])

    assert set(truth.endings(barred, truth.Mode.HYBRID).values()) == {Ending.DONE}
    assert set(truth.endings(barred, truth.Mode.FREE_ONLY).values()) == {Ending.FAILED}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://www.a.test/x", "https://a.test/x#top"),
        ("http://a.test", "http://a.test/"),
        ("http://a.test/d%c3%b6rf", "http://a.test/dörf"),
        ("http://A.test/x?", "http://a.test/x"),
    ],
)
def test_twins_have_one_spelling(one: str, other: str) -> None:
    assert truth.canonical(one) == truth.canonical(other)


def test_pages_that_differ_keep_their_spelling() -> None:
    addresses = ["http://a.test/x", "http://a.test/x/", "http://a.test/X", "http://a.test/x?id=1", "http://b.test/x"]

    assert len({truth.canonical(address) for address in addresses}) == len(addresses)


def test_special_names_come_before_the_pattern_that_covers_them() -> None:
    value = Plan(1, 3, ["canary-host", "closed-port", "company"]).resolve("127.1.0.1:80", 99)

    entries = value.split(",")
    assert entries[-1] == "*.test=127.1.0.1:80"
    assert any(entry.startswith("intern.") and entry.endswith("=127.66.0.1:99") for entry in entries)
