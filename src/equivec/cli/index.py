"""`equivec index`: build an index of expressions, add to it, and see that it is whole."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equivec.cli.console import note, show, show_json
from equivec.cli.search import IndexLine, ModelName, open_index
from equivec.errors import ConfigError, FileFormatError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from equivec.expression.tree import Node

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
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command()
def build(
    source: Source,
    where: Where = None,
    store: Store = None,
    model: ModelName = None,
    precision: Annotated[
        Literal["int8", "float16", "float32"], typer.Option(help="How vectors are stored.")
    ] = "int8",
    resume: Annotated[bool, typer.Option("--resume", help="Continue an unfinished build.")] = False,
    executor: Annotated[
        Literal["local", "ray"] | None,
        typer.Option(help="Embed in worker processes, here or on Ray, instead of in this one."),
    ] = None,
    workers: Annotated[int, typer.Option(help="How many worker processes.")] = 2,
    address: Annotated[str | None, typer.Option(help="The Ray cluster to join.")] = None,
    shards: Annotated[
        Path | None, typer.Option(help="Where workers leave their shards, if not in the index.")
    ] = None,
) -> None:
    """Build an index; stop it at any time and continue with --resume."""
    from equivec.embed.registry import load_encoder
    from equivec.jobs.shards import ExecutorConfig
    from equivec.search.index import Index, IndexConfig, open_store

    place = _named(where, store)
    if executor is not None and source == "-":
        raise ConfigError(
            "stdin cannot be shared out among workers; name a file, or leave out --executor"
        )
    line = IndexLine()
    try:
        if executor is None:
            config = IndexConfig(precision=precision)
            encoder = load_encoder(model or "default")
            expressions = _some(_read(source), source)
            Index.build(expressions, encoder, place, config, resume=resume, report=line.show)
        else:
            from equivec.pipeline.indexing import BulkConfig, build_index

            crew = ExecutorConfig(workers=workers, executor=executor, address=address)
            bulk = BulkConfig(precision=precision)
            for progress in build_index(
                source, place, model or "default", crew, bulk, shards=shards, resume=resume
            ):
                line.show(progress)
    except KeyboardInterrupt:
        line.end()
        note(
            f"stopped; continue with: equivec index build {source} {place} --resume "
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
    where: Where = None,
    store: Store = None,
    model: ModelName = None,
) -> None:
    """Add expressions to an index; those that it has already are left out."""
    index = open_index(_named(where, store), model)
    line = IndexLine()
    added = index.add(_read(source), report=line.show)
    line.end()
    note(f"added {added:,} to {index.info().where}: {len(index):,} expressions")


@app.command()
def remove(
    source: Source,
    where: Where = None,
    store: Store = None,
    model: ModelName = None,
) -> None:
    """Remove expressions from an index, exactly as they were written."""
    index = open_index(_named(where, store), model)
    removed = index.remove(_read(source))
    note(f"removed {removed:,} from {index.info().where}: {len(index):,} expressions")


@app.command()
def info(where: Where = None, store: Store = None, as_json: AsJson = False) -> None:
    """What an index holds and how it is searched; without a name, the default index."""
    from equivec.search.index import open_store

    is_named = where is not None or store is not None
    facts = (open_store(_named(where, store)) if is_named else open_index(None, None)).info()
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


def _named(folder: str | None, store: str | None) -> str:
    """The one place that was named; the default index is not written to."""
    named = [place for place in (folder, store) if place]
    if not named:
        raise ConfigError("no index was named; name its folder, or a collection with --store")
    if len(named) > 1:
        raise ConfigError(f"an index has one place: name {folder} or --store {store}, not both")
    return named[0]


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
