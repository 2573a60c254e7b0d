"""The wire to ScrapingBee, against its simulator: what is asked for, what comes back, and what is booked."""

import socket

import pytest

from prospector.core.visits.evidence import Evidence
from prospector.core.visits.methods import Method
from prospector.demo.control import Control
from prospector.errors import SettingInvalid
from prospector.fetch.scrapingbee import safe_api_url

from ..conftest import KEY  # noqa: TID252  # of the simulator that all suites share
from .conftest import Caller


def asked(bee: Control) -> list[dict[str, str]]:
    return [call["params"] for call in bee.truth()["calls"]]


def test_the_answer_is_the_target_s(caller: Caller) -> None:
    answer = caller.call("/a?b=c&d=%C3%A9", Method.STANDARD)

    assert (answer["url"], answer["status"], answer["kind"]) == ("http://a.test/a?b=c&d=%C3%A9", 200, "HtmlResponse")
    assert "page /a?b=c&d=%C3%A9" in answer["body"]


def test_the_answer_has_the_target_s_headers_and_none_of_scrapingbee_s(caller: Caller) -> None:
    headers = caller.call()["headers"]

    assert (headers["retry-after"], headers["set-cookie"]) == ("77", "seen=1")
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert not [name for name in headers if name.startswith("spb-") or name in {"cost", "content-length", "vary"}]


def test_a_redirected_page_has_the_address_it_was_found_at(caller: Caller) -> None:
    answer = caller.call("/moved")

    assert (answer["url"], answer["status"]) == ("http://a.test/end", 200)


@pytest.mark.parametrize(("method", "credits_", "render_js"), [(Method.STANDARD, 1, "false"), (Method.JS, 5, "true")])
def test_each_method_costs_what_it_should_and_says_whether_to_render(
    caller: Caller, bee: Control, method: Method, credits_: int, render_js: str
) -> None:
    answer = caller.call("/", method)

    assert answer["charged"] == credits_ == bee.truth()["credits"]
    assert asked(bee)[0]["render_js"] == render_js


def test_every_parameter_is_said_and_the_job_is_the_tag(caller: Caller, bee: Control) -> None:
    caller.call()

    parameters = asked(bee)[0]
    assert parameters["tag"] == "job_a1"
    assert {parameters[name] for name in ("premium_proxy", "stealth_proxy", "transparent_status_code")} == {"false"}
    assert int(parameters["timeout"]) == 140_000


def test_the_key_is_in_a_header_and_not_in_the_address(caller: Caller, bee: Control) -> None:
    caller.call()

    truth = bee.truth()
    assert truth["key_in_url"] == []
    assert truth["outcomes"] == {"answered": 1}


@pytest.mark.parametrize("status", [404, 410])
def test_a_page_that_is_gone_is_charged_and_is_told_as_gone(caller: Caller, bee: Control, status: int) -> None:
    answer = caller.call(f"/status/{status}", Method.JS)

    assert (answer["status"], answer["charged"]) == (status, 5)


@pytest.mark.parametrize("status", [401, 403, 429, 500, 503])
def test_a_page_that_failed_has_the_target_s_status_and_costs_nothing(
    caller: Caller, bee: Control, status: int
) -> None:
    answer = caller.call(f"/status/{status}")

    assert (answer["status"], answer["charged"], answer["body"]) == (status, 0, "")
    assert answer["headers"]["retry-after"] == "77"
    assert bee.truth()["credits"] == 0


def test_a_site_that_nobody_reaches_is_a_failure_of_the_target(caller: Caller, bee: Control) -> None:
    with socket.create_server(("127.1.0.3", 0)) as taken:
        port = taken.getsockname()[1]

    answer = caller.call(url=f"http://127.1.0.3:{port}/")

    assert (answer["status"], answer["charged"]) == (503, 0)


@pytest.mark.parametrize("fault", ["missing_cost", "malformed_cost"])
def test_a_price_that_nobody_can_read_is_not_guessed_and_the_page_is_kept(
    caller: Caller, bee: Control, fault: str
) -> None:
    bee.order(fault)

    answer = caller.call()

    assert (answer["status"], answer["charged"]) == (200, None)
    assert bee.truth()["credits"] == 1


def test_a_captcha_and_an_empty_page_are_charged_and_come_back_as_they_are(caller: Caller, bee: Control) -> None:
    bee.order("captcha", calls=1)
    captcha = caller.call()
    bee.order("empty_body", calls=1)
    empty = caller.call()

    assert (captcha["status"], captcha["charged"], empty["body"], empty["charged"]) == (200, 1, "", 1)
    assert "g-recaptcha" in captcha["body"]


def test_a_status_of_nobody_s_standard_is_charged_and_told(caller: Caller, bee: Control) -> None:
    bee.order("unknown_status")

    answer = caller.call()

    assert (answer["status"], answer["charged"]) == (520, 1)


def test_a_body_cut_short_is_no_page_but_its_price_is_known(caller: Caller, bee: Control) -> None:
    bee.order("cut_body")

    answer = caller.call("/", Method.JS)

    assert (answer["evidence"], answer["charged"]) == (Evidence.SHORT_BODY, 5)
    assert bee.truth()["credits"] == 5


def test_a_body_that_is_too_large_is_no_page_but_its_price_is_known(caller: Caller, bee: Control) -> None:
    answer = caller.call(most_bytes=10)

    assert (answer["evidence"], answer["charged"]) == (Evidence.TOO_LARGE, 1)


@pytest.mark.parametrize("fault", ["reset_before_billing", "reset_after_billing"])
def test_an_answer_that_never_comes_leaves_the_price_unknown_and_is_not_asked_for_twice(
    caller: Caller, bee: Control, fault: str
) -> None:
    caller.call()  # a connection that was kept from this one would make Twisted send the next call twice
    bee.order(fault)

    answer = caller.call()

    assert (answer["evidence"], answer["charged"]) == (Evidence.PROVIDER_FAILED, None)
    assert len(bee.truth()["calls"]) == 2


@pytest.mark.parametrize("calls", [1, 12])
def test_a_failure_of_scrapingbee_itself_costs_nothing(caller: Caller, bee: Control, calls: int) -> None:
    bee.order("server_error")

    answers = caller.calls([f"/{number}" for number in range(calls)])

    assert {answer["evidence"] for answer in answers} == {Evidence.PROVIDER_FAILED}
    assert {answer["charged"] for answer in answers} == {0}


@pytest.mark.parametrize(("fault", "charged"), [("outage_error", 0), ("outage_reset", None)])
def test_an_outage_is_a_failure_of_scrapingbee(caller: Caller, bee: Control, fault: str, charged: int | None) -> None:
    bee.order(fault)

    answer = caller.call()

    assert (answer["evidence"], answer["charged"]) == (Evidence.PROVIDER_FAILED, charged)


def test_a_call_that_hangs_is_given_up_and_its_price_is_unknown(caller: Caller, bee: Control) -> None:
    bee.order("outage_hang", seconds=5)

    answer = caller.call(answer_seconds=1.0)

    assert (answer["evidence"], answer["charged"]) == (Evidence.PROVIDER_FAILED, None)


def test_a_server_that_is_not_there_was_not_asked_so_nothing_is_charged(caller: Caller) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = taken.getsockname()

    answer = caller.call(api_url=f"http://127.0.0.1:{address[1]}/api/v1/")

    assert (answer["evidence"], answer["charged"]) == (Evidence.PROVIDER_FAILED, 0)


def test_a_machine_without_a_file_for_the_call_says_nothing_of_scrapingbee(caller: Caller, bee: Control) -> None:
    before = caller.call("/a")  # Python loads parts of itself at the first call
    without = caller.call("/b", without_files=True)
    after = caller.call("/c")

    assert (without["error"], without["evidence"]) == ("NoRoom", None)
    assert (before["status"], after["status"]) == (200, 200)
    assert len(asked(bee)) == 2


def test_a_machine_without_a_file_to_look_the_name_up_says_nothing_of_scrapingbee(caller: Caller) -> None:
    caller.api_url = "https://localhost:1/api/v1/"

    before = caller.call()
    without = caller.call(without_files=True)

    assert before["evidence"] == Evidence.PROVIDER_FAILED
    assert (without["error"], without["evidence"]) == ("NoRoom", None)


def test_a_certificate_that_is_not_valid_gets_no_key_and_no_charge(caller: Caller, bee: Control) -> None:
    answer = caller.call(api_url=f"https://{bee.address}/api/v1/")

    assert (answer["evidence"], answer["charged"]) == (Evidence.PROVIDER_FAILED, 0)
    assert bee.truth()["calls"] == []


def test_a_wrong_key_is_told_as_such_and_never_repeated(caller: Caller) -> None:
    answer = caller.call(key="another-key-of-somebody")

    assert (answer["evidence"], answer["charged"]) == (Evidence.BAD_KEY, 0)
    assert "SCRAPINGBEE_API_KEY" in answer["words"]
    assert "another-key" not in answer["words"]


@pytest.mark.parametrize("key", [None, "", "k\u00e9y", "key\nX-Evil: 1"])
def test_without_a_usable_key_nothing_is_sent(caller: Caller, bee: Control, key: str | None) -> None:
    answer = caller.call(key=key)

    assert (answer["evidence"], answer["charged"]) == (Evidence.BAD_KEY, 0)
    assert bee.truth()["calls"] == []


def test_an_account_without_credits_is_not_a_wrong_key(caller: Caller, bee: Control) -> None:
    bee.control(account={"used_credits": 1_000})

    answer = caller.call()

    assert (answer["evidence"], answer["charged"]) == (Evidence.OUT_OF_CREDITS, 0)


def test_too_many_at_once_says_how_many_the_account_may_have(caller: Caller, bee: Control) -> None:
    bee.control(account={"max_concurrency": 2})
    bee.order("latency", low_ms=300, high_ms=300)

    answers = caller.calls([f"/{number}" for number in range(6)])

    refused = [answer for answer in answers if answer.get("evidence") == Evidence.PROVIDER_BUSY]
    assert {(answer["allowed"], answer["charged"]) for answer in refused} == {(2, 0)}
    assert len(refused) == 4


def test_a_target_that_must_not_be_fetched_is_never_handed_over(caller: Caller, bee: Control) -> None:
    answer = caller.call("/private")

    assert (answer["error"], answer["charged"]) == ("AddressRefused", "not in meta")
    assert bee.truth()["calls"] == []


def test_a_call_whose_leave_runs_out_while_it_connects_is_not_made(caller: Caller, bee: Control) -> None:
    """A worker that slept in between makes no call for a page that is another's by now."""
    answer = caller.call(leaves=0)

    assert (answer["error"], answer["charged"]) == ("NotSent", "not in meta")
    assert bee.truth()["calls"] == []


def test_an_address_scrapingbee_does_not_take_fails_without_a_charge(caller: Caller) -> None:
    answer = caller.call(url="http://elsewhere.example/")

    assert (answer["evidence"], answer["charged"]) == (Evidence.PROVIDER_REFUSED, 0)


def test_the_key_goes_unencrypted_to_this_machine_only() -> None:
    assert safe_api_url("http://127.0.0.1:18090/api/v1/")
    assert safe_api_url("https://app.scrapingbee.com/api/v1/")

    for url in ("http://app.scrapingbee.com/api/v1/", "http://127.0.0.1.example/api/v1/", "http://10.0.0.1/"):
        with pytest.raises(SettingInvalid, match="unencrypted") as caught:
            safe_api_url(url)
        assert KEY not in str(caught.value)
