"""`prospector demo`: a whole job before your eyes, from a list to a spreadsheet, on sites of this machine."""

import csv
import shlex
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli import deployment, lists, output
from cli.command import FAILED, INTERRUPTED
from cli.demo import watching
from cli.demo.stage import MODE, Ended, Stage, staged
from cli.job import export, exporting, run
from prospector.core.results.score import Verdict as SiteVerdict
from prospector.core.results.sums import Sum
from prospector.errors import Conflict, EnvironmentInvalid, ProspectorError

if TYPE_CHECKING:
    from cli.deployment import Deployment
    from cli.lists import Lists
    from prospector.demo.verdict.checker import Verdict

NAME = "Small web"
MAX_CREDITS = 1_000
DOMAINS, KEYWORDS = "domains.csv", "keywords.txt"
BEST_FIRST = ("report.html", "results.xlsx", "prospects.csv", "results.csv", "errors.csv", "cost.csv")


@dataclass(frozen=True)
class Played:
    job: str
    sum: Sum
    paths: dict[str, str]
    verdict: "Verdict"


def show(sites: int, seed: int, out: Path, *, keep: bool, as_json: bool) -> int:
    """The exit code: 0 if the job's sums add up and no promise was broken."""
    began = time.monotonic()
    output.say(f"A crawl of {sites:,} made-up sites, all of it on this machine: no network, no account, no cost.")
    here, out = Path.cwd(), out.absolute()
    home = out / "home" if keep else None
    _refuse_others_files(out)
    try:
        with staged(sites, seed, home) as stage:
            played = _play(stage, out)
            _tell(played, here, as_json)
    except (KeyboardInterrupt, Ended):
        output.say("Interrupted. Nothing of the demo is left running.")
        return INTERRUPTED
    output.say(f"Done in {time.monotonic() - began:,.0f} s, and nothing is left running.")
    for words in _next(home, here):
        output.say(words)
    return 0 if played.verdict.good else FAILED


def _refuse_others_files(out: Path) -> None:
    """What lies there under the names of ours is of an earlier demo, or it would be lost."""
    from prospector.demo import showcase

    domains = out / DOMAINS
    if domains.is_file() and domains.read_bytes().startswith(showcase.HEAD.encode()):
        return
    if taken := [name for name in (DOMAINS, KEYWORDS, *BEST_FIRST) if (out / name).exists()]:
        raise Conflict(
            f"The demo would replace files in {out} that are not of a demo: {', '.join(taken)}.",
            "Choose another --out.",
        )


def _play(stage: Stage, out: Path) -> Played:
    found = _lists(stage, out)
    output.say("Starting a Postgres, a Redis and a Scrapyd of its own, and a small web ...")
    with deployment.opened() as opened:
        asked = run.submission(found, _limits(), NAME)
        job = run.make(opened, asked, starts=True).job
        output.say(
            "Crawling, one request a second to a site at most; where it is refused, through a simulated ScrapingBee:"
        )
        watching.until_rest(opened, job)
        paths = _export(opened, job, out)
    sums = _sum(found, Path(paths["prospects.csv"]))
    sums.check()
    return Played(job, sums, paths, _verdict(stage, paths))


def _lists(stage: Stage, out: Path) -> "Lists":
    """Two files as a user would have them, read as any other."""
    from prospector.demo import showcase
    from prospector.demo.web.plan import Plan
    from prospector.demo.web.prose import languages

    plan = Plan(stage.seed, stage.sites, showcase.kinds())
    domains_file, keywords_file = out / DOMAINS, out / KEYWORDS
    try:
        out.mkdir(parents=True, exist_ok=True)
        domains_file.write_text(showcase.domains_csv(plan), encoding="utf-8")
        keywords_file.write_text(showcase.keywords_txt(plan), encoding="utf-8")
    except OSError as error:
        raise EnvironmentInvalid(
            f"Nothing can be written in {out}: {error.strerror}.", "Choose another --out."
        ) from error
    found = lists.read(_asked(domains_file, keywords_file))
    domains, words = len(found.intake.domains), len(found.keywords.keywords)
    output.say(
        f"The list: {found.intake.rows:,} rows with {domains:,} domains to crawl. {words} keywords in {len(languages())} languages."
    )
    return found


def _asked(domains: Path, keywords: Path) -> lists.Asked:
    from prospector.demo import showcase
    from prospector.demo.web.site import CLIENT, COMPETITORS

    return lists.Asked(
        domains_file=str(domains),
        keywords_file=str(keywords),
        client_domains=(CLIENT,),
        competitor_domains=COMPETITORS,
        exclude_files=(),
        keep_social=False,
        column=None,
        metric_column=showcase.METRIC,
        languages=(),
        mode=MODE,
    )


def _limits() -> run.Limits:
    from prospector.core.job.spec import JobSpec
    from prospector.demo import showcase

    usual = JobSpec()
    return run.Limits(
        max_credits=MAX_CREDITS,
        max_pages=showcase.MAX_PAGES,
        max_minutes=usual.max_minutes,
        max_hours=usual.max_hours,
        site_threshold=usual.threshold_pages,
        top_pages=usual.top_pages,
        sample=None,
    )


def _export(opened: "Deployment", job: str, out: Path) -> dict[str, str]:
    from prospector.jobs.exports import asking
    from prospector.jobs.exports.order import Format, Order
    from prospector.store.kinds import ExportState

    asking.ask(opened.engine, job, Order((Format.CSV, Format.XLSX, Format.HTML)))
    made = exporting.until_made(opened, job)
    if made.state is not ExportState.READY:
        raise ProspectorError(f"The export failed: {made.reason}.", "This is a defect of Prospector.")
    return export.fetched(made, export.Fetching(out, "name"))[1]


def _sum(found: "Lists", prospects: Path) -> Sum:
    """Read back from the file, so that what is said is what is in it."""
    with prospects.open(encoding="utf-8-sig", newline="") as file:
        verdicts = Counter(SiteVerdict(row["verdict"]) for row in csv.DictReader(file))
    failed, waiting = verdicts[SiteVerdict.FAILED], verdicts[SiteVerdict.WAITING]
    intake = found.intake
    return Sum(
        rows=intake.rows,
        duplicates=len(intake.duplicates),
        excluded=len(intake.excluded),
        unusable=len(intake.rejected),
        domains=verdicts.total(),
        done=verdicts.total() - failed - waiting,
        failed=failed,
        waiting=waiting,
        verdicts=verdicts,
    )


def _verdict(stage: Stage, paths: dict[str, str]) -> "Verdict":
    """The web knows what it said, and to whom when."""
    from prospector.demo import showcase
    from prospector.demo.verdict import checker, coverage, dead_links
    from prospector.demo.web import request_log
    from prospector.demo.web.plan import Plan
    from prospector.demo.web.truth import Limits, Mode

    crawl = checker.Crawl(
        request_log.entries(stage.web_log),
        coverage.results(Path(paths["results.csv"])),
        list(coverage.failed_domains(Path(paths["errors.csv"]))),
        checker.credits_charged(stage.calls) if stage.calls.exists() else None,
        list(dead_links.said_to_be_dead(Path(paths["prospects.csv"]))),
    )
    bars = checker.Bars(limits=Limits(max_pages=showcase.MAX_PAGES, mode=Mode(MODE)))
    return checker.check(Plan(stage.seed, stage.sites, showcase.kinds()), crawl, bars)


def _tell(played: Played, here: Path, as_json: bool) -> None:
    if as_json:
        output.data(_as_object(played))
        return
    click.echo("\nWhat became of your list (it adds up):")
    for line in played.sum.lines():
        click.echo(f"{'      ' * line.level}{line.count:>7,}  {line.name}")
    click.echo("\nFiles, the best one to open first:")
    for name in BEST_FIRST:
        click.echo(f"  {_short(Path(played.paths[name]), here)}")
    click.echo()
    for words in _judged(played.verdict):
        click.echo(words)
    click.echo()


def _as_object(played: Played) -> dict[str, Any]:
    return {
        "job": played.job,
        "sum": {line.name: line.count for line in played.sum.lines()},
        "files": played.paths,
        "verdict": played.verdict.as_json(),
    }


def _judged(verdict: "Verdict") -> Iterator[str]:
    seen = {line.what: line.seen for line in verdict.lines}
    broken = [f"{line.what} {line.seen} (allowed {line.allowed})" for line in verdict.lines if line.good is False]
    yield f"Checked against what the sites really say{': NOT as promised' if broken else ''}:"
    if broken:
        yield from (f"  {words}" for words in broken)
        return
    yield f"  {_of(seen['recall'])} mentions that a reader could find are there"
    yield f"  {_of(seen['precision'])} rows of results.csv are true, each with the right count"
    yield f"  {seen['dead links not said'].partition(' of ')[2]} of the sites link to dead addresses of the client only, and are named"
    yield f"  never two requests to a site within a second: the closest two were {seen['smallest gap']} apart"
    yield "  robots.txt and Retry-After obeyed, no trap fallen for"


def _of(seen: str) -> str:
    """Of "0.9991 (2,151 of 2,153)" what people read."""
    return seen.partition("(")[2].rstrip(")")


def _next(home: Path | None, here: Path) -> Iterator[str]:
    command = _command(here)
    yield "\nNow your own list:"
    yield f"  {command} check YOUR_LIST.csv --keywords YOUR_KEYWORDS.txt"
    yield f"  {command} job run --domains YOUR_LIST.csv --keywords YOUR_KEYWORDS.txt --client-domain YOUR_SITE --mode free-only --follow"
    if home:
        yield f"This job stays: PROSPECTOR_HOME={shlex.quote(_short(home, here))} {command} job list"


def _command(here: Path) -> str:
    """As it can be typed here."""
    program = Path(__file__).parents[2] / "bin" / "prospector"
    if shutil.which("prospector") or not program.exists():
        return "prospector"
    return shlex.quote(_short(program, here))


def _short(path: Path, here: Path) -> str:
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
