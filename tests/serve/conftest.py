"""One service for all tests that only ask."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from equivec.serve.app import create_app
from support.services import build, load, running


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    return build(tmp_path_factory.mktemp("serve"))


@pytest.fixture(scope="session")
def client(folder):
    with TestClient(create_app(load(folder)), raise_server_exceptions=False) as client:
        yield client


@pytest.fixture(scope="session")
def service(folder):
    """A service in a process of its own, with much patience."""
    with running(folder, request_seconds=300) as service:
        yield service
