"""`prospector system credits`: the ledger beside the account, and calls that an operator has to settle."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from cli import deployment, output
from cli.command import CREDITS, Command
from cli.past_costs import account
from prospector.errors import ProspectorError

if TYPE_CHECKING:
    from prospector.jobs.books import Books
    from prospector.store.spend import Unsettled

LINES_SHOWN = 20


@click.command("credits", cls=Command)
@click.option("--settle", "lease", metavar="CALL", help="Say what a call has cost that nobody knows the price of.")
@click.option("--credits", "used_credits", type=CREDITS, help="With --settle: the credits it has cost.")
@output.json_option
def credits_(lease: str | None, used_credits: int | None, as_json: bool) -> None:
    """Show the ledger beside the account: credits used by all jobs, what ScrapingBee says, and calls without a known price.

    Such a call counts at its full price until it is settled here; ScrapingBee's dashboard lists what it has charged.

    \b
    Example:
      prospector system credits
      prospector system credits --settle 3.1847 --credits 0
    """
    from prospector.jobs import books

    if (lease is None) != (used_credits is None):
        raise click.UsageError("--settle CALL and --credits N go together.")
    with deployment.opened() as opened:
        if lease is not None and used_credits is not None:
            job = books.settle(opened.engine, opened.frontier, lease, used_credits)
            output.say(f"Call {lease} of job {job} is settled with {used_credits:,} credits.")
        told, problem = account()
        found = books.books(opened.engine, told)
    if as_json:
        output.data(_as_object(found, problem))
        return
    for words in _report(found, problem):
        click.echo(words)
    if found.unsettled:
        click.echo("")
        shown = found.unsettled[:LINES_SHOWN]
        rows = [(*_call(one), f"{one.at.astimezone():%Y-%m-%d %H:%M}") for one in shown]
        output.table(["call", "job", "domain", "method", "credits at most", "made"], rows)
        if len(found.unsettled) > LINES_SHOWN:
            output.say(f"... and {len(found.unsettled) - LINES_SHOWN:,} more; --json lists all.")
        output.say("Settle one: prospector system credits --settle CALL --credits N")


def _call(one: "Unsettled") -> tuple[str, str, str, str, int]:
    return one.lease, one.job, one.domain or "(the job is deleted)", one.method, one.credits


def _report(found: "Books", problem: ProspectorError | None) -> Iterator[str]:
    from prospector import settings
    from prospector.core.job.cost import dollars

    used = found.ledger.used
    yield f"Ledger: {used:,} credits used by all jobs (${dollars(used, settings.CREDIT_PRICE_USD):,})"
    if found.ledger.reserved:
        yield f"        {found.ledger.reserved:,} more set aside for calls under way or unsettled"
    if found.account is None:
        yield f"Account: not known. {problem}"
        return
    account = found.account
    yield (
        f"Account: {account.used_credits:,} of {account.limit_credits:,} credits used, {account.left_credits:,} left until "
        f"{account.renews_at:%Y-%m-%d}; {account.max_concurrency:,} calls at once"
    )
    yield f"Since {found.period_began:%Y-%m-%d}: {found.used_in_period:,} in the ledger, difference {found.difference:+,}"
    if found.difference:
        yield "         (the account is a minute behind, and knows calls of other programs with the same key)"


def _as_object(found: "Books", problem: ProspectorError | None) -> dict[str, Any]:
    account = found.account
    return {
        "ledger": {"used": found.ledger.used, "reserved": found.ledger.reserved},
        "account": None
        if account is None
        else {
            "used": account.used_credits,
            "limit": account.limit_credits,
            "left": account.left_credits,
            "max_concurrency": account.max_concurrency,
            "renews_at": account.renews_at.isoformat(),
        },
        "problem": str(problem) if problem else None,
        "period": {
            "began": None if found.period_began is None else found.period_began.isoformat(),
            "used": found.used_in_period,
            "difference": found.difference,
        },
        "unsettled": [
            {
                "call": one.lease,
                "job": one.job,
                "domain": one.domain,
                "method": one.method,
                "credits": one.credits,
                "at": one.at.isoformat(),
            }
            for one in found.unsettled
        ],
    }
