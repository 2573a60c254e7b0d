"""The connections of one engine. A module of its own, because SQLAlchemy is imported only when an engine is made."""

from sqlalchemy import PoolProxiedConnection, QueuePool
from sqlalchemy.exc import TimeoutError as NoneIsFree

from prospector.errors import ServerUnreachable


class Pool(QueuePool):
    """To who waits for a connection, one that never comes free is a server that does not answer: SQLAlchemy's own time-out is
    of another family than its other errors, and whoever lives through those would die of it."""

    def connect(self) -> PoolProxiedConnection:
        try:
            return super().connect()
        except NoneIsFree as error:
            raise ServerUnreachable(
                f"Postgres has not answered what was asked on the {self.size()} connections of this process.",
                "Check that it runs and is not overloaded: prospector doctor",
            ) from error
