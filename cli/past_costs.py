"""What earlier jobs have cost and what the account has left: for the estimate before a job."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from cli.lists import Lists
from prospector.core.job.cost import PastJob
from prospector.core.job.estimate import estimate
from prospector.core.visits.methods import Mode
from prospector.errors import CredentialsRejected, ProspectorError

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from prospector.fetch.usage import Usage


def informed(found: Lists, engine: "Engine") -> Lists:
    """With an estimate from what such jobs have really used."""
    from prospector import settings

    mode = found.asked.mode
    past = history(engine, mode)
    plan = estimate(found.domains, mode, settings.CREDIT_PRICE_USD, settings.DELAY_MS, past)
    return replace(found, plan=plan)


def informed_if_known(found: Lists) -> Lists:
    """The same where a record answers already. Nothing is started for it: without one the estimate is a named guess."""
    from prospector.local import record
    from prospector.store import server
    from prospector.store.failures import in_our_words

    url = record.url_if_there()
    if url is None:
        return found
    engine = server.engine(url)
    try:
        with in_our_words():
            return informed(found, engine)
    finally:
        engine.dispose()


def history(engine: "Engine", mode: Mode) -> Sequence[PastJob]:
    from prospector.store import costs

    if mode is Mode.FREE_ONLY:
        return ()
    with engine.connect() as connection:
        return costs.history(connection, mode)


def account() -> "tuple[Usage | None, ProspectorError | None]":
    """What the provider says of it, or why it is not known."""
    from prospector import settings
    from prospector.fetch.usage import usage

    if not settings.SCRAPINGBEE_API_KEY:
        return None, CredentialsRejected("There is no SCRAPINGBEE_API_KEY.")
    try:
        return usage(str(settings.SCRAPINGBEE_API_URL), settings.SCRAPINGBEE_API_KEY), None
    except ProspectorError as error:
        return None, error
