"""What is said of a site or a page that links, or does not, to the client."""

from prospector.core.reading.traits import LinkStatus

LINKING = frozenset([LinkStatus.FOLLOW, LinkStatus.NOFOLLOW, LinkStatus.UGC, LinkStatus.SPONSORED])
LINK_WORDS = {
    LinkStatus.UNLINKED: "no link to you yet",
    LinkStatus.FOLLOW: "links to you (follow)",
    LinkStatus.NOFOLLOW: "links to you (nofollow)",
    LinkStatus.UGC: "links to you (ugc)",
    LinkStatus.SPONSORED: "links to you (sponsored)",
    LinkStatus.DEAD: "links to a dead address of yours",
    LinkStatus.UNKNOWN: "link status unknown: needs a browser",
}


def link_words(link: LinkStatus) -> str:
    return LINK_WORDS[link]


def page_link_words(link: LinkStatus | None, site_links: bool, links_to_competitor: bool) -> str:
    """The link status of one page as files show it; empty where neither a client nor a competitor was named."""
    words = []
    if link in LINKING:
        words.append(f"linked ({link})")
    elif link is LinkStatus.DEAD:
        words.append("links to a dead client URL")
    elif link is not None and site_links:
        words.append("linked elsewhere on this domain")
    elif link is LinkStatus.UNKNOWN:
        words.append("unknown: needs a browser")
    elif link is LinkStatus.UNLINKED:
        words.append("unlinked")
    if links_to_competitor:
        words.append("links to competitor")
    return ", ".join(words)
