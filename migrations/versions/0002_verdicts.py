"""What a finished domain is worth, kept beside it: a status counts the qualified ones so far."""

from alembic import op

revision = "0002"
down_revision = "0001"

# a nullable column without a default touches no row; both indexes are small: what is yet to be judged, and what is qualified
VERDICTS = """
ALTER TABLE domains ADD COLUMN verdict text;
CREATE INDEX domains_unjudged_idx ON domains (job, number) WHERE state = 'done' AND mentions > 0 AND verdict IS NULL;
CREATE INDEX domains_qualified_idx ON domains (job) WHERE verdict = 'qualified';
"""


def upgrade() -> None:
    op.execute(VERDICTS)
