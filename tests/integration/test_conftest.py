"""What the suites share keeps apart what it should."""

import pytest
from redis import Redis
from sqlalchemy import Engine, text


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_has_a_database_of_its_own(engine: Engine, turn: int) -> None:
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE mine AS SELECT 1"))


@pytest.mark.parametrize("turn", [1, 2])
def test_each_test_finds_its_redis_empty(redis_url: str, turn: int) -> None:
    with Redis.from_url(redis_url) as redis:
        assert redis.incr("mine") == 1
