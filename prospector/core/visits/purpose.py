"""What one request is for."""

from enum import Enum


class Purpose(Enum):
    PAGE = "page"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
