"""The whole web, a pure function of its seed and size: which sites there are and who answers for a host."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from random import Random

from prospector.demo.web.draft import Draft, moved
from prospector.demo.web.kinds import KINDS
from prospector.demo.web.prose import keywords
from prospector.demo.web.site import CLIENT, COMPETITORS, MOVED, RETIRED, Answer, Domain, Page, Schemes, Site
from prospector.errors import InputInvalid

OTHERS = (CLIENT, *COMPETITORS, "out.test", "example.test")  # there, linked to, and not on the list


class Plan:
    """`kinds` narrows the web to some kinds, in equal shares, for a test or a measurement."""

    def __init__(self, seed: int, sites: int, kinds: Sequence[str] = ()) -> None:
        unknown = set(kinds) - KINDS.keys()
        if unknown:
            raise InputInvalid(
                f"There is no kind of site {', '.join(sorted(unknown))}.", f"There are: {', '.join(KINDS)}."
            )
        self.seed = seed
        self.kinds = tuple(kinds)
        self.sites = tuple(
            KINDS[kind][0](Draft(seed, index, kind)) for index, kind in enumerate(_allotted(seed, sites, kinds))
        )

    @property
    def keywords(self) -> tuple[str, ...]:
        return keywords()

    @property
    def domains(self) -> Iterator[Domain]:
        return (domain for site in self.sites for domain in site.domains)

    @property
    def pages(self) -> Iterator[Page]:
        return (page for site in self.sites for page in site.pages.values())

    def site_of(self, host: str) -> Site | None:
        return self._by_host.get(host) or self._wild.get(registrable(host))

    def resolve(self, web: str, canary_port: int) -> str:
        """The value of RESOLVE: the names that lead elsewhere first, then all others to the web at `web`."""
        special = {
            name: address.replace("{canary_port}", str(canary_port))
            for site in self.sites
            for name, address in site.resolve.items()
        }
        return ",".join([*(f"{name}={address}" for name, address in special.items()), f"*.test={web}"])

    @cached_property
    def _by_host(self) -> dict[str, Site]:
        others = [_other(name) for name in OTHERS]
        return {host: site for site in (*others, *self.sites) for host in site.hosts}

    @cached_property
    def _wild(self) -> dict[str, Site]:
        return {site.name: site for site in self.sites if site.wildcard}


def registrable(host: str) -> str:
    """Every name here ends in one label that is not in the Public Suffix List, so its rule `*` applies."""
    return ".".join(host.rsplit(".", 2)[-2:])


def _allotted(seed: int, sites: int, kinds: Sequence[str]) -> list[str]:
    """Each kind once, as far as they go, then by their shares."""
    rng = Random(f"{seed}/kinds")  # noqa: S311  # a plan, not a secret
    once = list(kinds or KINDS)
    rng.shuffle(once)
    shares = [1 if kinds else KINDS[kind][1] for kind in once]
    return once[:sites] + rng.choices(once, weights=shares, k=max(0, sites - len(once)))


def _other(name: str) -> Site:
    hosts = (name, f"www.{name}")
    pages = [Page(host, target, name) for host in hosts for target in ("/", "/tour", "/landing")]
    answers = {host + target: answer for host in hosts for target, answer in _FORMER.items()}
    return Site(name, "other", (), frozenset(hosts), {page.key: page for page in pages}, answers, schemes=Schemes.BOTH)


_, _gone, _emptied, _circle = RETIRED  # the first is a 404, as anything that nobody has planned
_FORMER = {
    MOVED: moved("/tour"),
    _gone: Answer(410, b"<!doctype html><title>Gone</title><h1>Gone</h1>"),
    _emptied: Answer(200, b"<!doctype html><title>Page not found</title><h1>Page not found</h1><p>Try the tour."),
    _circle: moved(_circle, 302),
}
