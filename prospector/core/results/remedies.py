"""What a user can do about a domain that failed: by the words of the reason, the first that fits."""

AGAIN_LATER = "Try the failed domains again later."

REMEDIES = (
    ("robots.txt disallow", "Not crawled, by design. Ask the owner, or look at the site yourself."),
    ("robots.txt unreachable", f"The site hides its rules from us. {AGAIN_LATER}"),
    ("login required", "Only members see this site. Look at it yourself if it matters."),
    ("dns", "The name has no address. Check its spelling; the site may be gone."),
    ("reserved address", "The name points into a private network. Remove it from the list."),
    ("certificate", "The site's certificate is broken. Open it in a browser to see whether it is still kept."),
    ("refused", "Nothing answers there. Check the name, or try the failed domains again later."),
    ("timeout", f"The site was too slow. {AGAIN_LATER}"),
    ("connection reset", f"The site hangs up. {AGAIN_LATER}"),
    ("cut short", f"The site hangs up. {AGAIN_LATER}"),
    ("cannot be unpacked", f"The site had a fault of its own. {AGAIN_LATER}"),
    ("redirect to no web address", "The site sends visitors to an address that is none. Open it in a browser."),
    ("redirect loop", "The site sends visitors in a circle. Open it in a browser; it may want a cookie."),
    ("not an html page", "There is a file where the homepage should be. Look at it yourself if it matters."),
    ("too large", "The homepage is larger than 10 MB. Look at it yourself if it matters."),
    ("captcha", "The site asks for a human. Look at it yourself if it matters."),
    ("http 429", "The site wanted fewer requests. Try the failed domains again tomorrow."),
    ("http 403", "The site refuses crawlers. --mode hybrid may get in; else look at it yourself."),
    ("http 999", "The site refuses crawlers. --mode hybrid may get in; else look at it yourself."),
    ("blocked", "The site refuses crawlers. --mode hybrid may get in; else look at it yourself."),
    ("http 404", "The homepage is gone. Check the spelling of the domain."),
    ("http 410", "The site says it is gone for good."),
    ("http 5", f"The site had a fault of its own. {AGAIN_LATER}"),
    ("scrapingbee could not", f"ScrapingBee could not get in either. {AGAIN_LATER}"),
    ("scrapingbee does not", "ScrapingBee does not take this address. Look at it yourself if it matters."),
)
ELSE = "Open it in a browser. If it loads there, try the failed domains again."


def remedy(reason: str) -> str:
    folded = reason.lower()
    return next((advice for words, advice in REMEDIES if words in folded), ELSE)
