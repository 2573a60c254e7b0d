"""The root command: finds the command, runs it, and turns every ending into words and an exit code."""

import io
import os
import sys
import traceback
from typing import NoReturn

import click

from cli import streams
from cli.calling import pasteable
from cli.command import FAILED, INTERRUPTED, READER_GONE, Group, ReaderGone
from prospector import __version__, env
from prospector.errors import EnvironmentInvalid, ProspectorError

# name -> (where it is, one line of help): a command's module is imported when that command runs
COMMANDS = {
    "demo": ("cli.demo:demo", "See a whole job in a minute, on made-up sites of this machine."),
    "check": ("cli.check:check", "What a job would do with your lists, without starting one."),
    "job": ("cli.job:job", "Jobs: start, watch, pause, resume, results."),
    "explain": ("cli.explain:explain", "Why a keyword counts, or does not, on one page."),
    "config": ("cli.config:config", "The options in force and where each comes from."),
    "up": ("cli.stack:up", "Start the local stack and keep it up."),
    "down": ("cli.stack:down", "Stop the local stack."),
    "status": ("cli.stack:status", "Which servers are in force, what runs, where the data is."),
    "doctor": ("cli.doctor:doctor", "Check this machine and every server, with the remedies."),
    "deploy": ("cli.deploy:deploy", "Send this code to the Scrapyd nodes."),
    "steward": ("cli.steward:steward", "Keep workers, jobs and promises over time; part of the local stack."),
    "system": ("cli.system:system", "Workers, figures, queues, dead letters and credits."),
    "db": ("cli.db:db", "The database: schema, roles, backup."),
    "completion": ("cli.completion:completion", "Completion of commands in your shell."),
}


@click.group(cls=Group, commands_at=COMMANDS, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, message="prospector %(version)s")
@click.option(
    "--set",
    "flags",
    multiple=True,
    metavar="NAME=VALUE",
    help="Set a deployment option for this command (see: config show).",
)
def prospector(flags: tuple[str, ...]) -> None:
    """Finds the pages that mention your keywords on thousands of sites.

    \b
    Example:
      prospector demo
      prospector check leads.csv --keywords keywords.txt
      prospector job run --domains leads.csv --keywords keywords.txt --client-domain acme.com
    """
    for flag in flags:
        name, separator, value = flag.partition("=")
        if not (name and separator):
            raise click.UsageError(f"--set {flag}: write it as NAME=VALUE.")
        os.environ[name.upper()] = value
        os.environ[env.FLAGS_VARIABLE] = f"{os.environ.get(env.FLAGS_VARIABLE, '')},{name.upper()}"


def main() -> NoReturn:
    streams.make_usable()
    try:
        code = ended()
    except (BrokenPipeError, ReaderGone):
        code = READER_GONE
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:  # it is said by now: Python's own flush at exit would complain once more
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
    sys.exit(code)


def ended() -> int:
    """Runs what the command line says, and has told why it ended so."""
    debug = "--debug" in sys.argv
    try:
        code = prospector.main(prog_name="prospector", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Abort:
        return told(INTERRUPTED, "Interrupted.")
    except click.ClickException as error:
        shown = io.StringIO()
        error.show(shown)
        return told(error.exit_code, shown.getvalue().rstrip("\n"))
    except ProspectorError as error:
        if debug:
            traceback.print_exc()
        return told(error.exit_code, str(error))
    except (BrokenPipeError, ReaderGone):
        raise
    except Exception as error:
        if debug:
            raise
        return told(*unforeseen(error))
    return code if isinstance(code, int) else 0


def unforeseen(error: Exception) -> tuple[int, str]:
    if isinstance(error, OSError):
        words = f"{error.strerror} ({error.filename})" if error.filename else error.strerror or str(error)
        remedy = "Free some space, or give yourself the right; prospector doctor checks this machine."
        return EnvironmentInvalid.exit_code, f"This machine does not allow it: {words}. {remedy}"
    words = f"Unexpected {type(error).__name__}: {error}."
    return FAILED, f"{words} This is a defect of Prospector: run it again with --debug and report the output."


def told(code: int, words: str) -> int:
    click.echo(pasteable(words), err=True)
    return code
