"""Scrapy's SPIDER_LOADER_CLASS: a spider that is not there is said in one line, with the one that was meant."""

import difflib

from scrapy import Spider
from scrapy.spiderloader import SpiderLoader

from prospector.errors import InputInvalid


class UnknownSpider(InputInvalid, KeyError):
    """A KeyError as well: Scrapy's own tools try names."""


class Loader(SpiderLoader):
    def load(self, spider_name: str) -> type[Spider]:
        try:
            return super().load(spider_name)
        except KeyError:
            names = self.list()
            near = difflib.get_close_matches(spider_name, names, 1)
            hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(names)}."
            raise UnknownSpider(f"There is no spider {spider_name!r}.", hint) from None
