"""What an operator must hear of, and what is no news."""

from dataclasses import replace

from prospector.core.system import anomalies
from prospector.core.system.anomalies import Anomaly, JobSample, Kind, Memory, SystemSample

CALM = SystemSample(
    at=0.0,
    workers=4,
    open_work=10_000,
    writing_ms=12,
    write_p95_ms=20,
    connections=10,
    connections_allowed=97,
    redis_bytes=5_000_000,
    redis_limit_bytes=0,
    provider_open_seconds=None,
    provider_stopped="",
    paid_in_flight=0,
    paid_allowed=10,
)


def samples(*finished_a_minute: int, waiting: int = 1000) -> list[JobSample]:
    """One a minute."""
    made, total = [], 0
    for minute, count in enumerate((0, *finished_a_minute)):
        total += count
        made.append(JobSample(minute * 60.0, total, total * 10, 0, 0, waiting, 100))
    return made


def kinds(found: list[Anomaly]) -> list[Kind]:
    return [one.kind for one in found]


def test_throughput_that_drops_by_more_than_half_within_ten_minutes_is_said_with_both_rates() -> None:
    (found,) = anomalies.of_job("a7k2mq", samples(*[4] * 10, *[1] * 10))

    assert found == Anomaly(Kind.THROUGHPUT, "Job a7k2mq throughput dropped from 240 to 60 domains/hour", job="a7k2mq")


def test_a_drop_by_half_is_no_alarm() -> None:
    assert anomalies.of_job("a7k2mq", samples(*[4] * 10, *[2] * 10)) == []


def test_the_end_of_a_list_is_slow_and_no_alarm() -> None:
    assert anomalies.of_job("a7k2mq", samples(*[4] * 10, *[0] * 10, waiting=0)) == []


def test_few_domains_are_chance() -> None:
    assert anomalies.of_job("a7k2mq", samples(*[1] * 10, *[0] * 10)) == []


def test_a_job_that_began_a_quarter_of_an_hour_ago_has_nothing_to_compare_with() -> None:
    assert anomalies.of_job("a7k2mq", samples(*[4] * 10, *[0] * 5)) == []


def test_more_than_a_fifth_of_failed_pages_in_five_minutes_is_said() -> None:
    begin, now = samples(10)[0], replace(samples(10)[1], at=300.0, pages=100, failed_pages=23)

    (found,) = anomalies.of_job("a7k2mq", [begin, now])

    assert found.kind is Kind.ERRORS
    assert "23% of 100 pages failed in 5 minutes" in found.words


def test_a_fifth_of_failed_pages_or_a_few_of_few_are_no_alarm() -> None:
    begin = samples(10)[0]

    assert anomalies.of_job("a", [begin, replace(begin, at=300.0, pages=100, failed_pages=20)]) == []
    assert anomalies.of_job("a", [begin, replace(begin, at=300.0, pages=49, failed_pages=49)]) == []


def test_errors_of_an_hour_ago_do_not_count() -> None:
    bad, begin = samples(10)[0], JobSample(3600.0, 10, 1000, 900, 0, 5, 5)

    assert anomalies.of_job("a", [bad, begin, replace(begin, at=3900.0, pages=1100, failed_pages=901)]) == []


def test_a_page_that_ends_every_worker_is_said() -> None:
    begin = samples(1)[0]

    assert kinds(anomalies.of_job("a", [begin, replace(begin, at=15.0, dead_letters=1)])) == [Kind.DEAD_LETTERS]


def test_all_is_well() -> None:
    assert anomalies.of_system([CALM]) == []


def test_a_write_that_lasts_longer_than_five_seconds_is_said_while_it_still_lasts() -> None:
    (found,) = anomalies.of_system([replace(CALM, writing_ms=8_200)])

    assert found.words == "Database write latency high (8.2 s). The crawl waits for it."


def test_open_work_that_grows_for_ten_minutes_is_said() -> None:
    growing = [replace(CALM, at=60.0 * minute, open_work=60_000 + 100 * minute) for minute in range(12)]

    assert kinds(anomalies.of_system(growing)) == [Kind.QUEUE]


def test_open_work_that_grows_with_the_workers_is_no_alarm() -> None:
    growing = [
        replace(CALM, at=60.0 * minute, open_work=60_000 + 100 * minute, workers=4 + minute) for minute in range(12)
    ]

    assert anomalies.of_system(growing) == []


def test_open_work_that_shrank_once_is_no_alarm() -> None:
    work = [60_000 + 100 * minute for minute in range(12)]
    work[8] = 60_000
    samples = [replace(CALM, at=60.0 * minute, open_work=open_work) for minute, open_work in enumerate(work)]

    assert anomalies.of_system(samples) == []


def test_a_provider_that_is_out_is_said_after_five_minutes() -> None:
    assert anomalies.of_system([replace(CALM, provider_open_seconds=299.0)]) == []
    assert kinds(anomalies.of_system([replace(CALM, provider_open_seconds=301.0)])) == [Kind.PROVIDER]


def test_a_key_that_is_not_accepted_is_said_at_once() -> None:
    (found,) = anomalies.of_system([replace(CALM, provider_stopped="key")])

    assert "does not accept the key" in found.words


def test_a_pool_and_a_redis_near_their_limits_are_said() -> None:
    near = replace(CALM, connections=78, redis_limit_bytes=6_000_000)

    assert kinds(anomalies.of_system([near])) == [Kind.CONNECTIONS, Kind.REDIS_MEMORY]


def test_more_paid_requests_than_allowed_are_said() -> None:
    assert anomalies.of_system([replace(CALM, paid_in_flight=10)]) == []
    assert kinds(anomalies.of_system([replace(CALM, paid_in_flight=11)])) == [Kind.CONCURRENCY]


def test_an_alert_is_given_once_an_hour_for_each_kind_and_job() -> None:
    memory = Memory()
    one, other = Anomaly(Kind.ERRORS, "23%", "a"), Anomaly(Kind.ERRORS, "40%", "b")

    assert memory.new([one], now=0.0) == [one]
    assert memory.new([one, other], now=3_599.0) == [other]
    assert memory.new([Anomaly(Kind.ERRORS, "now 50%", "a")], now=3_600.0) != []


def test_what_another_steward_has_said_counts() -> None:
    one = Anomaly(Kind.NODE, "gone", of="n1")
    memory = Memory([(one, 100.0)])

    assert memory.new([one], now=200.0) == []
    assert memory.new([replace(one, of="n2")], now=200.0) != []


def test_samples_that_no_rule_looks_at_any_more_are_forgotten() -> None:
    kept = anomalies.recent([replace(CALM, at=0.0), replace(CALM, at=1_000.0)], now=1_500.0)

    assert [one.at for one in kept] == [1_000.0]
