"""Sites: what shares one gate, and which listed domain a host belongs to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prospector.core.data import entries
from prospector.core.web import sites

HOSTS = st.lists(
    st.sampled_from(
        ["www", "a", "blog", "example", "medium", "github", "tumblr", "com", "io", "co", "uk", "ck", "kobe", "jp"]
    ),
    min_size=1,
    max_size=6,
).map(".".join)


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("example.com", "example.com"),
        ("www.example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("a.b.example.co.uk", "example.co.uk"),
        ("user.github.io", "user.github.io"),
        ("a.user.github.io", "user.github.io"),
        ("github.io", "github.io"),
        ("co.uk", "co.uk"),
        ("name.substack.com", "name.substack.com"),
        ("a.name.wordpress.com", "name.wordpress.com"),
        ("wordpress.com", "wordpress.com"),
        ("www.wordpress.com", "wordpress.com"),
        ("www.gov.uk", "www.gov.uk"),
        ("shop.unknownending", "shop.unknownending"),
        ("192.0.2.1", "192.0.2.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("localhost", "localhost"),
    ],
)
def test_a_site_is_the_registrable_domain_private_suffixes_and_shared_hosts_included(host: str, site: str) -> None:
    assert sites.site_of(host) == site


@pytest.mark.parametrize(
    ("host", "owner"),
    [
        ("example.com", "example.com"),
        ("www.example.com", "example.com"),
        ("a.b.example.com", "example.com"),
        ("blog.example.com", "blog.example.com"),
        ("x.blog.example.com", "blog.example.com"),
        ("www.blog.example.com", "blog.example.com"),
        ("notexample.com", None),
        ("example.com.evil.net", None),
        ("github.io", "github.io"),
        ("user.github.io", None),
        ("user.medium.com", None),
        ("www.medium.com", "medium.com"),
        ("com", None),
    ],
)
def test_a_host_belongs_to_the_longest_listed_host_that_covers_it(host: str, owner: str | None) -> None:
    listed = {"example.com", "blog.example.com", "github.io", "medium.com"}

    assert sites.owner(host, listed) == owner


@pytest.mark.parametrize(
    ("host", "bare"),
    [
        ("www.example.com", "example.com"),
        ("www.www.example.com", "example.com"),
        ("www2.example.com", "www2.example.com"),
        ("www.com", "www.com"),
        ("www.gov.uk", "www.gov.uk"),
        ("www.github.io", "www.github.io"),
        ("www.ck", "www.ck"),
    ],
)
def test_www_is_dropped_only_in_front_of_a_name_that_can_be_owned(host: str, bare: str) -> None:
    assert sites.bare(host) == bare


def test_suffixes_of_registries_and_of_companies_are_told_apart() -> None:
    assert sites.is_suffix("co.uk")
    assert sites.is_registry_suffix("co.uk")
    assert sites.is_suffix("github.io")
    assert not sites.is_registry_suffix("github.io")
    assert not sites.is_suffix("example.com")


def test_an_ending_is_known_or_not() -> None:
    assert sites.is_known_ending("com")
    assert not sites.is_known_ending("cmo")


def test_the_shared_hosts_named_in_the_design_are_listed() -> None:
    assert entries("shared_hosts") >= {"wordpress.com", "substack.com", "medium.com", "tumblr.com", "weebly.com"}


@pytest.mark.parametrize("name", ["shared_hosts", "social_hosts"])
def test_the_packaged_hosts_are_written_as_intake_writes_domains(name: str) -> None:
    from prospector.core.web.hosts import judge

    assert {one for one in entries(name) if judge(one) != (one, None)} == set()


@given(HOSTS)
def test_the_site_of_a_site_is_itself_and_covers_the_host(host: str) -> None:
    site = sites.site_of(host)

    assert sites.site_of(site) == site
    assert host == site or host.endswith(f".{site}")


@given(HOSTS)
def test_a_bare_host_is_on_the_same_site_and_bare_already(host: str) -> None:
    bare = sites.bare(host)

    assert sites.bare(bare) == bare
    assert sites.site_of(bare) == sites.site_of(host)


@given(HOSTS, st.sets(HOSTS))
def test_an_owner_is_listed_covers_the_host_and_none_is_longer(host: str, listed: set[str]) -> None:
    covering = [
        one for one in listed if (host == one or host.endswith(f".{one}")) and len(one) >= len(sites.site_of(host))
    ]

    assert sites.owner(host, listed) == max(covering, key=len, default=None)
