"""How this program is called from where its user stands, so that any command in a message can be pasted."""

import os
import re
import shlex
import shutil
from functools import cache
from pathlib import Path

NAME = "prospector"
CALLED_VARIABLE = "PROSPECTOR_CALLED"  # set by bin/prospector: itself, as it was typed


@cache
def program() -> str:
    """Its name, unless it was called by a path and the shell does not find it by name."""
    called = os.environ.get(CALLED_VARIABLE)
    found = shutil.which(NAME)
    if not called or (found and Path(found).resolve() == Path(called).resolve()):
        return NAME
    return shlex.quote(called)


def pasteable(words: str) -> str:
    """The words with every command in them as it can be typed here."""
    return words if program() == NAME else _commands().sub(lambda _: program(), words)


@cache
def _commands() -> re.Pattern[str]:
    from cli.main import COMMANDS

    return re.compile(rf"(?<![\w./~-]){NAME}(?= (?:{'|'.join(COMMANDS)})\b| --help| \[OPTIONS\])")
