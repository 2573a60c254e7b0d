"""The process of one spider of the local stack: Scrapyd's `runner`.

It gives the spider the deployment's options, holds the lock that says a spider runs, and stops it in good order when Scrapyd
ends, since a stopped Scrapyd by itself leaves its spiders running, and when a later command has other options: the steward
then starts one that has them.
"""

import os
import signal
import sys
import threading
import time
from pathlib import Path

from prospector.local import locks, options
from prospector.local.home import Home

ORDERLY_SECONDS = 20
LOOK_SECONDS = 0.5  # a job that was made with a new key is not to meet a worker without it


def main() -> None:
    from scrapy.cmdline import execute

    home = Home(Path(os.environ["PROSPECTOR_HOME"]))
    recorded = options.recorded(home.sockets)
    if sys.argv[1:2] == ["crawl"]:
        locks.share(home.lock("spiders"))
        threading.Thread(target=_end_with_scrapyd, daemon=True).start()
        threading.Thread(target=_end_with_options, args=(home, recorded), daemon=True).start()
    in_force = options.applied(recorded)
    os.environ.clear()
    os.environ.update(in_force)
    os.environ["SCRAPY_SETTINGS_MODULE"] = "prospector.settings"
    execute()


def _end_with_scrapyd() -> None:
    """Standard input is a pipe from Scrapyd into which nothing is ever written: its end is Scrapyd's."""
    while os.read(0, 1024):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(ORDERLY_SECONDS)
    os._exit(1)


def _end_with_options(home: Home, begun_with: dict[str, str | None]) -> None:
    """Where the file is gone the stack stops, and stops its spiders itself."""
    while (options.recorded(home.sockets) or begun_with) == begun_with:
        time.sleep(LOOK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    main()
