"""The process of the local Scrapyd: `python -m prospector.local.node DESCRIPTOR MARK`, in the folder of its configuration.

Not `scrapyd` itself, because that binds its own port (another process may take it first) and trusts a stale pid file.
"""

import sys
from socket import AF_INET
from typing import Any

from scrapyd import get_application
from twisted.application.internet import TCPServer
from twisted.application.service import IService, IServiceCollection
from twisted.internet import reactor as installed
from twisted.logger import globalLogBeginner

from prospector import logs

reactor: Any = installed  # Twisted's interfaces are classes at run time and nothing to a type checker


def main(descriptor: int) -> None:
    observer: Any = logs.scrapyd_observer()
    globalLogBeginner.beginLoggingTo([observer], redirectStandardIO=False)
    application = get_application()
    site = _without_port(application)
    service: Any = IService(application)
    service.privilegedStartService()
    service.startService()
    reactor.addSystemEventTrigger("before", "shutdown", service.stopService)
    reactor.adoptStreamPort(descriptor, AF_INET, site)
    reactor.run()


def _without_port(application: object) -> object:
    """Takes out the service that would bind a port, and returns the web site it was to serve."""
    services: Any = IServiceCollection(application)
    server: Any = next(one for one in services if isinstance(one, TCPServer))
    server.disownServiceParent()
    return server.args[1]


if __name__ == "__main__":
    main(int(sys.argv[1]))
