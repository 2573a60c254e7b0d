"""`prospector db`: the database of this deployment."""

from pathlib import Path

import click

from cli import output
from cli.command import Command, Group


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
    output.say(f"Backed up into {file} ({file.stat().st_size:,} bytes). To bring it back: prospector db restore {file}")


@db.command(cls=Command)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--replace", is_flag=True, help="Drop what the database holds now.")
def restore(file: Path, replace: bool) -> None:
    """Bring back the database from FILE: all of it or, on any error, nothing.

    \b
    Example:
      prospector db restore prospector.dump --replace
    """
    from prospector.local import dumps
    from prospector.local.servers import in_force

    dumps.refuse_no_backup(file)
    database_url = in_force().database_url
    if not replace:
        dumps.refuse_full(database_url)
    dumps.restore(database_url, file)
    output.say(f"Restored from {file}.")
