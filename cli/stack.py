"""`prospector up`, `down`, `status`, `doctor`: the servers this deployment works with."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from cli import output
from cli.command import Command

if TYPE_CHECKING:
    from prospector.local.overview import Overview


@click.command(cls=Command)
@click.option("--at-login/--no-at-login", default=None, help="Also start it whenever you log in; or no longer.")
def up(at_login: bool | None) -> None:
    """Start the local stack and keep it up until `down`.

    Every command starts it when it needs it; then it stops by itself when nothing has used it for 15 minutes.

    \b
    Example:
      prospector up
      prospector up --at-login
    """
    from prospector import settings
    from prospector.local import attach, login, record, upgrade
    from prospector.local.home import Home
    from prospector.local.servers import all_external

    home = Home(settings.PROSPECTOR_HOME)
    if at_login is False:
        output.say("The start-up entry is removed." if login.remove() else "There was no start-up entry.")
        return
    if at_login:
        output.say(f"The start-up entry is {login.install(home)}. {heeded_words()}")
    if all_external():
        output.say("Nothing to start: DATABASE_URL, REDIS_URL and SCRAPYD_URLS name other servers.")
        return
    attach.keep_up(home)
    for words in kept_words(upgrade.kept_data(home)):
        output.say(words)
    if not settings.DATABASE_URL:
        record.operator().dispose()  # its schema: the steward has work from now on
    output.say("The local stack is up. To look at it: prospector status. To stop it: prospector down")


@click.command(cls=Command)
def down() -> None:
    """Stop the local stack: running spiders finish what they have begun, and no data is lost.

    \b
    Example:
      prospector down
    """
    from prospector import settings
    from prospector.local import attach
    from prospector.local.home import Home

    stopped = attach.stop(Home(settings.PROSPECTOR_HOME))
    output.say(
        "The local stack is down. Its data stays; any command starts it again."
        if stopped
        else "The local stack is not running."
    )


@click.command(cls=Command)
@output.json_option
def status(as_json: bool) -> None:
    """Show which servers are in force, what runs, and where the data is.

    \b
    Example:
      prospector status
    """
    from prospector import settings
    from prospector.local import overview
    from prospector.local.home import Home

    home = Home(settings.PROSPECTOR_HOME)
    found = overview.of(home)
    if as_json:
        output.data(asdict(found))
        return
    output.table(["server", "state", "provider", "address", "data"], _rows(found))
    for words in _remarks(found):
        output.say(words)


def _rows(found: "Overview") -> list[tuple[object, ...]]:
    from prospector import nodes

    parts = {
        "Postgres": found.postgres,
        "Redis": found.redis,
        "Scrapyd": found.scrapyd,
        "files": found.storage,
        "steward": found.steward,
    }
    return [
        (name, one.state, f"{one.provider or ''} {one.version or ''}".strip(), nodes.address(one.url or ""), one.data)
        for name, one in parts.items()
    ]


def _remarks(found: "Overview") -> Iterator[str]:
    from prospector import nodes, settings

    if found.scrapyd.data:
        user = nodes.user(found.scrapyd.url or "")
        yield f"Scrapyd's page asks for user {user} and the password in {found.scrapyd.data}/password"
    if found.steward.url == "":
        yield (
            f"The steward works, but its figures (/metrics) are not served: {settings.METRICS_ADDRESS} is in use, by another "
            "stack perhaps. To have them, set METRICS_ADDRESS to another address."
        )
    yield from kept_words(found.kept_data)
    if found.started_at:
        yield f"Started {found.started_at}. Stays up for: {found.stays_up or 'commands that use it, and 15 minutes'}"


def heeded_words() -> str:
    from prospector.local import login

    if login.is_heeded():
        return "The local stack starts whenever you log in."
    return (
        "But nothing reads it here, as systemd does not run this machine. In WSL: put the lines [boot] and systemd=true into "
        "/etc/wsl.conf, and restart it."
    )


def kept_words(folders: Iterable[object]) -> Iterator[str]:
    for folder in folders:
        yield (
            "Postgres has a new major version and the data was brought over. The old data is kept: "
            f"delete {folder} when all is well."
        )
