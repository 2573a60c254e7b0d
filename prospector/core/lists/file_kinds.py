"""What a file is that is neither a list nor a page, so that a person is told in one line."""

import re

ZIP = b"PK\x03\x04"
FOREIGN = (
    (b"%PDF", "a PDF document"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"\x1f\x8b", "a compressed file (gzip)"),
    (b"7z\xbc\xaf", "a compressed file (7z)"),
    (b"Rar!", "a compressed file (RAR)"),
    (b"{\\rtf", "a text document (RTF)"),
    (b"SQLite format 3", "a database (SQLite)"),
    (b"\x7fELF", "a program"),
)
RIFF = re.compile(rb"RIFF....WEBP", re.DOTALL)

SAMPLE_CHARACTERS = 64 * 1024
# what text has no use for; escape stays, because Japanese mail and pages are encoded with it
CONTROL = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")
CONTROL_SHARE = 0.01  # a tenth of compressed data read as text, and an accident in a list
CONTROLS_AT_LEAST = 20  # below, it is damage


def foreign_kind(data: bytes) -> str | None:
    """In words, with the article; None for what may be text, a web page or a workbook."""
    if RIFF.match(data):
        return "a picture (WebP)"
    return next((kind for beginning, kind in FOREIGN if data.startswith(beginning)), None)


def is_binary(text: str) -> bool:
    """Of bytes that were decoded as if they were text."""
    sample = text[:SAMPLE_CHARACTERS]
    controls = len(CONTROL.findall(sample))
    return controls >= CONTROLS_AT_LEAST and controls > CONTROL_SHARE * len(sample)
