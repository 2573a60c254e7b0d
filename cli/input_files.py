"""The files that a user names: read whole, with words for what can be wrong with them."""

import difflib
import sys
from pathlib import Path

from prospector.core.lists.spreadsheet import LARGEST_FILE_BYTES
from prospector.errors import InputInvalid

STANDARD_INPUT = "-"


def contents(path: str) -> tuple[bytes, str]:
    """(the bytes, the name for messages); one byte more than the largest file is enough to refuse it."""
    if path == STANDARD_INPUT:
        return sys.stdin.buffer.read(LARGEST_FILE_BYTES + 1), "standard input"
    try:
        with Path(path).open("rb") as file:
            return file.read(LARGEST_FILE_BYTES + 1), Path(path).name
    except FileNotFoundError:
        raise InputInvalid(f"There is no file {path}.", _near(Path(path))) from None
    except IsADirectoryError:
        raise InputInvalid(f"{path} is a folder, not a file.", "Name the file in it.") from None
    except OSError as error:
        raise InputInvalid(f"{path} cannot be read: {error.strerror}.", "Give a file that you may read.") from None


def _near(path: Path) -> str:
    there = [one.name for one in path.parent.iterdir() if one.is_file()] if path.parent.is_dir() else []
    near = difflib.get_close_matches(path.name, there, 1)
    return f"Did you mean {path.with_name(near[0])}?" if near else "Check the name and the folder."
