"""Every option of a deployment, and Scrapy's own settings. Each option: what it is, its unit, who reads it.

An option comes from a flag (`--set NAME=VALUE`), the environment, prospector.toml or the default below, in this order.
"""

import os
import sys
from pathlib import Path

from prospector import env
from prospector.errors import end_in_words

# `scrapy crawl` and Scrapyd import this before any code of ours could catch a wrong setting
sys.excepthook = end_in_words

_DATA_HOME = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")

# folder of the local stack's data; read by prospector.local
PROSPECTOR_HOME = env.folder("PROSPECTOR_HOME", _DATA_HOME / "prospector")

# Postgres to use, 15 or newer; else the local stack's; read by prospector.local
DATABASE_URL = env.url("DATABASE_URL", None, ("postgresql", "postgresql+psycopg2"))

# the same Postgres as a role that writes rows only, for workers; read by prospector.pipelines.write
WORKER_DATABASE_URL = env.url("WORKER_DATABASE_URL", DATABASE_URL, ("postgresql", "postgresql+psycopg2"))

# the same Postgres as a role that reads only, for exports; read by prospector.local.record
READER_DATABASE_URL = env.url("READER_DATABASE_URL", DATABASE_URL, ("postgresql", "postgresql+psycopg2"))

# Redis or Valkey to use, commands of 7.0; else the local stack's; read by prospector.local
REDIS_URL = env.url("REDIS_URL", None, ("redis", "rediss", "unix"))

# Scrapyd nodes to use, with user and password in each URL; else the local stack's one; read by prospector.local
SCRAPYD_URLS = env.urls("SCRAPYD_URLS", ("http", "https"))

# folder of the programs of a Postgres, for the local stack; else of a wheel or the system; read by prospector.local
POSTGRES_PROGRAMS = env.text("POSTGRES_PROGRAMS")

# program of a Redis or Valkey, for the local stack; else of a wheel or the system; read by prospector.local
REDIS_PROGRAM = env.text("REDIS_PROGRAM")

# seconds until a local stack that nothing uses stops by itself; read by prospector.local
LOCAL_IDLE_SECONDS = env.integer("LOCAL_IDLE_SECONDS", 900, least=1)

# where files go: s3://bucket/prefix or a folder as file:///path; else PROSPECTOR_HOME/files; read by prospector.local
STORAGE_URL = env.url("STORAGE_URL", None, ("s3", "file"))

# least severe level that is logged; read by prospector.logs
LOG_LEVEL = env.choice("LOG_LEVEL", "info", ("debug", "info", "warning", "error")).upper()

# "json", "text", or "auto": text on a terminal, JSON elsewhere; read by prospector.logs
LOG_STYLE = env.choice("LOG_STYLE", "auto", ("auto", "json", "text"))

env.refuse_unknown()

# Scrapy's own
BOT_NAME = "prospector"
SPIDER_MODULES = ["prospector.spiders"]
NEWSPIDER_MODULE = "prospector.spiders"
ADDONS = {"prospector.extensions.log_lines.LogLines": 0}
LOG_INSTALL_ROOT_HANDLER = False  # LogLines installs ours
LOG_VERSIONS: list[str] = []
TELNETCONSOLE_ENABLED = False  # a worker opens no port
REMOTE_CONTROL_ENABLED = False
