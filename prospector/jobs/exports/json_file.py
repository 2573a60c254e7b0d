"""results.json: the requirements' Appendix A, written as it comes; always for machines."""

import json
from collections.abc import Iterable, Sequence

from prospector.blobs import Writer
from prospector.core.results.findings import Mention
from prospector.jobs.exports.output import Output, Text, stamp
from prospector.jobs.exports.prospect import Prospect
from prospector.jobs.exports.tally import Summary
from prospector.store.results import SiteRow

encode = json.JSONEncoder(ensure_ascii=False).encode


class ResultsJson(Output):
    """`results` -> domain -> keyword -> pages: the rows come in this order, so that nothing has to be kept."""

    def __init__(self, writer: Writer, keywords: Sequence[str]) -> None:
        self._text = Text(writer)
        self._keywords = [encode(name) for name in keywords]
        self._domain = -1
        self._keyword = -1
        self._text.write('{\n"results": {')

    def mention(self, site: SiteRow, one: Mention) -> None:
        self._text.write(self._opening(site, one))
        page = {
            "url": one.url,
            "frequency": one.frequency,
            "context": one.snippet,
            "crawl_method": one.method,
            "timestamp": stamp(one.settled_at),
            "http_status": one.status,
        }
        self._text.write(encode(page))
        self.rows += 1

    def _opening(self, site: SiteRow, one: Mention) -> str:
        if one.domain != self._domain:
            end = "]},\n" if self.rows else "\n"
            self._domain, self._keyword = one.domain, one.keyword
            return f"{end}{encode(site.domain)}: {{{self._keywords[one.keyword]}: ["
        if one.keyword != self._keyword:
            self._keyword = one.keyword
            return f"],\n{self._keywords[one.keyword]}: ["
        return ",\n"

    def end(self, summary: Summary, prospects: Iterable[Prospect]) -> None:
        self._text.write("]}\n}\n}\n" if self.rows else "}\n}\n")
        self._text.flush()
