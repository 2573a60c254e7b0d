"""`scrapy crawl domain -a domain=…`: one domain, with no server at all."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from prospector.demo.web.own_process import running
from prospector.demo.web.plan import Plan
from prospector.demo.web.serving import Ready
from prospector.demo.web.truth import expected
from tests.web_log import entries_until_now

from .conftest import LIMITS

KINDS = ("company", "hops", "refused", "moved-away")
PLAN = Plan(2, len(KINDS), KINDS)


@pytest.fixture(scope="module")
def web(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running(tmp_path_factory.mktemp("web") / "web.jsonl", seed=2, sites=len(KINDS), kinds=KINDS) as ready:
        yield ready


def crawl(web: Ready, *options: str, style: str = "text") -> subprocess.CompletedProcess[str]:
    return scrapy(web, "crawl", "domain", *options, style=style)


def scrapy(web: Ready, *words: str, style: str = "text") -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
    env |= {**web.settings, "DELAY_MS": "50", "LOG_STYLE": style}
    command = [sys.executable, "-m", "scrapy", *words]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[2])


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

    assert {word for word in PLAN.keywords if f" of {word}\n" in done.stderr} == set(PLAN.keywords)


def test_its_summary_is_plain_words_in_json_lines_too_and_names_what_was_never_found(web: Ready) -> None:
    done = crawl(web, "-a", f"domain={domain('hops')}", "-a", "keywords=qqqq,zzzz", "-a", "max_pages=2", style="json")

    said = [one["message"] for one in map(json.loads, done.stderr.splitlines()) if one["event"] == "summary"]
    assert said[-2:] == ["0 mentions of qqqq", "0 mentions of zzzz"]
    assert all(one == one.strip() for one in said)
    assert any(one.endswith("not asked for: page limit") for one in said)


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
        (("-a", "domain=example.com", "-a", "keyword=crm"), "Did you mean keywords?"),
        (("-a", "bogus=1"), "There is no argument 'bogus'."),
        ((), "A worker needs DATABASE_URL and REDIS_URL."),
    ],
)
def test_what_is_wrong_with_the_command_is_said_in_words(web: Ready, options: tuple[str, ...], said: str) -> None:
    done = crawl(web, *options)

    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert done.returncode == (2 if options else 3)


@pytest.mark.parametrize(
    ("name", "hint"), [("domian", "Did you mean domain?"), ("x", "There are domain, environment.")]
)
def test_a_spider_that_is_not_there_is_said_in_one_line(web: Ready, name: str, hint: str) -> None:
    done = scrapy(web, "crawl", name)

    assert done.stderr.splitlines() == [f"There is no spider {name!r}. {hint}"]
    assert done.returncode == 2


def page_of(kind: str) -> str:
    return f"http://{domain(kind)}/"


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        (("list",), "domain\nenvironment\n"),
        (("check",), ""),
        (("fetch", page_of("hops")), "<html"),
        (("shell", "-c", "response.status", page_of("hops")), "200"),
    ],
)
def test_scrapys_own_tools_work_in_the_project(web: Ready, words: tuple[str, ...], shown: str) -> None:
    done = scrapy(web, *words)

    assert shown in done.stdout
    assert "Traceback" not in done.stderr
    assert "ERROR" not in done.stderr
    assert done.returncode == 0


def test_scrapys_own_tools_keep_to_robots_txt_and_to_public_addresses(web: Ready) -> None:
    forbidden = next(page for page in PLAN.pages if page.target == "/private/notes" and page.host == domain("hops"))
    inside = Ready(**{**vars(web), "settings": {**web.settings, "ALLOWED_NETWORKS": "10.0.0.0/8"}})

    began_ns = time.monotonic_ns()

    disallowed = scrapy(web, "fetch", f"http://{forbidden.host}{forbidden.target}")
    refused = scrapy(inside, "fetch", f"http://{forbidden.host}/")

    assert {one.path for one in entries_until_now(Path(web.log), web.address) if one.at_ns > began_ns} == {
        "/robots.txt"
    }
    assert disallowed.stdout == refused.stdout == ""
    assert "no results for hostname lookup" in refused.stderr
