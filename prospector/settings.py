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

# key of the ScrapingBee account; without it nothing is paid for; read by prospector.fetch.key
SCRAPINGBEE_API_KEY = env.secret("SCRAPINGBEE_API_KEY")

# where ScrapingBee's API is; read by prospector.fetch
SCRAPINGBEE_API_URL = env.url("SCRAPINGBEE_API_URL", "https://app.scrapingbee.com/api/v1/", ("https", "http"))

# most paid requests in flight, over all jobs and workers; the account's own limit holds where it is lower;
# read by prospector.scheduler
SCRAPINGBEE_CONCURRENCY = env.integer("SCRAPINGBEE_CONCURRENCY", 10, least=1, most=1_000)

# what one credit costs, in US dollars; read by prospector.jobs
CREDIT_PRICE_USD = env.decimal("CREDIT_PRICE_USD", "0.01")

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
