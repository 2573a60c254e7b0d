"""How we look to a site: one of five current browsers, the same for a domain as long as the job lasts, and consistent."""

from collections.abc import Mapping
from hashlib import blake2b

_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"
_CHROME_ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8"
_CHROMIUM_BRANDS = '"Chromium";v="154", "{brand}";v="154", "Not_A Brand";v="99"'


def _chromium(agent: str, brand: str, platform: str) -> dict[str, str]:
    return {
        "User-Agent": agent,
        "Accept": _CHROME_ACCEPT,
        "Accept-Language": "en-US,en;q=0.9",
        "sec-ch-ua": _CHROMIUM_BRANDS.format(brand=brand),
        "sec-ch-ua-mobile": "?0",
        "sec-ch-ua-platform": f'"{platform}"',
        "Upgrade-Insecure-Requests": "1",
    }


def _firefox(agent: str) -> dict[str, str]:
    return {
        "User-Agent": agent,
        "Accept": _ACCEPT,
        "Accept-Language": "en-US,en;q=0.5",
        "Upgrade-Insecure-Requests": "1",
    }


_KIT = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/154.0.0.0 Safari/537.36"
IDENTITIES: tuple[Mapping[str, str], ...] = (
    _chromium(f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_KIT}", "Google Chrome", "Windows"),
    _chromium(f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_KIT}", "Google Chrome", "macOS"),
    _chromium(f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_KIT} Edg/154.0.0.0", "Microsoft Edge", "Windows"),
    _firefox("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:150.0) Gecko/20100101 Firefox/150.0"),
    _firefox("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:150.0) Gecko/20100101 Firefox/150.0"),
)


def identity(job: str, domain: str) -> Mapping[str, str]:
    digest = blake2b(f"{job}\0{domain}".encode(), digest_size=2).digest()
    return IDENTITIES[int.from_bytes(digest, "big") % len(IDENTITIES)]


# robots.txt is asked for by name: its owner should see who reads it
CRAWLER = {"User-Agent": "BacklinkProspector/1.0", "Accept": "text/plain,*/*;q=0.5"}
