"""Spiders, one a file."""
