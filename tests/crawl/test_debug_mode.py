"""`scrapy crawl domain -a domain=…`: one domain, with no server at all."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector.demo.plan import Plan
from prospector.demo.truth import expected
from prospector.demo.web import Ready
from prospector.demo.web_process import running

from .conftest import LIMITS

KINDS = ("company", "hops", "refused", "moved-away")
PLAN = Plan(2, len(KINDS), KINDS)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running(tmp_path_factory.mktemp("web") / "web.jsonl", seed=2, sites=len(KINDS), kinds=KINDS) as ready:
        yield ready


def crawl(web: Ready, *options: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    env |= {**web.settings, "DELAY_MS": "50", "LOG_STYLE": "text"}
    words = [sys.executable, "-m", "scrapy", "crawl", "domain", *options]
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2])


def domain(kind: str) -> str:
    return next(site.domains[0].name for site in PLAN.sites if site.kind == kind)


def test_it_finds_what_a_worker_would_and_says_what_became_of_the_rest(web: Ready, tmp_path: Path) -> None:
    name, out = domain("company"), tmp_path / "out.json"

    done = crawl(web, "-a", f"domain={name}", "-a", f"keywords={','.join(PLAN.keywords)}", "-o", str(out))

    wanted = {
        (one.url.partition("//")[2], one.keyword, one.count) for one in expected(PLAN, LIMITS) if one.domain == name
    }
    pages = json.loads(out.read_text())
    assert wanted
    assert wanted == {
        (page["url"].partition("//")[2], one["keyword"], one["frequency"]) for page in pages for one in page["mentions"]
    }
    assert "skipped: robots.txt disallowed" in done.stderr
    assert done.returncode == 0


def test_keywords_may_come_from_a_file(web: Ready, tmp_path: Path) -> None:
    words = tmp_path / "keywords.txt"
    words.write_text("\n".join(PLAN.keywords), encoding="utf-8")

    done = crawl(web, "-a", f"domain=https://{domain('hops')}/", "-a", f"keywords_file={words}", "-a", "max_pages=3")

    assert "none of the keywords" not in done.stderr
    assert "mentions" in done.stderr


@pytest.mark.parametrize(
    ("kind", "said"), [("refused", "failed: HTTP 403 Forbidden"), ("moved-away", "redirected: moved to new-home")]
)
def test_a_domain_that_cannot_be_read_says_why(web: Ready, kind: str, said: str) -> None:
    assert said in crawl(web, "-a", f"domain={domain(kind)}", "-a", "keywords=crm").stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-a", "domain=localhost", "-a", "keywords=crm"), "'localhost' is not a domain"),
        (("-a", "domain=example.com"), "There are no keywords to look for."),
        (("-a", "domain=example.com", "-a", "keywords_file=/nowhere.txt"), "/nowhere.txt"),
        (("-a", "domain=example.com", "-a", "keywords=crm", "-a", "max_pages=many"), "max_pages"),
    ],
)
def test_what_is_wrong_with_the_command_is_said_in_words(web: Ready, options: tuple[str, ...], said: str) -> None:
    done = crawl(web, *options)

    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode != 0
