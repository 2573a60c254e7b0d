"""Calls to the simulator over real sockets: what they bring, what they cost, what is known of them afterwards."""

import http.client
import json
import logging
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from .conftest import KEY, Bee, Site


def test_a_page_comes_back_with_its_price_its_address_and_the_targets_headers(bee: Bee, site: Site) -> None:
    reply = bee.call("http://a.test/status/200", tag="job-1")

    assert (reply.status, reply.body) == (200, b"as asked")
    assert reply.headers["Spb-cost"] == "1"
    assert reply.headers["Spb-initial-status-code"] == "200"
    assert reply.headers["Spb-resolved-url"] == "http://a.test/status/200"
    assert reply.headers["Spb-x-own"] == "site"
    assert reply.headers["Spb-request-id"] == "demo-1"
    (call,) = bee.control.truth()["calls"]
    assert (call["url"], call["tag"], call["cost"], call["status"]) == ("http://a.test/status/200", "job-1", 1, 200)
    assert call["params"] == {"url": "http://a.test/status/200", "render_js": "false", "tag": "job-1"}
    assert call["started"] <= call["ended"]


@pytest.mark.parametrize(
    ("render_js", "method", "rendered", "cost"),
    [("false", "scrapingbee-standard", "", 1), ("true", "scrapingbee-js", "the-via-of-the-tests", 5)],
)
def test_the_web_can_tell_who_asks_and_how(
    bee: Bee, site: Site, render_js: str, method: str, rendered: str, cost: int
) -> None:
    spoofed = {"Spb-X-Demo-Via": "a", "Spb-X-Demo-Method": "b", "Spb-X-Demo-Rendered": "c", "Spb-X-Mine": "kept"}

    reply = bee.call("http://a.test/echo", headers=spoofed, render_js=render_js, forward_headers="true")

    seen = reply.words["headers"]
    assert isinstance(seen, dict)
    assert (seen["X-Demo-Via"], seen["X-Demo-Method"]) == ("the-via-of-the-tests", method)
    assert seen["X-Demo-Rendered"] == rendered
    assert seen["X-Mine"] == "kept"
    assert "Authorization" not in seen
    assert reply.headers["Spb-cost"] == str(cost)


def test_a_call_without_render_js_is_charged_as_rendering_and_can_be_counted(bee: Bee, site: Site) -> None:
    reply = bee.get("/api/v1?url=http://a.test/echo", {"Authorization": f"Bearer {KEY}"})

    truth = bee.control.truth()
    assert reply.headers["Spb-cost"] == "5"
    assert truth["without_render_js"] == [1]
    assert truth["credits_by_method"] == {"scrapingbee-js": 5}


def test_the_key_is_accepted_in_the_url_and_that_can_be_counted(bee: Bee, site: Site) -> None:
    reply = bee.get(f"/api/v1/?api_key={KEY}&url=http://a.test/echo&render_js=false", {})

    truth = bee.control.truth()
    assert reply.status == 200
    assert truth["key_in_url"] == [1]
    assert KEY not in json.dumps(truth)


@pytest.mark.parametrize(("status", "seen", "cost"), [(404, 404, 1), (410, 410, 1), (403, 500, 0), (503, 500, 0)])
def test_a_missing_page_is_charged_and_a_blocked_one_is_not(
    bee: Bee, site: Site, status: int, seen: int, cost: int
) -> None:
    reply = bee.call(f"http://a.test/status/{status}")

    assert reply.status == seen
    assert reply.headers["Spb-initial-status-code"] == str(status)
    assert bee.control.truth()["used_credits"] == cost == int(reply.headers["Spb-cost"])


def test_redirects_are_followed_and_the_first_status_and_last_address_are_told(bee: Bee, site: Site) -> None:
    reply = bee.call("http://a.test/hops/2")

    assert reply.status == 200
    assert reply.headers["Spb-initial-status-code"] == "301"
    assert reply.headers["Spb-resolved-url"] == "http://a.test/echo"
    assert bee.control.truth()["credits"] == 1


@pytest.mark.parametrize("path", ["/reset", "/hops/20", "/to-inside", "/endless"])
def test_a_target_that_never_answers_properly_costs_nothing(bee: Bee, site: Site, path: str) -> None:
    reply = bee.call(f"http://a.test{path}")

    assert (reply.status, reply.headers["Spb-cost"]) == (500, "0")
    assert reply.headers["Spb-initial-status-code"] == "503"
    assert bee.control.truth()["outcomes"] == {"target_failed": 1}


def test_a_redirect_to_the_inside_is_not_followed(bee: Bee, site: Site) -> None:
    site.canary.setblocking(False)

    bee.call("http://a.test/to-inside")

    with pytest.raises(BlockingIOError):
        site.canary.accept()
    assert bee.control.truth()["internal_urls"] == []


def test_a_target_slower_than_the_time_out_costs_nothing(bee: Bee, site: Site) -> None:
    reply = bee.call("http://a.test/held", timeout="1000")

    assert reply.status == 500
    assert reply.headers["Spb-initial-status-code"] is None
    assert bee.control.truth()["outcomes"] == {"timed_out": 1}
    assert bee.control.truth()["credits"] == 0


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://127.0.0.1:6379/",
        "http://[::1]/",
        "http://169.254.169.254/latest/meta-data",
        "http://localhost/",
        "http://elsewhere.example/",
        "http://2130706433/",
    ],
)
def test_an_internal_or_unknown_address_is_refused_and_can_be_counted(bee: Bee, site: Site, url: str) -> None:
    reply = bee.call(url)

    assert (reply.status, reply.headers["Spb-cost"]) == (400, "0")
    assert bee.control.truth()["internal_urls"] == [url]
    assert site.reached == []


def test_bodies_and_urls_arrive_byte_for_byte(bee: Bee, site: Site) -> None:
    long_path = "/echo?q=" + "%C3%A9+%2B" * 1500 + "&a=b&c=%26"

    assert bee.call("http://a.test/bytes").body == bytes(range(256))
    assert bee.call("http://a.test/gzip").body == b"zipped " * 100
    assert bee.call(f"http://a.test{long_path}").words["path"] == long_path


@pytest.mark.parametrize("verb", ["HEAD", "POST", "PUT"])
def test_only_get_is_answered(bee: Bee, site: Site, verb: str) -> None:
    with closing(http.client.HTTPConnection(bee.address, timeout=10)) as connection:
        connection.request(verb, "/api/v1/?url=http://a.test/echo", headers={"Authorization": f"Bearer {KEY}"})

        assert connection.getresponse().status == 405
    assert site.reached == []


@pytest.mark.parametrize("key", ["wrong", ""])
def test_a_wrong_key_is_refused_in_scrapingbees_words(bee: Bee, site: Site, key: str) -> None:
    reply = bee.call("http://a.test/echo", key=key)

    assert reply.status == 401
    assert "limit" not in str(reply.words["message"])
    assert bee.usage(key=key).status == 401
    assert site.reached == []


def test_a_changed_key_is_valid_from_then_on(bee: Bee, site: Site) -> None:
    bee.control.control(account={"key": "new"})

    assert bee.call("http://a.test/echo").status == 401
    assert bee.call("http://a.test/echo", key="new").status == 200


def test_credits_run_out_and_can_be_given_again(bee: Bee, site: Site) -> None:
    bee.control.control(account={"used_credits": 998})

    replies = [bee.call("http://a.test/echo", render_js="true") for _ in range(2)]
    bee.control.control(account={"max_credits": 2000})

    assert [reply.status for reply in replies] == [200, 401]
    assert replies[1].words == {"message": "Monthly API calls limit reached: 1000"}
    assert bee.control.truth()["used_credits"] == 1003
    assert bee.call("http://a.test/echo").status == 200


def test_no_more_calls_run_at_once_than_the_account_allows(serve: Callable[..., Bee], site: Site) -> None:
    bee = serve(max_concurrency=5)
    with ThreadPoolExecutor(20) as pool:
        waiting = [pool.submit(bee.call, f"http://a.test/held?{number}") for number in range(20)]
        done: list[Any] = []
        while len(done) < 15:
            time.sleep(0.02)
            done = [one for one in waiting if one.done()]
        site.open_gate()
        replies = [one.result() for one in waiting]

    refused = [reply for reply in replies if reply.status == 429]
    truth = bee.control.truth()
    assert len(refused) == 15
    assert refused[0].words == {"message": "Max concurrency allowed 5"}
    assert (truth["peak_concurrency"], truth["credits"], len(site.reached)) == (5, 5, 5)
    assert sorted(call["concurrent"] for call in truth["calls"] if call["cost"]) == [1, 2, 3, 4, 5]


def test_a_caller_that_keeps_to_the_limit_is_never_refused(serve: Callable[..., Bee], site: Site) -> None:
    bee = serve(max_concurrency=8)
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda number: bee.call(f"http://a.test/echo?{number}"), range(400)))

    truth = bee.control.truth()
    assert {reply.status for reply in replies} == {200}
    assert truth["peak_concurrency"] <= 8
    assert truth["credits"] == 400 == len(site.reached)


def test_a_lower_limit_holds_from_then_on(bee: Bee, site: Site) -> None:
    bee.control.control(account={"max_concurrency": 0})

    assert bee.call("http://a.test/echo").words == {"message": "Max concurrency allowed 0"}


def test_a_call_whose_caller_hung_up_is_finished_and_charged_without_complaint(
    bee: Bee, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    with closing(http.client.HTTPConnection(bee.address, timeout=60)) as connection:
        target = "/api/v1/?url=http%3A%2F%2Fa.test%2Fheld&render_js=true"
        connection.request("GET", target, headers={"Authorization": f"Bearer {KEY}"})
        while not site.reached:
            time.sleep(0.02)
    site.open_gate()

    while not bee.control.truth()["calls"]:
        time.sleep(0.02)

    assert bee.control.truth()["credits"] == 5
    assert [one for one in caplog.records if one.levelno >= logging.WARNING] == []


def test_usage_tells_credits_and_places_six_times_a_minute(bee: Bee, site: Site) -> None:
    bee.call("http://a.test/echo")

    answers = [bee.usage() for _ in range(7)]

    assert [answer.status for answer in answers] == [200] * 6 + [429]
    usage = answers[0].words
    assert (usage["max_api_credit"], usage["used_api_credit"], usage["max_concurrency"]) == (1000, 1, 50)
    assert bee.control.truth()["usage_requests"] == 7


def test_the_truth_needs_its_own_token(bee: Bee, site: Site) -> None:
    assert bee.get("/_truth", {"Authorization": f"Bearer {KEY}"}).status == 401
    assert bee.get("/_truth", {}).status == 401


def test_the_truth_can_be_asked_for_what_is_new(bee: Bee, site: Site) -> None:
    for number in range(3):
        bee.call(f"http://a.test/echo?{number}", tag=f"job {number}")

    truth = bee.control.truth(since_id=2)

    assert [call["id"] for call in truth["calls"]] == [3]
    assert truth["credits_by_tag"] == {"job 0": 1, "job 1": 1, "job 2": 1}


def test_the_key_is_in_no_file(bee: Bee, site: Site, tmp_path: Path) -> None:
    bee.call("http://a.test/echo")
    bee.get(f"/api/v1/?api_key={KEY}&url=http://a.test/echo", {})

    written = (tmp_path / "truth.jsonl").read_text()

    assert written.count("\n") == 2
    assert KEY not in written
