"""Downloader and spider middlewares, one a file, each doing one thing."""
