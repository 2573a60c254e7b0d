"""What goes wrong between a worker and Redis, said once while it lasts, however often it is tried again."""

from prospector import logs
from prospector.frontier.client import Refusing

LOG = logs.named(__name__)
AWAY = "away"
EVERYTHING = ""  # in the place of an operation: the server takes none


class Troubles:
    def __init__(self, worker: str) -> None:
        self.lasting: set[str] = set()
        self._worker = worker

    def say(self, error: Exception) -> None:
        if isinstance(error, Refusing):
            self.say_refused(EVERYTHING, str(error))
        elif AWAY not in self.lasting:
            self.lasting.add(AWAY)
            LOG.warning("frontier_away", worker=self._worker, error=str(error))

    def say_refused(self, operation: str, error: str) -> None:
        if operation not in self.lasting:
            self.lasting.add(operation)
            LOG.error("frontier_refused", worker=self._worker, operation=operation or None, error=error)

    def say_reached(self, *, restarted: bool) -> None:
        self.lasting.discard(AWAY)
        if EVERYTHING not in self.lasting:
            LOG.info("frontier_reached", worker=self._worker, restarted=restarted)

    def say_taken(self) -> None:
        if EVERYTHING in self.lasting:
            self.lasting.discard(EVERYTHING)
            LOG.info("frontier_takes_again", worker=self._worker)
