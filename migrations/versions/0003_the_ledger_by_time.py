"""What was spent since a moment is found without reading the ledger from its beginning."""

from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.execute("CREATE INDEX spend_at_idx ON spend USING brin (at)")
