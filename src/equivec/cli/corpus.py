"""`equivec corpus`: build, describe, export and verify a corpus of equivalent expressions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equivec.cli.app import FINDING, App
from equivec.cli.console import ProgressLine, note, show, show_json
from equivec.cli.options import EXECUTOR, Address, AsJson, Resume, Seed, Workers, out_option

if TYPE_CHECKING:
    from collections import Counter

    from equivec.evaluate.corpus_statistics import CorpusDescription, Diversity
    from equivec.pipeline.corpus import Progress

app = App("Corpora: verified clusters of equivalent expressions.")

Folder = Annotated[Path, typer.Argument(help="The folder of the corpus.")]
_DESCRIPTIONS = (".html", ".png", ".svg")


@app.command()
def build(
    out: Annotated[Path, out_option("The folder of the new corpus.")],
    size: Annotated[
        int, typer.Option(help="Ordered pairs, counted as in the paper: two per equivalent.")
    ] = 4_662_300,
    engine: Annotated[
        Literal["rules", "sympy", "both"],
        typer.Option(help="The engine that proposes equivalents."),
    ] = "rules",
    sympy_fraction: Annotated[
        float, typer.Option(help="The fraction of pairs from SymPy, with both engines.")
    ] = 0.135,
    seed: Seed = 42,
    max_variables: Annotated[
        int, typer.Option(help="The largest number of variables in a source.")
    ] = 1,
    sources: Annotated[
        Path | None,
        typer.Option(
            help="A file of your own expressions, one per line, to use instead of random ones.",
            show_default=False,
        ),
    ] = None,
    held_out: Annotated[
        Path | None,
        typer.Option(
            help="A folder with the sets to hold out (validation*.txt, test*.txt, unseen*.tsv), "
            "such as `data`, to use instead of random sets.",
            show_default=False,
        ),
    ] = None,
    hold_nothing_out: Annotated[
        bool,
        typer.Option(
            "--hold-nothing-out", help="Use everything for training, without any held-out set."
        ),
    ] = False,
    sources_per_shard: Annotated[int, typer.Option(help="How many sources a shard has.")] = 1_000,
    slow_fraction: Annotated[
        float,
        typer.Option(
            help="The fraction of sources to try SymPy's slow functions on (simplify, trigsimp)."
        ),
    ] = 0.02,
    more_functions: Annotated[
        bool,
        typer.Option(
            "--more-functions", help="Also use SymPy functions that the paper does not use."
        ),
    ] = False,
    instance_fraction: Annotated[
        float, typer.Option(help="The fraction of sources that are instances of rewrite rules.")
    ] = 0.15,
    workers: Workers = 2,
    executor: Annotated[Literal["local", "ray"], typer.Option(help=EXECUTOR)] = "local",
    address: Address = None,
    resume: Resume = False,
) -> None:
    """Build a corpus; stop it at any time and continue with --resume."""
    from equivec.corpus.sampler import SamplerConfig
    from equivec.corpus.shards import ShardConfig
    from equivec.corpus.splitting import SplitConfig
    from equivec.errors import ConfigError
    from equivec.jobs.shards import ExecutorConfig
    from equivec.pipeline.corpus import BuildConfig, build_corpus, open_corpus

    if hold_nothing_out and held_out is not None:
        raise ConfigError("--held-out and --hold-nothing-out exclude each other; give only one")
    config = BuildConfig(
        size=size,
        engine=engine,
        sympy_fraction=sympy_fraction,
        shard=ShardConfig(
            seed=seed,
            sources=sources_per_shard,
            sampler=SamplerConfig(variables=max_variables),
            slow_fraction=slow_fraction,
            more_functions=more_functions,
            instance_fraction=instance_fraction,
            sources_file=str(sources) if sources is not None else None,
        ),
        splits=SplitConfig(validation=0, test=0, unseen=0) if hold_nothing_out else SplitConfig(),
        held_out=str(held_out) if held_out is not None else None,
    )
    where = ExecutorConfig(workers=workers, executor=executor, address=address)
    line, started = ProgressLine(), time.monotonic()
    try:
        for progress in build_corpus(out, config, where, resume=resume):
            line.show(_progress_text(progress, time.monotonic() - started))
    except KeyboardInterrupt:
        line.end()
        note(
            f"stopped; continue with: equivec corpus build -o {out} --resume (and the same options)"
        )
        raise typer.Exit(130) from None
    line.end()
    counts = open_corpus(out).manifest["counts"]
    note(
        f"wrote {out}: {counts['expressions']:,} expressions in {counts['clusters']:,} clusters, "
        f"{counts['pairs']:,} pairs"
    )


def _progress_text(progress: Progress, seconds: float) -> str:
    if not progress.done:
        return f"{progress.step} ..."
    rate = progress.done / seconds
    wanted = f"/{progress.wanted:,}" if progress.wanted else ""
    left = (progress.wanted - progress.done) / rate if progress.wanted else 0.0
    return (
        f"{progress.step} {progress.done:,}{wanted} · {rate:,.0f}/s · "
        f"{_dropped(progress.proposals)} · {max(0.0, left):,.0f} s left"
    )


def _dropped(proposals: Counter[str]) -> str:
    total = proposals.total()
    reasons = {reason: count for reason, count in proposals.items() if reason != "kept"}
    worst = sorted(reasons.items(), key=lambda item: -item[1])[:3]
    details = ", ".join(f"{reason} {100 * count / total:.1f}" for reason, count in worst)
    dropped = 100 * sum(reasons.values()) / total if total else 0.0
    return f"dropped {dropped:.1f}%" + (f" ({details})" if details else "")


@app.command()
def describe(
    folder: Folder,
    out: Annotated[
        list[Path] | None,
        out_option("A file to write: .html for a page, .png or .svg for a chart; may be repeated."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the statistics of a corpus, also as a page and a chart."""
    from equivec.errors import ConfigError
    from equivec.evaluate.corpus_page import write_operator_chart, write_page
    from equivec.evaluate.corpus_statistics import describe as look_at
    from equivec.pipeline.corpus import open_corpus

    for path in out or ():
        if path.suffix not in _DESCRIPTIONS:
            raise ConfigError(f"{path} is not a page or chart; use {', '.join(_DESCRIPTIONS)}")
    corpus = open_corpus(folder)
    found = look_at(corpus)
    for path in out or ():
        if path.suffix == ".html":
            write_page(path, corpus, found)
        else:
            write_operator_chart(path, found)
        note(f"wrote {path}")
    show_json(found.to_json()) if as_json else show(_description(found))


def _diversity_sentence(engine: str, found: Diversity) -> str:
    return (
        f"{engine}: members are {found.edit_distance:.3f} of their length apart in edits; "
        f"{100 * found.only_reordered:.1f}% of pairs differ only in argument order"
    )


def _description(found: CorpusDescription) -> str:
    counts = found.counts
    lines = [
        f"{counts.expressions:,} expressions in {counts.clusters:,} clusters",
        f"{counts.pairs:,} pairs as the paper counts, {counts.pairs_in_clusters:,} in clusters",
        "",
        f"{'set':<20}{'expressions':>12}{'operators':>16}{'length':>16}",
    ]
    lines += [
        f"{split:<20}{counts.splits[split]:>12,}{found.operators[split]!s:>16}"
        f"{found.lengths[split]!s:>16}"
        for split in found.operators
    ]
    lines += ["", "expressions by number of operator types:"]
    lines += [f"  {types}: {count:,}" for types, count in found.by_types.items()]
    lines += ["", "expressions with an operator:"]
    lines += [f"  {name:<8}{count:>12,}" for name, count in found.with_operator.items()]
    lines += ["", *(_diversity_sentence(engine, each) for engine, each in found.diversity.items())]
    return "\n".join(lines)


@app.command()
def sources(
    out: Annotated[Path, out_option("The file to write; .gz compresses it.")],
    kind: Annotated[
        str, typer.Option(help="The kind of sources: {equivec.corpus.sources:SOURCE_KINDS}.")
    ] = "laws",
    count: Annotated[int, typer.Option(min=1, help="How many expressions.")] = 10_000,
    seed: Seed = 42,
) -> None:
    """Write sources of a given kind, for `corpus build --sources`.

    Kinds: `laws` are instances of the rewrite rules, `unmixed` are random trees with functions of
    one type, the others are expressions that people compute with.
    """
    from random import Random

    from equivec.corpus.sources import special_sources
    from equivec.expression.files import write_expressions

    written = write_expressions(out, special_sources(kind, count, Random(seed)))  # noqa: S311
    note(f"wrote {out}: {written:,} expressions")


@app.command()
def analogies(
    out: Annotated[Path, out_option("The .npz file to write.")],
    of_each_family: Annotated[
        int, typer.Option(min=1, help="The largest number of analogies per family.")
    ] = 12_000,
    seed: Seed = 42,
) -> None:
    """Write analogies to train with.

    The evaluations do not use any of them.
    """
    from equivec.corpus.training_analogies import write_training_analogies
    from equivec.evaluate.analogies import generated_analogies, paper_analogies

    asked = [*generated_analogies(), *paper_analogies()]
    written = write_training_analogies(out, of_each_family, asked, seed)
    note(f"wrote {out}: {written:,} analogies")


@app.command()
def export(
    folder: Folder,
    out: Annotated[Path, out_option("The file to write; .gz compresses text.")],
    target: Annotated[
        Literal["pairs", "expressions", "arrays"],
        typer.Option(
            "--to",
            help="The format: pairs or expressions as the paper's authors write them, or arrays of "
            "token ids.",
        ),
    ] = "pairs",
    split: Annotated[
        str, typer.Option(help="The set to export: {equivec.corpus.splitting:SPLITS}.")
    ] = "train",
    without: Annotated[
        Path | None,
        typer.Option(
            help="Arrays only: leave out the expressions that this other corpus holds out.",
            show_default=False,
        ),
    ] = None,
    ignore_order: Annotated[
        bool,
        typer.Option(
            "--ignore-order",
            help="Arrays only: keep one of several expressions that differ only in the order of "
            "arguments.",
        ),
    ] = False,
    found_by: Annotated[
        Literal["rules", "sympy"] | None,
        typer.Option(
            help="Arrays only: export only expressions from this engine, and their sources.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Write a corpus in another format."""
    from equivec.corpus.export import (
        export_arrays,
        export_arrays_without,
        export_expressions,
        export_pairs,
    )
    from equivec.corpus.splitting import SPLITS, TRAIN
    from equivec.errors import ConfigError
    from equivec.pipeline.corpus import open_corpus

    if split not in SPLITS:
        raise ConfigError(f"{split!r} is not a split; use {', '.join(SPLITS)}")
    is_cleaned = target == "arrays" and without is not None
    for option, is_idle in (
        ("--split", split != TRAIN and (target == "pairs" or is_cleaned)),
        ("--without", without is not None and not is_cleaned),
        ("--ignore-order", ignore_order and (target != "arrays" or is_cleaned)),
        ("--found-by", found_by is not None and (target != "arrays" or is_cleaned)),
    ):
        if is_idle:
            among = f"--to {target}{' --without' if is_cleaned else ''}"
            raise ConfigError(f"{option} has no effect with {among}; leave one of them out")
    corpus = open_corpus(folder)
    if target == "pairs":
        count = export_pairs(corpus, out)
    elif target == "expressions":
        count = export_expressions(corpus, out, split)
    elif without is not None:
        count = export_arrays_without(corpus, out, open_corpus(without))
    else:
        count = export_arrays(corpus, out, split, ignore_order=ignore_order, engine=found_by)
    note(f"wrote {out}: {count:,} {'pairs' if target == 'pairs' else 'expressions'}")


@app.command()
def sample(
    folder: Folder,
    out: Annotated[Path, out_option("The folder of the new corpus.")],
    clusters: Annotated[int, typer.Option(help="How many clusters to keep.")] = 10_000,
    seed: Seed = 42,
) -> None:
    """Write a small corpus of random clusters from a large one."""
    from equivec.pipeline.corpus import sample_corpus

    counts = sample_corpus(folder, out, clusters, seed).manifest["counts"]
    note(f"wrote {out}: {counts['expressions']:,} expressions in {counts['clusters']:,} clusters")


@app.command()
def verify(
    folder: Folder,
    sample: Annotated[
        int, typer.Option(min=0, help="How many members to judge again, at new points.")
    ] = 10_000,
    sympy_sample: Annotated[
        int, typer.Option(min=0, help="How many members to judge by SymPy too.")
    ] = 0,
    seed: Seed = 1,
    workers: Workers = 2,
    as_json: AsJson = False,
) -> None:
    """Check every checksum, and judge a random sample again.

    The exit code is 1 if a file is damaged or a verdict is wrong.
    """
    from equivec.evaluate.corpus_verification import (
        Verification,
        rejudge,
        rejudge_by_sympy,
        sample_members,
    )
    from equivec.pipeline.corpus import open_corpus

    corpus = open_corpus(folder)
    damaged = corpus.damaged_files()
    verdicts: dict[str, dict[str, int]] = {}
    if not damaged:
        pairs = sample_members(corpus, max(sample, sympy_sample), seed)
        line = ProgressLine()
        for judged in (
            *rejudge(pairs[:sample]),
            *rejudge_by_sympy(pairs[:sympy_sample], workers),
        ):
            verdicts[judged.judge] = dict(judged.verdicts)
            line.show(f"{judged.judge} {judged.verdicts.total():,} judged")
        line.end()
    found = Verification(tuple(damaged), verdicts)
    show_json(found.to_json()) if as_json else show("\n".join(found.sentences()))
    if found.is_wrong:
        raise typer.Exit(FINDING)
