"""Which addresses may be connected to, in every form there is, and what RESOLVE says."""

from ipaddress import ip_address, ip_network

import pytest

from prospector.core.web.addresses import Mapped, NameMap, Policy, is_public, read_name_map

PUBLIC = ("8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700::6810:84e5", "2a00:1450:4001:82a::200e", "::ffff:8.8.8.8")
PRIVATE = (
    "0.0.0.0", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.66.0.1", "169.254.169.254", "172.16.0.1", "192.0.0.1", "192.0.2.1",
    "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1",
    "2001:db8::1", "2002:7f00:1::1", "3fff::1", "4000::1", "5f00::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
)  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_permitted(address: str) -> None:
    assert Policy().permits(ip_address(address))


@pytest.mark.parametrize("address", PRIVATE)
def test_no_other_address_is_in_whatever_form(address: str) -> None:
    assert not Policy().permits(ip_address(address))


@pytest.mark.parametrize(
    ("network", "address", "permitted"),
    [
        ("127.1.0.0/16", "127.1.0.1", True),
        ("127.1.0.0/16", "::ffff:127.1.0.1", True),
        ("127.1.0.0/16", "127.2.0.1", False),
        ("10.0.0.0/8", "::ffff:127.0.0.1", False),
        ("::1/128", "::1", True),
        ("::1/128", "127.0.0.1", False),
        ("fd00::/8", "fd00::5", True),
    ],
)
def test_named_networks_are_open_and_nothing_beside_them(network: str, address: str, permitted: bool) -> None:
    assert Policy((ip_network(network),)).permits(ip_address(address)) is permitted


def test_the_limits_per_address_hold_outside_the_named_networks_only() -> None:
    policy = Policy((ip_network("127.1.0.0/16"),))

    assert policy.is_allowed(ip_address("127.1.0.1"))
    assert not policy.is_allowed(ip_address("8.8.8.8"))


def test_tunnels_to_other_addresses_are_not_public() -> None:
    assert not is_public(ip_address("2002:808:808::1"))  # 6to4 of 8.8.8.8: whoever relays it decides


def test_names_lead_where_the_first_pattern_says() -> None:
    names = read_name_map(["shop.test=10.0.0.7", "*.test=127.1.0.1:18080", "v6.example=[::1]:80", "w6.example=[::1]"])

    assert names.find("shop.test") == Mapped("shop.test", "10.0.0.7")
    assert names.find("A.Test.") == Mapped("*.test", "127.1.0.1", 18080)
    assert names.find("v6.example") == Mapped("v6.example", "::1", 80)
    assert names.find("w6.example") == Mapped("w6.example", "::1")
    assert names.find("test") is None
    assert NameMap().find("a.test") is None


@pytest.mark.parametrize(
    "part", ["", "a.test", "=1.2.3.4", "a.test=", "a.test=somewhere", "a.test=1.2.3.4:port", "a=[::1"]
)
def test_a_part_that_says_nothing_is_refused(part: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # env.py says which setting it was
        read_name_map([part])
