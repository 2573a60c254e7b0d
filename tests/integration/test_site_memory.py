"""What sites ask for is kept in the record, so that a frontier that loses everything still knows."""

import asyncio
import socket
import time
from types import SimpleNamespace

import pytest
from scrapy.crawler import Crawler
from scrapy.spiders import Spider
from sqlalchemy import Engine

from prospector.extensions import site_memory
from prospector.extensions.site_memory import SiteMemories
from prospector.store import server, sites


def written(engine: Engine, *notes: tuple[str, int, int]) -> dict[str, int]:
    """Site -> delay in ms, of what is recalled after these notes."""
    memories = SiteMemories.from_crawler(Crawler(Spider))
    for note in notes:
        memories.note(*note)
    asyncio.run(memories._write(engine))
    with engine.connect() as connection:
        return {one.site: one.delay_ms for one in sites.recall(connection)}


def in_seconds(seconds: int) -> int:
    return int((time.time() + seconds) * 1000)


def test_slow_paces_and_long_blocks_are_written_and_nothing_else(engine: Engine) -> None:
    notes = [
        ("slow.test", 4_000, 0),
        ("usual.test", 1_000, 0),
        ("blocked.test", 1_000, in_seconds(60)),
        ("soon.test", 900, in_seconds(2)),
    ]

    assert written(engine, *notes) == {"slow.test": 4_000, "blocked.test": 1_000}


def test_a_site_that_has_become_fast_again_is_forgotten(engine: Engine) -> None:
    assert written(engine, ("slow.test", 4_000, 0), ("slow.test", 1_000, 0)) == {}


def test_what_the_record_did_not_take_is_written_later(engine: Engine) -> None:
    memories = SiteMemories.from_crawler(Crawler(Spider))
    memories.note("slow.test", 4_000, 0)
    url = engine.url.set(database="not_there").render_as_string(hide_password=False)

    asyncio.run(memories._write(server.engine(url)))
    asyncio.run(memories._write(engine))

    with engine.connect() as connection:
        assert [one.site for one in sites.recall(connection)] == ["slow.test"]


def test_a_record_that_hangs_does_not_hold_up_the_end_of_a_worker(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(site_memory, "CLOSE_SECONDS", 0.05)
    memories = SiteMemories.from_crawler(Crawler(Spider))
    memories.note("slow.test", 4_000, 0)

    with socket.create_server(("127.0.0.1", 0)) as silent:
        hanging = server.engine(f"postgresql://nobody@127.0.0.1:{silent.getsockname()[1]}/none")
        loop = asyncio.new_event_loop()
        loop.run_until_complete(memories.spider_closed(SimpleNamespace(engine=hanging)))
    loop.run_until_complete(loop.shutdown_default_executor())
    loop.close()

    assert [one.getMessage() for one in caplog.records if one.name == site_memory.__name__] == ["sites_unwritten"]


def test_what_a_worker_remembers_of_slow_sites_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site_memory, "SLOW_MOST", 2)
    memories = SiteMemories.from_crawler(Crawler(Spider))

    for site in ("a.test", "b.test", "c.test", "c.test"):
        memories.note(site, 4_000, 0)

    assert list(memories._slow) == ["b.test", "c.test"]
