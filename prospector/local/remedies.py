"""What the last words of a server, or of the system, ask the user to do."""

from prospector.errors import EnvironmentInvalid
from prospector.local.children import Child


def failure(what: str, child: Child) -> EnvironmentInvalid:
    return EnvironmentInvalid(f"{what}: {child.last_words()}", remedy_for(child.last_lines()))


def system_failure(error: OSError) -> EnvironmentInvalid:
    words = f"{error.strerror} ({error.filename})" if error.filename else str(error)
    return EnvironmentInvalid(f"The local stack cannot go on: {words}.", remedy_for(words))


def remedy_for(words: str) -> str:
    """What a server's or the system's last words ask for."""
    if any(sign in words for sign in ("No space left", "Disk quota", "free disk space")):
        return "The disk is full: free about 100 MB, or set PROSPECTOR_HOME to a folder on another disk, and run this again."
    if "File too large" in words:
        return "A limit on the size of files is in force (ulimit -f): lift it and run this again."
    if "could not look up effective user" in words:
        return "Your user id has no entry in the system's list of users: add one, or set DATABASE_URL."
    return "The log of each server is in PROSPECTOR_HOME/logs; prospector doctor looks further."
