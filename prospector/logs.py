"""One line an event: JSON for machines, the operators' form on a terminal. Secrets and control characters never pass.

LOG = logs.named(__name__)
LOG.error("scrapingbee_failed", job=job, url=url, error="HTTP 429 Rate Limit Exceeded", status=429)
"""

import json
import logging
import re
import sys
import time
import traceback
from logging.handlers import RotatingFileHandler
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import quote, unquote

from prospector import env

if TYPE_CHECKING:
    from twisted.logger import STDLibLogObserver

LEAST_SECRET_CHARS = 4  # shorter ones would blank out ordinary text
FILE_BYTES_MOST = 10_000_000
LABELS = {"job": "Job", "worker": "Worker", "domain": "Domain", "url": "URL"}  # in the operators' order

# C0, C1, line separators, bidirectional overrides: what could forge a second line or drive a terminal
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_hidden: set[str] = set()


class EventLog:
    """Events of one module; `fields` are any of job, worker, domain, url, error, status, and what else explains."""

    def __init__(self, name: str) -> None:
        self._logger = logging.getLogger(name)

    def debug(self, event: str, **fields: object) -> None:
        self._log(logging.DEBUG, event, fields)

    def info(self, event: str, **fields: object) -> None:
        self._log(logging.INFO, event, fields)

    def warning(self, event: str, **fields: object) -> None:
        self._log(logging.WARNING, event, fields)

    def error(self, event: str, **fields: object) -> None:
        """A person must act."""
        self._log(logging.ERROR, event, fields)

    def crash(self, event: str, **fields: object) -> None:
        """An error with the traceback of the exception being handled: for the edge of a process."""
        self._log(logging.ERROR, event, fields, exc_info=True)

    def _log(self, level: int, event: str, fields: dict[str, object], *, exc_info: bool = False) -> None:
        if self._logger.isEnabledFor(level):
            self._logger.log(level, event, extra={"fields": fields}, exc_info=exc_info)


def in_full(error: BaseException) -> str:
    """With its traceback, for one that is no longer being handled."""
    return "".join(traceback.format_exception(error))


def named(name: str) -> EventLog:
    return EventLog(name)


def install(
    style: str, level: str, stream: TextIO | None = None, worker: str | None = None, file: str | None = None
) -> logging.Handler:
    """Sends every line of this process, Scrapy's, Scrapyd's and Twisted's included, to `file` or `stream` (stderr) in `style`.

    `worker` is added to each event. Calling it again replaces the earlier call. A file that grows over FILE_BYTES_MOST is
    set aside as `.1`, in the place of the one before it: a worker may live for weeks.
    """
    hide(*env.secrets())
    terminal = stream or sys.stderr
    handler = _file_handler(file) if file else logging.StreamHandler(terminal)
    as_text = style == "text" or (style == "auto" and not file and terminal.isatty())
    handler.setFormatter(TextLines(worker) if as_text else JsonLines(worker))
    handler.setLevel(level)
    for old in [one for one in logging.root.handlers if isinstance(one.formatter, JsonLines)]:
        logging.root.removeHandler(old)
    logging.root.addHandler(handler)
    logging.root.setLevel(level)
    return handler


def _file_handler(file: str) -> logging.Handler:
    return RotatingFileHandler(file, maxBytes=FILE_BYTES_MOST, backupCount=1, encoding="utf-8")


def scrapyd_observer() -> "STDLibLogObserver":
    """For `scrapyd --logger=prospector.logs.scrapyd_observer`: Scrapyd's own lines in our form."""
    from twisted.logger import STDLibLogObserver

    from prospector import settings

    install(settings.LOG_STYLE, settings.LOG_LEVEL)
    return STDLibLogObserver("scrapyd")


def hide(*secrets: str) -> None:
    """From now on these never appear in a line, as they are or percent-encoded."""
    for secret in secrets:
        if len(secret) >= LEAST_SECRET_CHARS:
            _hidden.update({secret, quote(secret, safe=""), unquote(secret)})


def _redacted(text: str) -> str:
    for secret in _hidden:
        text = text.replace(secret, env.MASK)
    return text


def _one_line(text: str) -> str:
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text.replace("\n", "\\n"))


class JsonLines(logging.Formatter):
    def __init__(self, worker: str | None = None) -> None:
        super().__init__()
        self._worker = worker

    def format(self, record: logging.LogRecord) -> str:
        return _one_line(json.dumps(self._event(record), ensure_ascii=False))

    def _event(self, record: logging.LogRecord) -> dict[str, Any]:
        event: dict[str, Any] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03d}Z",
            "level": record.levelname,
        }
        fields = getattr(record, "fields", None)
        if fields is None:  # a library's line: its logger is the event
            event |= {"event": record.name, "message": _redacted(record.getMessage())}
        else:
            event |= {"event": _redacted(record.getMessage())}
            event |= {name: _plain(value) for name, value in fields.items() if value is not None}
        if self._worker:
            event.setdefault("worker", self._worker)
        if record.exc_info and record.exc_info[0]:
            event["traceback"] = _redacted("".join(traceback.format_exception(*record.exc_info)))
        return event


class TextLines(JsonLines):
    """2025-01-19T14:23:45Z [ERROR] Job:abc123 Worker:w-42 URL:example.com/page ScrapingBee: HTTP 429 ..."""

    def format(self, record: logging.LogRecord) -> str:
        event = self._event(record)
        seconds = event.pop("time").partition(".")[0]
        parts = [f"{seconds}Z", f"[{event.pop('level')}]"]
        parts += [f"{label}:{event.pop(name)}" for name, label in LABELS.items() if name in event]
        name = event.pop("event")
        parts.append(str(event.pop("error", None) or event.pop("message", None) or name))
        trace = event.pop("traceback", None)
        parts += [f"{field}={value}" for field, value in event.items()]
        return _one_line(" ".join([*parts, trace] if trace else parts))


def _plain(value: object) -> object:
    return value if isinstance(value, int | float | bool) else _redacted(str(value))
