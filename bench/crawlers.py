"""The checker's verdict on three crawlers of one small web, side by side. About two minutes each.

python bench/crawlers.py [--sites 120] [--seed 1] [careful rude stock]
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from prospector.demo.verdict.checker import Bars, Crawl, Verdict, check
from prospector.demo.verdict.coverage import failed_domains, results
from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.request_log import entries
from prospector.demo.web.tables import domains
from prospector.demo.web.truth import Limits

PAGE_CAP = 60
STOCK_SECONDS = 120  # it would never leave the traps by itself
CALM = (
    "company", "company", "company", "blog", "blog", "idn", "subdomains", "family", "orphans", "patchy", "half-application", "hops", "leaving",
    "to-www", "to-apex", "secure", "limited", "flapping", "refused", "robots-groups", "robots-longest", "robots-wildcards", "robots-missing",
    "robots-delay", "robots-redirected",
)  # fmt: skip
MARKS = {True: "", False: " !", None: ""}


def verdict(crawler: str, plan: Plan, sites: int, folder: Path) -> Verdict:
    listed = [str(row["domain"]) for row in domains(plan, Limits())]
    (folder / "domains.txt").write_text("\n".join(listed), encoding="utf-8")
    (folder / "keywords.txt").write_text("\n".join(plan.keywords), encoding="utf-8")
    with running(folder / "log.jsonl", seed=plan.seed, sites=sites, kinds=plan.kinds) as ready:
        said = json.dumps({"address": ready.address, **asdict(ready)})
        (folder / "ready.json").write_text(said, encoding="utf-8")
        script = Path(__file__).parent / f"{crawler}.py"
        words = [sys.executable, str(script), "ready.json", "domains.txt", "keywords.txt", "."]
        words += [str(STOCK_SECONDS)] if crawler == "stock" else []
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run(words, cwd=folder, check=True, env=environment)
    failed = list(failed_domains(folder / "errors.csv"))
    crawl = Crawl(entries(folder / "log.jsonl"), results(folder / "results.csv"), failed)
    return check(plan, crawl, Bars(page_cap=PAGE_CAP))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("crawlers", nargs="*", default=["careful", "rude", "stock"])
    words.add_argument("--sites", type=int, default=120)
    words.add_argument("--seed", type=int, default=1)
    words.add_argument("--kind", action="append", default=[], help="only sites of this kind (repeatable)")
    words.add_argument("--calm", action="store_true", help="only sites that are neither hostile nor endless nor large")
    given = words.parse_args()
    plan = Plan(given.seed, given.sites, CALM if given.calm else given.kind)
    verdicts = []
    for crawler in given.crawlers:
        with tempfile.TemporaryDirectory() as folder:
            verdicts.append(verdict(crawler, plan, given.sites, Path(folder)))
    print(f"{'':30}" + "".join(f"{crawler:>28}" for crawler in given.crawlers))
    for lines in zip(*(one.lines for one in verdicts), strict=True):
        print(f"{lines[0].what:30}" + "".join(f"{line.seen + MARKS[line.good]:>28}" for line in lines))
    print(f"{'passes':30}" + "".join(f"{'yes' if one.good else 'no':>28}" for one in verdicts))


if __name__ == "__main__":
    main()
