"""Finds the pages that mention a keyword on thousands of domains, politely and within budget."""

__version__ = "0.1.0"
