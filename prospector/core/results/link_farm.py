"""Whether a page is made of links to other people's sites, and of hardly anything else: a link there is worth nothing."""

from urllib.parse import urlsplit

from prospector.core.reading.page import Page
from prospector.core.web.sites import site_of

SITES = 100  # other ones; an article of "the 50 best" has fewer
SHARE = 0.6  # of the page's text that is the text of such links; a directory that describes what it lists has less


def is_link_farm(page: Page) -> bool:
    if len(page.links) < SITES:
        return False
    host = urlsplit(page.url).hostname or ""
    own = (f"https://{host}/", f"http://{host}/")  # most links of most pages, told apart in no time
    outward = [link for link in page.links if not link.url.startswith(own)]
    sites = {site_of(urlsplit(link.url).hostname or "") for link in outward} - {site_of(host)}
    return len(sites) >= SITES and sum(len(link.anchor) for link in outward) >= SHARE * page.text_length
