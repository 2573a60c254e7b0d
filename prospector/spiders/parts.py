"""Scrapy's parts of a crawl, in a worker and in the debug mode.

Not the project's settings: `scrapy fetch`, `scrapy shell` and the other spider have no ticket to fetch under.
"""

from collections.abc import Mapping
from typing import Any

from scrapy.settings import BaseSettings

Parts = Mapping[str, Any]


def _pipelines(last: str) -> dict[str, int]:
    return {"prospector.pipelines.match.MatchPipeline": 300, last: 900}


# one domain is crawled by the same rules whoever keeps the frontier: Scrapy's own throttles and retries are off
_CRAWL: Parts = {
    "CONCURRENT_REQUESTS": 256,
    "CONCURRENT_REQUESTS_PER_DOMAIN": 256,
    "CONCURRENT_ITEMS": 1,  # a page gives one item; Scrapy starts this many tasks for each page, 1 CPU-ms with its 100
    "DOWNLOADER_STATS": False,  # the frontier counts requests, by job and domain
    "DOWNLOAD_DELAY": 0,
    "SCRAPER_SLOT_MAX_ACTIVE_SIZE": 64 * 1024 * 1024,  # pages wait up to half a second for their commit
    "DOWNLOAD_HANDLERS": dict.fromkeys(("http", "https"), "prospector.fetch.by_method.ByMethod"),
    "DOWNLOADER_MIDDLEWARES": {
        "prospector.middlewares.robots.RobotsMiddleware": 100,
        "prospector.middlewares.identity.IdentityMiddleware": 400,
        "prospector.middlewares.limits.LimitsMiddleware": 500,
        "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
        "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
        "scrapy.downloadermiddlewares.httpauth.HttpAuthMiddleware": None,
        "scrapy.downloadermiddlewares.defaultheaders.DefaultHeadersMiddleware": None,
        "scrapy.downloadermiddlewares.useragent.UserAgentMiddleware": None,
        "scrapy.downloadermiddlewares.redirect.MetaRefreshMiddleware": None,
        "scrapy.downloadermiddlewares.redirect.RedirectMiddleware": None,
        "scrapy.downloadermiddlewares.retry.RetryMiddleware": None,
        "scrapy.downloadermiddlewares.cookies.CookiesMiddleware": None,
        "scrapy.downloadermiddlewares.httpproxy.HttpProxyMiddleware": None,
    },
    "SPIDER_MIDDLEWARES": {
        "scrapy.spidermiddlewares.start.StartSpiderMiddleware": None,
        "scrapy.spidermiddlewares.httperror.HttpErrorMiddleware": None,
        "scrapy.spidermiddlewares.referer.RefererMiddleware": None,
        "scrapy.spidermiddlewares.urllength.UrlLengthMiddleware": None,
        "scrapy.spidermiddlewares.depth.DepthMiddleware": None,
        "scrapy.spidermiddlewares.metacopy.MetaCopyDetectionMiddleware": None,
    },
}

# the frontier decides who is fetched when: scrapy-redis' seams, under its setting names
WORKER: Parts = {
    **_CRAWL,
    "SCHEDULER": "prospector.scheduler.Scheduler",
    "SCHEDULER_PERSIST": True,
    "SCHEDULER_QUEUE_CLASS": "prospector.frontier.queue.FrontierQueue",
    "DUPEFILTER_CLASS": "prospector.frontier.dupefilter.FrontierDupeFilter",
    "SCHEDULER_SERIALIZER": "prospector.frontier.codec",
    "ITEM_PIPELINES": _pipelines("prospector.pipelines.write.WritePipeline"),
    "EXTENSIONS": {
        "prospector.extensions.closer.Closer": 100,
        "prospector.extensions.second_chance.SecondChance": 100,
        "prospector.extensions.site_memory.SiteMemories": 100,
        "prospector.extensions.memory_limit.MemoryLimit": 100,
        "prospector.extensions.punctual_end.PunctualEnd": 100,
        "prospector.extensions.vitals.Vitals": 100,
    },
}

# with no server: Scrapy's own scheduler, the frontier of this process, and items to the terminal or `-o file`
DEBUG: Parts = {
    **_CRAWL,
    "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
    "ITEM_PIPELINES": _pipelines("prospector.pipelines.show.ShowPipeline"),
    "EXTENSIONS": {"prospector.extensions.second_chance.SecondChance": 100},
}


def install(settings: BaseSettings, parts: Parts) -> None:
    """Beside what the project's settings switch on or off already; `-s` on the command line wins."""
    for name, value in parts.items():
        if isinstance(value, dict):
            settings[name].update(value, priority="spider")
        else:
            settings.set(name, value, priority="spider")
