"""`prospector demo`: a whole job on made-up sites, and these sites for any other crawler."""

from pathlib import Path

import click

from cli import output
from cli.command import Group, Number

COMMANDS = {
    "serve": ("cli.demo.web:serve", "Serve the web until Ctrl-C."),
    "truth": ("cli.demo.web:truth", "What a crawl must find."),
    "check": ("cli.demo.web:check", "Judge a crawl of the web."),
}


@click.group(cls=Group, commands_at=COMMANDS, invoke_without_command=True)
@click.option("--sites", default=200, show_default=True, type=Number(5, 2_000), help="How many sites to crawl.")
@click.option("--seed", default=1, show_default=True, help="Which sites: the same seed gives the same ones.")
@click.option(
    "--out",
    default="prospector-demo",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for its lists and results.",
)
@click.option("--keep", is_flag=True, help="Keep the job's database, in a folder beside the results.")
@output.json_option
@click.pass_context
def demo(context: click.Context, sites: int, seed: int, out: Path, keep: bool, as_json: bool) -> int:
    """Crawl 200 made-up sites on this machine and look at the results: a whole job in a minute.

    The commands below serve those sites to any crawler, say what it must find, and judge it.

    \b
    Example:
      prospector demo
      prospector demo --sites 50 --seed 7 --keep
    """
    if context.invoked_subcommand is not None:
        return 0
    from cli.demo import play

    return play.show(sites, seed, out, keep=keep, as_json=as_json)
