"""The careful crawler's own reading of a page, written from MATCHING.md alone: it shares nothing with the truth."""

import codecs
import re
import unicodedata
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import urljoin

WORD = re.compile(r"\w+")
VOID = frozenset(WORD.findall("area base br col embed hr img input link meta param source track wbr"))
UNSEEN = frozenset(
    WORD.findall("script style template noscript iframe object canvas audio video svg select datalist textarea")
)
BLOCK = frozenset(
    WORD.findall(
        "address article aside blockquote body button caption center dd details dialog dir div dl dt fieldset figcaption "
        "figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html img input label legend li main menu nav ol optgroup "
        "option p pre search section summary table tbody td tfoot th thead title tr ul"
    )
)
HARD, SOFT = "\x00", "\x01"
SPACELESS = "\u3040-\u30ff\u3400-\u9fff\u0e00-\u0eff"
HANGUL = "\uac00-\ud7a3"
META_CHARSET = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE)
DELETED = dict.fromkeys([0xAD, 0x200C, 0x200D, 0x2060, 0xFEFF])
SPELLED = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2010: "-", 0x2011: "-", 0x130: "i", 0x200B: SOFT}


class Reader(HTMLParser):
    """`text` with hard and soft breaks, `hrefs` resolved, `refresh` the target of an immediate meta refresh."""

    def __init__(self, html: str, url: str) -> None:
        super().__init__()
        self.base, self.hrefs, self.refresh = url, [], ""
        self._parts: list[str] = []
        self._skipped, self._depth, self._closed = "", 0, ""
        self.feed(html)
        self.close()
        self.text = "".join(self._parts)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._note(tag, given)
        if self._skipped:
            self._depth += tag == self._skipped
            return
        if tag not in VOID and (self._hidden(given) or tag in UNSEEN or (tag == "dialog" and "open" not in given)):
            self._skipped, self._depth = tag, 1
            self._parts.append(HARD if tag in BLOCK else SOFT)
        elif tag == "br":
            self._parts.append(" ")
        elif tag in BLOCK:
            self._parts.append(HARD)
        elif tag in ("sup", "sub") or tag == self._closed:
            self._parts.append(SOFT)
        self._closed = ""

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            self._depth -= tag == self._skipped
            self._skipped = self._skipped if self._depth else ""
            return
        if tag in BLOCK:
            self._parts.append(HARD)
        elif tag in ("sup", "sub"):
            self._parts.append(SOFT)
        self._closed = tag

    def handle_data(self, data: str) -> None:
        self._closed = ""
        if not self._skipped:
            self._parts.append(data)

    def _note(self, tag: str, given: dict[str, str]) -> None:
        if tag in ("a", "area") and "href" in given:
            self.hrefs.append(given["href"].strip())
        if tag == "meta" and given.get("http-equiv", "").lower() == "refresh":
            found = re.match(r"\s*0*\s*;\s*url\s*=\s*['\"]?([^'\"]+)", given.get("content", ""), re.IGNORECASE)
            self.refresh = found[1] if found else ""

    @staticmethod
    def _hidden(given: dict[str, str]) -> bool:
        style = given.get("style", "").replace(" ", "").lower()
        unseen = "display:none" in style or "visibility:hidden" in style
        return unseen or ("hidden" in given and given["hidden"] != "until-found")


def decoded(body: bytes, content_type: str) -> str:
    named = re.search(r"charset=[\"']?([\w-]+)", content_type)
    meta = META_CHARSET.search(body[:1024])
    name = named[1] if named else meta[1].decode() if meta and not body.startswith(b"\xff\xfe") else ""
    if body.startswith(b"\xff\xfe") or name.lower() == "utf-16":
        name = "utf-16-le"
    if not name:
        try:
            return body.decode("utf-8-sig")
        except UnicodeDecodeError:
            name = "windows-1252"
    name = {"windows-874": "cp874"}.get(name.lower(), name)
    codecs.lookup(name)
    return body.decode(name, "replace").removeprefix("\ufeff")


def normalised(text: str) -> str:
    text = text.translate(DELETED).translate(SPELLED)
    return unicodedata.normalize("NFC", re.sub(r"[\s\u00a0]+", " ", text).casefold())


def pattern(keyword: str) -> re.Pattern[str]:
    word = normalised(keyword)
    left = "" if re.match(f"[{SPACELESS}]", word) else f"(?:(?<!\\w)|(?<=[{SPACELESS}]))"
    if re.search(f"[{SPACELESS}]$", word) or not re.search(r"\w$", word):
        right = ""
    else:
        after = SPACELESS + (HANGUL if re.search(f"[{HANGUL}]$", word) else "")
        right = f"(?:(?!\\w)|(?=[{after}]))"
    return re.compile(left + f"{SOFT}?".join(map(re.escape, word)) + right)


def counted(text: str, patterns: dict[str, re.Pattern[str]]) -> Counter[str]:
    folded = normalised(text)
    return Counter({keyword: len(found) for keyword, one in patterns.items() if (found := one.findall(folded))})


def resolved(reader: Reader) -> list[str]:
    links = []
    for href in reader.hrefs:
        try:
            links.append(urljoin(reader.base, href))
        except ValueError:
            continue
    return links
