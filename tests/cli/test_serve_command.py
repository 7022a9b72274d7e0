"""`equivec serve`: the service from a shell."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.services import Running, build

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent.parent
# The command with our embedder, which takes its time and says when it begins, for the model.
COMMAND = """
import sys
import time
import support.services
class Embedder(support.services.FakeEmbedder):
    def equivalents(self, *arguments, **options):
        print("begun", flush=True)
        time.sleep(1)
        return super().equivalents(*arguments, **options)
import equivec.embed.registry as registry
registry.load_encoder = lambda name, **_: Embedder()
from equivec.cli.main import main
main()
"""


@contextmanager
def serving(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The command, which ends with the test whatever happens."""
    with start(*arguments) as process:
        try:
            yield process
        finally:
            process.kill()


def start(*arguments: str) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> str:
    return str(build(tmp_path_factory.mktemp("serve")))


def test_the_address_is_told_and_what_is_in_flight_is_finished_before_the_end(folder) -> None:
    with serving("--index", folder, "--port", "0") as process, ThreadPoolExecutor(1) as threads:
        first = process.stderr.readline()
        found = re.fullmatch(r"open (http://127\.0\.0\.1:\d+) \(stop with Ctrl-C\)\n", first)
        assert found, first + process.stderr.read()
        service = Running(found[1], process)
        service.wait_until_ready()
        pending = threads.submit(service.ask, "/v1/equivalents", {"expression": "sin(x)"})
        assert process.stdout.readline() == "begun\n"
        process.send_signal(signal.SIGINT)
        status, answer = pending.result()
        assert (status, len(answer["proposals"])) == (200, 4)
        assert process.communicate(timeout=60) == ("", "")
        assert process.returncode == 0


def test_bad_settings_are_one_sentence(folder) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        cases = [
            (("--index", "/nowhere"), "/nowhere is not an index: it has no manifest.json; "),
            (("--index", folder, "--port", port), f"cannot listen at 127.0.0.1:{port}; choose"),
        ]
        started = [start(*arguments) for arguments, _ in cases]
        for process, (_, sentence) in zip(started, cases, strict=True):
            output, errors = process.communicate(timeout=120)
            assert (output, process.returncode) == ("", 2), errors
            assert errors.splitlines()[-1].startswith(sentence)
            assert "Traceback" not in errors
