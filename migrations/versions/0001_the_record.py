"""The record: jobs and their rows, the ledger, and what the frontier is rebuilt from."""

from alembic import op

revision = "0001"
down_revision = None

TYPES = """
CREATE TYPE method AS ENUM ('direct', 'scrapingbee-standard', 'scrapingbee-js');
CREATE TYPE page_outcome AS ENUM ('read', 'redirected', 'failed', 'skipped', 'dead', 'unwritable');
CREATE TYPE link_status AS ENUM ('unlinked', 'follow', 'nofollow', 'ugc', 'sponsored', 'dead', 'unknown');
CREATE TYPE page_kind AS ENUM
    ('home', 'article', 'listing', 'resource', 'product', 'forum', 'contact', 'legal', 'other');
CREATE TYPE zone AS ENUM
    ('title', 'h1', 'heading', 'main', 'list', 'table', 'comment', 'nav', 'header', 'footer', 'aside', 'other');
"""

JOBS = """
CREATE TABLE jobs (
    id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{5}$'),
    submission_key text COLLATE "C" UNIQUE,
    name text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN
        ('pending', 'running', 'pausing', 'paused', 'completed', 'failed', 'cancelled', 'archived')),
    reason text NOT NULL,
    spec jsonb NOT NULL,
    max_credits integer NOT NULL CHECK (max_credits >= 0),
    domains_total integer NOT NULL,
    input_rows integer NOT NULL,
    input_columns text[] NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    moved_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    left_running_at timestamptz,
    warned_at timestamptz
);
CREATE TABLE keywords (
    job text COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    number smallint NOT NULL,
    keyword text NOT NULL,
    label text,
    case_sensitive boolean NOT NULL,
    PRIMARY KEY (job, number)
);
CREATE TABLE input_issues (
    job text COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    number integer NOT NULL,
    row integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('duplicate', 'excluded', 'unusable')),
    value text NOT NULL,
    reason text NOT NULL,
    PRIMARY KEY (job, number)
);
CREATE TABLE domains (
    opened_at timestamptz,
    finished_at timestamptz,
    number integer NOT NULL,
    input_row integer NOT NULL,
    pages integer NOT NULL DEFAULT 0,
    mentions integer NOT NULL DEFAULT 0,
    direct_requests integer NOT NULL DEFAULT 0,
    standard_requests integer NOT NULL DEFAULT 0,
    js_requests integer NOT NULL DEFAULT 0,
    js_pages integer NOT NULL DEFAULT 0,
    credits integer NOT NULL DEFAULT 0,
    blocks integer NOT NULL DEFAULT 0,
    delay_ms integer,
    generation smallint NOT NULL DEFAULT 1,
    attempts smallint NOT NULL DEFAULT 0,
    last_status smallint,
    partial boolean NOT NULL DEFAULT false,
    job text COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    domain text COLLATE "C" NOT NULL,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'open', 'done', 'failed')),
    reason text,
    moved_to text,
    cells jsonb,
    PRIMARY KEY (job, number),
    UNIQUE (job, domain)
);
CREATE TABLE checkpoints (
    job text COLLATE "C" PRIMARY KEY REFERENCES jobs (id) ON DELETE CASCADE,
    taken_at timestamptz NOT NULL,
    last_processed_at timestamptz,
    domains_total integer NOT NULL DEFAULT 0,
    domains_done integer NOT NULL DEFAULT 0,
    domains_failed integer NOT NULL DEFAULT 0,
    pages bigint NOT NULL DEFAULT 0,
    mentions bigint NOT NULL DEFAULT 0,
    credits integer NOT NULL DEFAULT 0,
    state text NOT NULL CHECK (state IN
        ('pending', 'running', 'pausing', 'paused', 'completed', 'failed', 'cancelled', 'archived'))
);
CREATE TABLE events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    job text COLLATE "C" REFERENCES jobs (id) ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('moved', 'alert', 'note')),
    from_state text,
    to_state text,
    reason text NOT NULL,
    facts jsonb
);
CREATE INDEX ON events (job, id);
CREATE TABLE exports (
    id text COLLATE "C" PRIMARY KEY,
    job text COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'running', 'ready', 'failed', 'expired')),
    reason text,
    formats text[] NOT NULL,
    options jsonb NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    rows_done bigint NOT NULL DEFAULT 0,
    rows_total bigint,
    files jsonb NOT NULL DEFAULT '[]',
    asked_at timestamptz NOT NULL DEFAULT now(),
    beat_at timestamptz,
    finished_at timestamptz,
    expires_at timestamptz
);
CREATE INDEX ON exports (job, asked_at);
"""

PAGES = """
CREATE TABLE pages (
    page bigint NOT NULL,
    settled_at timestamptz NOT NULL,
    canonical bigint,
    domain integer NOT NULL,
    method method,
    outcome page_outcome NOT NULL,
    link link_status,
    kind page_kind,
    generation smallint NOT NULL,
    status smallint,
    attempts smallint NOT NULL,
    depth smallint NOT NULL,
    flags smallint NOT NULL,
    job text COLLATE "C" NOT NULL,
    url text NOT NULL,
    detail text,
    title text,
    language text,
    links jsonb,
    spellings text[],
    found text[],
    PRIMARY KEY (job, page)
) PARTITION BY LIST (job);
CREATE INDEX ON pages (domain);
CREATE TABLE mentions (
    page bigint NOT NULL,
    frequency integer NOT NULL,
    zone zone NOT NULL,
    keyword smallint NOT NULL,
    job text COLLATE "C" NOT NULL,
    snippet text NOT NULL,
    anchor text,
    zones jsonb,
    PRIMARY KEY (job, page, keyword)
) PARTITION BY LIST (job);
"""

SPEND = """
CREATE TABLE spend (
    page bigint NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    domain integer NOT NULL,
    method method NOT NULL,
    reserved_credits integer NOT NULL,
    used_credits integer NOT NULL,
    lease text COLLATE "C" NOT NULL,
    kind text NOT NULL CHECK (kind IN ('reserved', 'settled')),
    job text COLLATE "C" NOT NULL,
    PRIMARY KEY (lease, kind),
    CONSTRAINT spend_sides_check CHECK (CASE kind WHEN 'reserved' THEN reserved_credits > 0 AND used_credits = 0
        ELSE reserved_credits < 0 AND used_credits >= 0 END)
);
CREATE INDEX spend_job_domain_idx ON spend (job, domain) INCLUDE (reserved_credits, used_credits);
"""

FRONTIER = """
CREATE TABLE sites (
    site text COLLATE "C" PRIMARY KEY,
    noted_at timestamptz NOT NULL,
    blocked_until timestamptz,
    delay_ms integer NOT NULL,
    strikes smallint NOT NULL
);
CREATE TABLE dead_letters (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    page bigint NOT NULL,
    requeued_at timestamptz,
    domain integer NOT NULL,
    attempts smallint NOT NULL,
    generation smallint NOT NULL,
    job text COLLATE "C" NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    url text NOT NULL,
    reason text NOT NULL,
    UNIQUE (job, page, generation)
);
CREATE SEQUENCE frontier_epoch;
"""

# Both run with the owner's rights, so both pin the schema they work in and accept nothing but a job's id.
# ATTACH takes a lock that readers and writers of the parent do not notice. A partition that is used by its own name has the
# rights of its own, so those of the parent are copied.
MAKE_PARTITIONS = """
CREATE FUNCTION make_partitions(job text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
DECLARE
    parent text;
    made text;
    given record;
BEGIN
    IF job !~ '^[a-z][a-z0-9]{{5}}$' THEN
        RAISE EXCEPTION 'not the id of a job: %', job USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOREACH parent IN ARRAY ARRAY['pages', 'mentions'] LOOP
        made := parent || '_' || job;
        CONTINUE WHEN to_regclass(made) IS NOT NULL;
        EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', made, parent);
        FOR given IN
            SELECT granted.privilege_type, granted.grantee::regrole AS role
            FROM pg_class, aclexplode(pg_class.relacl) AS granted
            WHERE pg_class.oid = parent::regclass AND granted.grantee NOT IN (0, pg_class.relowner)
        LOOP
            EXECUTE format('GRANT %s ON %I TO %s', given.privilege_type, made, given.role);
        END LOOP;
        EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%L)', parent, made, job);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION make_partitions(text) FROM PUBLIC;
"""

# DETACH needs the parent for a moment, alone; all others wait behind a lock that is waited for. So the partitions are
# locked first: while one is being exported this fails there, before the parent is touched. The rest has a quarter second.
DROP_PARTITIONS = """
CREATE FUNCTION drop_partitions(job text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = {schema}, pg_temp SET lock_timeout = '250ms' AS $$
DECLARE
    parent text;
    made text;
BEGIN
    IF job !~ '^[a-z][a-z0-9]{{5}}$' THEN
        RAISE EXCEPTION 'not the id of a job: %', job USING ERRCODE = 'invalid_parameter_value';
    END IF;
    FOREACH parent IN ARRAY ARRAY['pages', 'mentions'] LOOP
        made := parent || '_' || job;
        CONTINUE WHEN to_regclass(made) IS NULL;
        EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', made);
    END LOOP;
    FOREACH parent IN ARRAY ARRAY['pages', 'mentions'] LOOP
        made := parent || '_' || job;
        CONTINUE WHEN to_regclass(made) IS NULL;
        EXECUTE format('ALTER TABLE %I DETACH PARTITION %I', parent, made);
        EXECUTE format('DROP TABLE %I', made);
    END LOOP;
END $$;
REVOKE ALL ON FUNCTION drop_partitions(text) FROM PUBLIC;
"""


def upgrade() -> None:
    schema = op.get_bind().exec_driver_sql("SELECT quote_ident(current_schema())").scalar_one()
    for part in (TYPES, JOBS, PAGES, SPEND, FRONTIER):
        op.execute(part)
    for function in (MAKE_PARTITIONS, DROP_PARTITIONS):
        op.execute(function.format(schema=schema))
