"""50,000 rows of a list, as CSV and as a workbook: the promise is under a second.

    .venv/bin/python bench/intake.py

Beside it the plainest thing that could be done with the same bytes: csv.reader and urlsplit, openpyxl and urlsplit,
without a rule of ours. Best of three each, in one process.
"""

import csv
import io
import random
import time
from collections.abc import Callable
from urllib.parse import urlsplit

import openpyxl
import xlsxwriter

from prospector.core.lists.exclusions import exclusions
from prospector.core.lists.intake import take
from prospector.core.web import hosts, sites

ROWS = 50_000
ROUNDS = 3
ENDINGS = ("com", "de", "co.uk", "org", "com.au", "io", "fr", "github.io")


def rows() -> list[list[str]]:
    chance = random.Random(1)
    lines = [["Company", "Website", "DR", "Traffic", "Note"]]
    for number in range(ROWS):
        host = f"{chance.choice(['', '', 'www.'])}site-{chance.randrange(ROWS)}.{chance.choice(ENDINGS)}"
        site = chance.choice([host, host, f"https://{host}/blog/post-{number}?x=1"])
        lines.append([f"Company {number}", site, str(number % 90), str(number), "a note, with a comma"])
    return lines


def as_csv(lines: list[list[str]]) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerows(lines)
    return text.getvalue().encode()


def as_workbook(lines: list[list[str]]) -> bytes:
    file = io.BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        for number, line in enumerate(lines):
            sheet.write_row(number, 0, line)
    return file.getvalue()


def host_of(cell: str) -> str:
    return urlsplit(cell if "//" in cell else f"//{cell}").hostname or ""


def plain_csv(data: bytes) -> int:
    return len({host_of(line[1]) for line in csv.reader(io.StringIO(data.decode()))})


def plain_workbook(data: bytes) -> int:
    sheet = openpyxl.load_workbook(io.BytesIO(data), read_only=True).worksheets[0]
    return len({host_of(line[1]) for line in sheet.iter_rows(values_only=True)})


def ours(data: bytes) -> int:
    for remembered in (hosts.judge, sites.site_of, sites.suffix_labels):
        remembered.cache_clear()  # a list is read once by a process
    return len(take(data, "leads", RULES).domains)


def seconds(function: Callable[[bytes], int], data: bytes) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        function(data)
        times.append(time.perf_counter() - start)
    return min(times)


RULES = exclusions(["acme.com"], ["rival.de"], [(b"*.ru\n*casino*\nfoo.com\n", "out.txt")])


def main() -> None:
    lines = rows()
    print(f"{'50,000 rows':<12}{'ours s':>8}{'plain s':>9}{'plain/ours':>12}")
    for kind, data, plain in (
        ("csv", as_csv(lines), plain_csv),
        ("xlsx", as_workbook(lines), plain_workbook),
    ):
        mine, theirs = seconds(ours, data), seconds(plain, data)
        print(f"{kind:<12}{mine:>8.2f}{theirs:>9.2f}{theirs / mine:>12.1f}")


if __name__ == "__main__":
    main()
