"""`equivec serve`: the service from a shell."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.request import Request, urlopen

import pytest

from support.services import FORMULAS, build

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent.parent
# The command with our encoder in the place of the model's.
COMMAND = """
import sys
import support.encoders
sys.modules["equivec.embed"] = support.encoders
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


def test_the_address_is_told_and_ctrl_c_ends_it(folder) -> None:
    with serving("--index", folder, "--port", "0") as process:
        first = process.stderr.readline()
        found = re.fullmatch(r"open (http://127\.0\.0\.1:\d+) \(stop with Ctrl-C\)\n", first)
        assert found, first + process.stderr.read()
        asked = Request(
            f"{found[1]}/v1/search",
            json.dumps({"expression": "tan(x)"}).encode(),
            {"Content-Type": "application/json"},
        )
        with urlopen(asked, timeout=60) as answer:
            assert json.load(answer)["expressions"] == len(FORMULAS)
        process.send_signal(signal.SIGINT)
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
