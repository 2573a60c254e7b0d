"""Typed reads of a deployment's options: a flag, else the environment, else prospector.toml, else the default."""

import difflib
import os
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import TypeVar
from urllib.parse import SplitResult, urlsplit

from prospector.errors import EnvironmentInvalid, SettingInvalid

T = TypeVar("T")
FILE_NAME = "prospector.toml"
MASK = "********"
MAY_BE_A_SOCKET = "postgresql"  # without a host, or with it in ?host=
QUOTED = "; in its password / ? # @ are %2F %3F %23 %40"
FLAGS_VARIABLE = "PROSPECTOR_FLAGS"  # names of the options that a flag has put into the environment
FOLDER_VARIABLE = "PROSPECTOR_FOLDER"  # of a child: the working folder of the command that it works for


@dataclass(frozen=True)
class Option:
    """One option as it was read: what `prospector config show` prints."""

    name: str
    value: object
    origin: str
    secret: bool


READ: dict[str, Option] = {}


def text(name: str, default: str | None = None) -> str | None:
    return _read(name, default, str)


def program(name: str) -> str | None:
    """A path at which something is run."""
    return _read(name, None, str, is_of_user=True)


def secret(name: str) -> str | None:
    return _read(name, None, str, secret=True)


def integer(name: str, default: int, least: int = 0, most: int = 2**31 - 1) -> int:
    def parse(raw: str) -> int:
        value = int(raw)
        if not least <= value <= most:
            raise ValueError
        return value

    return _read(name, default, parse, f"a whole number from {least:,} to {most:,}")


def decimal(name: str, default: str, least: str = "0") -> Decimal:
    def parse(raw: str) -> Decimal:
        try:
            value = Decimal(raw)
        except InvalidOperation:
            raise ValueError from None
        if not value.is_finite() or value < Decimal(least):
            raise ValueError
        return value

    return _read(name, Decimal(default), parse, f"a number from {least}")


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    def parse(raw: str) -> str:
        return allowed[allowed.index(raw.lower())]

    return _read(name, default, parse, f"one of: {', '.join(allowed)}")


def url(name: str, default: str | None, schemes: tuple[str, ...]) -> str | None:
    expected = f"a whole URL that begins with {' or '.join(f'{one}://' for one in schemes)}{QUOTED}"
    # a URL may carry a password, so it is masked where it is shown
    return _read(name, default, lambda raw: _whole(raw, schemes), expected, secret=True, is_of_user=True)


def urls(name: str, schemes: tuple[str, ...]) -> tuple[str, ...]:
    def parse(raw: str) -> tuple[str, ...]:
        return tuple(_whole(part, schemes) for part in _parts(raw))

    expected = f"whole URLs with commas between, each with {' or '.join(schemes)}{QUOTED}"
    return _read(name, (), parse, expected, secret=True, is_of_user=True)


def folder(name: str, default: Path) -> Path:
    def parse(raw: str) -> Path:
        try:
            return Path(raw).expanduser().absolute()
        except RuntimeError:  # ~ of a user that there is not
            raise ValueError from None

    return _read(name, default, parse, "a folder", is_of_user=True)


def address(name: str, default: str) -> str:
    """host:port"""

    def parse(raw: str) -> str:
        if not _place(raw).hostname or _place(raw).port is None:
            raise ValueError
        return raw

    return _read(name, default, parse, "host:port, such as 127.0.0.1:9641")


def routes(name: str) -> tuple[str, ...]:
    """Names and where they lead."""

    def parse(raw: str) -> tuple[str, ...]:
        for part in _parts(raw):
            pattern, _, target = part.partition("=")
            ip_address(_place(target).hostname or "")
            if not pattern.strip():
                raise ValueError
        return _parts(raw)

    expected = "NAME=ADDRESS or NAME=ADDRESS:PORT with commas between, such as *.test=10.0.0.7:8080"
    return _read(name, (), parse, expected, is_of_user=True)


def networks(name: str) -> tuple[IPv4Network | IPv6Network, ...]:
    def parse(raw: str) -> tuple[IPv4Network | IPv6Network, ...]:
        return tuple(ip_network(part) for part in _parts(raw))

    return _read(name, (), parse, "networks with commas between, such as 10.0.0.0/8,127.1.0.0/16", is_of_user=True)


def refuse_unknown() -> None:
    """Called at the end of settings.py, when every known option has been read."""
    path, entries = _file()
    flags = [name for name in os.environ.get(FLAGS_VARIABLE, "").split(",") if name]
    for origin, name in [("flag", name) for name in flags] + [(str(path), name) for name in entries]:
        if name not in READ:
            near = difflib.get_close_matches(name, READ, 1)
            hint = f"Did you mean {near[0]}?" if near else "prospector config show lists every option."
            raise SettingInvalid(f"Unknown option {name} ({origin}).", hint)


def read_file_again() -> None:
    """What is read from now on is as prospector.toml is by then."""
    _file.cache_clear()


def secrets() -> set[str]:
    """What no log line may show: secret values, and of URLs the password."""
    return {secret for option in READ.values() if option.secret for secret in _secrets_of(option.value)}


def shown(option: Option) -> str:
    """The value as `config show` may print it: of a URL everything but the password."""
    if option.value is None:
        return ""
    text = ",".join(map(str, option.value)) if isinstance(option.value, tuple) else str(option.value)
    for secret in _secrets_of(option.value) if option.secret else ():
        text = text.replace(secret, MASK)
    return text


def _secrets_of(value: object) -> Iterator[str]:
    for part in value if isinstance(value, tuple) else (value,):
        if isinstance(part, str) and "://" not in part:
            yield part
        elif isinstance(part, str) and urlsplit(part).password:
            yield urlsplit(part).password or ""


def _read(
    name: str,
    default: T,
    parse: Callable[[str], T],
    expected: str = "text",
    *,
    secret: bool = False,
    is_of_user: bool = False,
) -> T:
    """`is_of_user`: see _refuse_folder."""
    raw, origin = _raw(name)
    if is_of_user:
        _refuse_folder(name, origin)
    value = default
    if raw is not None:
        try:
            value = parse(raw)
        except ValueError:
            shown = "its value" if secret else repr(raw)
            raise SettingInvalid(
                f"{name} ({origin}): {shown} is not {expected}.", "Correct it and run again."
            ) from None
    READ[name] = Option(name, value, origin, secret)
    return value


def _refuse_folder(name: str, origin: str) -> None:
    """What is run, and where data and secrets go, is not for a folder to say that came from somebody else."""
    if origin == str(folder_file()):
        raise SettingInvalid(
            f"{name} may not be set in the prospector.toml of a working folder ({origin}): "
            "a folder that came from elsewhere could run a program or send your key and data away.",
            f"If you want this value, set it in {user_file()}, in the environment or with --set.",
        )


def _raw(name: str) -> tuple[str | None, str]:
    if os.environ.get(name, "").strip():
        by_flag = name in os.environ.get(FLAGS_VARIABLE, "").split(",")
        return os.environ[name].strip(), "flag" if by_flag else "environment"
    path, entries = _file()
    if name in entries:
        return entries[name], str(path)
    return None, "default"


def file_in_force() -> Path | None:
    return _file()[0]


def folder_file() -> Path | None:
    """That of the working folder, unless it is the user's own."""
    path = working_folder() / FILE_NAME
    return None if path.resolve() == user_file().resolve() else path


def working_folder() -> Path:
    try:
        return Path(os.environ.get(FOLDER_VARIABLE) or Path.cwd())
    except FileNotFoundError:
        raise EnvironmentInvalid(
            "The folder you are in does not exist any more.", "Go to another one (cd) and run this again."
        ) from None


def user_file() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "prospector" / FILE_NAME


@cache
def _file() -> tuple[Path | None, dict[str, str]]:
    """The first prospector.toml there is: in the working folder, else in the user's configuration."""
    for path in (folder_file(), user_file()):
        if path and path.is_file():
            try:
                entries = tomllib.loads(path.read_text(encoding="utf-8-sig"))
            except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
                raise SettingInvalid(
                    f"{path} is not valid TOML: {error}.", "Correct that line and run again."
                ) from None
            return path, {name.upper(): _flat(value) for name, value in entries.items()}
    return None, {}


def _whole(raw: str, schemes: tuple[str, ...]) -> str:
    """ValueError for one that leads nowhere: later it would fail in the words of whatever library uses it, or in a worker."""
    parts = urlsplit(raw)
    on_this_machine = parts.scheme in {"file", "unix"}
    has_place = (
        parts.path.startswith("/") if on_this_machine else parts.hostname or parts.scheme.startswith(MAY_BE_A_SOCKET)
    )
    if parts.scheme not in schemes or not has_place or (on_this_machine and parts.hostname):
        raise ValueError
    _ = parts.port  # ValueError for one that is no port
    return raw


def _place(raw: str) -> SplitResult:
    """Of host:port, [::1]:port or a host alone. ValueError for more than that, or no port."""
    parts = urlsplit(f"//{raw.strip()}")
    if parts.netloc != raw.strip() or "@" in raw:
        raise ValueError
    _ = parts.port
    return parts


def _flat(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _parts(raw: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in raw.split(",") if part.strip())
