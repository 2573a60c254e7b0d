"""The key in force. A key that is changed in prospector.toml reaches workers that run; one in the environment, new ones."""

import time
from functools import cache

from prospector import env, logs
from prospector.errors import SettingInvalid

NAME = "SCRAPINGBEE_API_KEY"
READ_AGAIN_SECONDS = 10.0
LOG = logs.named(__name__)


def is_usable(key: str) -> bool:
    """It travels in a header: one that was pasted with curly quotes or a line break cannot."""
    return key.isascii() and key.isprintable()


@cache
def key_in_force() -> "KeyInForce":
    """The one of this process."""
    return KeyInForce()


class KeyInForce:
    """Gives the key, or None. The environment wins over the file, as for every option."""

    def __init__(self) -> None:
        self._key = env.secret(NAME)
        self._read_at = time.monotonic()

    def __call__(self) -> str | None:
        now = time.monotonic()
        if now - self._read_at >= READ_AGAIN_SECONDS:
            self._read_at = now
            self._read_again()
        return self._key

    def _read_again(self) -> None:
        try:
            env.read_file_again()
            key = env.secret(NAME)
        except SettingInvalid as error:  # half an edit: the next look sees the rest
            LOG.warning("settings_unreadable", error=str(error))
            return
        if key != self._key:
            logs.hide(key or "")
            LOG.info("scrapingbee_key_changed")
            self._key = key
