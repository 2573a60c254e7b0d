"""All files of an export from one pass over what a job has found: two streams side by side, in the order of the list."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from prospector.blobs import Storage, Writer
from prospector.core.results.findings import Gathered, Mention
from prospector.core.results.sums import SumWrong
from prospector.jobs.exports.csv_files import CostCsv, ErrorsCsv, ProspectsCsv, ResultsCsv
from prospector.jobs.exports.heart import Heart
from prospector.jobs.exports.json_file import ResultsJson
from prospector.jobs.exports.order import CONTENT_TYPES, FileKind, Order, download_name
from prospector.jobs.exports.output import Output
from prospector.jobs.exports.prospect import asked, judge_of
from prospector.jobs.exports.report import Report
from prospector.jobs.exports.spool import Spool
from prospector.jobs.exports.tally import KeywordCount, Summary, Tally, shown_keywords
from prospector.jobs.exports.workbook import Workbook, own_columns
from prospector.store.jobs import Job
from prospector.store.results import Results, SiteRow


@dataclass(frozen=True)
class File:
    kind: FileKind
    key: str
    download_name: str
    writer: Writer
    output: Output

    def facts(self) -> dict[str, object]:
        """As a row of exports keeps them, once the file is whole."""
        return {
            "name": str(self.kind),
            "rows": self.output.rows,
            "bytes": self.writer.size_bytes,
            "key": self.key,
            "download_name": self.download_name,
        }


class Making:
    """Between `open` and the commit of the files; `found` is the one picture that all of them show."""

    def __init__(
        self, found: Results, folder: Path, heart: Heart, credit_price_usd: Decimal, retention_days: int
    ) -> None:
        self._found, self._folder, self._heart = found, folder, heart
        self._credit_price_usd, self._retention_days = credit_price_usd, retention_days
        self._keywords = found.keywords()
        self._names = shown_keywords(self._keywords)
        self._columns = found.columns()
        self._asked = asked(found.job, self._names)
        self._judge = judge_of(found, self._names)
        self._tally = Tally([KeywordCount() for _ in self._keywords])

    def open(self, storage: Storage, prefix: str, asked: Order, writers: ExitStack) -> list[File]:
        """`writers` aborts what is not committed."""
        files = []
        for kind in asked.files:
            name = download_name(self._found.job.name, self._found.job.id, kind)
            content_type = CONTENT_TYPES[kind.rpartition(".")[2]]
            writer = writers.enter_context(storage.writer(prefix + kind, name, content_type))
            output = self._output(kind, writer, asked.raw)
            writers.callback(output.close)
            files.append(File(kind, prefix + kind, name, writer, output))
        return files

    def _output(self, kind: FileKind, writer: Writer, raw: bool) -> Output:
        makers: Mapping[FileKind, Callable[[], Output]] = {
            FileKind.RESULTS_CSV: lambda: ResultsCsv(writer, raw, self._names),
            FileKind.PROSPECTS_CSV: lambda: ProspectsCsv(writer, raw, self._columns),
            FileKind.ERRORS_CSV: lambda: ErrorsCsv(writer, raw),
            FileKind.FAILED_CSV: lambda: ErrorsCsv(writer, raw),
            FileKind.COST_CSV: lambda: CostCsv(writer, raw, self._credit_price_usd),
            FileKind.RESULTS_JSON: lambda: ResultsJson(writer, self._names),
            FileKind.WORKBOOK: lambda: Workbook(
                writer,
                self._folder,
                self._keywords,
                self._names,
                own_columns(self._columns, self._judge.standing),
                self._asked.has_client,
            ),
            FileKind.REPORT: lambda: Report(writer),
        }
        return makers[kind]()

    def stream(self, outputs: Sequence[Output]) -> Summary:
        """Every row once to every file, then the checks: nothing that does not add up is ever committed."""
        self._heart.rows_total = self._found.mention_count() + self._found.job.domains_total
        with Spool(self._folder) as spool:
            return self._pass(outputs, spool)

    def _pass(self, outputs: Sequence[Output], spool: Spool) -> Summary:
        found = self._found
        self._sites(outputs, spool)
        for trouble in found.troubles():
            for one in outputs:
                one.trouble(trouble)
        for issue in found.issues():
            self._tally.issues[issue.kind] += 1
            for one in outputs:
                one.issue(issue)
        summary = self._summary(found.job)
        self._check(summary)
        for one in outputs:
            one.end(summary, spool)
            self._heart.check()
        return summary

    def _sites(self, outputs: Sequence[Output], spool: Spool) -> None:
        mentions = self._found.mentions()
        waiting = next(mentions, None)
        for site in self._found.sites():
            gathered = Gathered()
            waiting = self._rows(outputs, site, gathered, waiting, mentions)
            prospect = self._judge.prospect(site, gathered)
            self._tally.site(site, prospect)
            for one in outputs:
                one.site(site, prospect)
            spool.add(prospect)
            self._heart.rows_done += 1 + gathered.rows
            self._heart.check()
        if waiting is not None:
            raise SumWrong(f"A mention belongs to domain {waiting.domain}, which the job does not have.")

    def _rows(
        self,
        outputs: Sequence[Output],
        site: SiteRow,
        gathered: Gathered,
        first: Mention | None,
        rest: Iterator[Mention],
    ) -> Mention | None:
        """The site's mentions; returns the first one of a later site."""
        tally, row = self._tally, first
        while row is not None and row.domain == site.number:
            tally.mention(row)
            gathered.add(row)
            for one in outputs:
                one.mention(site, row)
            row = next(rest, None)
        return row

    def _summary(self, job: Job) -> Summary:
        return Summary(
            job=job,
            taken_at=self._found.taken_at,
            keywords=self._keywords,
            spellings=self._found.spellings(),
            tally=self._tally,
            sum=self._tally.sum(job),
            columns=self._columns,
            credit_price_usd=self._credit_price_usd,
            retention_days=self._retention_days,
        )

    def _check(self, summary: Summary) -> None:
        summary.sum.check()
        if self._tally.duplicate_rows:
            raise SumWrong(
                f"{self._tally.duplicate_rows:,} rows have the domain, address and keyword of another row.",
                "This is a defect of Prospector: please report it with the id of the job.",
            )
