"""The checker's proof: a careful crawl of the small web passes, a rude one is caught on each count."""

import csv
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from prospector.demo.verdict.checker import Bars, Crawl, Verdict, check
from prospector.demo.verdict.coverage import failed_domains, results
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import entries
from prospector.demo.web.tables import domains
from prospector.demo.web.truth import Limits

BENCH = Path(__file__).parents[2] / "bench"
PAGE_CAP = 60
QUICK = (
    "company", "blog", "idn", "family", "subdomains", "half-application", "refused", "captcha", "limited",
    "robots-longest", "robots-closed", "robots-delay", "hops", "twins", "secure", "canary-redirects", "unknown-name",
)  # fmt: skip
TEMPTING = ("company", "blog", "refused", "limited", "robots-closed", "calendar", "canary-links", "application")


def crawled(crawler: str, seed: int, kinds: Sequence[str], folder: Path) -> Verdict:
    plan = Plan(seed, len(kinds), kinds)
    (folder / "domains.txt").write_text(
        "\n".join(str(row["domain"]) for row in domains(plan, Limits())), encoding="utf-8"
    )
    (folder / "keywords.txt").write_text("\n".join(plan.keywords), encoding="utf-8")
    with running(folder / "log.jsonl", seed=seed, sites=len(kinds), kinds=kinds) as ready:
        said = json.dumps({"address": ready.address, **asdict(ready)})
        (folder / "ready.json").write_text(said, encoding="utf-8")
        words = [sys.executable, str(BENCH / f"{crawler}.py"), "ready.json", "domains.txt", "keywords.txt", "."]
        subprocess.run(words, cwd=folder, check=True, timeout=120)
    failed = list(failed_domains(folder / "errors.csv"))
    crawl = Crawl(entries(folder / "log.jsonl"), results(folder / "results.csv"), failed)
    return check(plan, crawl, Bars(page_cap=PAGE_CAP))


def test_a_careful_crawl_passes(tmp_path: Path) -> None:
    verdict = crawled("careful", 5, QUICK, tmp_path)

    assert [line for line in verdict.lines if line.good is False] == []
    with (tmp_path / "results.csv").open(encoding="utf-8") as file:
        assert len(list(csv.reader(file))) > 50


def test_a_rude_crawl_is_caught_on_each_count(tmp_path: Path) -> None:
    verdict = crawled("rude", 5, TEMPTING, tmp_path)

    kept = {line.what for line in verdict.lines if line.good is True}
    assert kept == {"accessible domains failed"}
