"""Engines for the tests of jobs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.policies.engines import Engine, Redis


@pytest.fixture(scope="session")
def own_redis(tmp_path_factory) -> Iterator[Redis]:
    """A Redis that tests may stop and start."""
    if not Redis.is_installed():
        message = "redis-server is not installed: apt-get install redis-server"
        if os.environ.get("CI") == "true":
            pytest.fail(message)
        pytest.skip(message)
    redis = Redis(tmp_path_factory.mktemp("redis"))
    redis.start()
    yield redis
    redis.stop()


@pytest.fixture
def embedded(tmp_path: Path, settings) -> Iterator[Engine]:
    settings.POLICYWRIGHT_JOBS = "embedded"
    engine = Engine("embedded", tmp_path, None)
    yield engine
    engine.kill()


@pytest.fixture
def celery(tmp_path: Path, settings, own_redis: Redis) -> Iterator[Engine]:
    from config.celery import app

    settings.POLICYWRIGHT_JOBS = "celery"
    own_redis.start()
    own_redis.empty()
    app.conf.broker_url = own_redis.url
    engine = Engine("celery", tmp_path, own_redis)
    yield engine
    engine.kill()


@pytest.fixture(params=["embedded", "celery"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn: the same tests hold for both."""
    return request.getfixturevalue(request.param)
