"""How a fetch can fail, in words of ours."""

import asyncio
import errno
import os
import socket

from scrapy.exceptions import IgnoreRequest

from prospector.errors import ProspectorError


class FetchFailed(ProspectorError):
    """No usable answer."""


class NotSent(FetchFailed):
    """The leave to send ran out before anything left: nothing was asked of the site."""


class NoRoom(NotSent):
    """This machine has no file or memory left for another connection: no site is to blame."""


class Stopped(FetchFailed):
    """Cut off because the worker stops."""


class NameUnknown(FetchFailed):
    """DNS has no address for the host, or did not say in time."""


class NoSuchName(NameUnknown):
    """DNS says that there is none: it is not that nobody answered."""


class AddressRefused(FetchFailed):
    """The host leads to an address that is not public."""


class Disallowed(IgnoreRequest):
    """robots.txt says no: nothing was asked of the site."""


class DelayTooLong(IgnoreRequest):
    """robots.txt wants longer delays than we can wait: nothing was asked of the site."""


# of this process, of this machine, and of its network buffers
NO_ROOM = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

# that a name server has answered so; not EAI_AGAIN, which is said where none did
NO_SUCH_NAME = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)})


NO_ROOM_SECONDS = 1.0


async def no_room(problem: str) -> NoRoom:
    """Comes a while after it happened: what is given back unsent may be handed out again at once."""
    await asyncio.sleep(NO_ROOM_SECONDS)
    return NoRoom(problem)


def has_room() -> bool:
    """Asked where a library does not say why it failed."""
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return not is_for_room(error)
    return True


def is_for_room(error: OSError) -> bool:
    if isinstance(error, socket.gaierror):
        return error.errno in {socket.EAI_SYSTEM, socket.EAI_MEMORY}
    return error.errno in NO_ROOM
