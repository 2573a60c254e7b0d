"""Postgres: everything that is recorded for good. The only package that speaks to it."""
