"""Standard output and error as every command can use them, whatever the command was started with."""

import os
import sys
from io import TextIOWrapper

STREAMS = {1: "stdout", 2: "stderr"}


def make_usable() -> None:
    """One that is closed leads nowhere: else the next file of ours would get its number, and what a child prints.

    What an encoding has no letter for becomes a question mark: a keyword in Japanese is no reason for an error in LANG=de_DE.
    """
    for number, name in STREAMS.items():
        stream = getattr(sys, name)
        if stream is None:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8", closefd=False))
        elif isinstance(stream, TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="replace")


def knows_all_letters() -> bool:
    return (sys.stdout.encoding or "").lower().startswith("utf")
