"""What a worker knows of one job: its limits, its matcher, and which hosts are whose."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from prospector.core.job.spec import JobSpec
from prospector.core.web.sites import bare, owner, site_of
from prospector.core.words.hints import Hints
from prospector.core.words.keywords import Keyword
from prospector.core.words.match import Matcher


@dataclass(frozen=True)
class Brief:
    """`numbers`: each keyword's place in the job's list. `siblings`: of sites with several listed hosts, these hosts."""

    job: str
    spec: JobSpec
    matcher: Matcher
    hints: Hints
    numbers: dict[Keyword, int]
    siblings: dict[str, frozenset[str]]

    def belongs(self, url: str, domain: str) -> bool:
        """A host belongs to the longest listed host that covers it."""
        try:
            host = bare(urlsplit(url).hostname or "")
        except ValueError:
            return False
        site = site_of(domain)
        if not host or site_of(host) != site:
            return False
        return owner(host, self.siblings.get(site, {bare(domain)})) == bare(domain)


def brief(job: str, spec: JobSpec, keywords: Sequence[Keyword], domains: Iterable[str]) -> Brief:
    matcher = Matcher(keywords, spec.context_characters)
    of_site: defaultdict[str, set[str]] = defaultdict(set)
    for domain in domains:
        of_site[site_of(domain)].add(bare(domain))
    siblings = {site: frozenset(hosts) for site, hosts in of_site.items() if len(hosts) > 1}
    numbers = {keyword: number for number, keyword in enumerate(keywords)}
    return Brief(job, spec, matcher, Hints(keywords), numbers, siblings)
