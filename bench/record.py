"""What the record costs: a job of 50,000 domains, and batches of 100 pages with their mentions, beside the obvious way.

    .venv/bin/python -m bench.record [--filled 1000000]

The obvious way: the same rows as lists of dictionaries, one `insert().on_conflict_do_nothing()` a table, one transaction a
batch. `--filled`: mentions that are in the job's partition before the batches are measured. Takes about 20 s.
"""

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory

from sqlalchemy import Engine, MetaData, insert, text
from sqlalchemy.dialects import postgresql

from bench.generated import SNIPPET, batch
from prospector.local import attach
from prospector.local.home import Home
from prospector.local.servers import with_home
from prospector.store import jobs, pages, schema, server, tables
from prospector.store.jobs import Keyword, ListedDomain, NewJob
from prospector.store.pages import PageRow

DOMAINS = 50_000
BATCHES = 200
NEW = NewJob(
    "bench",
    {"mode": "hybrid"},
    10_000,
    [Keyword(f"keyword {number}") for number in range(50)],
    [ListedDomain(f"site-{number}.example.com", number, {"DR": str(number % 90)}) for number in range(DOMAINS)],
)


@contextmanager
def stack() -> Iterator[Engine]:
    with TemporaryDirectory() as folder:
        home = Home(Path(folder) / "stack")
        engine = server.engine(with_home(home).database_url, connections=2)
        try:
            schema.migrate(engine)
            yield engine
        finally:
            engine.dispose()
            attach.stop(home)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--filled", type=int, default=0)
    filled = options.parse_args().filled
    with stack() as engine:
        ours, job = timed(lambda: create(engine))
        obvious, _ = timed(lambda: create_obviously(engine))
        print(
            f"job of {DOMAINS:,} domains      {ours:6.2f} s   the obvious way {obvious:6.2f} s   {obvious / ours:4.1f} x"
        )
        other = create(engine)
        for one in (job, other):
            fill(engine, one, filled)
        batches = [batch(DOMAINS, len(NEW.keywords)) for _ in range(BATCHES)]
        mentions = sum(len(one.mentions) for rows in batches for one in rows) / BATCHES
        print(f"batches of 100 pages and {mentions:.0f} mentions, {filled:,} mentions before")
        ways = {
            "ours": lambda rows: pages.write(engine, job, rows),
            "ours, replayed": lambda rows: pages.write(engine, job, rows),
            "the obvious way": lambda rows: write_obviously(engine, other, rows),
        }
        # in turn, so that whatever else the machine does meets all of them
        times = {name: [] for name in ways}
        for rows in batches:
            for name, write in ways.items():
                times[name].append(timed(lambda one=rows, write=write: write(one))[0] * 1_000)
        for name, milliseconds in times.items():
            cut = quantiles(milliseconds, n=100)
            print(f"  {name:<16} P50 {cut[49]:6.1f} ms   P95 {cut[94]:6.1f} ms")


def create(engine: Engine) -> str:
    with engine.begin() as connection:
        return jobs.create(connection, NEW).job


def create_obviously(engine: Engine) -> None:
    with engine.begin() as connection:
        job = jobs.create(connection, NewJob("bench", {}, 0, [], [])).job
        rows = [
            {"job": job, "number": number, "input_row": one.input_row, "domain": one.domain, "cells": one.cells}
            for number, one in enumerate(NEW.domains)
        ]
        connection.execute(insert(tables.domains), rows)


def fill(engine: Engine, job: str, mentions: int) -> None:
    with engine.begin() as connection:
        connection.execute(
            text(f"""INSERT INTO pages_{job} (job, page, settled_at, domain, outcome, generation, attempts, depth, flags, url)
                SELECT '{job}', hashint8extended(n, 7), now(), n % {DOMAINS}, 'read', 1, 1, 0, 0, 'https://x.example.com/' || n
                FROM generate_series(1, {mentions}) AS n""")
        )
        connection.execute(
            text(f"""INSERT INTO mentions_{job} SELECT hashint8extended(n, 7), 1, 'main', 0, '{job}', '{SNIPPET}', NULL, NULL
                FROM generate_series(1, {mentions}) AS n""")
        )


def write_obviously(engine: Engine, job: str, batch: Sequence[PageRow]) -> None:
    with engine.begin() as connection:
        for table, rows in (
            (tables.pages, [{**vars(one), "flags": int(one.flags), "job": job} for one in batch]),
            (tables.mentions, [{**vars(said), "page": one.page, "job": job} for one in batch for said in one.mentions]),
        ):
            part = table.to_metadata(MetaData(), name=f"{table.name}_{job}")
            known = [{name: value for name, value in one.items() if name in part.c} for one in rows]
            connection.execute(postgresql.insert(part).on_conflict_do_nothing(), known)


def timed(work: Callable[[], object]) -> tuple[float, object]:
    begun = time.perf_counter()
    result = work()
    return time.perf_counter() - begun, result


if __name__ == "__main__":
    main()
