"""The sample of a list: from all over it, and the same one each time."""

import pytest

from prospector.core.lists.sample import sampled
from prospector.core.web.urls import fingerprint, homepage_fingerprint


def test_a_sample_is_spread_over_the_list() -> None:
    assert sorted(sampled(1_000, 4)) == [0, 250, 500, 750]


@pytest.mark.parametrize(("count", "wanted"), [(10, 3), (10, 10), (10, 99), (7, 5), (50_000, 25), (3, None)])
def test_a_sample_has_as_many_as_wanted_or_all(count: int, wanted: int | None) -> None:
    chosen = sampled(count, wanted)

    assert len(chosen) == min(count, wanted or count)
    assert set(chosen) <= set(range(count))


@pytest.mark.parametrize("domain", ["acme.com", "www.acme.com", "xn--fa-hia.de", "a.b.co.uk", "www.com", "1.example"])
def test_the_fingerprint_of_a_homepage_is_that_of_its_address(domain: str) -> None:
    assert homepage_fingerprint(domain) == fingerprint(f"https://{domain}/")
