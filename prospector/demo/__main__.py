"""`python -m prospector.demo`: serves the small web and prints one line of JSON when it listens. For other programs."""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from prospector.demo.web.serving import Options, Ready, serve
from prospector.errors import end_in_words


def announce(ready: Ready) -> None:
    sys.stdout.write(json.dumps({"address": ready.address, **asdict(ready)}) + "\n")
    sys.stdout.flush()


def main() -> None:
    sys.excepthook = end_in_words
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--seed", type=int, default=Options.seed)
    words.add_argument("--sites", type=int, default=Options.sites)
    words.add_argument("--kind", action="append", default=[])
    words.add_argument("--port", type=int, default=Options.port)
    words.add_argument("--log", type=Path, default=Options.log)
    words.add_argument("--token", default=None, help="what the simulator shows; made when not given")
    words.add_argument("--ends-with-stdin", action="store_true", help="end when stdin is closed, too")
    given = words.parse_args()
    chosen = {"token": given.token} if given.token else {}
    kinds = tuple(given.kind)
    serve(Options(given.seed, given.sites, kinds, given.port, given.log, given.ends_with_stdin, **chosen), announce)


if __name__ == "__main__":
    main()
