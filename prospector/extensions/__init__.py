"""Scrapy extensions and add-ons, one a file."""
