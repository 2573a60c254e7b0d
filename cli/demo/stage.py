"""Where `prospector demo` plays: a stack, a small web and a simulator of its own, of which nothing is left."""

import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

from cli import output
from prospector import env
from prospector.core.visits.methods import Mode
from prospector.errors import EnvironmentInvalid

if TYPE_CHECKING:
    from prospector.demo.web.serving import Ready

MODE = Mode.HYBRID
KEY = "demo-key"
IDLE_SECONDS = 5  # should even the demo be killed, its stack ends by itself
# what a process needs of its surroundings; options of a deployment are not among them
SURROUNDINGS = ("HOME", "PATH", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "TERM", "COLORTERM", "COLUMNS",
    "LINES", "NO_COLOR", "FORCE_COLOR")  # fmt: skip


@dataclass(frozen=True)
class Stage:
    """`home` holds the stack, and what the web and the simulator have logged."""

    home: Path
    sites: int
    seed: int

    @property
    def web_log(self) -> Path:
        return self.home / "web.jsonl"

    @property
    def calls(self) -> Path:
        return self.home / "calls.jsonl"


class Ended(Exception):  # no error: somebody asked for it
    """The demo was told to stop by a signal other than Ctrl-C."""


@contextmanager
def staged(sites: int, seed: int, kept_in: Path | None) -> Iterator[Stage]:
    """Everything runs, and the settings of this process lead there. Left in whatever way, all of it is stopped."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _end)
    with ExitStack() as stage:
        home = _home(kept_in, stage)
        found = Stage(home, sites, seed)
        web = _web(found, stage)
        _set_the_scene(home, _simulator(found, web, stage) | web.settings)
        stage.callback(_stop_stack, home)
        try:
            yield found
        finally:
            _be_left_alone()
            output.say("Stopping its servers ...")


def _home(kept_in: Path | None, stage: ExitStack) -> Path:
    if kept_in is None:
        home = Path(tempfile.mkdtemp(prefix="prospector-demo-"))
        stage.callback(shutil.rmtree, home, ignore_errors=True)
        return home
    try:
        kept_in.mkdir(mode=0o700, parents=True, exist_ok=True)
        for log in ("web.jsonl", "calls.jsonl"):  # the manners of one crawl are not those of another
            (kept_in / log).unlink(missing_ok=True)
    except OSError as error:
        raise EnvironmentInvalid(f"{kept_in} cannot be used: {error.strerror}.", "Choose another --out.") from error
    return kept_in


def _web(found: Stage, stage: ExitStack) -> "Ready":
    from prospector.demo import showcase
    from prospector.demo.web import own_process

    kinds = showcase.kinds()
    return stage.enter_context(own_process.running(found.web_log, seed=found.seed, sites=found.sites, kinds=kinds))


def _simulator(found: Stage, web: "Ready", stage: ExitStack) -> dict[str, str]:
    """The settings that lead to it; none in a mode that pays for nothing."""
    from prospector.demo.scrapingbee import server as scrapingbee_server

    if MODE is Mode.FREE_ONLY:
        return {}
    config = scrapingbee_server.SimulatorConfig(
        key=KEY,
        via_token=web.token,
        resolve=web.settings["RESOLVE"],
        allowed_networks=web.settings["ALLOWED_NETWORKS"],
        truth_file=str(found.calls),
    )
    bee = stage.enter_context(scrapingbee_server.start(config))
    return {"SCRAPINGBEE_API_URL": f"http://{bee.address}/api/v1/", "SCRAPINGBEE_API_KEY": KEY}


def _set_the_scene(home: Path, settings: Mapping[str, str]) -> None:
    """Before the settings are read for the first time: neither the user's environment nor a prospector.toml counts, only flags."""
    assert "prospector.settings" not in sys.modules, "this would be a demo on the user's own servers"
    flags = [name for name in os.environ.get(env.FLAGS_VARIABLE, "").split(",") if name]
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in SURROUNDINGS or name.startswith("LC_") or name in {env.FLAGS_VARIABLE, *flags}
    }
    ours = {
        **settings,
        "PROSPECTOR_HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
        "LOCAL_IDLE_SECONDS": str(IDLE_SECONDS),
        "METRICS_ADDRESS": "127.0.0.1:0",  # the usual port is that of the stack of this user
        "LOG_LEVEL": "warning",
    }
    os.environ.clear()
    os.environ.update(ours | kept)
    os.chdir(home)


def _be_left_alone() -> None:
    """A second Ctrl-C does not leave half of it behind."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _stop_stack(home: Path) -> None:
    from prospector.local import attach
    from prospector.local.home import Home

    attach.detach(Home(home))
    attach.stop(Home(home))


def _end(_number: int, _frame: FrameType | None) -> None:
    raise Ended
