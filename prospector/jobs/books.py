"""The ledger beside the account of the provider: what both say, the difference, and the calls nobody knows the price of."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine

from prospector.errors import Conflict, NotFound
from prospector.fetch.usage import Usage, usage
from prospector.frontier import paid_calls
from prospector.frontier.client import Frontier
from prospector.jobs.balance import balance_job
from prospector.store import costs, spend
from prospector.store.spend import Totals, Unsettled

UNDER_WAY = timedelta(minutes=5)  # a call may still be answered; what is older will not be
MONTH = timedelta(days=30)


@dataclass(frozen=True)
class Books:
    """`ledger` is of all time, `used_in_period` since the account's credits were last renewed, as far as that is known."""

    ledger: Totals
    unsettled: tuple[Unsettled, ...]
    account: Usage | None = None
    period_began: datetime | None = None
    used_in_period: int = 0

    @property
    def difference(self) -> int | None:
        """More than nothing: the account has paid for calls that the ledger does not have, of other programs perhaps."""
        return None if self.account is None else self.account.used_credits - self.used_in_period


def books(engine: Engine, account: Usage | None) -> Books:
    now = datetime.now(UTC)
    with engine.connect() as connection:
        by_job = spend.totals_by_job(connection)
        ledger = Totals(sum(one.used for one in by_job.values()), sum(one.reserved for one in by_job.values()))
        open_ = [job for job, totals in by_job.items() if totals.reserved]
        unsettled = tuple(spend.unsettled(connection, open_, now - UNDER_WAY))
        if account is None:
            return Books(ledger, unsettled)
        began = account.renews_at.replace(tzinfo=account.renews_at.tzinfo or UTC) - MONTH
        return Books(ledger, unsettled, account, began, costs.used_since(connection, began))


def settle(engine: Engine, frontier: Frontier, lease: str, used_credits: int) -> str:
    """An operator says what a call cost that nobody knew the price of. Returns its job, whose budget gets back the rest."""
    with engine.begin() as connection:
        call = spend.unsettled_call(connection, lease)
        if call is None:
            raise NotFound(f"There is no unsettled call {lease!r}.", "Those there are: prospector system credits")
        if call.at > datetime.now(UTC) - UNDER_WAY:
            raise Conflict(f"Call {lease} may still be answered.", "It can be settled five minutes after it was made.")
        spend.settle(connection, {lease: used_credits})
    with engine.connect() as connection:
        balance_job(connection, frontier, call.job)
    return call.job


def learn_limit(frontier: Frontier, api_url: str, key: str | None) -> Usage | None:
    """Once a minute, by one process: no more calls are in flight than the account allows. Without a key nothing is asked."""
    if not key:
        return None
    told = usage(api_url, key)
    frontier.run(paid_calls.limit_paid(told.max_concurrency))
    return told
