"""Real workers on real Scrapyds, kept there whatever becomes of either."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, HTTPServer

from sqlalchemy import Engine, text

from prospector import nodes
from prospector.frontier import calls, job_calls
from prospector.frontier.client import Frontier
from prospector.frontier.job_calls import Status
from prospector.jobs import control
from prospector.jobs.crew import WorkerState, crew
from prospector.jobs.workers import SPIDER, ensure_workers
from tests.integration.nodes.conftest import Scrapyd, Start, until

IDLE_IN_TRANSACTION = """
SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'
"""
BeginJob = Callable[..., str]


def alive(*scrapyds: Scrapyd) -> list[int]:
    return [len(nodes.node(one.url).alive(SPIDER)) for one in scrapyds]


def beating(frontier: Frontier) -> set[str]:
    return {one.node for one in frontier.run(calls.workers())}


def status(frontier: Frontier, job: str) -> Status:
    (found,) = frontier.run(job_calls.status([job]))
    assert found
    return found


def test_a_job_goes_on_over_nodes_that_die_join_and_restart(
    start_scrapyd: Start, crawls: dict[str, str], engine: Engine, frontier: Frontier, begin_job: BeginJob
) -> None:
    first, second = start_scrapyd(environment=crawls), start_scrapyd(environment=crawls)
    urls = [first.url, second.url]
    job = begin_job("one")

    ensure_workers(engine, frontier, urls, per_node=1)
    until(lambda: beating(frontier) == {nodes.name(url) for url in urls}, "the workers do not begin")
    until(lambda: status(frontier, job).pages > 0, "no page is read")
    assert alive(first, second) == [1, 1]

    other_job = begin_job("two", first_site=12)
    until(lambda: status(frontier, other_job).pages > 0, "a second job waits for workers on full nodes")
    assert alive(first, second) == [1, 1]

    second.kill()
    third = start_scrapyd(environment=crawls)
    urls.append(third.url)
    staff = ensure_workers(engine, frontier, urls, per_node=1)
    assert list(staff.started) == [nodes.name(third.url)]
    assert list(staff.problems) == [nodes.name(second.url)]
    until(lambda: nodes.name(third.url) in beating(frontier), "the new node does not work")

    first.kill_scrapyd_alone()
    first.start()
    assert ensure_workers(engine, frontier, urls, per_node=1).started == {}
    states = {one.node: one.state for one in crew(urls, frontier).workers}
    assert states == {
        nodes.name(first.url): WorkerState.FORGOTTEN,
        nodes.name(second.url): WorkerState.UNKNOWN,
        nodes.name(third.url): WorkerState.RUNNING,
    }
    before = status(frontier, job).pages
    until(lambda: status(frontier, job).pages > before or status(frontier, job).queued == 0, "the job does not go on")


def test_a_killed_worker_is_replaced_and_a_held_job_gets_none(
    start_scrapyd: Start, crawls: dict[str, str], engine: Engine, frontier: Frontier, begin_job: BeginJob
) -> None:
    scrapyd = start_scrapyd(environment=crawls)
    job = begin_job("one")
    ensure_workers(engine, frontier, [scrapyd.url], per_node=1)
    begun: list[int] = []
    until(lambda: begun.extend(scrapyd.spiders()) or begun, "the worker does not begin")

    os.kill(begun[0], signal.SIGKILL)
    until(lambda: alive(scrapyd) == [0], "Scrapyd does not notice")
    control.pause(engine, frontier, job)
    while_held = ensure_workers(engine, frontier, [scrapyd.url], per_node=1)
    control.resume(engine, frontier, job)
    resumed = ensure_workers(engine, frontier, [scrapyd.url], per_node=1)

    assert while_held.started == {}
    assert len(resumed.started[nodes.name(scrapyd.url)]) == 1


def test_callers_at_the_same_moment_start_no_worker_twice(
    start_scrapyd: Start, crawls: dict[str, str], engine: Engine, frontier: Frontier, begin_job: BeginJob
) -> None:
    scrapyd = start_scrapyd(environment=crawls)
    begin_job("one")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: ensure_workers(engine, frontier, [scrapyd.url], per_node=1), range(4)))

    assert alive(scrapyd) == [1]


def test_no_transaction_stands_open_while_nodes_are_asked(
    engine: Engine, frontier: Frontier, begin_job: BeginJob
) -> None:
    """A node that hangs takes its time, and servers end what idles in a transaction."""
    asked: list[tuple[str, int]] = []

    class Node(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # http.server's name
            with engine.connect() as connection:
                asked.append((self.path.partition("?")[0], connection.scalar(text(IDLE_IN_TRANSACTION))))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"status": "ok", "pending": [], "running": [], "finished": []}')

        do_POST = do_GET  # noqa: N815  # http.server's name

    begin_job("one")
    with HTTPServer(("127.0.0.1", 0), Node) as node, ThreadPoolExecutor(1) as pool:
        pool.submit(node.serve_forever)
        ensure_workers(engine, frontier, [f"http://127.0.0.1:{node.server_port}"], per_node=1)
        node.shutdown()

    assert asked == [("/listjobs.json", 0), ("/schedule.json", 0)]


def test_a_worker_that_has_grown_too_large_leaves_in_good_order(
    start_scrapyd: Start, crawls: dict[str, str], frontier: Frontier, begin_job: BeginJob
) -> None:
    scrapyd = start_scrapyd(environment=crawls)
    job = begin_job("one")

    nodes.schedule(scrapyd.url, SPIDER, "worker-1", {"NODE_NAME": "here", "WORKER_MEMORY_MB": "100"})

    until(lambda: nodes.node(scrapyd.url).ended(SPIDER), "it does not leave")
    (run,) = nodes.node(scrapyd.url).runs
    assert b"worker_drains" in nodes.file(scrapyd.url, run.log or "")
    assert frontier.run(calls.workers()) == []
    assert status(frontier, job).in_flight == 0
    assert status(frontier, job).dead_letters == 0


def test_a_worker_has_one_name_everywhere_and_its_log_can_be_found(
    start_scrapyd: Start, crawls: dict[str, str], engine: Engine, frontier: Frontier, begin_job: BeginJob
) -> None:
    scrapyd = start_scrapyd(environment=crawls)
    begin_job("one")
    staff = ensure_workers(engine, frontier, [scrapyd.url], per_node=1)
    ((name,),) = staff.started.values()
    until(lambda: frontier.run(calls.workers()), "the worker does not begin")

    (worker,) = crew([scrapyd.url], frontier).workers

    assert worker.worker == name
    assert worker.memory_mb
    assert worker.log == f"{nodes.address(scrapyd.url)}/logs/prospector/domain/{name}.log"
