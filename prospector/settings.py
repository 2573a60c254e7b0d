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

# least severe level that is logged; read by prospector.logs
LOG_LEVEL = env.choice("LOG_LEVEL", "info", ("debug", "info", "warning", "error")).upper()

# "json", "text", or "auto": text on a terminal, JSON elsewhere; read by prospector.logs
LOG_STYLE = env.choice("LOG_STYLE", "auto", ("auto", "json", "text"))

# networks that are open although not public, for intranets and tests; read by cli.explain
ALLOWED_NETWORKS = env.networks("ALLOWED_NETWORKS")

env.refuse_unknown()

# Scrapy's own
BOT_NAME = "prospector"
SPIDER_MODULES = ["prospector.spiders"]
NEWSPIDER_MODULE = "prospector.spiders"
