"""The simulator reads what scrapy-scrapingbee 0.0.5 writes."""

from typing import Any

import pytest
from scrapy_scrapingbee import ScrapingBeeMiddleware, ScrapingBeeRequest

from .conftest import KEY, Bee, Reply, Site


def sent(bee: Bee, url: str, headers: dict[str, str] | None = None, **parameters: Any) -> Reply:
    """Encoded by its request class, joined as its middleware joins; the key in the header."""
    request = ScrapingBeeRequest(url, params=parameters, headers=headers)
    query = "&".join(f"{name}={value}" for name, value in request.meta["scrapingbee"]["params"].items())
    forwarded = {name.decode(): values[0].decode() for name, values in request.headers.items()}
    return bee.get(f"/api/v1/?{query}", {**forwarded, "Authorization": f"Bearer {KEY}"})


@pytest.mark.parametrize(
    "path",
    [
        "/echo",
        "/echo?a=b&c=d",
        "/echo?q=100%25%20caf%C3%A9",
        "/echo?next=http%3A%2F%2Fb.test%2F%3Fx%3D1%26y%3D2",
        "/a+b%2Bc;d",
    ],
)
def test_urls_arrive_at_the_target_as_they_were_given(bee: Bee, site: Site, path: str) -> None:
    reply = sent(bee, f"http://a.test{path}", render_js=False)

    assert reply.status == 200
    assert site.reached[0][0] == path
    assert bee.control.truth()["calls"][0]["url"] == f"http://a.test{path}"


@pytest.mark.parametrize(
    ("parameters", "cost"),
    [
        ({"render_js": False}, 1),
        ({"render_js": True}, 5),
        ({"render_js": False, "premium_proxy": True}, 10),
        ({"render_js": True, "premium_proxy": True, "country_code": "de"}, 25),
        ({"stealth_proxy": True}, 75),
    ],
)
def test_its_parameters_cost_what_they_should(bee: Bee, site: Site, parameters: dict[str, Any], cost: int) -> None:
    reply = sent(bee, "http://a.test/echo", **parameters)

    assert int(reply.headers["Spb-cost"]) == cost == bee.control.truth()["credits"]


def test_its_headers_and_cookies_reach_the_target(bee: Bee, site: Site) -> None:
    request = ScrapingBeeRequest("http://a.test/echo", params={}, cookies={"a": "1", "b": "2"})
    cookies = request.meta["scrapingbee"]["params"]["cookies"]

    reply = sent(bee, "http://a.test/echo", {"Accept-Language": "de"}, render_js=False, tag="job_1")
    bee.get(f"/api/v1/?url=http%3A//a.test/echo&cookies={cookies}", {"Authorization": f"Bearer {KEY}"})

    assert reply.status == 200
    assert site.reached[0][1]["Accept-Language"] == "de"
    assert site.reached[1][1]["Cookie"] == "a=1;b=2"
    assert bee.control.truth()["credits_by_tag"]["job_1"] == 1


def test_its_middleware_puts_the_key_into_the_url_and_that_is_seen(bee: Bee, site: Site) -> None:
    middleware = ScrapingBeeMiddleware(KEY)
    middleware.scrapingbee_api_url = "/api/v1/"
    request = ScrapingBeeRequest("http://a.test/echo", params={})

    reply = bee.get(middleware._get_scrapingbee_url(request.meta["scrapingbee"]["params"]), {})

    truth = bee.control.truth()
    assert reply.status == 200
    assert (truth["key_in_url"], truth["without_render_js"], truth["credits"]) == ([1], [1], 5)
