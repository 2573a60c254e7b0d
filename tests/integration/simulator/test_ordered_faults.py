"""Faults of the simulator on request, as its callers meet them."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import IncompleteRead, RemoteDisconnected

import pytest

from prospector.demo.scrapingbee.server import SimulatorConfig
from prospector.errors import InputInvalid

from .conftest import Bee, Site

URL = "http://a.test/echo"
ENDED = (ConnectionResetError, RemoteDisconnected, IncompleteRead)


def test_an_outage_answers_500_on_every_path_without_asking_the_target(bee: Bee, site: Site) -> None:
    bee.control.order("outage_error")

    replies = [bee.call(URL), bee.usage(), bee.call(URL, key="wrong")]

    assert [reply.status for reply in replies] == [500] * 3
    assert not any(name.lower().startswith("spb-") for reply in replies for name in reply.headers)
    assert site.reached == []
    assert bee.control.truth()["outcomes"] == {"outage": 2}


def test_an_outage_resets_connections(bee: Bee, site: Site) -> None:
    bee.control.order("outage_reset")

    for ask in (lambda: bee.call(URL), bee.usage):
        with pytest.raises(ConnectionResetError):
            ask()

    assert [call["status"] for call in bee.control.truth()["calls"]] == [0]


def test_an_outage_that_hangs_is_known_at_once_and_ends_in_a_reset_when_lifted(bee: Bee, site: Site) -> None:
    bee.control.order("outage_hang")
    with ThreadPoolExecutor(1) as pool:
        hanging = pool.submit(bee.call, URL)
        while not bee.control.truth()["calls"]:
            time.sleep(0.02)
        was_answered = hanging.done()
        bee.control.lift("outage_hang")

        with pytest.raises(ConnectionResetError):
            hanging.result()
    assert not was_answered
    assert bee.call(URL).status == 200


def test_an_outage_ends_by_itself(bee: Bee, site: Site) -> None:
    bee.control.order("outage_error", seconds=1_000)
    during = bee.call(URL).status
    bee.control.order("outage_error", seconds=0.2)

    while bee.call(URL).status != 200:
        time.sleep(0.02)

    assert during == 500


def test_a_burst_fails_the_same_calls_again_under_the_same_seed(serve: Callable[..., Bee], site: Site) -> None:
    def statuses(seed: int) -> dict[str, int]:
        bee = serve(seed=seed, truth_file=None)
        bee.control.order("server_error", probability=0.4)
        with ThreadPoolExecutor(4) as pool:
            urls = [f"http://a.test/echo?{number}" for number in range(60)]
            return dict(zip(urls, (reply.status for reply in pool.map(bee.call, urls)), strict=True))

    first, again, other = statuses(1), statuses(1), statuses(2)

    assert first == again != other
    assert set(first.values()) <= {200, 500, 502, 503, 504}
    assert len(set(first.values())) == 5


def test_a_burst_costs_nothing_and_names_no_status_of_a_target(bee: Bee, site: Site) -> None:
    bee.control.order("server_error", calls=2)

    replies = [bee.call(URL) for _ in range(3)]

    assert [reply.status >= 500 for reply in replies] == [True, True, False]
    assert replies[0].headers["Spb-initial-status-code"] is None
    assert bee.control.truth()["credits"] == 1
    assert len(site.reached) == 1


def test_latency_is_added_before_the_target_is_asked(bee: Bee, site: Site) -> None:
    bee.control.order("latency", low_ms=150, high_ms=200)

    bee.call(URL)

    (call,) = bee.control.truth()["calls"]
    assert call["ended"] - call["started"] >= 0.15


@pytest.mark.parametrize("fault", ["missing_cost", "malformed_cost", "captcha", "empty_body", "unknown_status"])
def test_an_odd_answer_is_charged_all_the_same(bee: Bee, site: Site, fault: str) -> None:
    bee.control.order(fault, calls=1)

    odd, plain = bee.call(URL), bee.call(URL)

    shown = {
        "missing_cost": odd.headers["Spb-cost"] is None,
        "malformed_cost": not (odd.headers["Spb-cost"] or "").isdecimal(),
        "captcha": odd.status == 200 and b"Verify you are human" in odd.body,
        "empty_body": odd.status == 200 and odd.body == b"",
        "unknown_status": odd.status == 520,
    }
    assert shown[fault]
    assert (plain.status, plain.headers["Spb-cost"]) == (200, "1")
    assert [call["cost"] for call in bee.control.truth()["calls"]] == [1, 1]


@pytest.mark.parametrize(
    ("fault", "charged", "status"),
    [("reset_before_billing", 0, 0), ("reset_after_billing", 1, 0), ("cut_body", 1, 200)],
)
def test_a_connection_can_end_on_either_side_of_the_bill(
    bee: Bee, site: Site, fault: str, charged: int, status: int
) -> None:
    bee.control.order(fault, calls=1)

    with pytest.raises(ENDED):
        bee.call(URL)

    (call,) = bee.control.truth()["calls"]
    assert (call["cost"], call["status"]) == (charged, status)
    assert len(site.reached) == 1
    assert bee.call(URL).status == 200


def test_odd_answers_leave_failures_alone(bee: Bee, site: Site) -> None:
    bee.control.order("captcha")

    assert bee.call("http://a.test/status/403").status == 500
    assert bee.call("http://a.test/status/404").status == 200


@pytest.mark.parametrize(
    "wishes",
    [
        {"orders": [{"fault": "flood"}]},
        {"orders": [{"fault": "captcha", "probabilty": 1}]},
        {"orders": [{"fault": "captcha", "calls": "two"}]},
        {"orders": ["captcha"]},
        {"orders": [{}]},
        {"lift": ["flood"]},
        {"account": {"credits": 5}},
        {"outage": True},
    ],
)
def test_a_wish_nobody_can_fulfil_is_refused_and_changes_nothing(
    bee: Bee, site: Site, wishes: dict[str, object]
) -> None:
    with pytest.raises(InputInvalid, match="400"):
        bee.control.control(**{"orders": [{"fault": "missing_cost"}], **wishes})

    assert bee.control.control()["in_force"] == []


def test_orders_in_force_can_be_asked(bee: Bee, site: Site) -> None:
    bee.control.order("captcha")
    bee.control.order("cut_body", calls=3)

    assert bee.control.control()["in_force"] == ["captcha", "cut_body"]
    assert bee.control.lift("captcha")["in_force"] == ["cut_body"]


@pytest.mark.parametrize("changes", [{"host": "0.0.0.0"}, {"resolve": "*.test=nowhere"}, {"allowed_networks": "127.1"}])
def test_a_configuration_that_cannot_work_is_refused(serve: Callable[..., Bee], changes: dict[str, str]) -> None:
    with pytest.raises(InputInvalid):
        serve(truth_file=None, **changes)


def test_an_ipv6_target_can_be_mapped(config: SimulatorConfig) -> None:
    from prospector.demo.scrapingbee.target import Names

    names = Names.read("a.test=::1, *.b.test=[::1]:8080,*.test=127.1.0.1", "::1/128,127.1.0.0/16")

    assert names.address("A.test.", 80) == ("::1", 80)
    assert names.address("x.b.test", 80) == ("::1", 8080)
    assert names.address("c.test", 443) == ("127.1.0.1", 443)
