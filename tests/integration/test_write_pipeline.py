"""The batch that is written: what it remembers of its domains."""

from collections.abc import Callable
from typing import Any

import pytest
from scrapy.crawler import Crawler
from scrapy.spiders import Spider
from sqlalchemy import Engine

from prospector.core.visits.outcomes import DomainState
from prospector.pipelines import write
from prospector.pipelines.write import WritePipeline
from prospector.store import domains
from prospector.store.pages import PageRow


def test_what_it_remembers_of_domains_is_bounded_and_a_domain_may_be_opened_twice(
    engine: Engine, job: str, page: Callable[..., PageRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write, "OPENED_MOST", 2)
    spider: Any = Spider("a worker's")
    spider.engine = engine
    crawler = Crawler(Spider)
    crawler.spider = spider
    pipeline = WritePipeline.from_crawler(crawler)

    for number, domain in enumerate([0, 1, 2, 0]):
        assert pipeline._write(job, [page(number + 1, domain=domain)]).refused == {}

    assert [domain for _, domain, _ in pipeline._opened] == [2, 0]
    with engine.connect() as connection:
        assert domains.tally(connection, job)[DomainState.OPEN] == 3
