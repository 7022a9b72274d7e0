"""Who a command speaks to: it runs where every address leads back to the machine, and is watched.

As a program: `python network.py COMMAND...` in a network namespace of its own. It runs the command
and prints, as JSON, its exit code and whom it tried to reach.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import struct
import subprocess
import sys
import threading
from pathlib import Path

_UNSHARED = ["unshare", "--net"]
# Every address is this machine's own, so that whatever is sent can be seen on its loopback.
_ROUTES = [
    ["ip", "link", "set", "lo", "up"],
    ["ip", "route", "add", "local", "default", "dev", "lo"],
    ["ip", "-6", "route", "add", "local", "default", "dev", "lo"],
]
_IPV4, _IPV6 = 0x0800, 0x86DD
_HEADER = 14  # of a frame


def can_be_watched() -> bool:
    """Whether this user may make a network of his own."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    script = " && ".join(" ".join(each) for each in _ROUTES)
    return subprocess.run([*_UNSHARED, "sh", "-c", script], capture_output=True).returncode == 0


def reached(*command: str, **variables: str) -> tuple[int, list[str]]:
    """The exit code of a command, and every address beyond 127.0.0.1 that it tried to reach."""
    done = subprocess.run(
        [*_UNSHARED, sys.executable, __file__, *command],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    code, found = json.loads(done.stdout.splitlines()[-1])
    return code, found


def _main(command: list[str]) -> None:
    for each in _ROUTES:
        subprocess.run(each, check=True)
    watch = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.ntohs(0x0003))
    found: set[str] = set()
    threading.Thread(target=_listen, args=(watch, found), daemon=True).start()
    code = subprocess.run(command, stdout=sys.stderr, check=False).returncode
    sys.stdout.write(json.dumps([code, sorted(found)]) + "\n")


def _listen(watch: socket.socket, found: set[str]) -> None:
    while True:
        frame = watch.recv(65_535)
        if (address := _destination(frame)) is not None:
            found.add(address)


def _destination(frame: bytes) -> str | None:
    """Where a packet goes, unless it goes to the service itself; for a name, what is asked for."""
    (kind,) = struct.unpack_from("!H", frame, 12)
    if kind == _IPV4:
        packet = frame[_HEADER:]
        start, protocol = 4 * (packet[0] & 15), packet[9]
        target = socket.inet_ntoa(packet[16:20])
    elif kind == _IPV6:
        packet = frame[_HEADER:]
        start, protocol = 40, packet[6]
        target = socket.inet_ntop(socket.AF_INET6, packet[24:40])
    else:
        return None
    if protocol not in (socket.IPPROTO_TCP, socket.IPPROTO_UDP):
        return None
    _, port = struct.unpack_from("!HH", packet, start)
    if protocol == socket.IPPROTO_UDP and port == 53:
        return f"the name {_asked(packet[start + 8 :])}"
    return None if target in ("127.0.0.1", "::1") else f"{target}:{port}"


def _asked(question: bytes) -> str:
    """The name in a question to a name server."""
    labels, place = [], 12
    while question[place]:
        labels.append(question[place + 1 : place + 1 + question[place]].decode(errors="replace"))
        place += 1 + question[place]
    return ".".join(labels)


if __name__ == "__main__":
    sys.path.remove(str(Path(__file__).parent))
    _main(sys.argv[1:])
