"""What answers of ScrapingBee mean, where the simulator cannot be made to say them in a short time."""

import json

import pytest
from scrapy.http import Headers

from prospector.core.visits.evidence import Evidence
from prospector.fetch.client import Raw
from prospector.fetch.paid import PaidCallFailed, PriceMalformed, PriceMissing
from prospector.fetch.scrapingbee_answer import credits_charged, target

URL = "https://a.test/"


def raw(status: int, body: object = b"", **headers: str) -> Raw:
    encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Raw(
        status, Headers({name.replace("_", "-"): value for name, value in headers.items()}), encoded, True, False
    )


@pytest.mark.parametrize("cost", ["", "free", "-5", "1.5", "5 credits", "\u00b2", "1_0", "0x1", "9" * 19, "0" * 5_000])
def test_a_price_is_a_whole_number_or_an_error(cost: str) -> None:
    with pytest.raises(PriceMalformed, match="cost"):
        credits_charged(raw(200, Spb_Cost=cost))


def test_no_price_is_an_error_of_its_own() -> None:
    with pytest.raises(PriceMissing, match="HTTP 200"):
        credits_charged(raw(200, Spb_Initial_Status_Code="200"))


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_5xx_that_did_not_come_through_to_the_target_costs_nothing(status: int) -> None:
    assert credits_charged(raw(status)) == 0


def test_a_5xx_after_the_target_answered_must_say_its_price() -> None:
    with pytest.raises(PriceMissing):
        credits_charged(raw(500, Spb_Initial_Status_Code="500"))


def test_a_site_too_slow_for_scrapingbee_is_the_site_s_fault() -> None:
    with pytest.raises(PaidCallFailed) as caught:
        target(raw(500, {"error": "try again", "reason": "Timeout"}), URL, 0)

    assert caught.value.evidence is Evidence.TIMED_OUT


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1]", {"message": 5}, {"reason": None}])
def test_a_500_in_any_other_words_is_scrapingbee_s(body: object) -> None:
    with pytest.raises(PaidCallFailed) as caught:
        target(raw(500, body), URL, 0)

    assert caught.value.evidence is Evidence.PROVIDER_FAILED


@pytest.mark.parametrize(
    ("reason", "initial", "status"),
    [
        ("Server responded with 403", "301", 403),
        ("in words not met before", "403", 403),
        ("in words not met before", "200", 500),
        ("in words not met before", "odd", 500),
    ],
)
def test_the_status_of_a_failed_page_is_the_target_s_as_far_as_it_is_told(
    reason: str, initial: str, status: int
) -> None:
    answer = target(raw(500, {"reason": reason}, Spb_Initial_Status_Code=initial, Spb_Cost="0"), URL, 0)

    assert (answer.status, answer.url, answer.body) == (status, URL, b"")


def test_a_target_cannot_pass_a_header_of_its_own_for_scrapingbee_s_price() -> None:
    answer = target(raw(200, Spb_Initial_Status_Code="200", Spb_Cost="5", Spb_Spb_Cost="0", Spb_Server="x"), URL, 5)

    assert answer.headers.to_unicode_dict() == {"Spb-Cost": "0", "Server": "x"}


def test_a_body_that_was_packed_for_the_target_is_not_unpacked_twice() -> None:
    answer = target(raw(200, b"text", Spb_Initial_Status_Code="200", Spb_Content_Encoding="gzip"), URL, 1)

    assert "Content-Encoding" not in answer.headers


def test_nothing_of_scrapingbee_s_words_goes_into_an_error_for_they_may_repeat_the_key() -> None:
    for status in (400, 401, 403, 429, 500, 502):
        with pytest.raises(PaidCallFailed) as caught:
            target(raw(status, {"message": "Invalid api key: hunter2"}), URL, 0)
        assert "hunter2" not in repr(caught.value) + str(caught.value)
