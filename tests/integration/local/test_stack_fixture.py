"""The servers that every suite is given."""

import psycopg2
import pytest
from redis import Redis

from prospector import nodes
from prospector.local.servers import Servers


def test_all_three_answer(stack: Servers) -> None:
    with psycopg2.connect(stack.database_url) as connection, connection.cursor() as cursor:
        cursor.execute("SELECT lower('ÄÖ') , current_setting('server_encoding')")
        row = cursor.fetchone()
    connection.close()

    assert row == ("äö", "UTF8")
    assert Redis.from_url(stack.redis_url).config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    assert nodes.status(stack.scrapyd_urls[0])["status"] == "ok"


@pytest.mark.parametrize("part", range(4))
def test_every_process_of_a_run_has_the_same_stack(
    stack: Servers, part: int, tmp_path_factory: pytest.TempPathFactory, worker_id: str
) -> None:
    own = tmp_path_factory.getbasetemp()
    run = own if worker_id == "master" else own.parent

    assert stack.storage_url == (run / "stack" / "files").as_uri()
