"""From the bytes of a body to UTF-8, as a browser decides it: byte order mark, HTTP, the document's own word, its looks."""

import codecs
import re
from dataclasses import dataclass

DECLARED_WITHIN_BYTES = 1024  # where browsers look for a declaration before anything else
SEARCHED_BYTES = 65_536  # where a declaration is looked for when the bytes are not UTF-8
LOOKED_AT_BYTES = 1024

UTF_8 = "utf-8"
FALLBACK = "cp1252"
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: UTF_8,
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# labels that mean another encoding on the web than in Python (encoding.spec.whatwg.org)
MEANT = {
    "ascii": FALLBACK,
    "iso8859-1": FALLBACK,
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "johab": "cp949",
}
# labels that Python does not know
WEB_LABELS = {
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "x-gbk": "gb18030",
    "x-x-big5": "big5hkscs",
    "x-cp1250": "cp1250",
    "x-cp1251": "cp1251",
    "x-cp1252": FALLBACK,
    "x-mac-cyrillic": "mac_cyrillic",
    "x-mac-roman": "mac_roman",
    "x-euc-jp": "euc_jp",
    "dos-874": "cp874",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "ks_c_5601-1989": "cp949",
    "iso-8859-8-i": "iso8859-8",
    "logical": "iso8859-8",
    "unicode-1-1-utf-8": UTF_8,
    "x-user-defined": FALLBACK,
}
NOT_TEXT = frozenset(["utf-7", "idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs", "oem"])

HTTP_CHARSET = re.compile(r"""charset\s*=\s*["']?\s*([^\s;"',]+)""", re.IGNORECASE)
COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
META = re.compile(rb"""<meta[\s/][^>]*?charset\s*=\s*["']?\s*([^\s"'/>;]+)""", re.IGNORECASE)
XML = re.compile(rb"""^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([^"'>]+)""", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Decoded:
    """`utf8` may hold invalid bytes where the document says UTF-8: whoever reads it replaces them."""

    utf8: bytes
    charset: str


def decode(body: bytes, content_type: str = "") -> Decoded:
    for mark, charset in BYTE_ORDER_MARKS.items():
        if body.startswith(mark):
            return _as_utf8(body[len(mark) :], charset)
    named = HTTP_CHARSET.search(content_type)
    charset = (named and known(named[1])) or _declared(body[:DECLARED_WITHIN_BYTES]) or _looks_like(body)
    return _as_utf8(body, charset)


def known(label: str) -> str | None:
    """The Python codec for a label of the web, if there is one."""
    label = label.strip().lower()
    try:
        name = codecs.lookup(WEB_LABELS.get(label, label)).name
        "".encode(name)  # refuses what is a codec but not an encoding: hex, rot13, zlib
    except (LookupError, ValueError):
        return None
    return None if name in NOT_TEXT else MEANT.get(name, name)


def _declared(start: bytes) -> str | None:
    found = META.search(COMMENT.sub(b"", start)) or XML.search(start)
    charset = known(found[1].decode("latin-1")) if found else None
    # a declaration that could be read as ASCII is not UTF-16
    return UTF_8 if charset and charset.startswith(("utf-16", "utf-32")) else charset


def _looks_like(body: bytes) -> str:
    start = body[:LOOKED_AT_BYTES]
    if b"\0" in start:
        first, second = start[0::2].count(0), start[1::2].count(0)
        half = len(start) // 4  # of the code units, which are two bytes each
        if second > half > first:
            return "utf-16-le"
        if first > half > second:
            return "utf-16-be"
    try:
        codecs.utf_8_decode(body)
    except UnicodeDecodeError as error:
        cut_off = error.end == len(body) and error.reason == "unexpected end of data"
        return UTF_8 if cut_off and error.start else _declared(body[:SEARCHED_BYTES]) or FALLBACK
    return UTF_8


def _as_utf8(body: bytes, charset: str) -> Decoded:
    if charset == UTF_8:
        return Decoded(body, charset)
    return Decoded(body.decode(charset, "replace").encode(UTF_8, "replace"), charset)
