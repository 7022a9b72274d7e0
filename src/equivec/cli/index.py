"""`equivec index`: build an index of expressions, add to it, check that it is whole."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equivec.cli.app import FINDING, App
from equivec.cli.console import note, show, show_json
from equivec.cli.options import (
    EXECUTOR,
    Address,
    AsJson,
    IndexPlace,
    ModelName,
    NewIndexPlace,
    Resume,
    Workers,
)
from equivec.cli.search import IndexLine, open_index
from equivec.errors import ConfigError, FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from equivec.expression.tree import Node

app = App("Indexes of expressions, to be searched by meaning.")

Source = Annotated[
    str,
    typer.Argument(
        help="A file of expressions, one per line; - for stdin; or the folder of a corpus."
    ),
]


@app.command()
def build(
    source: Source,
    where: NewIndexPlace = None,
    model: ModelName = None,
    vector_type: Annotated[
        Literal["int8", "float16", "float32"], typer.Option(help="How vectors are stored.")
    ] = "int8",
    resume: Resume = False,
    executor: Annotated[
        Literal["local", "ray"] | None,
        typer.Option(help=EXECUTOR, show_default=False),
    ] = None,
    workers: Workers = 2,
    address: Address = None,
    shards: Annotated[
        Path | None,
        typer.Option(
            help="The folder for the shards of the workers; by default in the index.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Build an index; stop it at any time and continue with --resume.

    Without --executor, this process embeds the expressions by itself.
    """
    from equivec.embed.registry import load_encoder
    from equivec.jobs.shards import ExecutorConfig
    from equivec.search.index import Index, IndexConfig, open_store

    place = _named(where)
    if executor is not None and source == "-":
        raise ConfigError("workers cannot share stdin; name a file, or leave out --executor")
    line = IndexLine()
    try:
        if executor is None:
            config = IndexConfig(precision=vector_type)
            encoder = load_encoder(model or "default")
            expressions = _some(_read(source), source)
            Index.build(expressions, encoder, place, config, resume=resume, report=line.show)
        else:
            from equivec.pipeline.indexing import BulkConfig, build_index

            crew = ExecutorConfig(workers=workers, executor=executor, address=address)
            bulk = BulkConfig(precision=vector_type)
            for progress in build_index(
                source, place, model or "default", crew, bulk, shards=shards, resume=resume
            ):
                line.show(progress)
    except KeyboardInterrupt:
        line.end()
        note(
            f"stopped; continue with: equivec index build {source} --index {place} --resume "
            "(and the same options)"
        )
        raise typer.Exit(130) from None
    line.end()
    info = open_store(place).info()
    note(info.neighbours)
    note(f"wrote {place}: {info.expressions:,} expressions")


@app.command()
def add(
    source: Source,
    where: IndexPlace = None,
    model: ModelName = None,
) -> None:
    """Add expressions to an index; it skips those that it has."""
    index = open_index(_named(where), model)
    line = IndexLine()
    added = index.add(_read(source), report=line.show)
    line.end()
    note(f"added {added:,} to {index.info().where}: {len(index):,} expressions")


@app.command()
def remove(
    source: Source,
    where: IndexPlace = None,
    model: ModelName = None,
) -> None:
    """Remove expressions from an index, exactly as they were written."""
    index = open_index(_named(where), model)
    removed = index.remove(_read(source))
    note(f"removed {removed:,} from {index.info().where}: {len(index):,} expressions")


@app.command()
def info(where: IndexPlace = None, as_json: AsJson = False) -> None:
    """Show what an index holds, and how it is searched."""
    from equivec.search.index import open_store

    facts = (open_store(where) if where else open_index(None, None)).info()
    if as_json:
        show_json(asdict(facts))
        return
    size = f", {facts.bytes / 1e6:,.1f} MB" if facts.bytes is not None else ""
    show(
        f"{facts.expressions:,} expressions in {facts.segments} "
        f"segment{'s'[: facts.segments != 1]}{size}; "
        f"{facts.removed:,} removed\n"
        f"vectors: {facts.encoder}, {facts.width} x {facts.precision}\n"
        f"{facts.neighbours}"
    )


@app.command()
def verify(where: IndexPlace = None, as_json: AsJson = False) -> None:
    """Compare every file of an index with its checksum.

    The exit code is 1 if a file is damaged.
    """
    from equivec.search.folder import damage

    place = _named(where)
    sentences = damage(Path(place))
    if as_json:
        show_json({"damage": sentences})
    elif sentences:
        show("\n".join(sentences))
    else:
        note(f"{place} is whole")
    if sentences:
        raise typer.Exit(FINDING)


@app.command()
def tune(where: IndexPlace = None) -> None:
    """Make an index smaller and faster after many changes.

    Removed rows are dropped, segments are joined, and the search is tuned to the new size.
    """
    from equivec.search.folder import FolderStore

    store = FolderStore.open(Path(_named(where)), without_neighbours=True)
    with store.writing():
        store.tune()
    note(store.info().neighbours)


def _named(place: str | None) -> str:
    """The place of the index; the default index is not for writing."""
    if place is None:
        raise ConfigError(
            "name the index with --index: a folder, or milvus://host:19530/collection"
        )
    return place


def _some(expressions: Iterable[str | Node], source: str) -> Iterator[str | Node]:
    """The expressions, of which there must be one at least."""
    is_empty = True
    for expression in expressions:
        is_empty = False
        yield expression
    if is_empty:
        name = "stdin" if source == "-" else source
        raise FileFormatError(f"{name} has no expressions; there is nothing to build an index of")


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
