"""The demo's list: as people have them, and always the same."""

from collections import Counter

import pytest

from prospector.core.exclusions import exclusions
from prospector.core.intake import take
from prospector.core.keyword_list import read_keywords
from prospector.demo import showcase
from prospector.demo.kinds import KINDS
from prospector.demo.plan import Plan
from prospector.demo.site import CLIENT, COMPETITORS


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


def test_the_same_seed_gives_the_same_list(plan: Plan) -> None:
    assert showcase.domains_csv(Plan(1, 60, showcase.kinds())) == showcase.domains_csv(plan)
    assert showcase.domains_csv(Plan(2, 60, showcase.kinds())) != showcase.domains_csv(plan)
