"""The ladder over real workers: what is paid for, what is not, and what it finds."""

from prospector.core.visits.methods import Mode
from prospector.demo.web.site import Reach
from prospector.demo.web.truth import address, canonical

from .stage import KEY, Stage

FREE = ("company", "blog", "half-application")
PAID = (
    "refused",
    "refused-twice",
    "challenge",
    "captcha",
    "empty",
    "unavailable",
    "application",
    "robots-failing-direct",
)
HOPELESS = ("refused-always", "login", "unknown-name", "closed-port")


def readable_directly(stage: Stage) -> set[str]:
    return {
        canonical(address(page, site), site.ignored_query)
        for site in stage.plan.sites
        for page in site.pages.values()
        if page.reach is Reach.DIRECT
    }


def test_hybrid_finds_what_only_money_can_read_and_pays_for_nothing_else(stage: Stage) -> None:
    stage.serve(*FREE, *PAID, *HOPELESS)
    job = stage.job()

    stage.start(2)
    stage.until(lambda: stage.over(job), hurry=True)
    stage.stop()

    truth = stage.bee.truth()
    paid = {canonical(call["url"]) for call in truth["calls"] if call["cost"]}
    assert stage.verdict(job) == []
    assert len(paid) > 20
    assert paid & readable_directly(stage) == set()
    assert stage.ledger(job).used == truth["credits"] == stage.counters(job)["spent"]
    assert stage.ledger(job).reserved == stage.counters(job)["reserved"] == 0
    assert max(stage.calls_by_url().values()) <= 3
    asked = stage.rows("SELECT sum(credits), sum(standard_requests + js_requests) FROM domains WHERE job = :j", j=job)
    assert tuple(asked[0]) == (truth["credits"], len(truth["calls"]))
    assert truth["without_render_js"] == truth["internal_urls"] == []


def test_premium_only_pays_for_pages_and_for_nothing_beside_them(stage: Stage) -> None:
    stage.serve("application", "refused", "company", "hops", "unknown-name")
    job = stage.job(mode=Mode.PREMIUM_ONLY)

    stage.start()
    stage.until(lambda: stage.over(job))
    stage.stop()

    truth = stage.bee.truth()
    assert stage.verdict(job) == []
    assert {call["method"] for call in truth["calls"]} == {"scrapingbee-js"}
    assert [call["url"] for call in truth["calls"] if "robots" in call["url"] or "sitemap" in call["url"]] == []
    assert stage.ledger(job).used == truth["credits"] == stage.counters(job)["spent"]
    assert stage.counters(job)["reserved"] == 0


def test_without_a_key_hybrid_is_free_and_counts_what_one_would_have_helped_until_it_is_given(stage: Stage) -> None:
    stage.serve("company", "refused", "application")
    del stage.settings["SCRAPINGBEE_API_KEY"]
    domains = [site.name for site in stage.plan.sites]
    free = stage.job(domains)
    stage.start()
    stage.until(lambda: stage.over(free))

    assert stage.bee.truth()["calls"] == []
    assert stage.counters(free)["key_wanted"] == 1 + 4  # a homepage that is refused, and pages of an application
    assert stage.logs().count("works as free-only") == 1

    (stage.folder / "prospector.toml").write_text(f'SCRAPINGBEE_API_KEY = "{KEY}"\n')
    while "scrapingbee_key_changed" not in stage.logs():  # workers look every ten seconds, when they need to know
        crawled(stage, ["nothing-there.invalid"])

    assert stage.verdict(crawled(stage, domains)) == []


def crawled(stage: Stage, domains: list[str]) -> str:
    job = stage.job(domains)
    stage.until(lambda: stage.over(job))
    return job
