"""The four roles of the database and what each may do, as SQL for whoever administers the server.

owner migrates; operator is the command line and the steward; worker writes rows; reader exports.
"""

import re
from collections.abc import Mapping

from sqlalchemy import Enum

from prospector.errors import InputInvalid
from prospector.store.tables import metadata

PREFIX = re.compile("[a-z][a-z0-9_]{0,39}")

# per role: table -> rights; what is not here is not allowed
RIGHTS: Mapping[str, Mapping[str, str]] = {
    "operator": {
        "jobs": "SELECT, INSERT, UPDATE, DELETE",
        "keywords": "SELECT, INSERT, DELETE",
        "input_issues": "SELECT, INSERT, DELETE",
        "domains": "SELECT, INSERT, UPDATE, DELETE",
        "checkpoints": "SELECT, INSERT, UPDATE",
        "pages": "SELECT, INSERT, UPDATE",
        "mentions": "SELECT, INSERT, UPDATE, DELETE",
        "spend": "SELECT, INSERT",
        "events": "SELECT, INSERT",
        "exports": "SELECT, INSERT, UPDATE",
        "sites": "SELECT, INSERT, UPDATE, DELETE",
        "dead_letters": "SELECT, INSERT, UPDATE",
        "alembic_version": "SELECT",
    },
    # what a crawl writes, and no more: states, counters and epochs are the operator's
    "worker": {
        "jobs": "SELECT",
        "keywords": "SELECT",
        "domains": "SELECT, UPDATE",
        "pages": "SELECT, INSERT, UPDATE",
        "mentions": "SELECT, INSERT, UPDATE, DELETE",
        "spend": "SELECT, INSERT",
        "sites": "SELECT, INSERT, UPDATE",
        "dead_letters": "SELECT, INSERT",
    },
    "reader": {
        **dict.fromkeys(
            ("jobs", "keywords", "input_issues", "domains", "checkpoints", "pages", "mentions", "spend", "events"),
            "SELECT",
        ),
        "exports": "SELECT",
        "alembic_version": "SELECT",
    },
}
FUNCTIONS = {"operator": ("make_partitions(text)", "drop_partitions(text)")}
PARTITIONED = ("pages", "mentions")
OURS = (*sorted(metadata.tables), "alembic_version")

HEAD = """\
-- The roles of Prospector. Run this as an administrator, in its database, after each `prospector db migrate`:
--   prospector db roles | psql "<the administrator's URL of this database>"
-- It may be run again at any time. Each role needs a password once, in psql: \\password {prefix}_worker
-- Then set DATABASE_URL with {prefix}_operator, WORKER_DATABASE_URL with {prefix}_worker, READER_DATABASE_URL with
-- {prefix}_reader. {prefix}_owner is for `prospector db migrate` alone.
BEGIN;
"""

ROLE = """\
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{role}') THEN
        CREATE ROLE {role} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION;
    END IF;
END $$;"""

# everybody's default rights go, so that what is listed below is all there is
DATABASE = """\
DO $$ BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
    EXECUTE format('GRANT CREATE ON DATABASE %I TO {prefix}_owner', current_database());
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO {everyone}', current_database());
END $$;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT CREATE ON SCHEMA public TO {prefix}_owner;
GRANT USAGE ON SCHEMA public TO {everyone};"""

# make_partitions gives a new job's parts these rights; this is for the parts of jobs that are there already
PARTS = """\
DO $$ DECLARE part regclass; BEGIN
    FOR part IN SELECT inhrelid FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
        WHERE relkind = 'r' AND inhparent = '{table}'::regclass
    LOOP
        EXECUTE format('{statement}', part);
    END LOOP;
END $$;"""


def sql(prefix: str) -> str:
    """`prefix` begins the name of each role: roles belong to the server, so two deployments on one need two."""
    if not PREFIX.fullmatch(prefix):
        raise InputInvalid(
            f"{prefix!r} cannot begin the name of a role.", "Use small letters, digits and _, a letter first."
        )
    names = {role: f"{prefix}_{role}" for role in ("owner", *RIGHTS)}
    lines = [HEAD.format(prefix=prefix)]
    lines += [ROLE.format(role=name) for name in names.values()]
    lines.append(DATABASE.format(prefix=prefix, everyone=", ".join(names.values())))
    lines += _owned(names["owner"])
    for role in RIGHTS:
        lines += _granted(role, names[role])
    return "\n".join([*lines, "COMMIT;"])


def _owned(owner: str) -> list[str]:
    kinds = {
        column.type.name for table in metadata.tables.values() for column in table.c if isinstance(column.type, Enum)
    }
    return [
        *(f"ALTER TABLE {table} OWNER TO {owner};" for table in OURS),
        *(PARTS.format(table=table, statement=f"ALTER TABLE %s OWNER TO {owner}") for table in PARTITIONED),
        f"ALTER SEQUENCE frontier_epoch OWNER TO {owner};",
        *(f"ALTER TYPE {kind} OWNER TO {owner};" for kind in sorted(filter(None, kinds))),
        *(f"ALTER FUNCTION {function} OWNER TO {owner};" for function in FUNCTIONS["operator"]),
    ]


def _granted(role: str, name: str) -> list[str]:
    lines = [f"REVOKE ALL ON {', '.join(OURS)} FROM {name};"]
    lines += [f"GRANT {rights} ON {table} TO {name};" for table, rights in RIGHTS[role].items()]
    for table in PARTITIONED:
        lines.append(PARTS.format(table=table, statement=f"GRANT {RIGHTS[role][table]} ON %s TO {name}"))
    lines.append(f"REVOKE ALL ON SEQUENCE frontier_epoch FROM {name};")
    if role == "operator":
        lines.append(f"GRANT USAGE ON SEQUENCE frontier_epoch TO {name};")
    lines += [f"GRANT EXECUTE ON FUNCTION {function} TO {name};" for function in FUNCTIONS.get(role, ())]
    return lines
