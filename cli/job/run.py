"""`prospector job run`: from lists to a running job, with one command."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import deployment, input_files, lists, output, past_costs
from cli.command import CREDITS, SECONDS, Command, Number
from cli.deployment import Deployment
from cli.job import watching, wording
from cli.lists import Lists
from prospector.core.job.estimate import DEFAULT_CAP_CREDITS, Estimate
from prospector.core.job.spec import JobSpec
from prospector.core.lists.exclusions import domain_of
from prospector.core.visits.methods import Mode
from prospector.errors import CredentialsRejected, EnvironmentInvalid, InputInvalid

if TYPE_CHECKING:
    from prospector.jobs.submit import Submission
    from prospector.store.jobs import Created

DEFAULTS = JobSpec()
NAME_CHARACTERS = 100  # it stands in tables, messages and names of files
MEGABYTE = 1_000_000
BYTES_PER_PAGE = (
    1_500  # a page's row and its mentions, twice: in the tables and, for a while, in the logs of the servers
)
SPARE_BYTES = 200 * MEGABYTE


@dataclass(frozen=True)
class Limits:
    """What one job may take, as the options below name it."""

    max_credits: int
    max_pages: int
    max_minutes: int
    max_hours: int
    site_threshold: int
    top_pages: int
    sample: int | None


OPTIONS = (
    click.option("--max-credits", default=DEFAULT_CAP_CREDITS, show_default=True, type=CREDITS, metavar="N", help="ScrapingBee credits it may use in all."),
    click.option("--max-pages-per-domain", "max_pages", default=0, type=Number(0), metavar="N", help="Hard cap on pages fetched; 0: none."),
    click.option("--max-minutes-per-domain", "max_minutes", default=DEFAULTS.max_minutes, show_default=True, type=Number(1, 1_440), metavar="N", help="Then the domain is done with what it has."),
    click.option("--max-hours", default=DEFAULTS.max_hours, show_default=True, type=Number(1, 8_760), metavar="N", help="Then the job pauses."),
    click.option("--site-threshold", default=DEFAULTS.threshold_pages, show_default=True, type=Number(1, 100_000), metavar="N", help="Pages above which a site is not read whole."),
    click.option("--top-pages", default=DEFAULTS.top_pages, show_default=True, type=Number(1, 100_000), metavar="N", help="How many of such a site are read, the most linked ones."),
    click.option("--sample", type=Number(1), metavar="N", help="Only so many domains, from all over the list: to try it."),
)  # fmt: skip


def limit_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options that are the fields of Limits."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


@click.command(cls=Command)
@click.option("--name", help="What you call it; else the name of the file with the domains.")
@click.option("--domains", "file", required=True, metavar="FILE", help="csv, tsv, txt, xlsx; - is standard input.")
@lists.options
@limit_options
@click.option("--no-auto-start", is_flag=True, help="Make the job and do not start it.")
@click.option("--dry-run", is_flag=True, help="Say what would happen, and do nothing.")
@click.option("--follow", is_flag=True, help="Show the progress until it ends.")
@click.option("--wait-timeout", type=SECONDS, metavar="SECONDS", help="Follow for so long at most; then exit code 8.")
@output.json_option
def run(
    name: str | None,
    file: str,
    no_auto_start: bool,
    dry_run: bool,
    follow: bool,
    wait_timeout: float | None,
    as_json: bool,
    mode: str,
    **options: Any,
) -> int:
    """Make a job of a list of domains and a list of keywords, and start it.

    Everything is looked at first; where something cannot be used, nothing is made. The same command given twice is one job
    while that is not over.

    \b
    Example:
      prospector job run --name "Acme Q1" --domains domains.csv --keywords keywords.txt --max-credits 5000
      prospector job run --domains leads.xlsx --keywords keywords.txt --client-domain acme.com --follow
    """
    if no_auto_start and (follow or wait_timeout is not None):
        raise click.UsageError("--no-auto-start makes a job that does not run: there is nothing to follow.")
    limits = Limits(**{name: options.pop(name) for name in Limits.__dataclass_fields__})
    found = lists.read(lists.Asked(file, mode=Mode(mode), **options), limits.sample)
    _refuse_unusable(found, limits)
    asked = submission(found, limits, _name(name, file))
    if dry_run:
        _say_plan(past_costs.informed_if_known(found), limits, as_json)
        return _would(asked, found, as_json)
    with deployment.opened() as opened:
        found = past_costs.informed(found, opened.engine)
        _say_plan(found, limits, as_json)
        _look_at_disk(found)
        created = make(opened, asked, starts=not no_auto_start)
        _tell(opened, created, asked, found, as_json)
        if not follow and wait_timeout is None:
            return 0
        return watching.watch(opened, created.job, as_json=as_json, wait_seconds=wait_timeout)


def _name(given: str | None, file: str) -> str:
    name = (given or "").strip()
    if len(name) > NAME_CHARACTERS:
        raise click.UsageError(f"--name has {len(name):,} characters, and {NAME_CHARACTERS} are allowed.")
    return name or ("standard input" if file == input_files.STANDARD_INPUT else Path(file).stem[:NAME_CHARACTERS])


def _say_plan(found: Lists, limits: Limits, as_json: bool) -> None:
    words = list(_report(found, limits))  # also where they are not said: a key that is not accepted ends it here
    if not as_json:
        for line in words:
            output.say(line)


def _refuse_unusable(found: Lists, limits: Limits) -> None:
    from prospector import settings

    if not found.asked.keywords_file:
        raise click.UsageError("Add the keywords to look for: --keywords FILE, one keyword a line.")
    if not found.intake.domains:
        for words in lists.report(found):
            output.say(words)
        raise InputInvalid("No domain is left to crawl.", "See above what was rejected or excluded, and why.")
    if found.asked.mode is Mode.PREMIUM_ONLY and not settings.SCRAPINGBEE_API_KEY:
        raise CredentialsRejected(
            "Mode premium-only pays for every page, and there is no SCRAPINGBEE_API_KEY.",
            "Set it, or use --mode free-only.",
        )
    if found.asked.mode is Mode.PREMIUM_ONLY and limits.max_credits == 0:
        raise click.UsageError("--mode premium-only pays for every page: --max-credits 0 allows none.")


def _look_at_disk(found: Lists) -> None:
    """Of the local stack: a job that fills the disk stops everything on this machine."""
    import shutil

    from prospector import settings
    from prospector.core.job.estimate import PAGES_PER_DOMAIN

    if settings.DATABASE_URL:
        return
    home, remedy = settings.PROSPECTOR_HOME, "Free some space, or set PROSPECTOR_HOME to a folder on another disk."
    free = shutil.disk_usage(home).free
    needed = round(found.plan.domains * PAGES_PER_DOMAIN.high * BYTES_PER_PAGE)
    if free < SPARE_BYTES:
        raise EnvironmentInvalid(f"{free / MEGABYTE:,.0f} MB are free in {home}: too little for any job.", remedy)
    if free - SPARE_BYTES < needed:
        output.say(
            f"The job may need {needed / MEGABYTE:,.0f} MB, and {free / MEGABYTE:,.0f} MB are free in {home}. {remedy}"
        )


def _report(found: Lists, limits: Limits) -> Iterator[str]:
    """The same as `prospector check`, then how much of what it may cost there is money for."""
    from prospector import settings

    yield from lists.report(found)
    plan = found.plan
    if not plan.credits_high:
        return
    if not settings.SCRAPINGBEE_API_KEY:
        yield (
            f"There is no SCRAPINGBEE_API_KEY: mode {plan.mode} works as free-only, and counts the pages a key would "
            "have helped."
        )
        return
    yield from _covered(plan, limits)


def _covered(plan: Estimate, limits: Limits) -> Iterator[str]:
    """How much of the upper end there is money for: by the budget of the job, and by what the account has left."""
    account, problem = past_costs.account()
    if isinstance(problem, CredentialsRejected):  # the job would only stand still at its first paid page
        raise CredentialsRejected(problem.problem, "Fix SCRAPINGBEE_API_KEY, or use --mode free-only.") from problem
    if account is None:
        yield f"What the ScrapingBee account has left is not known. {problem}"
    left = account.left_credits if account else None
    for whose, money in (("budget", limits.max_credits), ("ScrapingBee account's rest", left)):
        if money is not None and money < plan.credits_high:
            yield f"The {whose} of {money:,} credits {lists.covered(money, plan)}. At the limit the job pauses."


def submission(found: Lists, limits: Limits, name: str) -> "Submission":
    from prospector.jobs.submit import Submission

    spec = JobSpec(
        mode=found.asked.mode,
        threshold_pages=limits.site_threshold,
        top_pages=limits.top_pages,
        max_pages=limits.max_pages,
        max_minutes=limits.max_minutes,
        max_hours=limits.max_hours,
        client_domains=_domains(found.asked.client_domains, "--client-domain"),
        competitor_domains=_domains(found.asked.competitor_domains, "--competitor-domain"),
        metric_column=found.metric.name if found.metric else None,
        languages=found.languages,
    )
    return Submission(name, spec, limits.max_credits, found.intake, found.keywords, limits.sample)


def _domains(given: Sequence[str], option: str) -> tuple[str, ...]:
    """As links are compared with them: www.Acme.com and https://acme.com/ are acme.com."""
    return tuple(dict.fromkeys(domain_of(value, option) for value in given))


def _would(asked: "Submission", found: Lists, as_json: bool) -> int:
    count = len(found.domains)
    if as_json:
        output.data({"dry_run": True, "domains": count, "keywords": len(found.keywords.keywords)})
    output.say(f"Nothing was made (--dry-run). It would be {output.counted(count, 'domain')}, named {asked.name!r}.")
    return 0


def make(opened: Deployment, asked: "Submission", *, starts: bool) -> "Created":
    """Made and started, as often as it is asked for: what was interrupted between the two goes on here."""
    from contextlib import suppress

    from prospector.jobs import control
    from prospector.jobs.follow import reconcile
    from prospector.jobs.submit import submit

    deployment.require_answers(opened)
    if starts:
        deployment.start_workers(opened)
    created = submit(opened.engine, asked)
    if not starts:
        return created
    with suppress(control.NotNow):  # started before: then what was asked for is so
        control.start(opened.engine, opened.frontier, created.job)
    reconcile(opened.engine, opened.frontier, created.job)
    return created


def _tell(opened: Deployment, created: "Created", asked: "Submission", found: Lists, as_json: bool) -> None:
    from prospector.jobs.status import status

    one = status(opened.engine, opened.frontier, created.job)
    if as_json:
        output.data(_as_object(one.as_object(), created, found))
        return
    job = created.job
    if created.was_there:
        output.say(f"This is job {wording.title(one)} already, {one.job.state}. Nothing new was made.")
        output.say("For another one beside it, give another --name.")
    elif one.job.started_at:
        domains, keywords = one.job.domains_total, len(found.keywords.keywords)
        credits_most = "" if wording.pays_for_nothing(one) else f", at most {asked.max_credits:,} credits"
        output.say(
            f"Job {wording.title(one)} has started: {output.counted(domains, 'domain')}, {output.counted(keywords, 'keyword')}, "
            f"mode {asked.spec.mode}{credits_most}."
        )
    for words in wording.outcome(one):
        output.say(words)
    click.echo(job)


def _as_object(status: dict[str, Any], created: "Created", found: Lists) -> dict[str, Any]:
    intake = found.intake
    return {
        "id": created.job,
        "state": status["state"],
        "domains": status["domains"]["total"],
        "keywords": len(found.keywords.keywords),
        "name": status["name"],
        "was_there": created.was_there,
        "max_credits": status["credits"]["cap"],
        "mode": found.asked.mode,
        "metric_column": found.metric.name if found.metric else None,
        "languages": list(found.languages),
        "rows": intake.rows,
        "duplicates": len(intake.duplicates),
        "excluded": len(intake.excluded),
        "rejected": len(intake.rejected),
        "warnings": [*intake.warnings, *found.keywords.warnings],
    }
