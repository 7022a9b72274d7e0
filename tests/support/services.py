"""A small service to ask: a few formulas, and an embedder without a model."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from equivec.expression.prefix import write_prefix
from equivec.search.index import Index
from support.encoders import FakeEmbedder

if TYPE_CHECKING:
    from collections.abc import Iterator

TESTS = Path(__file__).parent.parent
# So much that no machine is too slow.
PATIENCE = {
    "judge_seconds": 60, "check_seconds": 60, "request_seconds": 300, "ready_seconds": 300,
}  # fmt: skip

FORMULAS = [
    "(p + q)**2", "sin(x)/cos(x)", "tan(t)", "x + 1", "x + 2", "sin(x)", "cos(x)", "csc(x)",
    "sec(x)", "a/b**2", "sqrt(x**2)", "x*y*z", "log(x)/log(y)", "sqrt(x)*sqrt(x)", "exp(x)*exp(y)",
    "1/(1 + exp(-x))", "(exp(x) - exp(-x))/2", "sinh(x)", "1 - 2*sin(x)**2", "cos(2*x)",
]  # fmt: skip


def build(folder: Path) -> Path:
    """An index of the formulas in a new folder."""
    Index.build(FORMULAS, FakeEmbedder(), folder / "index")
    return folder / "index"


@dataclass(frozen=True)
class GatedEmbedder(FakeEmbedder):
    """Nobody is given equivalents as long as there is a gate: a file, so that processes see it.

    Whose turn has come is written down, the newest last.
    """

    gate: Path = field(kw_only=True)

    def equivalents(self, tree, *, k=10, beam=10, threads=0):
        with _begun(self.gate).open("a", encoding="utf-8") as lines:
            lines.write(f"{write_prefix(tree)}\n")
        while self.gate.exists():
            time.sleep(0.01)
        return super().equivalents(tree, k=k, beam=beam, threads=threads)


def load(folder: str | Path) -> Index:
    """The index in a folder, as a service is given it."""
    return Index.open(folder, GatedEmbedder(gate=_gate(folder)))


@contextmanager
def no_equivalents(folder: Path) -> Iterator[None]:
    """Meanwhile whoever asks a service of this index for equivalents waits."""
    _begun(_gate(folder)).unlink(missing_ok=True)
    _gate(folder).touch()
    try:
        yield
    finally:
        _gate(folder).unlink()


def begun(folder: Path) -> list[str]:
    """What equivalents were asked for, as far as they have begun."""
    path = _begun(_gate(folder))
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _gate(folder: str | Path) -> Path:
    return Path(folder).with_name("gate")


def _begun(gate: Path) -> Path:
    return gate.with_name("begun")


@contextmanager
def running(folder: Path, processes: int = 1, **settings: Any) -> Iterator[Running]:
    """A service in processes of its own, which is told to stop at the end."""
    code = (
        "import sys; from functools import partial; from pathlib import Path\n"
        "from equivec.serve.config import ServiceConfig\n"
        "from equivec.serve.running import Address, serve\n"
        "from support.services import load\n"
        f"serve(partial(load, {str(folder)!r}), Address(port=0, processes={processes}),\n"
        f"      ServiceConfig(**{settings!r}), lambda url: print(url, flush=True))"
    )
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    with process:
        assert process.stdout is not None
        service = Running(process.stdout.readline().strip(), process)
        try:
            service.wait_until_ready()
            yield service
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)
            process.kill()


@dataclass(frozen=True)
class Running:
    """A service that can be asked."""

    url: str
    process: subprocess.Popen[str]

    @property
    def address(self) -> tuple[str, int]:
        parts = urlsplit(self.url)
        return str(parts.hostname), int(parts.port or 0)

    def ask(
        self, path: str, body: Any = None, seconds: float = 60, source: str = "127.0.0.1"
    ) -> tuple[int, Any]:
        """The status and the JSON of an answer, asked from one of the addresses of this machine."""
        connection = HTTPConnection(*self.address, timeout=seconds, source_address=(source, 0))
        try:
            if body is None:
                connection.request("GET", path)
            else:
                headers = {"Content-Type": "application/json"}
                connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
            is_json = "json" in answer.headers["Content-Type"]
            return answer.status, json.loads(text) if is_json else text
        finally:
            connection.close()

    def send(self, data: bytes, source: str = "127.0.0.1") -> socket.socket:
        """A connection over which some bytes were sent and nothing was read yet."""
        connection = socket.create_connection(self.address, timeout=60, source_address=(source, 0))
        connection.sendall(data)
        return connection

    def wait_until_ready(self) -> None:
        for _ in range(600):
            with suppress(OSError):
                if self.ask("/readyz")[0] == 200:
                    return
            assert self.process.poll() is None, "the service ended"
            time.sleep(0.1)
        raise AssertionError("the service never became ready")
