"""`prospector explain`: I can see it on the page, why is it not in the file?"""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli import output
from cli.command import Command
from cli.input_files import STANDARD_INPUT, contents
from prospector.errors import InputInvalid, NotFound

if TYPE_CHECKING:
    from prospector.core.reading.page import Page
    from prospector.core.words.explain import Candidate, Explanation

ROWS_SHOWN = 1_000


@click.command(cls=Command)
@click.argument("where", metavar="URL|FILE")
@click.option("-k", "--keyword", "keywords", multiple=True, required=True, help="What to look for; repeatable.")
@click.option("--case-sensitive", is_flag=True, help="Take the keywords as case-sensitive.")
@output.json_option
def explain(where: str, keywords: tuple[str, ...], case_sensitive: bool, as_json: bool) -> None:
    """Print every place of a keyword on a page, whether it counts, and the rule that decided.

    A page is asked for once, as robots.txt allows. A saved page is read from its file, - is standard input.

    \b
    Example:
      prospector explain https://example.com/blog -k "Acme CRM"
    """
    from prospector.core.words.explain import explain as explained
    from prospector.core.words.keywords import Keyword

    wanted = [Keyword(text, case_sensitive) for text in keywords]
    page = _page(where)
    for keyword in wanted:
        explanation = explained(page, keyword)
        if as_json:
            output.data(_as_data(explanation, page))
        else:
            _show(explanation, page)


def _page(where: str) -> "Page":
    from prospector.core.reading.page import read

    if "://" not in where:
        return read(_saved_page(where), "")
    from prospector import settings
    from prospector.core.visits.answers import is_html, led_on
    from prospector.core.visits.evidence import of_status
    from prospector.core.web.hosts import shown
    from prospector.core.web.urls import resolve
    from prospector.fetch.resolver import names_by
    from prospector.fetch.single import fetch

    names = names_by(settings.ALLOWED_NETWORKS, settings.RESOLVE)
    fetched = fetch(where, names, settings.DELAY_MS / 1000)
    if fetched.url != resolve(where):
        output.say(f"{where} leads to {fetched.url}: this is what was read.")
    if of_status(fetched.status):
        output.say(f"{fetched.url} answered {fetched.status}: a crawl would not count what is on it.")
    elif not is_html(fetched.content_type, fetched.body):
        kind = f" ({shown(fetched.content_type)})" if fetched.content_type else ""
        raise InputInvalid(f"{fetched.url} is not an HTML page{kind}: a crawl skips it.", "Name a page that is one.")
    page = read(fetched.body, fetched.url, fetched.content_type)
    if onward := led_on(page):
        output.say(f"{fetched.url} sends its visitors on at once: a crawl reads {onward} instead.")
    return page


def _saved_page(where: str) -> bytes:
    from prospector.core.lists.file_kinds import ZIP, foreign_kind, is_binary
    from prospector.core.reading.encodings import decode

    data = _saved(where)
    kind = "a zip archive or a document" if data.startswith(ZIP) else foreign_kind(data)
    if kind is None and is_binary(decode(data).utf8.decode(errors="replace")):
        kind = "a binary file"
    if kind:
        raise InputInvalid(
            f"{where} is {kind}, not a web page.", "Save the page in a browser as HTML, or give its address."
        )
    return data


def _saved(where: str) -> bytes:
    if where != STANDARD_INPUT and not Path(where).exists():
        remedy = f"A page on the web is written as https://{where}."
        raise NotFound(f"There is no file {where}.", "Check the name and the folder." if where[0] in "./~" else remedy)
    return contents(where)[0]


def _as_data(explanation: "Explanation", page: "Page") -> dict[str, object]:
    return {
        "keyword": explanation.keyword.text,
        "count": explanation.count,
        "zones": {zone.value: count for zone, count in explanation.zones.items()},
        "candidates": [
            {
                "zone": one.zone.value if one.zone else None,
                "where": one.where,
                "counts": one.counts,
                "rule": one.rule.value,
                "snippet": str(one.snippet),
            }
            for one in explanation.candidates
        ],
        "url": page.url,
        "characters": page.text_length,
        "signs": sorted(sign.value for sign in page.signs),
        "truncated": explanation.truncated,
    }


def _show(explanation: "Explanation", page: "Page") -> None:
    zones = ", ".join(f"{zone.value} {count}" for zone, count in explanation.zones.items())
    mentions = "1 mention" if explanation.count == 1 else f"{explanation.count:,} mentions"
    output.say(f'"{explanation.keyword.text}": {mentions}{f" ({zones})" if zones else ""}.')
    if explanation.candidates:
        rows = [
            ("yes" if one.counts else "no", one.where, one.rule.value, _shown(one))
            for one in explanation.candidates[:ROWS_SHOWN]
        ]
        output.table(["counts", "where", "rule", "snippet"], rows)
        if len(explanation.candidates) > ROWS_SHOWN:
            output.say(f"... and {len(explanation.candidates) - ROWS_SHOWN:,} more; --json lists all.")
    else:
        output.say(f"It is nowhere on the page, which has {page.text_length:,} characters of visible text.")
    for sign in sorted(page.signs, key=lambda one: one.value):
        output.say(f"The page looks like: {sign.value}.")
    if explanation.truncated:
        output.say("The page or the list is longer than what is read or shown of it.")


def _shown(candidate: "Candidate") -> str:
    """The words around it, shortened to a line of a terminal."""
    snippet = candidate.snippet
    return f"{snippet.before[-30:]}»{snippet.found}«{snippet.after[:30]}"
