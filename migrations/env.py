"""What Alembic runs. The connection, inside its transaction, comes from prospector.store.schema: there is no ini file."""

from alembic import context

from prospector.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
