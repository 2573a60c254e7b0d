"""The tables of the record. A migration makes them; a test holds both together.

Columns stand widest first where there are many rows: Postgres pads none of them then. The big tables have no foreign keys
(docs/decisions/record.md says why).
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Sequence,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from prospector.core.job.states import JobState
from prospector.core.reading.traits import LinkStatus, PageKind
from prospector.core.reading.zones import Zone
from prospector.core.visits.outcomes import DomainState, PageOutcome
from prospector.store.columns import JSON_OR_NULL, METHOD, MOMENT, NAME, NOW, closed_set, count, job_key, one_of
from prospector.store.kinds import EventKind, ExportState, IssueKind, SpendKind

# the names that Postgres itself would give
metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
        "ix": "%(table_name)s_%(column_0_N_name)s_idx",
    }
)

jobs = Table(
    "jobs",
    metadata,
    Column("id", NAME, primary_key=True),
    Column("submission_key", NAME, unique=True),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'pending'")),
    Column("reason", Text, nullable=False),
    Column("spec", JSONB, nullable=False),
    Column("max_credits", Integer, nullable=False),
    Column("domains_total", Integer, nullable=False),
    Column("input_rows", Integer, nullable=False),
    Column("input_columns", ARRAY(Text), nullable=False),
    Column("created_at", MOMENT, nullable=False, server_default=NOW),
    Column("moved_at", MOMENT, nullable=False, server_default=NOW),
    Column("started_at", MOMENT),
    Column("left_running_at", MOMENT),
    Column("warned_at", MOMENT),
    one_of("state", JobState),
    CheckConstraint("id ~ '^[a-z][a-z0-9]{5}$'", name="id"),
    CheckConstraint("max_credits >= 0", name="max_credits"),
)

keywords = Table(
    "keywords",
    metadata,
    job_key(),
    Column("number", SmallInteger, nullable=False),
    Column("keyword", Text, nullable=False),
    Column("label", Text),
    Column("case_sensitive", Boolean, nullable=False),
    PrimaryKeyConstraint("job", "number"),
)

input_issues = Table(
    "input_issues",
    metadata,
    job_key(),
    Column("number", Integer, nullable=False),
    Column("row", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("reason", Text, nullable=False),
    PrimaryKeyConstraint("job", "number"),
    one_of("kind", IssueKind),
)

domains = Table(
    "domains",
    metadata,
    Column("opened_at", MOMENT),
    Column("finished_at", MOMENT),
    Column("number", Integer, nullable=False),
    Column("input_row", Integer, nullable=False),
    count("pages"),
    count("mentions"),
    count("direct_requests"),
    count("standard_requests"),
    count("js_requests"),
    count("js_pages"),
    count("credits"),
    count("blocks"),
    Column("delay_ms", Integer),
    Column("generation", SmallInteger, nullable=False, server_default=text("1")),
    Column("attempts", SmallInteger, nullable=False, server_default=text("0")),
    Column("last_status", SmallInteger),
    Column("partial", Boolean, nullable=False, server_default=text("false")),
    Column("job", NAME, ForeignKey("jobs.id", ondelete="CASCADE"), nullable=False),
    Column("domain", NAME, nullable=False),
    Column("state", Text, nullable=False, server_default=text("'waiting'")),
    Column("reason", Text),
    Column("moved_to", Text),
    Column("cells", JSON_OR_NULL),
    Column("verdict", Text),  # as core.score names it; null until it is judged
    PrimaryKeyConstraint("job", "number"),
    UniqueConstraint("job", "domain"),
    one_of("state", DomainState),
    Index(
        "domains_unjudged_idx",
        "job",
        "number",
        postgresql_where=text("state = 'done' AND mentions > 0 AND verdict IS NULL"),
    ),
    Index("domains_qualified_idx", "job", postgresql_where=text("verdict = 'qualified'")),
)

pages = Table(
    "pages",
    metadata,
    Column("page", BigInteger, nullable=False),
    Column("settled_at", MOMENT, nullable=False),
    Column("canonical", BigInteger),
    Column("domain", Integer, nullable=False),
    Column("method", METHOD),
    Column("outcome", closed_set("page_outcome", PageOutcome), nullable=False),
    Column("link", closed_set("link_status", LinkStatus)),
    Column("kind", closed_set("page_kind", PageKind)),
    Column("generation", SmallInteger, nullable=False),
    Column("status", SmallInteger),
    Column("attempts", SmallInteger, nullable=False),
    Column("depth", SmallInteger, nullable=False),
    Column("flags", SmallInteger, nullable=False),
    Column("job", NAME, nullable=False),
    Column("url", Text, nullable=False),
    Column("detail", Text),
    Column("title", Text),
    Column("language", Text),
    Column("links", JSON_OR_NULL),
    Column("spellings", ARRAY(Text)),
    Column("found", ARRAY(Text)),
    PrimaryKeyConstraint("job", "page"),
    Index(None, "domain"),
    postgresql_partition_by="LIST (job)",
)

mentions = Table(
    "mentions",
    metadata,
    Column("page", BigInteger, nullable=False),
    Column("frequency", Integer, nullable=False),
    Column("zone", closed_set("zone", Zone), nullable=False),
    Column("keyword", SmallInteger, nullable=False),
    Column("job", NAME, nullable=False),
    Column("snippet", Text, nullable=False),
    Column("anchor", Text),
    Column("zones", JSON_OR_NULL),
    PrimaryKeyConstraint("job", "page", "keyword"),
    postgresql_partition_by="LIST (job)",
)

spend = Table(
    "spend",
    metadata,
    Column("page", BigInteger, nullable=False),
    Column("at", MOMENT, nullable=False, server_default=NOW),
    Column("domain", Integer, nullable=False),
    Column("method", METHOD, nullable=False),
    Column("reserved_credits", Integer, nullable=False),
    Column("used_credits", Integer, nullable=False),
    Column("lease", NAME, nullable=False),
    Column("kind", Text, nullable=False),
    Column("job", NAME, nullable=False),
    PrimaryKeyConstraint("lease", "kind"),
    Index(None, "job", "domain", postgresql_include=["reserved_credits", "used_credits"]),
    Index(None, "at", postgresql_using="brin"),  # rows are added in its order: a few pages tell where a month begins
    one_of("kind", SpendKind),
    # a ledger: the reservation adds to what is reserved, the settlement takes it off and adds what was used
    CheckConstraint(
        "CASE kind WHEN 'reserved' THEN reserved_credits > 0 AND used_credits = 0"
        " ELSE reserved_credits < 0 AND used_credits >= 0 END",
        name="sides",
    ),
)

events = Table(
    "events",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("at", MOMENT, nullable=False, server_default=NOW),
    Column("job", NAME, ForeignKey("jobs.id", ondelete="CASCADE")),
    Column("kind", Text, nullable=False),
    Column("from_state", Text),
    Column("to_state", Text),
    Column("reason", Text, nullable=False),
    Column("facts", JSON_OR_NULL),
    Index(None, "job", "id"),
    one_of("kind", EventKind),
)

exports = Table(
    "exports",
    metadata,
    Column("id", NAME, primary_key=True),
    job_key(),
    Column("state", Text, nullable=False, server_default=text("'waiting'")),
    Column("reason", Text),
    Column("formats", ARRAY(Text), nullable=False),
    Column("options", JSONB, nullable=False),
    count("attempts"),
    Column("rows_done", BigInteger, nullable=False, server_default=text("0")),
    Column("rows_total", BigInteger),
    Column("files", JSONB, nullable=False, server_default=text("'[]'")),
    Column("asked_at", MOMENT, nullable=False, server_default=NOW),
    Column("beat_at", MOMENT),
    Column("finished_at", MOMENT),
    Column("expires_at", MOMENT),
    Index(None, "job", "asked_at"),
    one_of("state", ExportState),
)

checkpoints = Table(
    "checkpoints",
    metadata,
    Column("job", NAME, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("taken_at", MOMENT, nullable=False),
    Column("last_processed_at", MOMENT),
    count("domains_total"),
    count("domains_done"),
    count("domains_failed"),
    Column("pages", BigInteger, nullable=False, server_default=text("0")),
    Column("mentions", BigInteger, nullable=False, server_default=text("0")),
    count("credits"),
    Column("state", Text, nullable=False),
    one_of("state", JobState),
)

sites = Table(
    "sites",
    metadata,
    Column("site", NAME, primary_key=True),
    Column("noted_at", MOMENT, nullable=False),
    Column("blocked_until", MOMENT),
    Column("delay_ms", Integer, nullable=False),
    Column("strikes", SmallInteger, nullable=False),
)

dead_letters = Table(
    "dead_letters",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("at", MOMENT, nullable=False, server_default=NOW),
    Column("page", BigInteger, nullable=False),
    Column("requeued_at", MOMENT),
    Column("domain", Integer, nullable=False),
    Column("attempts", SmallInteger, nullable=False),
    Column("generation", SmallInteger, nullable=False),
    job_key(),
    Column("url", Text, nullable=False),
    Column("reason", Text, nullable=False),
    UniqueConstraint("job", "page", "generation"),
)

frontier_epoch = Sequence("frontier_epoch", metadata=metadata)
