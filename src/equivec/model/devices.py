"""Where a network runs: on which device, and beside which other processes."""

from __future__ import annotations

import gc
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

# Its functions keep the group that is there when they are first imported, whoever imports them:
# now, while there is none, for one that is kept outlives its end.
import torch.distributed.nn

from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator


def default_device() -> str:
    """A GPU where there is one."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def check_device(device: str) -> None:
    """Raise unless torch can compute there: on the CPU, or on a GPU that it sees."""
    kind, _, number = device.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdecimal()):
        raise ConfigError(f"{device!r} is not a known device; use cpu or cuda")
    if kind == "cuda" and not torch.cuda.is_available():
        raise ConfigError("torch sees no GPU here; leave --device out to run on the CPU")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise ConfigError(f"there is no {device}: torch sees {torch.cuda.device_count()} GPUs")


def compute_type(precision: str, device: torch.device) -> torch.dtype:
    """The number format of matrix products; `auto` is bf16 on a GPU."""
    is_half = precision == "bf16" or (precision == "auto" and device.type == "cuda")
    return torch.bfloat16 if is_half else torch.float32


def device_name(device: str) -> str:
    """What people call the device."""
    return torch.cuda.get_device_name() if device.startswith("cuda") else "CPU"


def torch_version() -> str:
    """The version of PyTorch, for the record of a run."""
    return str(torch.__version__)


def set_seed(seed: int) -> None:
    """Let a seed decide what PyTorch draws from now on."""
    torch.manual_seed(seed)


def default_generator(device: torch.device) -> torch.Generator:
    """What dropout on a device is drawn by."""
    if device.type == "cuda":
        torch.cuda.init()  # type: ignore[no-untyped-call]
        return torch.cuda.default_generators[device.index or torch.cuda.current_device()]
    return torch.default_generator


def forget_compiled() -> None:
    """Let go of what was compiled, and of what it holds on the device."""
    torch.compiler.reset()


@contextmanager
def joined_processes(device: str) -> Iterator[tuple[int, int]]:
    """This process's number and how many there are; several when `torchrun` started us.

    They part at the end: a process that exits while its threads listen to the others, or let go of
    what they heard, may be aborted.
    """
    count = int(os.environ.get("WORLD_SIZE", "1"))
    if count == 1:
        yield 0, 1
        return
    if device.startswith("cuda"):
        torch.cuda.set_device(int(os.environ.get("LOCAL_RANK", "0")))
    # Beside nccl, gloo: what the hosts tell each other does not wait for their GPUs.
    dist.init_process_group("cpu:gloo,cuda:nccl" if device.startswith("cuda") else "gloo")
    try:
        yield dist.get_rank(), count
    finally:
        gc.collect()  # a network that was distributed holds the group, and itself in a circle
        dist.destroy_process_group()  # nobody holds it now, so that its threads are waited for


def heard_from_first(value: float) -> float:
    """The value that the first process has, in every process; all must ask, and wait for it."""
    if not dist.is_initialized():
        return value
    told = torch.tensor(value, dtype=torch.float64)
    dist.broadcast(told, src=0)
    return float(told)
