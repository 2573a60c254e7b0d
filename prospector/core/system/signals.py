"""Scrapy signals of our own."""

STOP_FETCHING = object()  # the worker stops: what is still in flight is cut off
