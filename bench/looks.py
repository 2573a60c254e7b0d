"""What an export looks like to a person: the workbook through LibreOffice, the report through Chromium, as pictures.

    python bench/looks.py FOLDER_WITH_THE_FILES OUT

Needs soffice, pdftoppm and chromium (Debian: libreoffice-calc poppler-utils chromium). Also prints the sheets as LibreOffice
reads them, so that what another program makes of the file can be compared with what was written.
"""

import shutil
import subprocess
import sys
from pathlib import Path

WIDTH, HEIGHT = 1200, 2600
PHONE = 390
SECONDS = 180


def run(*words: str | Path) -> None:
    subprocess.run(
        [str(word) for word in words], check=True, timeout=SECONDS, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def browser(report: Path, out: Path) -> None:
    own = f"--user-data-dir={out / 'browser'}"
    common = ("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", own)
    run(*common, f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={out / 'report.png'}", report.as_uri())
    run(
        *common,
        "--blink-settings=preferredColorScheme=0",
        f"--window-size={WIDTH},{HEIGHT}",
        f"--screenshot={out / 'report-dark.png'}",
        report.as_uri(),
    )
    run(*common, f"--window-size={PHONE},{HEIGHT}", f"--screenshot={out / 'report-phone.png'}", report.as_uri())
    run(*common, "--no-pdf-header-footer", f"--print-to-pdf={out / 'report.pdf'}", report.as_uri())
    run("pdftoppm", "-r", "60", "-png", out / "report.pdf", out / "report-print")
    shutil.rmtree(out / "browser")


def office(book: Path, out: Path) -> None:
    own = f"-env:UserInstallation={(out / 'office').as_uri()}"
    run("soffice", own, "--headless", "--convert-to", "pdf", "--outdir", out, book)
    run("pdftoppm", "-r", "70", "-png", out / f"{book.stem}.pdf", out / "workbook")
    # -1: each sheet as a csv of its own
    sheets = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"
    run("soffice", own, "--headless", "--convert-to", sheets, "--outdir", out / "sheets", book)
    shutil.rmtree(out / "office")
    for sheet in sorted((out / "sheets").iterdir()):
        lines = sheet.read_text(encoding="utf-8").splitlines()
        print(
            f"{sheet.name}: {len(lines)} lines, {sum(line.startswith(('=', '+', '@')) for line in lines)} like a formula"
        )


def main() -> None:
    made, out = Path(sys.argv[1]).absolute(), Path(sys.argv[2]).absolute()
    out.mkdir(parents=True, exist_ok=True)
    office(made / "results.xlsx", out)
    browser(made / "report.html", out)
    print(*sorted(path.name for path in out.iterdir()), sep="\n")


if __name__ == "__main__":
    main()
