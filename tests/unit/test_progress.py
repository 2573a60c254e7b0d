"""Speed and time left, from what a job finished lately."""

import pytest

from prospector.core.job.progress import Eta, Speed, eta, speed_of


def test_nothing_is_said_of_a_job_that_has_just_begun() -> None:
    assert speed_of(5, 5, running_seconds=19) is None
    assert eta(100, None) is None


def test_the_pace_is_of_the_time_the_job_goes_or_of_the_window_if_that_is_less() -> None:
    assert speed_of(10, 10, running_seconds=60) == Speed(600, 600, over_seconds=60)
    assert speed_of(150, 20, running_seconds=86_400) == Speed(600, 240)


def test_the_time_left_is_a_range_from_the_faster_to_the_slower_pace_and_more() -> None:
    found = eta(600, Speed(per_hour=600, recent_per_hour=1200))

    assert found == Eta(low_seconds=1800, high_seconds=4500)


@pytest.mark.parametrize("speed", [Speed(0, 0), Speed(600, 0), Speed(0, 600)])
def test_a_job_that_finishes_nothing_has_no_time(speed: Speed) -> None:
    assert eta(10, speed) is None


def test_no_time_is_left_where_no_domain_is() -> None:
    assert eta(0, Speed(600, 600)) is None


def test_a_site_that_asked_to_wait_keeps_the_job_that_long_however_fast_the_others_are() -> None:
    speed = Speed(600, 1200)

    assert eta(600, speed, wait_seconds=3_000) == Eta(3_000, 4_500)
    assert eta(600, speed, wait_seconds=9_000) == Eta(9_000, 9_000)
    assert eta(0, None, wait_seconds=9_000) == Eta(9_000, 9_000)
    assert eta(600, None, wait_seconds=9_000) is None
