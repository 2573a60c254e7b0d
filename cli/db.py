"""`prospector db`: the database of this deployment."""

import shlex
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.command import Command, Group

if TYPE_CHECKING:
    from prospector.local.servers import Servers


@click.group(cls=Group)
def db() -> None:
    """The database: its schema, its roles, its backup.

    \b
    Example:
      prospector db migrate
    """


@db.command(cls=Command)
def migrate() -> None:
    """Bring the tables to what this version needs. Run it as the owner of the database, before a new version starts.

    \b
    Example:
      DATABASE_URL=postgresql://prospector_owner@db.example.com/prospector prospector db migrate
    """
    from prospector.local import record
    from prospector.store import schema, server
    from prospector.store.failures import in_our_words

    with in_our_words():
        done = schema.migrate(server.engine(record.database_url()))
    output.say(f"The database has schema {schema.REVISION}{'' if done else ' already'}.")


@db.command(cls=Command)
@click.option("--prefix", default="prospector", show_default=True, help="What the name of each role begins with.")
def roles(prefix: str) -> None:
    """Print the SQL that makes the four roles: owner, operator, worker, reader. Nothing is changed.

    \b
    Example:
      prospector db roles | psql "postgresql://postgres@db.example.com/prospector"
    """
    from prospector.store import roles

    click.echo(roles.sql(prefix))


@db.command(cls=Command)
def url() -> None:
    """Print the address of the database in force, for other programs. It may hold a password.

    \b
    Example:
      psql "$(prospector db url)"
    """
    from prospector.local.servers import in_force

    click.echo(in_force().database_url)


@db.command(cls=Command)
def shell() -> None:
    """Open psql on the database.

    \b
    Example:
      prospector db shell
    """
    from prospector.local import dumps
    from prospector.local.servers import in_force

    dumps.shell(in_force().database_url)


@db.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
def backup(file: Path) -> None:
    """Write the whole database into FILE, while it is in use.

    \b
    Example:
      prospector db backup prospector.dump
    """
    from prospector.local import dumps
    from prospector.local.servers import in_force

    dumps.backup(in_force().database_url, file)
    again = f"prospector db restore {shlex.quote(str(file))}"
    output.say(f"Backed up into {file} ({file.stat().st_size:,} bytes). To bring it back: {again}")


@db.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Drop what the database holds now.")
def restore(file: Path, replace: bool) -> None:
    """Bring back the database from FILE: all of it or, on any error, nothing.

    \b
    Example:
      prospector db restore prospector.dump --replace
    """
    from prospector.frontier import server as frontier_server
    from prospector.local import dumps
    from prospector.local.servers import in_force

    dumps.refuse_no_backup(file)
    servers = in_force()
    # before anything is changed: it has to forget what was done since the backup
    frontier_server.ping(servers.redis_url)
    if not replace:
        dumps.refuse_full(servers.database_url)
    dumps.restore(servers.database_url, file)
    _forget(servers)
    output.say(f"Restored from {file}. Jobs that were under way then go on from there.")


def _forget(servers: "Servers") -> None:
    from prospector.frontier.client import Frontier
    from prospector.jobs.rebuild import forget_all
    from prospector.store import server
    from prospector.store.failures import in_our_words

    engine = server.engine(servers.database_url)
    with in_our_words(), closing(Frontier(servers.redis_url)) as frontier:
        forget_all(engine, frontier)
    engine.dispose()
