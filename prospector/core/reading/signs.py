"""What a page shows of itself besides text: that it is a shell for a browser, a challenge, parked, or an error in disguise."""

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache

from ahocorasick_rs import BytesAhoCorasick, MatchKind

SHELL_CHARACTERS = 200  # visible text of a page that a browser would fill
CHALLENGE_CHARACTERS = 1_500
PARKED_CHARACTERS = 3_000
PARKED_SOURCE_CHARACTERS = 1_000
NOT_FOUND_CHARACTERS = 3_000
CAPTCHA_CHARACTERS = 600  # a form with a captcha on an ordinary page has more around it


class Sign(Enum):
    """What was seen on a page."""

    NEEDS_BROWSER = "needs a browser"
    CHALLENGE = "challenge"
    PARKED = "parked"
    SOFT_404 = "soft 404"


NOSCRIPT = re.compile(rb"<noscript\b[^>]*>(?:(?!</noscript).)*?\bjava\s?script\b", re.IGNORECASE | re.DOTALL)

# in the source, by the makers of such pages: Cloudflare, DataDome, PerimeterX, Imperva, Akamai, Sucuri, AWS, Kasada,
# DDoS-Guard, Radware, Qrator
CHALLENGE_SOURCES = (
    b"cf-chl-",
    b"cf_chl_",
    b"/cdn-cgi/challenge-platform/h/",
    b"captcha-delivery.com",
    b"px-captcha",
    b"_Incapsula_Resource",
    b"errors.edgesuite.net",
    b"/_sec/cp_challenge",
    b"sucuri_cloudproxy",
    b"awsWafCookieDomainList",
    b"gokuProps",
    b"/ips.js?",
    b"ddos-guard/js-challenge",
    b"perfdrive.com",
    b"__qrator",
)
CHALLENGE_WORDS = (
    "just a moment...",
    "attention required! | cloudflare",
    "checking your browser",
    "checking if the site connection is secure",
    "verify you are human",
    "verify that you are human",
    "verifying you are human",
    "verify you are not a robot",
    "verify that you are not a robot",
    "are you a robot",
    "please complete the security check",
    "pardon our interruption",
    "access to this page has been denied",
    "unusual traffic from your",
    "ddos protection by",
    "request unsuccessful. incapsula",
)
CAPTCHA_SOURCES = (b"g-recaptcha", b"h-captcha", b"cf-turnstile", b"hcaptcha.com/1/api", b"/recaptcha/")
PARKED_SOURCES = (
    b"sedoparking.com",
    b"parkingcrew.net",
    b"bodis.com",
    b"parklogic.com",
    b"d38psrni17bvxu",
    b"afternic.com/forsale",
    b"dan.com/buy-domain",
    b"hugedomains.com/domain_profile",
    b"uniregistry.com/buy",
)
PARKED_WORDS = re.compile(
    r"\b(?:this|the) (?:web ?site|domain)(?: name)? (?:\S+ )?(?:is|may be|might be) (?:for sale|available for purchase|parked)\b|"
    r"\bbuy this domain\b|\bdomain (?:is )?parked\b|\bparked free, courtesy of\b|\binquire about this domain\b|"
    r"\bdiese domain (?:\S+ )?(?:steht zum verkauf|kaufen)|\bdomain zu verkaufen|"
    r"\bce (?:nom de )?domaine est à vendre|\beste dominio está (?:en|a la) venta|\bquesto dominio è in vendita|"
    r"\bdit domein is te koop|\bдомен (?:\S+ )?прода[её]тся|このドメインは販売",
)
PARKED_HINTS = ("parked", "domain", "domein", "dominio", "домен", "ドメイン")  # one is in every one of them
NOT_FOUND = re.compile(
    r"^(?:\W*(?:error|fehler|erreur|http)?\W*40[4]\b|(?:oops\W+)?(?:the |this )?(?:page|site|file|url|document)\W+"
    r"(?:you (?:requested|are looking for) )?(?:was |is |could |can )?(?:not|n't)(?: be)? found|not found\b|"
    r"page (?:does not|doesn't) exist|seite (?:wurde )?nicht gefunden|page (?:introuvable|non trouvée)|"
    r"página no encontrada|página não encontrada|pagina non trovata|pagina niet gevonden|strona nie (?:została )?znaleziona|"
    r"nie znaleziono strony|siden (?:ble |blev )?ikke fundet|sidan (?:kunde inte hittas|hittades inte)|sivua ei löyt|"
    r"stránka nenalezena|sayfa bulunamadı|страница не найдена|сторінку не знайдено|ページが見つかりません|"
    r"お探しのページ|页面(?:不存在|未找到)|找不到(?:页面|網頁|该页)|페이지를 찾을 수 없)"
    r"|[|–—:·-]\s*(?:404|(?:page )?not found)\W*$",
    re.IGNORECASE,
)


LONGEST_CHARACTERS = max(CHALLENGE_CHARACTERS, PARKED_CHARACTERS, NOT_FOUND_CHARACTERS)
NONE: frozenset[Sign] = frozenset()


@dataclass(frozen=True, slots=True)
class Looks:
    """What the signs are read from: `text` is the visible text of the body in one line, `heading` its first h1."""

    source: bytes
    title: str
    text: str
    heading: str
    has_script: bool
    has_empty_root: bool


def signs(looks: Looks) -> frozenset[Sign]:
    length = len(looks.text)
    words = f"{looks.title} {looks.text}".lower()
    seen = set()
    if looks.has_empty_root or (length < SHELL_CHARACTERS and _wants_script(looks)):
        seen.add(Sign.NEEDS_BROWSER)
    if length < CHALLENGE_CHARACTERS and _is_challenge(looks, words):
        seen.add(Sign.CHALLENGE)
    if length < PARKED_CHARACTERS and _is_parked(looks, words):
        seen.add(Sign.PARKED)
    if length < NOT_FOUND_CHARACTERS and (NOT_FOUND.search(looks.title) or NOT_FOUND.search(looks.heading)):
        seen.add(Sign.SOFT_404)
    return frozenset(seen)


def _wants_script(looks: Looks) -> bool:
    return looks.has_script or NOSCRIPT.search(looks.source) is not None


def _is_challenge(looks: Looks, words: str) -> bool:
    if any(phrase in words for phrase in CHALLENGE_WORDS):
        return True
    # every challenge is a script, but for the plain refusal of one maker
    if not looks.has_script and "denied" not in words:
        return False
    if _names(CHALLENGE_SOURCES, looks.source):
        return True
    return len(looks.text) < CAPTCHA_CHARACTERS and _names(CAPTCHA_SOURCES, looks.source)


def _is_parked(looks: Looks, words: str) -> bool:
    if any(hint in words for hint in PARKED_HINTS) and PARKED_WORDS.search(words):
        return True
    return len(words) < PARKED_SOURCE_CHARACTERS and _names(PARKED_SOURCES, looks.source)


def _names(makers: tuple[bytes, ...], source: bytes) -> bool:
    return bool(_finder(makers).find_matches_as_indexes(source))


@cache
def _finder(makers: tuple[bytes, ...]) -> BytesAhoCorasick:
    """All of them in one pass, in less time than `in` takes for one."""
    return BytesAhoCorasick(makers, matchkind=MatchKind.LeftmostFirst)
