"""`equivec semvec worlds`: train and score learned operators in latent worlds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path  # noqa: TC003 - typer reads it
from typing import TYPE_CHECKING, Annotated

import typer

from equivec.cli.console import command_line, need_torch, note, show, show_json
from equivec.cli.options import AsJson, Device, Workers
from equivec.cli.semvec import Data
from equivec.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from equivec.semvec.worlds_rows import WorldsRow


def worlds(
    datasets: Annotated[
        list[str], typer.Argument(help="Datasets such as Bool5 and Poly5, or `all`.")
    ],
    data: Data,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The folder for networks and rows.")
    ] = None,
    networks: Annotated[
        Path | None,
        typer.Option(help="Score the networks of this folder again instead of training."),
    ] = None,
    seed: Annotated[
        list[int] | None,
        typer.Option(help="The seed: the same seed gives the same result.", show_default="42"),
    ] = None,
    steps: Annotated[
        int | None, typer.Option(help="Steps of training, in place of the setting's.")
    ] = None,
    device: Device = None,
    workers: Workers = 2,
    as_json: AsJson = False,
) -> None:
    """Train learned operators in latent worlds.

    They learn from the training rows alone, by one core for each worker; --device says where their
    neighbours are found. --seed may be given several times, for a network each. A command that was
    killed continues when it is given again.
    """
    need_torch()
    if (out is None) == (networks is None):
        raise ConfigError(
            "give either --out, the folder to train into, or --networks, one to score again"
        )
    from equivec.model.devices import check_device
    from equivec.semvec.dataset import SEMVEC_SPECS, semvec_spec

    device = device or "cpu"
    check_device(device)
    every = [spec.name for spec in SEMVEC_SPECS]
    names = every if datasets == ["all"] else [semvec_spec(name).name for name in datasets]
    if networks is not None:
        rows = _score(networks, data, names, device)
    else:
        assert out is not None
        rows = _train(data, out, names, seed or [42], steps, device, workers)
    if as_json:
        show_json([row.to_json() for row in rows])
    else:
        show("\n".join(_table(rows)))


def _train(
    data: Path,
    out: Path,
    names: Sequence[str],
    seeds: Sequence[int],
    steps: int | None,
    device: str,
    workers: int,
) -> list[WorldsRow]:
    from equivec.evaluate.provenance import provenance
    from equivec.jobs.shards import ExecutorConfig
    from equivec.semvec.worlds_files import rows_of, write_rows
    from equivec.semvec.worlds_settings import WORLDS_CONFIGS
    from equivec.semvec.worlds_steps import WorldsPlan, train_all
    from equivec.storage.files import write_json

    configs = [replace(c, steps=c.steps if steps is None else steps) for c in WORLDS_CONFIGS]
    plan = WorldsPlan(names, seeds, configs)
    files = []
    for file in train_all(data, out, plan, ExecutorConfig(workers=workers), device):
        files.append(file)
        row = next(row for row in reversed(file.rows) if row.dataset == row.trained_on)
        note(f"{len(files)}/{plan.count} · {' · '.join(_cells(row))} · {row.seconds:g} s")
    write_rows(out)
    write_json(out / "run.json", provenance(command_line(), seed=seeds[0]).to_json())
    note(f"wrote {out}: {len(files)} networks")
    return rows_of(files)


def _score(networks: Path, data: Path, names: Sequence[str], device: str) -> list[WorldsRow]:
    from equivec.semvec.worlds_files import rows_of
    from equivec.semvec.worlds_steps import score_all

    return rows_of(list(score_all(networks, data, names, device)))


def _table(rows: Sequence[WorldsRow]) -> Iterator[str]:
    """Rows as lines, every column as wide as its widest cell."""
    cells = [("dataset", "states", "split", "seed", "score_5", "ceiling_5"), *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _cells(row: WorldsRow) -> tuple[str, ...]:
    names = dict.fromkeys((row.trained_on, row.dataset))
    scores = (f"{row.score_5:.1f}", f"{row.ceiling_5:.1f}")
    return " -> ".join(names), row.states, row.split, str(row.seed), *scores
