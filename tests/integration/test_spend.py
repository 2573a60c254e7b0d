"""The ledger adds up, whoever writes twice, late or never."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import IntegrityError

from prospector.core.visits.methods import Method
from prospector.store import spend
from prospector.store.spend import Reservation, Totals

SOON = datetime.now(UTC) + timedelta(days=1)


def call(lease: str, job: str = "abc234", domain: int = 0, price: int = 25) -> Reservation:
    return Reservation(lease, job, domain, page=1, method=Method.JS, credits=price)


def test_a_reservation_counts_until_it_is_settled(engine: Engine) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [call("1.1"), call("1.2")])
        before = spend.job_totals(connection, "abc234")
        settled = spend.settle(connection, {"1.1": 5})

        assert before == Totals(used=0, reserved=50)
        assert settled == {"1.1"}
        assert spend.job_totals(connection, "abc234") == Totals(used=5, reserved=25)


def test_a_call_that_cost_nothing_frees_its_reservation(engine: Engine) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [call("1.1")])
        spend.settle(connection, {"1.1": 0})

        assert spend.job_totals(connection, "abc234") == Totals(used=0, reserved=0)


def test_a_lease_is_reserved_once_and_settled_once(engine: Engine) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [call("1.1")])
        spend.reserve(connection, [call("1.1", price=75)])
        spend.settle(connection, {"1.1": 5})

        assert not spend.settle(connection, {"1.1": 25})
        assert spend.job_totals(connection, "abc234") == Totals(used=5, reserved=0)


def test_eight_who_settle_a_lease_at_once_charge_it_once(engine: Engine) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [call("1.1")])

    def settle(turn: int) -> int:
        with engine.begin() as connection:
            return len(spend.settle(connection, {"1.1": turn}))

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(settle, range(8))) == 1


def test_calls_are_counted_when_they_are_begun_and_only_the_latest(engine: Engine) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [call("1.1"), call("1.2", job="other2")])
        spend.settle(connection, {"1.1": 5})
        connection.execute(
            text("INSERT INTO spend SELECT page, now() - interval '6 minutes', domain, method, 25, 0, '0.1', kind, job"
                 " FROM spend WHERE lease = '1.2'")
        )  # fmt: skip

        assert (spend.calls_lately(connection, 5), spend.calls_lately(connection, 7)) == (2, 3)


def test_what_was_never_reserved_is_never_charged(engine: Engine) -> None:
    with engine.begin() as connection:
        assert not spend.settle(connection, {"9.9": 5})
        assert spend.totals_by_job(connection) == {}


def test_totals_are_told_by_domain_by_job_and_in_all(engine: Engine) -> None:
    with engine.begin() as connection:
        spend.reserve(
            connection, [call("1.1"), call("1.2", domain=4), call("1.3", domain=4), call("1.4", job="xyz789")]
        )
        spend.settle(connection, {"1.1": 5, "1.2": 5, "1.3": 1, "1.4": 75})

        assert list(spend.domain_totals(connection, "abc234")) == [(0, Totals(5, 0)), (4, Totals(6, 0))]
        assert spend.job_totals(connection, "abc234") == Totals(11, 0)
        assert spend.totals_by_job(connection) == {"abc234": Totals(11, 0), "xyz789": Totals(75, 0)}


def test_calls_whose_outcome_nobody_knows_are_listed(engine: Engine) -> None:
    with engine.begin() as connection:
        spend.reserve(connection, [call("1.1"), call("1.2")])
        spend.settle(connection, {"1.1": 5})

        (found,) = spend.unsettled(connection, ["abc234", "xyz789"], SOON)
        assert (found.lease, found.job, found.domain, found.credits) == ("1.2", "abc234", None, 25)  # it is deleted
        assert spend.unsettled_call(connection, "1.2") == found
        assert spend.unsettled_call(connection, "1.1") is None
        assert not spend.unsettled(connection, ["xyz789"], SOON)
        assert not spend.unsettled(connection, ["abc234"], SOON - timedelta(days=2))


@pytest.mark.parametrize("sides", ["'reserved', 0, 5", "'reserved', -5, 0", "'settled', 5, 0", "'settled', -5, -1"])
def test_a_row_that_would_make_money_is_refused(engine: Engine, sides: str) -> None:
    with pytest.raises(IntegrityError, match="spend_sides_check"), engine.begin() as connection:
        connection.execute(
            text(f"""INSERT INTO spend (kind, reserved_credits, used_credits, lease, job, domain, page, method)
                VALUES ({sides}, '1.1', 'abc234', 0, 1, 'direct')""")
        )
