"""The Scrapyd API, against a real Scrapyd."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from urllib.parse import urlsplit

import pytest

from prospector import nodes
from prospector.errors import CredentialsRejected, ProspectorError, ServerUnreachable
from prospector.jobs import job_log, workers
from prospector.nodes import Stage
from tests.integration.nodes.conftest import Start, until
from tests.ports import free_port


def test_a_scheduled_spider_is_listed_under_the_id_it_was_given_until_it_has_finished(start_scrapyd: Start) -> None:
    url = start_scrapyd().url

    nodes.schedule(url, "environment", "worker-1", {"NODE_NAME": "here"})

    assert nodes.node(url).alive("environment") == {"worker-1"}
    until(lambda: nodes.node(url).ended("environment") == {"worker-1"}, "it does not finish")
    (run,) = nodes.node(url).runs
    assert run.stage is Stage.FINISHED
    assert run.log
    log = nodes.file(url, run.log)
    assert b"Spider closed" in log
    assert nodes.file_bytes(url, run.log) == len(log)
    assert nodes.piece(url, run.log, 10, 50) == log[10:50]
    logs, problems = job_log.node_logs([url, "http://127.0.0.1:1"])
    assert list(logs[run.id])[::-1] == log.decode().split("\n")
    assert list(problems) == ["127.0.0.1:1"]


def test_a_log_that_a_node_has_deleted_meanwhile_hides_no_other(start_scrapyd: Start) -> None:
    scrapyd = start_scrapyd()
    for run in ("worker-1", "worker-2"):
        nodes.schedule(scrapyd.url, "environment", run)
    until(lambda: len(nodes.node(scrapyd.url).ended("environment")) == 2, "they do not finish")
    logs, _ = job_log.node_logs([scrapyd.url])

    (scrapyd.folder / "logs/prospector/environment/worker-1.log").unlink()

    assert list(logs["worker-1"]) == []
    assert any("Spider closed" in line for line in logs["worker-2"])


def test_a_waiting_spider_that_is_cancelled_never_runs(start_scrapyd: Start) -> None:
    scrapyd = start_scrapyd()
    nodes.schedule(scrapyd.url, "environment", "worker-1")

    nodes.cancel(scrapyd.url, "worker-1")

    until(lambda: not nodes.node(scrapyd.url).alive("environment"), "it is still there")


def test_an_error_that_comes_as_http_200_is_an_error(start_scrapyd: Start) -> None:
    url = start_scrapyd().url

    with pytest.raises(nodes.NodeRefused, match="spider 'nobody' not found"):
        nodes.schedule(url, "nobody", "worker-1")


def test_a_node_without_our_code_says_to_deploy(start_scrapyd: Start) -> None:
    url = start_scrapyd(installed=False).url

    with pytest.raises(nodes.NotDeployed) as raised:
        nodes.node(url)

    assert raised.value.remedy == "Send it there: prospector deploy"


def test_a_wrong_password_is_said_without_showing_it(start_scrapyd: Start) -> None:
    port = urlsplit(start_scrapyd().url).port

    with pytest.raises(CredentialsRejected) as raised:
        nodes.status(f"http://prospector:wrong@127.0.0.1:{port}")

    assert "wrong@" not in str(raised.value)


def test_nobody_listening_is_unreachable() -> None:
    port = free_port()

    with pytest.raises(ServerUnreachable, match="does not answer"):
        nodes.status(f"http://127.0.0.1:{port}")


LISTED = b'{"status": "ok", "pending": [], "running": [], "finished": []}'
GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(LISTED), LISTED)


@pytest.fixture
def answers() -> Iterator[Callable[[bytes], str]]:
    """Makes the URL of a server that says the same to whoever comes, and hangs up."""
    with ExitStack() as servers:

        def serve(answer: bytes) -> str:
            listener = servers.enter_context(socket.create_server(("127.0.0.1", 0)))
            thread = threading.Thread(target=_say, args=(listener, answer))
            servers.callback(thread.join)
            servers.callback(listener.shutdown, socket.SHUT_RDWR)
            thread.start()
            return f"http://127.0.0.1:{listener.getsockname()[1]}"

        yield serve


def _say(listener: socket.socket, answer: bytes) -> None:
    with suppress(OSError):  # it is shut down
        while True:
            with listener.accept()[0] as asked:
                asked.recv(65_536)
                asked.sendall(answer)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (GOOD[:-9], ServerUnreachable),  # cut off: the node died, or a proxy before it
        (b"SSH-2.0-OpenSSH_9.2\r\n", ServerUnreachable),
        (b"HTTP/1.1 200 OK\r\n\r\n<html>Welcome</html>", ServerUnreachable),
        (b"HTTP/1.1 200 OK\r\n\r\n[]", nodes.NodeRefused),
        (b'HTTP/1.1 200 OK\r\n\r\n{"status": "ok"}', nodes.NodeRefused),
        (b"HTTP/1.1 404 Not Found\r\n\r\n", nodes.Absent),
        (b"HTTP/1.1 502 Bad Gateway\r\n\r\n", ServerUnreachable),
    ],
    ids=["cut off", "no HTTP", "no JSON", "no object", "another service", "no such service", "a proxy's word"],
)
def test_a_node_that_answers_nonsense_is_named_and_keeps_no_other_from_being_used(
    answers: Callable[[bytes], str], answer: bytes, kind: type[ProspectorError]
) -> None:
    good, broken = answers(GOOD), answers(answer)

    reached, problems = workers.look([good, broken])

    assert [one.url for one in reached] == [good]
    assert {node: type(problem) for node, problem in problems.items()} == {nodes.name(broken): kind}
    assert nodes.address(broken) in str(problems[nodes.name(broken)])


def test_nodes_of_one_host_have_different_names() -> None:
    assert nodes.name("http://user:secret@crawler.test:6800/") == "crawler.test:6800"
    assert nodes.name("http://crawler.test:6801") == "crawler.test:6801"
