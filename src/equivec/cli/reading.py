"""`equivec reading`: how much of a file of formulas is read, what stands in the way, how fast."""

from __future__ import annotations

import gzip
from pathlib import Path  # noqa: TC003 - typer reads the annotation
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equivec.cli.console import note, show, show_json
from equivec.cli.options import AsJson
from equivec.errors import ConfigError
from equivec.language.report import Coverage, cover

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST_REASONS = 20


def reading(
    files: Annotated[list[Path], typer.Argument(help="Files of formulas in LaTeX, .gz or not.")],
    column: Annotated[
        str | None,
        typer.Option(help="The column of a TSV file, by name; without it a line is a formula."),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse what is doubtful instead of keeping it.")
    ] = False,
    shortest: Annotated[int, typer.Option(help="Leave out shorter formulas.")] = 3,
    longest: Annotated[int, typer.Option(help="Leave out longer formulas.")] = 300,
    as_json: AsJson = False,
) -> None:
    """Report how many formulas of files can be read.

    A formula is read wholly, or with parts kept as they are, or not, and the report says why.
    Formulas that stand twice count once. Milliseconds are of processor time.

    Example: equivec reading formulas.tsv.gz --column latex --strict.
    """
    for file in files:
        formulas = dict.fromkeys(
            formula for formula in _formulas(file, column) if shortest <= len(formula) <= longest
        )
        coverage = cover(formulas, "refuse" if strict else "keep")
        if as_json:
            show_json({"file": str(file), "strict": strict, **coverage.as_json()})
        else:
            _show(file, coverage)
    note(f"read {len(files)} file{'s'[: len(files) != 1]}")


def _formulas(file: Path, column: str | None) -> Iterator[str]:
    """The formulas of a file, one a line or one a row."""
    opener = gzip.open if file.suffix == ".gz" else open
    with opener(file, "rt", encoding="utf-8", errors="replace", newline="\n") as lines:
        place = None
        if column is not None:
            names = next(lines, "").rstrip("\n").split("\t")
            if column not in names:
                raise ConfigError(f"{file} has no column {column!r}; it has {', '.join(names)}")
            place = names.index(column)
        for line in lines:
            cells = line.rstrip("\r\n").split("\t") if place is not None else [line.rstrip("\r\n")]
            if place is None or place < len(cells):
                yield cells[place or 0].strip()


def _show(file: Path, coverage: Coverage) -> None:
    record: dict[str, Any] = coverage.as_json()
    shares, times = record["percent"], record["milliseconds"]
    show(f"{file}: {coverage.formulas:,} distinct formulas")
    show(
        f"  wholly {shares['whole']:.1f}%, with parts kept {shares['with_parts']:.1f}%, "
        f"not read {shares['unread']:.1f}%"
    )
    show(
        f"  milliseconds: median {times['median']:.3f}, mean {times['mean']:.3f}, "
        f"p99 {times['p99']:.2f}, most {times['max']:.1f}"
    )
    for title, counts in (("kept", coverage.kept), ("not read", coverage.refused)):
        for reason, count in counts.most_common(_MOST_REASONS):
            example = coverage.examples[reason][0][:60]
            show(f"  {title} {count:6,}  {reason}  such as {example}")
