"""How many workers each node gets."""

from prospector.core.system.staffing import missing, most_workers


def test_each_node_is_filled_up_to_its_number() -> None:
    assert missing({"a": 1, "b": 0, "c": 2}, per_node=2, most=100, at_once=2) == {"a": 1, "b": 2}


def test_a_round_starts_few_at_once() -> None:
    assert missing({"a": 0}, per_node=8, most=100, at_once=2) == {"a": 2}


def test_the_emptiest_nodes_come_first_where_the_database_does_not_allow_all() -> None:
    assert missing({"a": 3, "b": 0, "c": 1}, per_node=4, most=7, at_once=4) == {"b": 2, "c": 1}


def test_nothing_is_started_where_more_run_than_the_database_allows() -> None:
    assert missing({"a": 4, "b": 0}, per_node=4, most=3, at_once=2) == {}


def test_a_node_with_more_workers_than_wanted_gets_none() -> None:
    assert missing({"a": 5}, per_node=2, most=100, at_once=2) == {}


def test_four_fifths_of_the_connections_are_for_workers_and_two_are_kept_back() -> None:
    assert most_workers(97) == 75


def test_even_the_smallest_database_has_one_worker() -> None:
    assert most_workers(3) == 1
