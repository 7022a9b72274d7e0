"""`equivec search` and `equivec analogy`: ask an index."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from equivec.cli.console import ProgressLine, note, show, show_json
from equivec.cli.options import AsJson, Count, IndexPlace, ModelName
from equivec.errors import ConfigError
from equivec.expression.text import write

if TYPE_CHECKING:
    from equivec.embed.encoder import Encoder
    from equivec.search.index import Index, IndexProgress, SearchResult
    from equivec.search.judging import Hit
    from equivec.search.store import IndexInfo

Symbols = list[str] | None


def search(
    query: Annotated[str, typer.Argument(help="The formula, in any format.")],
    where: IndexPlace = None,
    model: ModelName = None,
    k: Count = 10,
    contains: Annotated[
        Symbols, typer.Option(help="A symbol that must occur; may be repeated.", show_default=False)
    ] = None,
    excludes: Annotated[
        Symbols,
        typer.Option(help="A symbol that must not occur; may be repeated.", show_default=False),
    ] = None,
    min_operators: Annotated[int, typer.Option(help="The smallest number of operators.")] = 0,
    max_operators: Annotated[
        int | None, typer.Option(help="The largest number of operators.", show_default=False)
    ] = None,
    variables: Annotated[
        int | None, typer.Option(help="The number of variables.", show_default=False)
    ] = None,
    same_names: Annotated[
        bool,
        typer.Option(
            "--same-names", help="Do not match expressions that use other variable names."
        ),
    ] = False,
    time_limit: Annotated[
        float, typer.Option(help="Seconds that judging may take, for all results together.")
    ] = 0.25,
    as_json: AsJson = False,
) -> None:
    """Find expressions that are equal or similar to a formula.

    Without --index, formulas that come with the package are searched.
    """
    from equivec.expression.text import parse
    from equivec.search.filters import Filter
    from equivec.search.judging import SearchConfig

    tree = parse(query)
    chosen = Filter(
        contains=frozenset(contains or ()),
        excludes=frozenset(excludes or ()),
        min_operators=min_operators,
        max_operators=max_operators,
        variables=variables,
    )
    config = SearchConfig(same_names=same_names, judge_seconds=time_limit)
    index = open_index(where, model)
    _show(index, index.search(tree, k, filter=chosen, config=config), as_json=as_json)


def analogy(
    a: Annotated[str, typer.Argument(help="A is to B ...", metavar="A")],
    b: Annotated[str, typer.Argument(help="(see A)", metavar="B")],
    c: Annotated[str, typer.Argument(help="... as C is to the answer.", metavar="C")],
    where: IndexPlace = None,
    model: ModelName = None,
    k: Count = 10,
    as_json: AsJson = False,
) -> None:
    """Complete an analogy: A is to B as C is to ?

    The answers are the expressions whose vectors are closest to B - A + C.

    Example: equivec analogy "sin(x)" "cos(x)" "tan(x)".
    """
    from equivec.expression.text import parse

    first, second, third = (parse(text) for text in (a, b, c))
    index = open_index(where, model)
    _show(index, index.analogy(second, first, third, k), as_json=as_json)


def open_index(where: str | None, model: str | None) -> Index:
    """The index at a place, with the encoder that it names or another of the same name.

    Where no place is named it is the default index, which is built at its first use.
    """
    from equivec.embed.registry import load_encoder
    from equivec.search.index import Index, open_store

    if where is None:
        return _open_default(model)
    store = open_store(where)
    index = Index(store, load_encoder(model) if model else _its_encoder(store.info()))
    index.check_encoder()
    return index


def _its_encoder(info: IndexInfo) -> Encoder:
    from equivec.embed.registry import load_encoder

    try:
        return load_encoder(info.encoder, imports=False)
    except ConfigError as error:
        raise ConfigError(
            f"{info.where} was made with the model {info.encoder!r}; name it with --model ({error})"
        ) from None


def _open_default(model: str | None) -> Index:
    from equivec.embed.registry import load_encoder
    from equivec.search.default import EXPRESSIONS, default_index

    encoder = load_encoder(model or "default")
    line = IndexLine()
    try:
        return default_index(encoder, EXPRESSIONS, line.show, note)
    finally:
        line.end()


class IndexLine:
    """How far an index is."""

    def __init__(self) -> None:
        self._line = ProgressLine()
        self._start = time.monotonic()

    def show(self, progress: IndexProgress) -> None:
        """Replace the line."""
        rate = progress.read / (time.monotonic() - self._start)
        self._line.show(
            f"expressions {progress.read:,} · {rate:,.0f}/s · "
            f"{progress.read - progress.added:,} already indexed"
        )

    def end(self) -> None:
        """Clear the line."""
        self._line.end()


def _show(index: Index, result: SearchResult, *, as_json: bool) -> None:
    if as_json:
        hits = [_as_dict(hit) for hit in result.hits]
        show_json({"hits": hits, "seconds": asdict(result.timings)})
        return
    width = max((len(_words(hit)) for hit in result.hits), default=0)
    for hit in result.hits:
        show(_line(hit, width))
    note(f"{len(result.hits)} of {len(index):,} expressions in {1e3 * result.timings.total:.1f} ms")


def _words(hit: Hit) -> str:
    return hit.verdict.words if hit.verdict is not None else "not judged"


def _line(hit: Hit, width: int) -> str:
    names = [f"{name} = {other}" for name, other in hit.renaming.items() if name != other]
    renamed = f"   ({', '.join(names)})" if names else ""
    return f"{hit.cosine:7.4f}  {_words(hit):<{width}}  {hit.expression}{renamed}"


def _as_dict(hit: Hit) -> dict[str, Any]:
    verdict = hit.verdict
    return {
        **{name: write(hit.tree, name) for name in ("infix", "latex", "prefix")},
        "cosine": hit.cosine,
        "verdict": verdict.relation.name if verdict is not None else None,
        "words": verdict.words if verdict is not None else None,
        "sentence": verdict.sentence if verdict is not None else None,
        "renaming": dict(hit.renaming),
    }
