"""The kinds of site there are: name -> (what plans one, its share of a web). Share 0: once in a web, not more."""

from collections.abc import Callable

from prospector.demo.web.draft import Draft
from prospector.demo.web.kinds import barred, broken, canaries, large, ordinary, redirects, robots, traps
from prospector.demo.web.site import Site

KINDS: dict[str, tuple[Callable[[Draft], Site], int]] = {
    **ordinary.KINDS,
    **large.KINDS,
    **barred.KINDS,
    **robots.KINDS,
    **redirects.KINDS,
    **traps.KINDS,
    **broken.KINDS,
    **canaries.KINDS,
}
