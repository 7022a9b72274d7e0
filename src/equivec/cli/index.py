"""`equivec index`: build an index of expressions, add to it, and see that it is whole."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equivec.cli.console import ProgressLine, note, show, show_json
from equivec.cli.search import chosen_index, load_encoder, open_index
from equivec.errors import FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from equivec.expression.tree import Node
    from equivec.search.index import IndexProgress

app = typer.Typer(
    help="Indexes of expressions, to be searched by meaning.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Source = Annotated[
    str,
    typer.Argument(
        help="A file with an expression a line, - for stdin, or the folder of a corpus."
    ),
]
Where = Annotated[str | None, typer.Argument(help="The folder of the index.")]
Store = Annotated[
    str | None,
    typer.Option(help="A Milvus collection instead of a folder: milvus://host:19530/collection."),
]
Model = Annotated[str | None, typer.Option(help="The model that makes the vectors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def build(
    source: Source,
    where: Where = None,
    store: Store = None,
    model: Model = None,
    precision: Annotated[
        Literal["int8", "float16", "float32"], typer.Option(help="How vectors are stored.")
    ] = "int8",
    resume: Annotated[bool, typer.Option("--resume", help="Continue an unfinished build.")] = False,
) -> None:
    """Build an index; stop it at any time and continue with --resume."""
    from equivec.search.index import Index, IndexConfig

    place = chosen_index(store or where)
    expressions = _read(source)
    encoder = load_encoder(model)
    line = _Line()
    try:
        index = Index.build(
            expressions,
            encoder,
            place,
            IndexConfig(precision=precision),
            resume=resume,
            report=line.show,
        )
    except KeyboardInterrupt:
        line.end()
        note(f"stopped; continue with: equivec index build {source} {place} --resume")
        raise typer.Exit(130) from None
    line.end()
    note(index.info().neighbours)
    note(f"wrote {place}: {len(index):,} expressions")


@app.command()
def add(
    source: Source,
    where: Where = None,
    store: Store = None,
    model: Model = None,
) -> None:
    """Add expressions to an index; those that it has already are left out."""
    index = open_index(store or where, model)
    line = _Line()
    added = index.add(_read(source), report=line.show)
    line.end()
    note(f"added {added:,} to {index.info().where}: {len(index):,} expressions")


@app.command()
def info(where: Where = None, store: Store = None, as_json: AsJson = False) -> None:
    """What an index holds and how it is searched."""
    from equivec.search.index import open_store

    facts = open_store(chosen_index(store or where)).info()
    if as_json:
        show_json(asdict(facts))
        return
    size = f", {facts.bytes / 1e6:,.1f} MB" if facts.bytes is not None else ""
    show(
        f"{facts.expressions:,} expressions in {facts.segments} segments{size}; "
        f"{facts.removed:,} removed\n"
        f"vectors: {facts.encoder}, {facts.width} x {facts.precision}\n"
        f"{facts.neighbours}"
    )


@app.command()
def verify(where: Annotated[Path, typer.Argument(help="The folder of the index.")]) -> None:
    """Read every file of an index and compare it with its checksum; exit code 2 if one is bad."""
    from equivec.search.folder import damage

    sentences = damage(where)
    if sentences:
        raise FileFormatError("\n".join(sentences))
    note(f"{where} is whole")


@app.command()
def tune(where: Annotated[Path, typer.Argument(help="The folder of the index.")]) -> None:
    """Drop removed rows, join segments, and choose anew how neighbours are found."""
    from equivec.search.folder import FolderStore

    store = FolderStore.open(where, without_neighbours=True)
    with store.writing():
        store.tune()
    note(store.info().neighbours)


def _read(source: str) -> Iterable[str | Node]:
    """The expressions of a file or a corpus."""
    from equivec.corpus.store import Corpus
    from equivec.expression.files import read_expressions

    path = Path("/dev/stdin" if source == "-" else source)
    if path.is_dir():
        return Corpus.open(path).expressions()
    if not path.exists():
        raise FileFormatError(f"there is no file or corpus {source}")
    return read_expressions(path, "auto")


class _Line:
    """How far it is, on a terminal."""

    def __init__(self) -> None:
        self._line = ProgressLine()
        self._start = time.monotonic()

    def show(self, progress: IndexProgress) -> None:
        rate = progress.read / (time.monotonic() - self._start)
        self._line.show(
            f"expressions {progress.read:,} · {rate:,.0f}/s · "
            f"{progress.read - progress.added:,} there already"
        )

    def end(self) -> None:
        self._line.end()
