"""How a fetch can fail, in words of ours."""

from scrapy.exceptions import IgnoreRequest

from prospector.errors import ProspectorError


class FetchFailed(ProspectorError):
    """No usable answer."""


class NotSent(FetchFailed):
    """The leave to send ran out before anything left: nothing was asked of the site."""


class Stopped(FetchFailed):
    """Cut off because the worker stops."""


class NameUnknown(FetchFailed):
    """DNS has no address for the host, or did not say in time."""


class AddressRefused(FetchFailed):
    """The host leads to an address that is not public."""


class Disallowed(IgnoreRequest):
    """robots.txt says no: nothing was asked of the site."""


class DelayTooLong(IgnoreRequest):
    """robots.txt wants longer delays than we can wait: nothing was asked of the site."""
