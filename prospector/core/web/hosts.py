"""From what a person typed into a cell to the hosts meant, or the reason why there is none."""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from ipaddress import IPv6Address, ip_address

import ada_url

from prospector.core.data import entries
from prospector.core.web import sites

LONGEST_TOKEN = 2_083  # characters of an address; the longest that any spreadsheet keeps as a link
LONGEST_HOST = 253  # characters, RFC 1035
LONGEST_LABEL = 63
MOST_TOKENS = 20_000  # of one cell
SHOWN = 80  # characters of a refused value


class Reason(StrEnum):
    """Why a value is not a domain. The words are what scripts and reports see; `words` makes a sentence of them."""

    EMPTY = "empty"
    EMAIL = "e-mail"
    NO_DOT = "no dot"
    NUMBER = "number"
    IP = "IP"
    PRIVATE = "private or local host"
    PUBLIC_SUFFIX = "public suffix"
    FILE_NAME = "file name"
    NOT_WEB = "not a web address"
    NOT_A_HOST = "not a host name"
    TOO_LONG = "too long"
    UNREADABLE = "unreadable characters"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS = {
    Reason.EMPTY: "has no domain",
    Reason.EMAIL: "is an e-mail address",
    Reason.NO_DOT: "has no dot, so it is not a domain",
    Reason.NUMBER: "is a number or a date, not a domain",
    Reason.IP: "is an IP address, not a domain",
    Reason.PRIVATE: "is a private or local host",
    Reason.PUBLIC_SUFFIX: "is a public suffix: domains are registered below it",
    Reason.FILE_NAME: "is a file name",
    Reason.NOT_WEB: "is not an address of the web (http or https)",
    Reason.NOT_A_HOST: "is not a valid host name",
    Reason.TOO_LONG: "is too long for a domain",
    Reason.UNREADABLE: "has characters that cannot be read",
}


@dataclass(frozen=True, slots=True)
class Host:
    """`domain` is the unit of work; `host` is what was listed, for the first request; `path` was dropped."""

    value: str
    host: str
    domain: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    value: str
    reason: Reason


# nearly every cell is one of these, and is read without a URL parser: a host, or the address of a page of it
PLAIN = re.compile(
    r"(?:https?://)?((?:[a-z0-9_-]+\.)+[a-z]{2,})([/?#][^\s,;|\"'<>\\()\[\]{}]*)?", re.IGNORECASE | re.ASCII
)
LABEL = re.compile(r"[a-z0-9_-]+")
PLAIN_LABELS = re.compile(r"(?:(?!xn--)[a-z0-9_-]{1,63}\.)*(?!xn--)[a-z0-9_-]{1,63}")
ENDING = re.compile(r"[a-z](?:[a-z0-9-]*[a-z0-9])?")
REGISTERED_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")

SPACES = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
INVISIBLE = re.compile(r"[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
UNREADABLE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffd]")
WRAPPING = " \t\"'`´“”„‟‘’‚«»‹›<>(){}|,;"
DEFANGED_DOT = re.compile(r"\s?(?:\[\s*(?:\.|dot)\s*\]|\(\s*(?:\.|dot)\s*\)|\{\s*(?:\.|dot)\s*\})\s?", re.IGNORECASE)
DEFANGED_SCHEME = re.compile(r"\bh(?:xx|\*\*|tt)p(s?)\s?(?:\[:\]//|\[://\]|://|:\\\\)", re.IGNORECASE)
SPOKEN_PREFIX = re.compile(
    r"^(?:domain|site|website|url|host|hostname|link|address|web)\s*[:=]\s*(?!//)", re.IGNORECASE
)
SCHEME = re.compile(r"^(?:(?:https?)(?::[\\/]{0,3}|//))+", re.IGNORECASE)
OTHER_SCHEME = re.compile(r"^[a-z][a-z0-9+-]*:(?!\d|[^/\s]*@|$)", re.IGNORECASE)
PASSWORD = re.compile(r"(?<=[^\s/:@]:)(?<!mailto:)[^\s/]+(?=@)", re.IGNORECASE)
ADDRESS_PASSWORD = re.compile(r"(?<=://)([^\s/?#:@]*:)[^\s/?#]+(?=@)")
MAIL = re.compile(r"^(?:mailto:)?[^\s@/:]*@[^\s@/:]+$", re.IGNORECASE)
BETWEEN_ADDRESSES = re.compile(r"[,;|]+(?=(?:https?:|hxxps?:|www\.|//))", re.IGNORECASE)
QUOTED_ADDRESS = re.compile(r"""["'(](https?://[^"'\s<>)]+)""", re.IGNORECASE)  # of a formula, HTML or Markdown
DOT_OF_NO_SENTENCE = re.compile(r"\.\w")  # "acme .com" has a dot, though no word of it does
LITERAL_IPV6 = re.compile(r"\[[0-9a-f.]*:[0-9a-f.:%]", re.IGNORECASE)
WORDS = frozenset([Reason.NO_DOT, Reason.NUMBER])
NUMBER = re.compile(r"(?!(?:\d+\.){3})[+-]?\d[\d.,:/%)-]*")  # not 10.0.0.1
BETWEEN_HOSTS = re.compile(r"[,;|]+")
NUMERIC_ENDING = re.compile(r"(?:^|\.)(?:0x[0-9a-f]*|[0-9]+)\.?$", re.IGNORECASE)


def read(cell: str) -> list[Host | Refused]:
    """What one cell says, in its order; a cell of words without a host is one refusal."""
    stripped = cell.strip()
    if len(stripped) <= LONGEST_TOKEN and (plain := PLAIN.fullmatch(stripped)):
        return [_judged(stripped, plain[1].lower(), plain[2] or "")]
    if not stripped:
        return [Refused("", Reason.EMPTY)]
    if UNREADABLE.search(cell):
        return [Refused(shown(cell), Reason.UNREADABLE)]
    tokens = _tokens(cell)
    if len(tokens) > MOST_TOKENS:
        return [Refused(shown(cell), Reason.TOO_LONG)]
    outcomes = [_read_token(token) for token in tokens]
    # in "1. Acme Ltd: acme.com and acme.de" the words are not failed domains, nor is the number
    if telling := [one for one in outcomes if isinstance(one, Host) or one.reason not in WORDS]:
        return telling
    reasons = {one.reason for one in outcomes if isinstance(one, Refused)}
    return [Refused(shown(stripped), _reason_of_words(stripped, reasons))]


def _reason_of_words(cell: str, reasons: set[Reason]) -> Reason:
    if reasons <= {Reason.NUMBER}:
        return Reason.NUMBER if reasons else Reason.EMPTY
    return Reason.NOT_A_HOST if DOT_OF_NO_SENTENCE.search(cell) else Reason.NO_DOT


def shown(value: str) -> str:
    """One line that is not long, cannot steer a terminal, and tells no password."""
    value = PASSWORD.sub("***", value)
    value = UNREADABLE.sub("\N{REPLACEMENT CHARACTER}", " ".join(value.split()))
    return value if len(value) <= SHOWN else f"{value[: SHOWN - 1]}…"


def without_password(text: str) -> str:
    """Text of the user's own, with all else as it was: "Ask:bob@acme.com" has an address in it, and no password."""
    return ADDRESS_PASSWORD.sub(r"\1***", text) if "@" in text and "://" in text else text


def _tokens(cell: str) -> list[str]:
    text = SPACES.sub(" ", INVISIBLE.sub("", cell))
    text = DEFANGED_SCHEME.sub(r"http\1://", DEFANGED_DOT.sub(".", text)).strip(WRAPPING)
    text = SPOKEN_PREFIX.sub("", text)
    if quoted := QUOTED_ADDRESS.findall(text):
        return list(dict.fromkeys(quoted))
    tokens: list[str] = []
    for part in text.split(" "):
        between = BETWEEN_ADDRESSES if "/" in part else BETWEEN_HOSTS
        tokens += (token for token in (_unwrapped(piece) for piece in between.split(part)) if token)
    return tokens


def _unwrapped(token: str) -> str:
    token = SPOKEN_PREFIX.sub("", token.strip(WRAPPING))
    if not LITERAL_IPV6.match(token):
        token = token.strip(f"{WRAPPING}[]")
    return token.rstrip("!?") if "/" not in token else token


def _read_token(token: str) -> Host | Refused:
    if len(token) > LONGEST_TOKEN:
        return Refused(shown(token), Reason.TOO_LONG)
    if token.count(":") > 1 and _is_ipv6(token):
        return Refused(token, _reason_of_ip(token))
    if NUMBER.fullmatch(token) and not _is_this_machine(token):
        return Refused(shown(token), Reason.NUMBER)
    if MAIL.match(token):
        return Refused(shown(token), Reason.EMAIL)
    address = SCHEME.sub("", token)
    if address == token and OTHER_SCHEME.match(token):
        return Refused(shown(token), Reason.NOT_WEB)
    address = address.lstrip("/\\").removeprefix("*.").removeprefix(".")
    if not address.strip("/\\.*-_&+#:"):
        return Refused(shown(token), Reason.NO_DOT)
    return _read_address(token, address)


def _read_address(token: str, address: str) -> Host | Refused:
    if not address.isascii() and ("\u200c" in address or "\u200d" in address):
        address = _without_stray_joiners(address)
    try:
        parsed = ada_url.URL(f"http://{address}")
    except ValueError:
        return Refused(shown(token), _reason_of_invalid(address))
    host = parsed.hostname
    if parsed.host_type != ada_url.HostType.DEFAULT:
        return Refused(shown(token), _reason_of_ip(host))
    return _judged(token, host.removesuffix("."), parsed.pathname + parsed.search)


def _is_ipv6(token: str) -> bool:
    try:
        return isinstance(ip_address(token.strip("[]")), IPv6Address)
    except ValueError:
        return False


def _is_this_machine(number: str) -> bool:
    """Whether it is a short way to write 127.0.0.1, or the address where clouds keep their secrets."""
    try:
        address = ip_address(ada_url.URL(f"http://{number}").hostname)
    except ValueError:
        return False
    return address.is_loopback or address.is_link_local


def _without_stray_joiners(address: str) -> str:
    """ZWJ and ZWNJ are letters of some names (Persian, Sinhala) and dirt in a Latin one."""
    host = re.split(r"[/?#]", address, maxsplit=1)[0]
    bare = re.sub("[\u200c\u200d]", "", host)
    return bare + address[len(host) :] if bare.isascii() else address


def _reason_of_invalid(address: str) -> Reason:
    host = re.split(r"[/?#:\\]", address.rpartition("@")[2], maxsplit=1)[0]
    if NUMERIC_ENDING.search(host) or address.startswith("["):
        return Reason.IP
    return Reason.NOT_A_HOST if "." in host else Reason.NO_DOT


def _reason_of_ip(host: str) -> Reason:
    address = ip_address(host.strip("[]"))
    return Reason.IP if address.is_global and not address.is_multicast else Reason.PRIVATE


def _judged(value: str, host: str, path: str) -> Host | Refused:
    domain, reason = judge(host)
    if reason:
        return Refused(shown(value), reason)
    path = path.partition("#")[0]
    return Host(shown(value), host, domain, "" if path in ("", "/", "/?", "?") else shown(path))


@lru_cache(1 << 16)
def judge(host: str) -> tuple[str, Reason | None]:
    """(the domain that a valid host stands for, None) or ("", why not). `host` is lower case ASCII without an end dot."""
    reason = _why_not(host)
    return ("", reason) if reason else (sites.bare(host), None)


def _why_not(host: str) -> Reason | None:
    labels = host.split(".")
    ending = labels[-1]
    local = entries("local_names")
    if ending in local or ".".join(labels[-2:]) in local:
        return Reason.PRIVATE
    if len(labels) == 1:
        return Reason.NO_DOT
    if len(host) > LONGEST_HOST or not ENDING.fullmatch(ending):
        return Reason.NOT_A_HOST
    if not (PLAIN_LABELS.fullmatch(host) or all(map(_is_label, labels))):
        return Reason.NOT_A_HOST
    if ending in entries("file_endings") and not sites.is_known_ending(ending):
        return Reason.FILE_NAME
    if sites.is_registry_suffix(host):
        return Reason.PUBLIC_SUFFIX
    return None if REGISTERED_LABEL.fullmatch(sites.registered_label(host)) else Reason.NOT_A_HOST


def _is_label(label: str) -> bool:
    """Underscores and outer hyphens are seen in real subdomains, so browsers and we allow them there."""
    if not LABEL.fullmatch(label) or len(label) > LONGEST_LABEL:
        return False
    return not label.startswith("xn--") or _is_idn(label)


def _is_idn(label: str) -> bool:
    """Whether the label is what its own Unicode form becomes: browsers let others pass, registries do not."""
    try:
        unicode = label[4:].encode("ascii").decode("punycode")
        return not unicode.isascii() and ada_url.idna_to_ascii(unicode).decode() == label
    except (UnicodeError, ValueError):
        return False
