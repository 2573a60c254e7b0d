"""How long writes take, as counts that add up over workers."""

from prospector.core.system import latency
from prospector.core.system.latency import BUCKETS, Times


def test_a_percentile_is_the_bound_below_which_that_share_lies() -> None:
    times = Times()
    for number in range(100):
        times.begin(0.0)
        times.end(0.015 if number < 94 else 0.3)

    assert latency.percentile_ms(times.counts, 0.5) == 20
    assert latency.percentile_ms(times.counts, 0.95) == 500


def test_nothing_measured_has_no_percentile() -> None:
    assert latency.percentile_ms(latency.added([]), 0.95) is None


def test_workers_add_up() -> None:
    one = (1,) + (0,) * (BUCKETS - 1)

    assert latency.added([one, one]) == (2,) + (0,) * (BUCKETS - 1)
    assert latency.read(latency.written(one)) == one


def test_a_write_beyond_the_last_bound_is_counted() -> None:
    times = Times()
    times.begin(0.0)
    times.end(60.0)

    assert times.counts[-1] == 1
    assert latency.percentile_ms(times.counts, 0.95) == 10_000


def test_a_write_that_is_under_way_shows_how_long_it_has_lasted() -> None:
    times = Times()

    assert times.under_way_ms(5.0) == 0
    times.begin(5.0)
    assert times.under_way_ms(13.2) == 8_200
    times.end(14.0)
    assert times.under_way_ms(20.0) == 0


def test_what_an_older_worker_says_in_other_buckets_counts_for_nothing() -> None:
    assert latency.read("1 2 3") == (0,) * BUCKETS
