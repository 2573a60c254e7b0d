"""Which addresses may be connected to: public ones, and named networks for intranets and tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# what is_global lets through, and is no place for a web site: translators and tunnels to what is not public either
GLOBAL_UNICAST = IPv6Network("2000::/3")  # all that was ever given out; is_global is true of much of the rest
NEVER = tuple(
    ip_network(one)
    for one in (
        *("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "192.88.99.0/24"),
        "3fff::/20",  # for documentation, which Python learned of in 3.13
    )
)


@dataclass(frozen=True)
class Policy:
    """`allowed`: networks that are open although they are not public."""

    allowed: tuple[Network, ...] = ()

    def permits(self, address: Address) -> bool:
        mapped = getattr(address, "ipv4_mapped", None)
        if mapped is not None:
            return self.permits(mapped)
        return self.is_allowed(address) or is_public(address)

    def is_allowed(self, address: Address) -> bool:
        """Inside the named networks, where the limits per address do not hold."""
        return any(address.version == network.version and address in network for network in self.allowed)


def is_public(address: Address) -> bool:
    if address.is_multicast or not address.is_global:
        return False
    if address.version == 6 and address not in GLOBAL_UNICAST:
        return False
    return not any(address.version == network.version and address in network for network in NEVER)


@dataclass(frozen=True)
class Mapped:
    """Where a name leads: `port` replaces the one asked for; 0 keeps it."""

    pattern: str
    address: str
    port: int = 0


@dataclass(frozen=True)
class NameMap:
    """RESOLVE: the first pattern that fits a host decides; the rest is asked of the system."""

    entries: tuple[Mapped, ...] = ()

    def find(self, host: str) -> Mapped | None:
        name = host.lower().rstrip(".")
        return next((entry for entry in self.entries if fnmatchcase(name, entry.pattern)), None)


def read_name_map(parts: Sequence[str]) -> NameMap:
    """Each part `*.test=127.1.0.1:18080`, `shop.test=10.0.0.7` or `v6.test=[::1]:80`; ValueError for what is none."""
    return NameMap(tuple(_mapped(part) for part in parts))


def _mapped(part: str) -> Mapped:
    pattern, separator, target = part.partition("=")
    place = urlsplit(f"//{target.strip()}")
    if not (separator and pattern.strip()):
        raise ValueError(part)
    return Mapped(pattern.strip().lower(), str(ip_address(place.hostname or "")), place.port or 0)
