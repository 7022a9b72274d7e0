"""One service for all tests that only ask, with so much patience that no machine is too slow."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from equivec.serve.app import create_app
from equivec.serve.config import ServiceConfig
from support.services import PATIENCE, build, load, running


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return build(tmp_path_factory.mktemp("serve"))


@pytest.fixture(scope="session")
def client(folder):
    app = create_app(load(folder), ServiceConfig(**PATIENCE))
    with TestClient(app, raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def service(folder):
    """A service in a process of its own."""
    with running(folder, **PATIENCE) as service:
        yield service
