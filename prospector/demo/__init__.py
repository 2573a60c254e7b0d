"""A small web of sites on loopback, with its truth, its request log and the checker of a crawl over it."""
