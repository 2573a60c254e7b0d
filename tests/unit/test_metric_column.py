"""The column that --metric-column names: found, counted, and refused where it could not tell sites apart."""

import pytest

from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.core.lists.metric import MetricColumn, metric_column
from prospector.errors import InputInvalid

LEADS = """Domain,DR,Organic Traffic,Owner,Same,DR
one.com,7,"1,200",Ann,5,1
two.com,55,12.5K,Bob,5,2
three.com,n/a,3M,,5,3
two.com,99,9B,Bob,6,4
"""


def column(wanted: str, leads: str = LEADS) -> MetricColumn:
    return metric_column(take(leads.encode(), "leads.csv", exclusions()), wanted, "leads.csv")


def refusal(wanted: str, leads: str = LEADS) -> tuple[str, str]:
    with pytest.raises(InputInvalid) as refused:
        column(wanted, leads)
    return refused.value.problem, refused.value.remedy


@pytest.mark.parametrize("wanted", ["DR", " dr ", "B", "2"])
def test_it_is_named_as_a_column_of_domains_is(wanted: str) -> None:
    assert column(wanted) == MetricColumn("DR", 2, "7", "55")


def test_two_columns_of_one_name_are_told_apart_as_in_the_results() -> None:
    assert column("DR (2)") == MetricColumn("DR (2)", 3, "1", "3")


def test_its_range_is_that_of_the_numbers_and_only_of_domains_that_are_crawled() -> None:
    assert column("organic_traffic") == MetricColumn("Organic Traffic", 3, "1,200", "3M")


def test_its_range_is_in_order_where_the_comma_is_decimal() -> None:
    leads = "Domain;Traffic\none.de;12.345\ntwo.de;987\nthree.de;1.000,5\n"

    assert column("Traffic", leads) == MetricColumn("Traffic", 3, "987", "12.345")


def test_one_that_is_not_there_is_refused_with_a_near_one() -> None:
    problem, remedy = refusal("Organic Trafic")

    assert problem.startswith("There is no column 'Organic Trafic' in leads.csv. Its columns: Domain, DR, Organic")
    assert remedy == 'Did you mean --metric-column "Organic Traffic"?'


def test_one_like_none_is_refused_with_the_ways_to_name_one() -> None:
    assert refusal("Authority")[1] == "Give --metric-column one of these, a letter (B), or a number (2)."


@pytest.mark.parametrize(
    ("wanted", "problem"),
    [
        ("Domain", 'Column "Domain" of leads.csv has the domains: it cannot be the metric as well.'),
        ("Owner", 'Column "Owner" of leads.csv has no number in it: it cannot be the metric.'),
        ("Same", 'All numbers in column "Same" of leads.csv are 5: as the metric it says nothing.'),
    ],
)
def test_one_that_tells_no_difference_is_refused(wanted: str, problem: str) -> None:
    assert refusal(wanted) == (problem, "Its other columns: DR, Organic Traffic, Owner, Same, DR (2).")


def test_a_list_of_domains_alone_has_none() -> None:
    assert refusal("A", "one.com\ntwo.com\n")[1] == "It has no other column: leave the option out."
