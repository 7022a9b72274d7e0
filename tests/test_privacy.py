"""Nothing leaves the machine: no command and no service speaks to anybody it was not asked to."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from support import network
from support.command import Result, run

if TYPE_CHECKING:
    from pathlib import Path

FORMULAS = "sin(x)/cos(x)\ntan(t)\n(p + q)**2\nx + 1\n"
# As long as it takes, and half as long again, until onnxruntime alone would ask for its maker.
IDLE_SECONDS = 15
EQUIVEC = (sys.executable, "-m", "equivec")

watched = pytest.mark.skipif(not network.can_be_watched(), reason="needs a network of its own")


@pytest.fixture
def home(tmp_path: Path, monkeypatch) -> Path:
    """A user who has nothing yet, and who has told no library anything."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    caches = ("XDG_CACHE_HOME", "EQUIVEC_CACHE", "EQUIVEC_INDEX")
    # In continuous integration onnxruntime reports nothing, so that there would be nothing to see.
    for name in ("ORT_DISABLE_TELEMETRY", "CI", *caches):
        monkeypatch.delenv(name, raising=False)
    # Interpreters would keep what they compile wherever it is.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    return home


@pytest.fixture
def source(tmp_path: Path) -> str:
    path = tmp_path / "formulas.txt"
    path.write_text(FORMULAS)
    return str(path)


def commands(source: str, folder: str) -> list[list[str]]:
    """A command of each kind, in an order in which they work."""
    return [
        ["index", "build", source, "--index", folder],
        ["search", "tan(x)", "--index", folder],
        ["analogy", "cos(x)", "sin(x)", "csc(x)", "--index", folder],
        ["similarity", "sin(x)", "cos(x)"],
        ["equivalents", "sin(x)", "-k", "1", "--beam-width", "2"],
        ["embed", source, "--out", f"{folder}.npy"],
        ["check", "sin(x)/cos(x)", "tan(x)"],
        ["parse", "sin(x)"],
        ["index", "build", source, "--index", f"{folder}-by-workers", "--executor", "local"],
    ]


def strangers(home: Path) -> list[str]:
    """The files in a home that are not of our own cache."""
    files = (path for path in home.rglob("*") if path.is_file())
    return sorted(str(path) for path in files if ".cache/equivec/" not in str(path))


def test_commands_leave_nothing_in_the_users_home_but_our_own_cache(
    home: Path, tmp_path: Path, source: str
) -> None:
    for arguments in commands(source, str(tmp_path / "index")):
        done = run(*arguments)
        assert done.code == 0, done.stderr
        assert strangers(home) == [], arguments


def test_a_home_that_cannot_be_written_to_is_no_reason_to_say_anything(
    home: Path, monkeypatch
) -> None:
    monkeypatch.setenv("HOME", "/proc/nobody")
    assert run("similarity", "sin(x)", "sin(x)") == Result("1.0000\n", "", 0)


LOAD = """
import os
{first}
from equivec import Embedder
Embedder().encode("x")
print(os.environ.get("ORT_DISABLE_TELEMETRY"))
"""


@pytest.mark.parametrize(
    ("first", "value", "is_quiet"),
    [
        ("", "None", True),
        ("os.environ['ORT_DISABLE_TELEMETRY'] = '1'", "1", True),
        ("os.environ['ORT_DISABLE_TELEMETRY'] = '0'", "0", False),
        ("import onnxruntime", "None", False),
    ],
)
def test_the_environment_stays_as_it_was_and_a_users_own_choice_counts(
    home: Path, first: str, value: str, is_quiet
) -> None:
    done = run_python(LOAD.format(first=first))
    assert done == value
    assert (strangers(home) == []) is is_quiet


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


SPEAK = """
import contextlib, socket
for kind, address in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
    with socket.socket(kind) as own:
        own.connect_ex((address, 443))
with contextlib.suppress(OSError):
    socket.getaddrinfo("example.org", 443)
"""


@watched
def test_whoever_is_spoken_to_is_seen() -> None:
    code, found = network.reached(sys.executable, "-c", SPEAK, RES_OPTIONS="attempts:1 timeout:1")
    assert code == 0
    assert "192.0.2.1:443" in found
    assert "2001:db8::1:443" in found
    assert "the name example.org" in found


@watched
@pytest.mark.parametrize(
    ("seconds", "workers"),
    [(IDLE_SECONDS, 1), pytest.param(60, 2, marks=pytest.mark.slow)],
)
def test_an_idle_service_speaks_to_nobody(
    home: Path, tmp_path: Path, source: str, seconds: int, workers: int
) -> None:
    folder = str(tmp_path / "index")
    assert run("index", "build", source, "--index", folder).code == 0
    serve = [*EQUIVEC, "serve", "--index", folder, "--port", "8250", "--workers", str(workers)]
    code, found = network.reached("timeout", "--signal=INT", str(seconds), *serve)
    assert (code, found) == (124, [])
    assert strangers(home) == []


@watched
@pytest.mark.slow
def test_no_command_speaks_to_anybody(home: Path, tmp_path: Path, source: str) -> None:
    for arguments in commands(source, str(tmp_path / "index")):
        assert network.reached(*EQUIVEC, *arguments) == (0, []), arguments


@watched
@pytest.mark.slow
def test_a_cluster_of_our_own_tells_its_maker_nothing(
    home: Path, tmp_path: Path, source: str
) -> None:
    """Ray asks the machine itself whose cloud it runs in; that stays within the machine."""
    pytest.importorskip("ray")
    build = ["index", "build", source, "--index", str(tmp_path / "index"), "--executor", "ray"]
    often = {"RAY_USAGE_STATS_REPORT_INTERVAL_S": "1"}
    code, found = network.reached(*EQUIVEC, *build, "--workers", "1", **often)
    within = ("169.254.169.254:", "the name metadata.google.internal")
    assert (code, [place for place in found if not place.startswith(within)]) == (0, [])
