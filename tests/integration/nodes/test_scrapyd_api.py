"""The Scrapyd API, against a real Scrapyd."""

from urllib.parse import urlsplit

import pytest

from prospector import nodes
from prospector.errors import CredentialsRejected, ServerUnreachable
from prospector.jobs import job_log
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
    assert list(job_log.node_logs(url)[run.id])[::-1] == log.decode().split("\n")


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


def test_nodes_of_one_host_have_different_names() -> None:
    assert nodes.name("http://user:secret@crawler.test:6800/") == "crawler.test:6800"
    assert nodes.name("http://crawler.test:6801") == "crawler.test:6801"
