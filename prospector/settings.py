"""Every option of a deployment, and Scrapy's own settings. Each option: what it is, its unit, who reads it.

An option comes from a flag (`--set NAME=VALUE`), the environment, prospector.toml or the default below, in this order.
Those that say what is run and where data goes (programs, folders, URLs, networks, routes) are not taken from a prospector.toml of
the working folder.
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
POSTGRES_PROGRAMS = env.program("POSTGRES_PROGRAMS")

# program of a Redis or Valkey, for the local stack; else of a wheel or the system; read by prospector.local
REDIS_PROGRAM = env.program("REDIS_PROGRAM")

# seconds until a local stack that nothing uses stops by itself; read by prospector.local
LOCAL_IDLE_SECONDS = env.integer("LOCAL_IDLE_SECONDS", 900, least=1)

# where files go: s3://bucket/prefix or a folder as file:///path; else PROSPECTOR_HOME/files; read by prospector.local
STORAGE_URL = env.url("STORAGE_URL", None, ("s3", "file"))

# networks that are open although not public, for intranets and tests; read by prospector.fetch.resolver
ALLOWED_NETWORKS = env.networks("ALLOWED_NETWORKS")

# names and where they lead, as *.test=127.1.0.1:18080; read by prospector.fetch.resolver
RESOLVE = env.routes("RESOLVE")

# least time between two requests to a site, ms; less than 1000 only inside ALLOWED_NETWORKS; read by prospector.scheduler, cli.lists
DELAY_MS = env.integer("DELAY_MS", 1_000)

# longest time that a slow or failing site's delay grows to, ms; read by prospector.spiders.domain
DELAY_MOST_MS = env.integer("DELAY_MOST_MS", 60_000, least=1_000)

# seconds that a worker may be silent before its pages are given to others; read by prospector.scheduler
LEASE_SECONDS = env.integer("LEASE_SECONDS", 60, least=2, most=600)

# name of this machine among the nodes; else its host name; read by prospector.scheduler
NODE_NAME = env.text("NODE_NAME")

# workers that are kept on each Scrapyd node while there is work; read by prospector.jobs
WORKERS_PER_NODE = env.integer("WORKERS_PER_NODE", 2, least=1, most=64)

# where the steward serves /metrics and /healthz, host:port; read by prospector.jobs
METRICS_ADDRESS = env.address("METRICS_ADDRESS", "127.0.0.1:9641")

# where alerts and the ends of jobs are sent, as JSON that Slack understands; read by prospector.jobs
ALERT_WEBHOOK_URL = env.url("ALERT_WEBHOOK_URL", None, ("https", "http"))

# domains of a job that are finished between two checkpoints of its counters; read by prospector.jobs
CHECKPOINT_DOMAINS = env.integer("CHECKPOINT_DOMAINS", 100, least=1)

# addresses of the client that a job asks for at its end, the most linked ones; 0: none; read by prospector.jobs.targets
CLIENT_URLS_MOST = env.integer("CLIENT_URLS_MOST", 500, least=0, most=10_000)

# days after which the results of a job that is over, or paused, are deleted; read by prospector.jobs
RETENTION_DAYS = env.integer("RETENTION_DAYS", 90, least=1)

# seconds until a worker with nothing to do leaves; read by prospector.scheduler
WORKER_IDLE_SECONDS = env.integer("WORKER_IDLE_SECONDS", 300, least=1)

# memory at which a worker ends in good order and is replaced, MB; read by prospector.extensions.memory_limit
WORKER_MEMORY_MB = env.integer("WORKER_MEMORY_MB", 400, least=100)

# domains that are crawled at once, for each worker; read by prospector.scheduler
OPEN_DOMAINS_PER_WORKER = env.integer("OPEN_DOMAINS_PER_WORKER", 500, least=1)

# an S3 that is not Amazon's; read by prospector.jobs.exports, prospector.local
AWS_ENDPOINT_URL = env.url("AWS_ENDPOINT_URL", None, ("http", "https"))

# memory that one export may use, megabytes; read by prospector.jobs.exports
EXPORT_MEMORY_MB = env.integer("EXPORT_MEMORY_MB", 1_024, least=128)

# least severe level that is logged; read by prospector.logs
LOG_LEVEL = env.choice("LOG_LEVEL", "info", ("debug", "info", "warning", "error")).upper()

# "json", "text", or "auto": text on a terminal, JSON elsewhere; read by prospector.logs
LOG_STYLE = env.choice("LOG_STYLE", "auto", ("auto", "json", "text"))

# key of the ScrapingBee account; without it nothing is paid for; read by prospector.fetch.key
SCRAPINGBEE_API_KEY = env.secret("SCRAPINGBEE_API_KEY")

# where ScrapingBee's API is; read by prospector.fetch.scrapingbee
SCRAPINGBEE_API_URL = env.url("SCRAPINGBEE_API_URL", "https://app.scrapingbee.com/api/v1/", ("https", "http"))

# most paid requests in flight, over all jobs and workers; the account's own limit holds where it is lower;
# read by prospector.scheduler
SCRAPINGBEE_CONCURRENCY = env.integer("SCRAPINGBEE_CONCURRENCY", 10, least=1, most=1_000)

# what one credit costs, in US dollars; read by cli.lists
CREDIT_PRICE_USD = env.decimal("CREDIT_PRICE_USD", "0.01")

env.refuse_unknown()

# Scrapy's own, for all that runs here: `scrapy fetch` and `scrapy shell` keep to the same addresses, limits and robots.txt.
# The parts of a crawl are in spiders/parts.py
BOT_NAME = "prospector"
SPIDER_MODULES = ["prospector.spiders"]
NEWSPIDER_MODULE = "prospector.spiders"
SPIDER_LOADER_CLASS = "prospector.spiders.loader.Loader"
ADDONS = {"prospector.extensions.log_lines.LogLines": 0}
LOG_INSTALL_ROOT_HANDLER = False  # LogLines installs ours
LOG_VERSIONS: list[str] = []
TELNETCONSOLE_ENABLED = False  # a worker opens no port
REMOTE_CONTROL_ENABLED = False
ROBOTSTXT_OBEY = True  # in a crawl middlewares/robots.py obeys it, once for all workers
ROBOTSTXT_USER_AGENT = "BacklinkProspector"
RETRY_ENABLED = False  # a retry of Scrapy's waits for nothing
COOKIES_ENABLED = False
HTTPPROXY_ENABLED = False

# what one fetch may take
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 10 * 1024 * 1024
DOWNLOAD_WARNSIZE = 0
TWISTED_DNS_RESOLVER = "prospector.fetch.resolver.Resolver"
DOWNLOAD_HANDLERS = dict.fromkeys(("data", "file", "ftp", "s3"), None)
EXTENSIONS = {"scrapy.extensions.logstats.LogStats": None}
