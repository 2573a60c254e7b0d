"""The account's own word, asked of the simulator."""

import socket

import pytest

from prospector.demo.control import Control
from prospector.errors import CredentialsRejected, ServerUnreachable
from prospector.fetch.usage import AskedTooOften, usage

from ..conftest import KEY  # noqa: TID252  # of the simulator that all suites share
from .conftest import Caller


def api(bee: Control) -> str:
    return f"http://{bee.address}/api/v1/"


def test_it_says_what_is_left_and_how_many_may_be_in_flight(bee: Control, caller: Caller) -> None:
    bee.control(account={"max_concurrency": 7})
    caller.call()

    told = usage(api(bee), KEY)

    assert (told.limit_credits, told.used_credits, told.left_credits) == (1_000, 1, 999)
    assert (told.max_concurrency, told.in_flight) == (7, 0)


def test_an_account_over_its_limit_has_nothing_left(bee: Control) -> None:
    bee.control(account={"used_credits": 1_004})

    assert usage(api(bee), KEY).left_credits == 0


def test_a_wrong_key_is_named_and_not_shown(bee: Control) -> None:
    with pytest.raises(CredentialsRejected, match="SCRAPINGBEE_API_KEY") as caught:
        usage(api(bee), "somebody-else-s")

    assert "somebody" not in str(caught.value)


@pytest.mark.parametrize("key", ["\u201ck-123\u201d", "k\n123", "k\u00e9y"])
def test_a_key_that_was_pasted_with_more_than_itself_is_told_as_such(bee: Control, key: str) -> None:
    with pytest.raises(CredentialsRejected, match="curly quote") as caught:
        usage(api(bee), key)

    assert "123" not in str(caught.value)
    assert bee.truth()["usage_requests"] == 0


def test_asking_too_often_is_an_error_of_its_own(bee: Control) -> None:
    for _ in range(6):
        usage(api(bee), KEY)

    with pytest.raises(AskedTooOften, match="in a minute"):
        usage(api(bee), KEY)


@pytest.mark.parametrize("fault", ["outage_error", "outage_reset"])
def test_an_outage_is_no_account_without_credits(bee: Control, fault: str) -> None:
    bee.order(fault)

    with pytest.raises(ServerUnreachable, match="account"):
        usage(api(bee), KEY)


def test_a_server_that_is_not_there_is_named_by_its_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

    with pytest.raises(ServerUnreachable, match=f"127.0.0.1:{port}"):
        usage(f"http://127.0.0.1:{port}/api/v1/", KEY)
