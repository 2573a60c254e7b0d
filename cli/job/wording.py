"""A job in words: what status, watch and list say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING

from cli.command import FAILED
from cli.output import counted, moment, plain
from prospector.core.job.cost import dollars
from prospector.core.job.halts import Halt, halt_of, higher_budget, is_queued
from prospector.core.job.spec import spec_from
from prospector.core.job.states import ENDED, JobState
from prospector.core.visits.ladder import Parked
from prospector.core.visits.methods import Method, Mode
from prospector.errors import BudgetReached, CredentialsRejected

if TYPE_CHECKING:
    from prospector.jobs.status import JobStatus

REASONS_SHOWN = 5
PROGRESS = "Progress"
WAYS_TO_READ = {
    Method.DIRECT: "Direct (free)",
    Method.STANDARD: "ScrapingBee (standard)",
    Method.JS: "ScrapingBee (JS rendering)",
}


def title(one: JobStatus) -> str:
    return f"{one.job.id} ({plain(one.job.name)})"


def state(of: JobState) -> str:
    return "Pausing..." if of is JobState.PAUSING else of.capitalize()


def pays_for_nothing(one: JobStatus) -> bool:
    return spec_from(one.job.spec).mode is Mode.FREE_ONLY


def progress(one: JobStatus) -> str:
    return f"{one.domains_finished:,}/{one.job.domains_total:,} domains ({one.percent}%)"


def cost(one: JobStatus, price_usd: Decimal) -> str:
    return f"{one.used_credits:,} ScrapingBee credits used (${dollars(one.used_credits, price_usd):,})"


def bill(one: JobStatus, price_usd: Decimal) -> list[str]:
    used = f"ScrapingBee credits used: {one.used_credits:,} (${dollars(one.used_credits, price_usd):,})"
    return [used, *([f"Breakdown: {breakdown(one.methods)}"] if one.methods is not None else [])]


def lines(one: JobStatus, price_usd: Decimal) -> Iterator[tuple[str, str]]:
    """Label and words, in the order of what is asked first."""
    job = one.job
    yield "Job", f"{job.id}  {plain(job.name)}"
    yield PROGRESS, progress(one)
    yield "Status", _status(one)
    if job.state is JobState.RUNNING:
        yield "ETA", "; ".join([_eta(one), *_stalled(one)])
    yield "Cost so far", cost(one, price_usd) + _budget(one)
    if one.methods is not None:
        yield "Breakdown", breakdown(one.methods)
    if one.speed is not None:
        yield (
            "Throughput",
            f"Averaging {one.speed.per_hour:,.0f} domains/hour over last {duration(round(one.speed.over_seconds))}",
        )
    yield "Last activity", ago(one.last_activity) if one.last_activity else "none yet"
    yield "Found", f"{counted(one.mentions, 'mention')} (rows of results.csv) on {counted(one.pages, 'page')} fetched"
    yield "Qualified", counted(one.qualified, "prospect") + ("" if job.state in ENDED else " so far")
    if one.newest_find:
        yield "Newest find", f"{plain(one.newest_find.keyword)} at {plain(one.newest_find.url)}"
    if one.pages_wanting_key:
        yield (
            "Without a key",
            f"{counted(one.pages_wanting_key, 'page')} would have gone on to ScrapingBee (SCRAPINGBEE_API_KEY)",
        )
    yield from _not_done(one)
    yield from (("On hold", words) for words in _on_hold(one))
    if one.domains_failed:
        yield "Failed", f"{counted(one.domains_failed, 'domain')}{_reasons(one)}"
    if not one.is_live:
        yield "Note", f"Redis does not answer, or is filled again; these are the numbers of {_moment(one.counted_at)}."


def line(one: JobStatus, price_usd: Decimal) -> str:
    """All of it in one line, for a log."""
    parts = [progress(one), state(one.job.state), counted(one.mentions, "mention"), f"{one.qualified:,} qualified"]
    parts.append(f"{one.domains_failed:,} failed")
    if one.speed is not None:
        parts.append(f"{one.speed.per_hour:,.0f} domains/hour")
    if one.eta is not None:
        parts.append(_eta(one))
    parts += _stalled(one)
    if held := sum((one.parked_pages or {}).values()):
        parts.append(f"{counted(held, 'page')} on hold")
    if one.used_credits:
        parts.append(cost(one, price_usd))
    return f"{datetime.now().astimezone():%H:%M:%S}  {one.job.id}  " + " · ".join(parts)


def outcome(one: JobStatus) -> list[str]:
    """Where a job has come to rest, and the next command."""
    job, found = one.job.id, f"prospector job export {one.job.id} --format csv,xlsx,html --out results"
    match one.job.state:
        case JobState.COMPLETED:
            failed = f", {one.domains_failed:,} failed (see error report)" if one.domains_failed else ""
            done = f"{one.domains_done:,} succeeded{failed}"
            errors = [f"Why some failed: prospector job errors {job}"] if one.domains_failed else []
            return [f"Job {title(one)} is completed: {done}.", *map(plain, one.not_found), *errors, f"Next: {found}"]
        case JobState.FAILED:
            left = one.domains_waiting + one.domains_open
            again = f"prospector job errors {job}, or all of them again: prospector job retry {job}"
            nearest = f"prospector job resume {job}" if left else again
            return [f"Job {title(one)} has failed: {one.job.reason}.", f"Next: {nearest}"]
        case JobState.PAUSED:
            return [*_paused(one), f"Or take what there is: {found}"]
        case JobState.CANCELLED:
            return [f"Job {title(one)} is cancelled. What it found stays.", f"Next: {found}"]
        case JobState.PAUSING:
            return [f"Pausing... {counted(one.in_flight, 'request')} in flight end first."]
        case JobState.PENDING if is_queued(one.job.reason):
            return [f"Job {title(one)} is {one.job.reason} It starts by itself.", f"Next: prospector job watch {job}"]
        case JobState.PENDING:
            return [f"Job {title(one)} is made and not started.", f"Next: prospector job start {job}"]
        case JobState.ARCHIVED:
            return [f"Job {title(one)} is archived. (Results deleted)"]
    return [f"Next: prospector job watch {job}, or: prospector job pause {job}"]


def _paused(one: JobStatus) -> list[str]:
    job, resume = one.job.id, f"prospector job resume {one.job.id}"
    where = f"{one.domains_finished:,} domains are done and saved; {one.domains_waiting + one.domains_open:,} wait."
    match halt_of(one.job.reason):
        case Halt.BUDGET:
            higher = f"{resume} --max-credits {higher_budget(one.job.max_credits)}"
            used, cap = one.used_credits, one.job.max_credits
            of_cap = f" of {cap:,}" if used < cap else ""  # what is left pays for no page that waits
            return [
                f"Budget limit reached ({used:,}{of_cap} credits used). Job paused. Resume with a higher limit: {higher}, or export partial results: prospector job export {job}"
            ]
        case Halt.KEY:
            return [
                f"ScrapingBee says the key is not valid (401), or there is none. {where} Fix SCRAPINGBEE_API_KEY, then: {resume}"
            ]
        case Halt.CREDITS:
            return [
                f"The ScrapingBee account has no credits left. {where} Buy credits or wait for new ones, then: {resume}"
            ]
        case Halt.HOURS:
            hours = spec_from(one.job.spec).max_hours
            return [
                f"Job running for {hours} hours. Auto-paused to prevent runaway costs, at {progress(one)}.",
                f"Next: {resume}",
            ]
        case Halt.ASKED:
            return [
                f"Paused at {progress(one)}. Resume anytime with 'job resume {job}'",
                f"Next: {resume}",
            ]
    return [f"Job {title(one)} is paused at {progress(one)}: {one.job.reason}.", f"Next: {resume}"]


def exit_code(one: JobStatus) -> int:
    """Of a command that waited for the job."""
    if one.job.state is JobState.COMPLETED:
        return 0
    if one.job.state is JobState.PAUSED:
        known = {
            Halt.BUDGET: BudgetReached.exit_code,
            Halt.CREDITS: BudgetReached.exit_code,
            Halt.KEY: CredentialsRejected.exit_code,
        }
        halt = halt_of(one.job.reason)
        return known.get(halt, FAILED) if halt else FAILED
    return FAILED


def breakdown(domains: Mapping[Method, int]) -> str:
    """By the dearest method each domain needed."""
    return " | ".join(f"{words}: {counted(domains.get(method, 0), 'domain')}" for method, words in WAYS_TO_READ.items())


def ago(when: datetime, now: datetime | None = None) -> str:
    past = (now or datetime.now(UTC)) - when
    if past < timedelta(seconds=60):
        return "less than a minute ago"
    for unit, seconds in (("day", 86_400), ("hour", 3_600), ("minute", 60)):
        if past.total_seconds() >= seconds:
            return f"{counted(int(past.total_seconds() // seconds), unit)} ago"
    raise AssertionError(past)


def duration(seconds: int) -> str:
    if seconds < 90:
        return counted(seconds, "second")
    if seconds < 5_400:
        return counted(round(seconds / 60), "minute")
    return f"{seconds / 3600:,.1f} hours"


def _status(one: JobStatus) -> str:
    why = one.job.reason
    if one.job.state in {JobState.RUNNING, JobState.PENDING} and not is_queued(why):
        return state(one.job.state)
    if one.job.state is JobState.PAUSING:
        return f"Pausing... ({counted(one.in_flight, 'request')} in flight end first)"
    return f"{state(one.job.state)}: {why}" if why != one.job.state.value else state(one.job.state)


def _eta(one: JobStatus) -> str:
    if one.eta is None:
        return "not known yet"
    low, high = duration(one.eta.low_seconds), duration(one.eta.high_seconds)
    number, _, unit = low.partition(" ")
    if low == high:
        return f"~{low} remaining"
    return f"~{number if high.endswith(unit) else low} to {high} remaining"


def _not_done(one: JobStatus) -> Iterator[tuple[str, str]]:
    if one.job.state in ENDED:
        if left := one.domains_waiting + one.domains_open:
            yield "Not read", counted(left, "domain")
        return
    parked = one.domains_parked
    if one.client_urls_left:
        yield "Your addresses", f"{one.client_urls_left:,} that pages link to are still to be asked whether they answer"
    paid = f"; {parked:,} of these {'waits' if parked == 1 else 'wait'} for paid requests" if parked else ""
    if one.job.state is JobState.PAUSED:
        begun = f"; {one.domains_open:,} of these {'was' if one.domains_open == 1 else 'were'} begun"
        if left := one.domains_waiting + one.domains_open:
            yield "Waiting", counted(left, "domain") + (begun if one.domains_open else "") + paid
    elif one.domains_waiting:
        being_read = f"; {one.domains_open:,} {'is' if one.domains_open == 1 else 'are'} being read"
        yield "Waiting", counted(one.domains_waiting, "domain") + (being_read if one.domains_open else "") + paid
    elif one.domains_open:
        yield "Being read", counted(one.domains_open, "domain") + paid


# what parked pages wait for, and what an operator does about it
HELD_FOR = {
    Parked.KEY: "for a ScrapingBee key that works. Fix SCRAPINGBEE_API_KEY, then: prospector job resume {job}",
    Parked.CREDITS: "for credits of the ScrapingBee account. When it has some: prospector job resume {job}",
    Parked.BUDGET: "for a higher budget: prospector job resume {job} --max-credits {higher}",
    Parked.PROVIDER: "for ScrapingBee, which does not answer. They go on by themselves when it does.",
}


def _on_hold(one: JobStatus) -> Iterator[str]:
    """Of a running job; of one that rests its reason says it."""
    if one.job.state is not JobState.RUNNING:
        return
    for reason, count in (one.parked_pages or {}).items():
        what = HELD_FOR[Parked(reason)].format(job=one.job.id, higher=higher_budget(one.job.max_credits))
        yield f"{counted(count, 'page')} {'waits' if count == 1 else 'wait'} {what}"


def _stalled(one: JobStatus) -> list[str]:
    """Domains whose site has asked for a far moment (Retry-After)."""
    if one.stalled_until is None:
        return []
    until = moment(one.stalled_until)
    if one.domains_stalled == 1:
        return [f"1 waits for its site until {until}"]
    return [f"{one.domains_stalled:,} wait for their sites, the last until {until}"]


def _budget(one: JobStatus) -> str:
    """The cap, and where the pace will end."""
    if pays_for_nothing(one):
        return ", mode free-only"
    words = f" of {one.job.max_credits:,}"
    if one.used_credits and one.domains_finished and one.job.state is JobState.RUNNING:
        expected = round(one.used_credits / one.domains_finished * one.job.domains_total)
        words += f"; at this pace about {expected:,} in all"
    if one.reserved_credits:
        words += f"; {one.reserved_credits:,} more reserved for calls under way"
    return words


def _reasons(one: JobStatus) -> str:
    """The most frequent ones."""
    told = [f"{plain(reason)} {count:,}" for reason, count in (one.failures or {}).items()]
    more = len(told) - REASONS_SHOWN
    rest = f", and {counted(more, 'more reason')}: prospector job errors {one.job.id}" if more > 0 else ""
    return f" ({', '.join(told[:REASONS_SHOWN])}{rest})" if told else ""


def _moment(when: datetime) -> str:
    return f"{when.astimezone():%Y-%m-%d %H:%M}"
