"""ScrapingBee's rules, as its documentation and recorded answers have them."""

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.demo.scrapingbee import rules
from prospector.demo.scrapingbee.rules import (
    Answer,
    Call,
    Fetched,
    Outcome,
    ParameterInvalid,
    ParameterNotSimulated,
    read_call,
)

URL = "https://shop.test/a?b=c&d=%20"


def header(answer: Answer, name: str) -> str | None:
    return next((value for own, value in answer.headers if own == name), None)


def fetched(status: int, first_status: int | None = None, headers: tuple[tuple[str, str], ...] = ()) -> Fetched:
    return Fetched(first_status or status, status, URL, headers, b"page")


def test_a_call_that_says_nothing_renders() -> None:
    assert read_call({"url": URL}) == Call(URL, render_js=True)


@pytest.mark.parametrize("written", ["false", "False", "FALSE", "0"])
def test_booleans_are_read_as_people_write_them(written: str) -> None:
    assert read_call({"url": URL, "render_js": written}).render_js is False


@pytest.mark.parametrize(
    ("parameters", "price"),
    [
        ({"render_js": "false"}, 1),
        ({}, 5),
        ({"render_js": "true"}, 5),
        ({"premium_proxy": "true", "render_js": "false"}, 10),
        ({"premium_proxy": "true"}, 25),
        ({"stealth_proxy": "true"}, 75),
        ({"stealth_proxy": "true", "premium_proxy": "true"}, 75),
    ],
)
def test_the_price_follows_from_the_parameters(parameters: dict[str, str], price: int) -> None:
    call = read_call({"url": URL, **parameters})

    assert rules.price_credits(call) == price
    assert rules.charged_credits(call, 200) == price


@pytest.mark.parametrize(
    ("parameters", "wrong"),
    [
        ({}, "url"),
        ({"url": "ftp://shop.test/"}, "url"),
        ({"url": "shop.test"}, "url"),
        ({"url": "http://[::1"}, "url"),
        ({"url": "http://shop.test:99999/"}, "url"),
        ({"url": URL, "render_js": "maybe"}, "render_js"),
        ({"url": URL, "tag": "x" * 37}, "tag"),
        ({"url": URL, "tag": "job/1"}, "tag"),
        ({"url": URL, "timeout": "999"}, "timeout"),
        ({"url": URL, "timeout": "141001"}, "timeout"),
        ({"url": URL, "rendr_js": "false"}, "rendr_js"),
    ],
)
def test_a_wrong_parameter_is_named(parameters: dict[str, str], wrong: str) -> None:
    with pytest.raises(ParameterInvalid) as caught:
        read_call(parameters)

    assert caught.value.name == wrong
    assert rules.invalid(caught.value).status == 400


@pytest.mark.parametrize("name", ["json_response", "screenshot", "mode", "js_scenario"])
def test_what_is_not_simulated_is_refused_rather_than_ignored(name: str) -> None:
    with pytest.raises(ParameterNotSimulated) as caught:
        read_call({"url": URL, name: "true"})

    assert rules.invalid(caught.value).status == 501
    assert read_call({"url": URL, name: "false"}).url == URL


@pytest.mark.parametrize("status", [200, 201, 204, 404, 410])
def test_success_and_not_there_pass_and_are_charged(status: int) -> None:
    answer = rules.target_answer(Call(URL, render_js=False), fetched(status))

    assert (answer.status, answer.cost, answer.body) == (status, 1, b"page")
    assert header(answer, "Spb-cost") == "1"


@pytest.mark.parametrize("status", [301, 400, 401, 403, 418, 429, 451, 500, 503])
def test_any_other_status_becomes_an_unbilled_500_that_names_it(status: int) -> None:
    answer = rules.target_answer(Call(URL), fetched(status))

    assert (answer.status, answer.cost, answer.outcome) == (500, 0, Outcome.TARGET_FAILED)
    assert header(answer, "Spb-cost") == "0"
    assert header(answer, "Spb-initial-status-code") == str(status)
    assert json.loads(answer.body)["reason"] == f"Server responded with {status}"


@pytest.mark.parametrize(("status", "cost"), [(200, 1), (403, 1), (404, 1), (429, 1), (500, 0), (503, 0)])
def test_transparent_status_codes_are_passed_on_and_charged_below_500(status: int, cost: int) -> None:
    call = Call(URL, render_js=False, transparent_status_code=True)

    answer = rules.target_answer(call, fetched(status))

    assert (answer.status, answer.cost, answer.body) == (status, cost, b"page")


def test_the_initial_status_is_that_of_the_first_hop() -> None:
    answer = rules.target_answer(Call(URL), fetched(200, first_status=308))

    assert header(answer, "Spb-initial-status-code") == "308"
    assert header(answer, "Spb-resolved-url") == URL


def test_a_targets_headers_are_prefixed_and_never_pass_for_scrapingbees_own() -> None:
    sent = (
        ("Content-Type", "text/html; charset=koi8-r"),
        ("X-Robots-Tag", "noindex"),
        ("Cost", "0"),
        ("Set-Cookie", "a=1"),
    )

    answer = rules.target_answer(Call(URL), fetched(200, headers=sent))

    assert [value for name, value in answer.headers if name.lower() == "spb-cost"] == ["5"]
    assert header(answer, "Spb-x-robots-tag") == "noindex"
    assert header(answer, "Spb-content-type") == header(answer, "Content-Type") == "text/html; charset=koi8-r"
    assert header(answer, "Set-Cookie") == "a=1"


@pytest.mark.parametrize(
    ("answer", "status", "words"),
    [
        (rules.bad_key("k"), 401, "Invalid api key: k"),
        (rules.no_credits(1000), 401, "Monthly API calls limit reached: 1000"),
        (rules.too_many(5), 429, "Max concurrency allowed 5"),
    ],
)
def test_a_refusal_costs_nothing_and_names_no_status_of_a_target(answer: Answer, status: int, words: str) -> None:
    assert (answer.status, answer.cost, json.loads(answer.body)) == (status, 0, {"message": words})
    assert header(answer, "Spb-initial-status-code") is None
    assert header(answer, "Spb-cost") == "0"


def test_a_failure_of_scrapingbees_own_carries_none_of_its_headers() -> None:
    answer = rules.own_failure(Outcome.SERVER_ERROR, 502)

    assert [name for name, _ in answer.headers if name.startswith("Spb-")] == []
    assert (answer.status, answer.cost) == (502, 0)


def test_a_callers_headers_reach_the_target_only_where_it_asked_for_that() -> None:
    sent = {"Spb-Accept-Language": "de", "Spb-X-One": "1", "Authorization": "Bearer secret"}
    browser = {"User-Agent": "browser", "Accept-Language": "en"}

    plain = rules.target_headers(Call(URL), sent, browser)
    forwarded = rules.target_headers(Call(URL, forward_headers=True), sent, browser)
    pure = rules.target_headers(Call(URL, forward_headers_pure=True, cookies="a=1"), sent, browser)

    assert plain == browser
    assert forwarded == {"User-Agent": "browser", "Accept-Language": "de", "X-One": "1"}
    assert pure == {"Accept-Language": "de", "X-One": "1", "Cookie": "a=1"}


@given(st.dictionaries(st.sampled_from(sorted(rules.READ)), st.text(max_size=20)), st.integers(100, 599))
def test_whatever_is_asked_is_a_call_or_a_named_refusal_and_a_cost_is_never_negative(
    parameters: dict[str, str], status: int
) -> None:
    named, costs = "url", {0}
    try:
        call = read_call(parameters)
        costs = {rules.charged_credits(call, status)} - {rules.price_credits(call)}
    except ParameterInvalid as error:
        named = error.name

    assert named in {"url", *parameters}
    assert costs <= {0}


def test_what_the_answer_says_it_costs_is_what_is_charged() -> None:
    calls = [Call(URL, render_js=js, transparent_status_code=clear) for js, clear in product([True, False], repeat=2)]

    answers = [rules.target_answer(call, fetched(status)) for call in calls for status in range(200, 600)]

    assert all(header(answer, "Spb-cost") == str(answer.cost) for answer in answers)
