"""The ladder over real workers: what is paid for, what is not, and what it finds."""

from prospector.core.methods import Mode

from .conftest import Stage

FREE = ("company", "blog", "flapping", "half-application")
PAID = ("refused", "refused-twice", "challenge", "captcha", "empty", "unavailable", "application", "robots-failing-direct")
HOPELESS = ("refused-always", "unavailable-always", "login", "unknown-name", "closed-port", "robots-failing")


def test_hybrid_finds_what_only_money_can_read_and_books_what_was_charged(stage: Stage) -> None:
    stage.serve(*FREE, *PAID, *HOPELESS)
    job = stage.job()

    stage.start(2)
    stage.until(lambda: stage.over(job))
    stage.stop()

    truth = stage.bee.truth()
    for call in truth["calls"]: print(call["url"], call["method"], call["cost"], call["status"], call["outcome"])
    print(stage.rows("select domain,state,reason,pages,direct_requests,standard_requests,js_requests,js_pages,credits from domains where job=:j", j=job))
    print(stage.rows("select url,outcome,method,detail,status from pages where job=:j and method<>'direct'", j=job))
    assert stage.verdict(job) == []
    assert stage.ledger(job).used == truth["credits"] == stage.counters(job)["spent"]
    assert stage.ledger(job).reserved == stage.counters(job)["reserved"] == 0
    assert 0
