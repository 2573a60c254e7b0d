"""The process of one spider of the local stack: Scrapyd's `runner`.

It gives the spider the deployment's options, holds the lock that says a spider runs, and stops it in good order when Scrapyd
ends: a stopped Scrapyd by itself leaves its spiders running.
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


def main() -> None:
    from scrapy.cmdline import execute

    home = Home(Path(os.environ["PROSPECTOR_HOME"]))
    if sys.argv[1:2] == ["crawl"]:
        locks.share(home.lock("spiders"))
        threading.Thread(target=_end_with_scrapyd, daemon=True).start()
    in_force = options.applied(options.recorded(home.sockets))
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


if __name__ == "__main__":
    main()
