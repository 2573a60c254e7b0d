"""Our code onto the nodes: sent, asked what it is there, and used only where that is exactly what it is here."""

import json
import secrets
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum

from prospector import nodes
from prospector.errors import EnvironmentInvalid, ProspectorError, ServerUnreachable
from prospector.jobs.workers import SPIDER
from prospector.nodes import NodeRefused, Run

ASKER = "environment"
ANSWER_SECONDS = 60
LOOK_SECONDS = 0.25
VERSIONS_KEPT = 5  # workers that still run from an older egg read it while they run
COMPARED = ("version", "python", "digest")


class NodeDiffers(EnvironmentInvalid):
    """What would run on the node is not what is here."""


class Outcome(StrEnum):
    SENT = "sent"
    INSTALLED = "installed there, the same code"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True)
class Deployed:
    """`replaced`: workers of older code that were told to end; the steward starts new ones."""

    node: str
    outcome: Outcome
    version: str | None = None
    python: str | None = None
    replaced: int = 0
    problem: str = ""


def deploy(urls: Sequence[str], egg: bytes, here: Mapping[str, str | int], version: str) -> list[Deployed]:
    """To all nodes at once. Workers are replaced only where the new code has proved itself, one node after the other."""
    with ThreadPoolExecutor(max_workers=max(1, len(urls))) as pool:
        found = list(pool.map(lambda url: _one(url, egg, here, version), urls))
    return [_with_workers_replaced(url, one) for url, one in zip(urls, found, strict=True)]


def _one(url: str, egg: bytes, here: Mapping[str, str | int], version: str) -> Deployed:
    name = nodes.name(url)
    sent: str | None = version
    try:
        try:
            nodes.add_version(url, version, egg)
        except NodeRefused:  # the image has our code in it and takes no other
            sent = None
        there = _asked(url, sent)
        _compare(name, here, there)
    except ProspectorError as error:
        if sent:
            with suppress(ProspectorError):  # it may be what is away
                nodes.delete_version(url, version)
        outcome = Outcome.UNREACHABLE if isinstance(error, ServerUnreachable) else Outcome.REFUSED
        return Deployed(name, outcome, problem=str(error))
    if sent:
        _forget_old(url)
    return Deployed(name, Outcome.SENT if sent else Outcome.INSTALLED, str(there["version"]), str(there["python"]))


def _asked(url: str, version: str | None) -> Mapping[str, str | int]:
    """What the node says that it runs, from the log of the spider that looks."""
    run = f"{ASKER}-{secrets.token_hex(3)}"
    nodes.schedule(url, ASKER, run, {"LOG_STYLE": "json", "LOG_LEVEL": "INFO"}, version)
    finished = _finished(url, run)
    if finished is None:
        nodes.cancel(url, run)
        raise NodeRefused(
            f"{nodes.name(url)} did not run the spider `{ASKER}` within {ANSWER_SECONDS} s.",
            "All its slots may be taken: raise max_proc in scrapyd.conf above WORKERS_PER_NODE.",
        )
    log = nodes.file(url, finished.log or "").decode(errors="replace")
    said = _event(log)
    if said is None:
        last = log.strip().splitlines()[-1:] or ["nothing"]
        raise NodeRefused(f"{nodes.name(url)} cannot run this code: {last[0]}", "Install requirements/run.txt there.")
    return said


def _finished(url: str, run: str) -> Run | None:
    until = time.monotonic() + ANSWER_SECONDS
    while time.monotonic() < until:
        found = next((one for one in nodes.node(url).runs if one.id == run), None)
        if found and found.stage is nodes.Stage.FINISHED:
            return found
        time.sleep(LOOK_SECONDS)
    return None


def _event(log: str) -> Mapping[str, str | int] | None:
    for line in log.splitlines():
        with suppress(ValueError):
            event = json.loads(line)
            if isinstance(event, dict) and event.get("event") == ASKER:
                return event
    return None


def _compare(name: str, here: Mapping[str, str | int], there: Mapping[str, str | int]) -> None:
    for what in COMPARED:
        if there.get(what) != here[what]:
            raise NodeDiffers(
                f"{name} has {what} {there.get(what)}, here it is {here[what]}.",
                "Give the node the same Python and packages (requirements/run.txt), then deploy again.",
            )


def _forget_old(url: str) -> None:
    for old in nodes.versions(url)[:-VERSIONS_KEPT]:
        nodes.delete_version(url, old)


def _with_workers_replaced(url: str, done: Deployed) -> Deployed:
    if done.outcome is not Outcome.SENT:
        return done
    old = sorted(nodes.node(url).alive(SPIDER))
    for run in old:
        nodes.cancel(url, run)
    return Deployed(done.node, done.outcome, done.version, done.python, len(old))
