"""Stock Scrapy + scrapy-redis, as in its README: a CrawlSpider, Redis' queue and dupefilter, a regex a keyword, an insert a row."""

import json
import os
import re
import sys
from pathlib import Path

import psycopg2
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule
from sqlalchemy import make_url

ready, domains, keywords = (Path(word) for word in sys.argv[1:4])
REDIS_URL, DATABASE_URL = sys.argv[4:6]
PROXY = "http://" + json.loads(ready.read_text(encoding="utf-8"))["address"]
PATTERNS = {
    word: re.compile(r"\b" + re.escape(word) + r"\b", re.IGNORECASE)
    for word in keywords.read_text(encoding="utf-8").splitlines()
}
DOMAINS = domains.read_text(encoding="utf-8").split()
INSERT = "INSERT INTO stock (domain, url, keyword, frequency, snippet) VALUES (%s, %s, %s, %s, %s)"
TEXT = "//title//text() | //body//text()[not(ancestor::script or ancestor::style)]"
EACH_SIDE = 150


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
        text = " ".join(" ".join(response.xpath(TEXT).getall()).split())
        for word, pattern in PATTERNS.items():
            if found := list(pattern.finditer(text)):
                first = found[0]
                snippet = text[max(0, first.start() - EACH_SIDE) : first.end() + EACH_SIDE]
                yield {"row": (response.url.split("/")[2], response.url, word, len(found), snippet)}


class Insert:
    def open_spider(self, spider):
        url = make_url(DATABASE_URL).set(drivername="postgresql")
        self.connection = psycopg2.connect(url.render_as_string(hide_password=False))
        self.connection.autocommit = True

    def process_item(self, item, spider):
        with self.connection.cursor() as cursor:
            cursor.execute(INSERT, item["row"])
        return item


if __name__ == "__main__":
    os.environ["http_proxy"] = PROXY
    process = CrawlerProcess(
        {
            "ROBOTSTXT_OBEY": True,
            "CONCURRENT_REQUESTS": 64,
            "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
            "SCHEDULER": "scrapy_redis.scheduler.Scheduler",
            "DUPEFILTER_CLASS": "scrapy_redis.dupefilter.RFPDupeFilter",
            "REDIS_URL": REDIS_URL,
            "ITEM_PIPELINES": {Insert: 300},
            "LOG_LEVEL": "CRITICAL",
            "TELNETCONSOLE_ENABLED": False,
        }
    )
    process.crawl(Tutorial)
    process.start()
