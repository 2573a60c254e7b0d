"""Stock Scrapy, as in a tutorial: a CrawlSpider with DOWNLOAD_DELAY, ROBOTSTXT_OBEY and a regex. For comparison.

It reaches the small web through its own proxy setting, so names need no resolver of ours.
"""

import csv
import json
import re
import sys
from pathlib import Path

from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

ready, domains, keywords, out = (Path(word) for word in sys.argv[1:5])
PROXY = "http://" + json.loads(ready.read_text(encoding="utf-8"))["address"]
PATTERNS = {
    word: re.compile(r"\b" + re.escape(word) + r"\b", re.IGNORECASE)
    for word in keywords.read_text(encoding="utf-8").splitlines()
}
DOMAINS = domains.read_text(encoding="utf-8").split()


class Tutorial(CrawlSpider):
    name = "tutorial"
    allowed_domains = DOMAINS
    start_urls = [f"http://{domain}/" for domain in DOMAINS]  # noqa: RUF012
    rules = (Rule(LinkExtractor(), callback="parse_item", follow=True),)

    def parse_start_url(self, response, **kwargs):
        return self.parse_item(response)

    def parse_item(self, response):
        if not hasattr(response, "text"):
            return
        text = " ".join(
            response.xpath("//title//text() | //body//text()[not(ancestor::script or ancestor::style)]").getall()
        )
        host = response.url.split("/")[2]
        domain = next((name for name in sorted(DOMAINS, key=len, reverse=True) if host.endswith(name)), host)
        for word, pattern in PATTERNS.items():
            if found := pattern.findall(text):
                yield {"domain": domain, "url": response.url, "keyword": word, "frequency": len(found)}


def main() -> None:
    rows = out / "results.csv"
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "DOWNLOAD_DELAY": 1,
            "CONCURRENT_REQUESTS": 100,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "RANDOMIZE_DOWNLOAD_DELAY": False,  # in its favour: by default half of its gaps are meant to be shorter
            "CLOSESPIDER_TIMEOUT": int(sys.argv[5]) if len(sys.argv) > 5 else 0,
            "FEEDS": {rows: {"format": "csv", "fields": ["domain", "url", "keyword", "frequency"], "overwrite": True}},
            "DOWNLOAD_TIMEOUT": 30,  # in its favour: with 180 s the slow sites hold it for minutes
            "LOG_LEVEL": "CRITICAL",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Tutorial)
    process.start()
    with (out / "errors.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow(["domain", "reason"])


if __name__ == "__main__":
    import os

    os.environ["http_proxy"] = os.environ["https_proxy"] = PROXY
    main()
