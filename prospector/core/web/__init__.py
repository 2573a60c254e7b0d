"""Addresses, hosts and sites, and what a site says of itself: robots.txt, sitemaps."""
