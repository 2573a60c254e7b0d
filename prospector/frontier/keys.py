"""Every key in Redis, in one place. The Lua files use these by the same names, as functions of the words in braces."""

PREFIX = "prospector:"

# the frontier as a whole
META = "meta"  # hash: epoch, leases (their counter), turn, run and boot of the server, clock (of the last claim), claimed (its run), looked, skew, changes, boots, line, down, watched, amnesty
RUNNING = "running"  # sorted set: job -> turn; a job that is held is not in it
LATER = "later"  # sorted set: entry of a page -> the moment it may be queued again
SUSPECTS = "suspects"  # sorted set: entry of a page whose lease was lost -> since when, or when it was last looked at
QUIET = "quiet"  # string: the worker that empties its hands to take suspects alone
FINISHING = "finishing"  # sorted set: job and domain that ran empty -> since when; closed once its row is written
DEAD = "dead"  # hash: entry of a page -> why it is handed out no more (JSON), until the record has it
TOLD = "told"  # sorted set: event of the record that somebody was told -> itself; the newest of them
PROVIDER = "provider"  # hash: failures in a row, first, fine, opened, probe, called, stopped, most, most_until
CROWDED = "crowded"  # string: why new jobs have to wait
PAID_FLYING = (
    "paid-flying"  # sorted set: lease of a paid request in flight -> since when, '+inf' while it is not confirmed
)
PAID_WAITING = "paid-waiting"  # sorted set: job -> turn; jobs with a line of paid pages

# leases and those who hold them
LEASES = "leases"  # hash: lease -> what was handed out (JSON)
WORKERS = "workers"  # sorted set: worker -> the moment all its leases expire unless it beats
NODES = "nodes"  # sorted set: node -> last sign of life of any of its workers
HANDS = "hands:{worker}"  # set: leases of a worker
WORKER = "worker:{worker}"  # hash: what a worker says of itself, left (it said goodbye)

# a job
JOB = "job:{job}"  # hash: state, since (when it was last begun to be handed out), limits, counters, money, find (the page with the newest mention), asked (whether the addresses of the client are)
WAITING = "waiting:{job}"  # sorted set: domain that is not open yet (JSON) -> its number
OPEN = "open:{job}"  # set: domains that are open
READY = "ready:{job}"  # sorted set: site -> the moment it may be asked; only sites with work and nothing in flight
STALLED = "stalled:{job}"  # sorted set: domain whose site asked for a far moment -> that moment
PARKED = "parked:{job}:{reason}"  # sorted set: entry of a page that waits for money, key, provider -> place in line
LIFTED = "lifted:{job}"  # sorted set: as parked, of pages that a lift has let go and that are not in line yet
PAID = "paid:{job}"  # sorted set: entry of a page -> its place in the line for paid requests (line_place.lua)
RATE = "rate:{job}"  # hash: minute and counter -> how many in that minute

# a site
SITE = "site:{site}"  # hash: next, lease, delay, blocked, strikes, struck, address, slot
SITE_JOBS = "site-jobs:{site}"  # sorted set: job with work on the site -> turn
SITE_DOMAINS = "site-domains:{site}:{job}"  # sorted set: domain with queued pages -> turn
ADDRESS = "address:{address}"  # hash: next, flying
ROBOTS = "packed-robots:{authority}"  # string: robots.txt as read, packed, for all jobs

# a domain of a job
DOMAIN = "domain:{job}:{domain}"  # hash: site, home, opened, counters, mode, method, memory, unlisted (on no list), home_over (its homepage needs no more credits)
QUEUE = "queue:{job}:{domain}"  # sorted set: url -> score
STATE = "state:{job}:{domain}"  # hash: url -> state of a page that is not as new (codec.py)
SEEN = "seen:{job}:{domain}"  # set: fingerprints

TEMPLATES: dict[str, str] = {
    name: PREFIX + value for name, value in list(globals().items()) if name.isupper() and name != "PREFIX"
}


def key(template: str, **words: str) -> str:
    return PREFIX + template.format(**words)
