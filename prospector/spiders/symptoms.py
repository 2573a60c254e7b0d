"""Exceptions of a download, in the words of the ladder."""

import gzip
import struct
import sys
import zlib

import brotli
from scrapy import exceptions
from twisted.internet import error
from twisted.python.failure import Failure
from twisted.web.client import ResponseFailed, ResponseNeverReceived

from prospector.core.visits.evidence import Evidence
from prospector.fetch.failures import AddressRefused, Disallowed, NameUnknown
from prospector.fetch.paid import PaidCallFailed

if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError
else:
    from backports.zstd import ZstdError

# of what unpacks a body for Scrapy's HttpCompressionMiddleware, where a site says gzip and sends something else
UNPACKING = (gzip.BadGzipFile, EOFError, struct.error, zlib.error, brotli.error, ZstdError)

# the first that fits
SYMPTOMS: tuple[tuple[type[BaseException], Evidence], ...] = (
    (Disallowed, Evidence.ROBOTS),
    (AddressRefused, Evidence.PRIVATE_ADDRESS),
    (NameUnknown, Evidence.UNRESOLVED),
    (exceptions.CannotResolveHostError, Evidence.UNRESOLVED),
    (error.DNSLookupError, Evidence.UNRESOLVED),
    (exceptions.DownloadTimeoutError, Evidence.TIMED_OUT),
    (error.TimeoutError, Evidence.TIMED_OUT),
    (error.TCPTimedOutError, Evidence.TIMED_OUT),
    (exceptions.DownloadConnectionRefusedError, Evidence.REFUSED),
    (error.ConnectionRefusedError, Evidence.REFUSED),
    (exceptions.DownloadCancelledError, Evidence.TOO_LARGE),
    (exceptions.ResponseDataLossError, Evidence.SHORT_BODY),
    (exceptions.DownloadFailedError, Evidence.RESET),
    (error.ConnectError, Evidence.REFUSED),  # no route to it, and the like
    (error.ConnectionClosed, Evidence.RESET),
    (ResponseNeverReceived, Evidence.RESET),
    (ResponseFailed, Evidence.RESET),
    (exceptions.IgnoreRequest, Evidence.TOO_LARGE),  # a body that unpacks beyond the limit
    *((kind, Evidence.GARBLED) for kind in UNPACKING),
    (OSError, Evidence.RESET),
)


def evidence_of_failure(failure: Failure) -> Evidence | None:
    """None for what no site can cause: a defect of ours."""
    if isinstance(failure.value, PaidCallFailed):
        return failure.value.evidence
    return next((evidence for kind, evidence in SYMPTOMS if isinstance(failure.value, kind)), None)
