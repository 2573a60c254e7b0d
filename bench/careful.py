"""A careful crawler: slow, simple and right. It proves that the checker lets a good crawl pass.

One thread a domain, one gate a site, every hop through it. It shows the web's token where the product would pay.
"""

import argparse
import csv
import gzip
import json
import re
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urljoin, urlsplit

from careful_reading import Reader, counted, decoded, normalised, pattern, resolved
from careful_web import ROBOTS_BYTES, TOKEN, Answer, Failed, FarWait, Web, tidy
from protego import Protego

PAGE_CAP = 55
MOST_HOPS = 5
FAR_WAIT_SECONDS = 600
FAR_DELAY_SECONDS = 60
CHALLENGE = re.compile(r"just a moment|are you a robot|g-recaptcha", re.IGNORECASE)
ROOT = re.compile(r'<div id="(?:root|app|__next|__nuxt)"></div>')
REDIRECTS = (301, 302, 303, 307, 308)


class DomainCrawl:
    def __init__(self, web: Web, domain: str, patterns: dict[str, re.Pattern[str]]) -> None:
        self.web, self.domain, self.patterns = web, domain, patterns
        self.links: Counter[str] = Counter()
        self.order: dict[str, str] = {}
        self.done: set[str] = set()
        self.rows: dict[tuple[str, str], int] = {}
        self.fetched = 0
        self.scheme = "https"

    def run(self) -> str:
        """Why the domain failed; empty when it did not."""
        try:
            start, robots = self._open()
            self._see([start], 10)
            if not start.endswith(self.domain + "/"):
                self.done.add(self._key(f"http://{self.domain}/"))
            self._sitemaps(start, robots)
        except Failed as error:
            return str(error)
        first = ""
        while self.fetched < PAGE_CAP and (key := self._next()):
            try:
                self._page(self.order[key])
            except FarWait as error:
                return str(error)
            except (Failed, ValueError) as error:
                first = first or (str(error) if self.fetched == 0 and not self.rows else "")
        return first if not self.fetched else ""

    def _open(self) -> tuple[str, Protego]:
        problem = Failed("nothing answered")
        for url in (f"{scheme}://{self.domain}/" for scheme in ("https", "http")):
            try:
                self.scheme = url.partition(":")[0]
                return url, self._robots(url)
            except Failed as error:
                problem = error
                if "robots" in str(error) or "crawl-delay" in str(error):
                    break
        raise problem

    def _robots(self, url: str) -> Protego:
        """The rules of the authority of `url`, read once."""
        parts = urlsplit(url)
        authority = f"{parts.scheme}://{parts.netloc}"
        if authority not in self.web.robots:
            try:
                rules: Protego | Failed = Protego.parse(self._robots_text(f"{authority}/robots.txt"))
                delay = rules.crawl_delay(TOKEN) or 0
                gate = self.web.gate(parts.hostname or "")
                gate.delay_seconds = max(gate.delay_seconds, float(delay))
                if delay > FAR_DELAY_SECONDS:
                    rules = Failed("crawl-delay too long")
            except Failed as error:
                rules = error
            self.web.robots[authority] = rules
        found = self.web.robots[authority]
        if isinstance(found, Failed):
            raise found
        return found

    def _robots_text(self, url: str) -> str:
        answer = self._robots_answer(url, "")
        if answer is None and self.web.pays:
            answer = self._robots_answer(url, "scrapingbee-standard")
        if answer is None:
            raise Failed("robots.txt unreachable")
        return answer.body.decode("utf-8-sig", "replace") if answer.status == 200 else ""

    def _robots_answer(self, url: str, method: str) -> Answer | None:
        for attempt in range(3):
            asked, hops = url, 0
            try:
                answer = self.web.ask(asked, method, ROBOTS_BYTES)
                while answer.status in REDIRECTS and hops < MOST_HOPS:
                    asked, hops = urljoin(asked, answer.headers["Location"]), hops + 1
                    answer = self.web.ask(asked, method, ROBOTS_BYTES)
            except Failed as error:
                if attempt == 0 and ("SSL" in str(error) or "not an address" in str(error)):
                    raise Failed(f"connection: {error}") from None
                if attempt == 0 and urlsplit(url).scheme == "https":
                    raise Failed("connection over https") from None
                continue
            if answer.status < 500 and answer.status != 429:
                return answer
        return None

    def _sitemaps(self, start: str, robots: Protego) -> None:
        pending = list(dict.fromkeys([*robots.sitemaps, urljoin(start, "/sitemap.xml")]))[:6]
        for url in pending:
            if not self._mine(url) or len(pending) > 12:
                continue
            try:
                if not self._allowed(url):
                    continue
                answer = self.web.ask(url)
            except Failed:
                continue
            if answer.status in REDIRECTS:
                pending.append(urljoin(url, answer.headers.get("Location", "")))
            if answer.status != 200:
                continue
            body = gzip.decompress(answer.body) if answer.body[:2] == b"\x1f\x8b" else answer.body
            text = body.decode("utf-8", "replace")
            found = re.findall(r"<loc>\s*([^<&]+(?:&amp;[^<&]*)*)\s*</loc>", text) if "<" in text else text.split()
            found = [one.replace("&amp;", "&") for one in found]
            if "<sitemapindex" in text:
                pending.extend(found)
            else:
                self._see(found, 0)

    def _see(self, urls: list[str], weight: int = 1) -> None:
        for found in urls:
            if self._mine(found):
                url = self._as_opened(tidy(found))
                key = self._key(url)
                self.links[key] += weight
                self.order.setdefault(key, url)

    def _as_opened(self, url: str) -> str:
        """Scheme twins are one page: in the scheme that answered."""
        return f"{self.scheme}:{url.partition(':')[2]}"

    def _next(self) -> str | None:
        waiting = [key for key in self.order if key not in self.done]
        return max(waiting, key=lambda key: self.links[key], default=None)

    def _key(self, url: str) -> str:
        parts = urlsplit(url)
        return f"{(parts.hostname or '').removeprefix('www.')}{parts.path}?{re.sub('sid=[0-9a-f]+', '', parts.query)}"

    def _mine(self, url: str) -> bool:
        try:
            parts = urlsplit(url.strip())
            host = (parts.hostname or "").encode("idna").decode()
        except (ValueError, UnicodeError):
            return False
        labels = host.split(".")
        covers = [".".join(labels[n:]) for n in range(len(labels))]
        owner = next((name for name in covers if name in self.web.listed), "")
        return parts.scheme in ("http", "https") and owner == self.domain

    def _allowed(self, url: str) -> bool:
        return self._robots(url).can_fetch(url, TOKEN)

    def _page(self, url: str, hops: int = 0) -> None:
        key = self._key(url)
        self.done.add(key)
        if not self._allowed(url):
            raise Failed("robots.txt disallows it")
        answer = self._readable(url)
        location = answer.headers.get("Location")
        if answer.status in REDIRECTS and location:
            self._hop(urljoin(url, location.encode("latin-1").decode("utf-8", "replace")), hops)
        elif answer.status == 200 and "html" in answer.headers.get("Content-Type", ""):
            self.fetched += 1
            self._read(url, answer, hops)
        elif self.fetched == 0:
            raise Failed(f"HTTP {answer.status}")

    def _hop(self, target: str, hops: int) -> None:
        target = tidy(target)
        if not self._mine(target):
            raise Failed(f"leaves for {target}")
        if hops >= MOST_HOPS or (self._key(target) in self.done and urlsplit(target).path != "/"):
            raise Failed("redirect loop")
        self._page(target, hops + 1)

    def _readable(self, url: str) -> Answer:
        """The ladder: direct, once more after a wait, then what is paid."""
        method = ""
        tried: Counter[str] = Counter()
        while True:
            tried[method] += 1
            try:
                answer = self.web.ask(url, method)
            except Failed:
                if tried[method] >= 2:
                    raise
                continue
            trouble = self._trouble(answer, method)
            if not trouble:
                return answer
            if trouble == "wait" and tried[method] < 2:
                continue
            if not self.web.pays or method == "scrapingbee-js":
                raise Failed(f"{trouble}: HTTP {answer.status}")
            method = "scrapingbee-js" if trouble == "browser" or method else "scrapingbee-standard"

    def _trouble(self, answer: Answer, method: str) -> str:
        wait = answer.retry_seconds() or 0
        if wait > FAR_WAIT_SECONDS:
            raise FarWait(f"Retry-After {wait:.0f} s")
        if answer.status in (429, 503):
            return "wait" if method == "" else "blocked"
        text = answer.body[:4000].decode("utf-8", "replace")
        if answer.status == 403 or (answer.status == 200 and (not answer.body or CHALLENGE.search(text))):
            return "blocked"
        if answer.status == 200 and ROOT.search(text) and method != "scrapingbee-js":
            return "browser"
        return ""

    def _read(self, url: str, answer: Answer, hops: int) -> None:
        html = decoded(answer.body, answer.headers.get("Content-Type", ""))
        if "\x00" in html[:2000]:
            return
        reader = Reader(html, url)
        if reader.refresh:
            self._hop(urljoin(url, reader.refresh), hops)
            return
        shown = re.sub(r"[?&]sid=[0-9a-f]+", "", url)
        for keyword, count in counted(reader.text, self.patterns).items():
            self.rows.setdefault((shown, keyword), count)
        self._see(resolved(reader)[:2000])


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("ready", type=Path, help="what `python -m prospector.demo` printed")
    words.add_argument("domains", type=Path, help="one domain a line")
    words.add_argument("keywords", type=Path, help="one keyword a line")
    words.add_argument("out", type=Path, help="folder for results.csv and errors.csv")
    words.add_argument("--free", action="store_true", help="never pay")
    given = words.parse_args()
    threading.stack_size(512 * 1024)
    domains = given.domains.read_text(encoding="utf-8").split()
    patterns = {one: pattern(one) for one in given.keywords.read_text(encoding="utf-8").splitlines()}
    assert all(normalised(one) for one in patterns)
    web = Web(json.loads(given.ready.read_text(encoding="utf-8")), domains, pays=not given.free)
    crawls = [DomainCrawl(web, domain, patterns) for domain in domains]
    with ThreadPoolExecutor(len(crawls)) as pool:
        endings = list(pool.map(DomainCrawl.run, crawls))
    with (given.out / "results.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["domain", "url", "keyword", "frequency"])
        writer.writerows([one.domain, url, word, n] for one in crawls for (url, word), n in one.rows.items())
    with (given.out / "errors.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["domain", "reason"])
        writer.writerows([one.domain, why] for one, why in zip(crawls, endings, strict=True) if why)


if __name__ == "__main__":
    main()
