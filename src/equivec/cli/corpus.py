"""`equivec corpus`: build, describe, export and verify a corpus of equivalent expressions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from equivec.cli.console import ProgressLine, note, show, show_json

if TYPE_CHECKING:
    from collections import Counter

    from equivec.evaluate.corpus_statistics import CorpusDescription, Diversity
    from equivec.pipeline.corpus import Progress

app = typer.Typer(
    help="Corpora of equivalent expressions: clusters, every member verified.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Folder = Annotated[Path, typer.Argument(help="The folder of the corpus.")]


@app.command()
def build(
    out: Annotated[Path, typer.Argument(help="The folder to make.")],
    size: Annotated[
        int, typer.Option(help="Ordered pairs, counted as the paper does: two per equivalent.")
    ] = 4_662_300,
    engine: Annotated[
        Literal["rules", "sympy", "both"], typer.Option(help="Who proposes equivalents.")
    ] = "rules",
    sympy_share: Annotated[
        float, typer.Option(help="With both engines: SymPy's share of the pairs.")
    ] = 0.135,
    seed: Annotated[int, typer.Option(help="The seed; the same seed gives the same bytes.")] = 42,
    variables: Annotated[int, typer.Option(help="How many variables sources may have.")] = 1,
    sources: Annotated[
        Path | None,
        typer.Option(help="A file of your own expressions, one a line, instead of random ones."),
    ] = None,
    held_out: Annotated[
        Path | None,
        typer.Option(
            help="A folder of sets to hold out (validation*.txt, test*.txt, unseen*.tsv), such as "
            "`data`, instead of random ones."
        ),
    ] = None,
    hold_nothing_out: Annotated[
        bool,
        typer.Option("--hold-nothing-out", help="Everything is for training; there are no sets."),
    ] = False,
    sources_per_shard: Annotated[int, typer.Option(help="Sources in a shard.")] = 1_000,
    slow_share: Annotated[
        float, typer.Option(help="Share of the sources that SymPy's simplify and trigsimp see.")
    ] = 0.02,
    more_functions: Annotated[
        bool,
        typer.Option("--more-functions", help="SymPy functions beyond the paper's: apart, ..."),
    ] = False,
    instance_share: Annotated[
        float, typer.Option(help="Share of the sources that are instances of the rules' own laws.")
    ] = 0.15,
    workers: Annotated[int, typer.Option(help="Worker processes.")] = 2,
    executor: Annotated[
        Literal["local", "ray"], typer.Option(help="Where the workers run.")
    ] = "local",
    address: Annotated[str | None, typer.Option(help="The Ray cluster to join.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue an unfinished build.")] = False,
) -> None:
    """Build a corpus; stop it at any time and continue with --resume."""
    from equivec.corpus.sampler import SamplerConfig
    from equivec.corpus.shards import ShardConfig
    from equivec.corpus.splitting import SplitConfig
    from equivec.errors import ConfigError
    from equivec.jobs.shards import ExecutorConfig
    from equivec.pipeline.corpus import BuildConfig, build_corpus, open_corpus

    if hold_nothing_out and held_out is not None:
        raise ConfigError("--held-out names sets, --hold-nothing-out wants none; leave one out")
    config = BuildConfig(
        size=size,
        engine=engine,
        sympy_share=sympy_share,
        shard=ShardConfig(
            seed=seed,
            sources=sources_per_shard,
            sampler=SamplerConfig(variables=variables),
            slow_share=slow_share,
            more_functions=more_functions,
            instance_share=instance_share,
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
        note(f"stopped; continue with: equivec corpus build {out} --resume (and the same options)")
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
    share = 100 * sum(reasons.values()) / total if total else 0.0
    return f"dropped {share:.1f}%" + (f" ({details})" if details else "")


@app.command()
def describe(
    folder: Folder,
    html: Annotated[Path | None, typer.Option(help="Write a page with charts here.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write the operator chart here.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """The paper's statistics of a corpus, and how varied its clusters are."""
    from equivec.evaluate.corpus_page import write_operator_chart, write_page
    from equivec.evaluate.corpus_statistics import describe as look_at
    from equivec.pipeline.corpus import open_corpus

    corpus = open_corpus(folder)
    found = look_at(corpus)
    if html is not None:
        write_page(html, corpus, found)
        note(f"wrote {html}")
    if png is not None:
        write_operator_chart(png, found)
        note(f"wrote {png}")
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
    out: Annotated[Path, typer.Argument(help="The file to write; .gz compresses it.")],
    kind: Annotated[
        Literal["laws", "rational", "trigonometric", "constants", "compositions", "unmixed"],
        typer.Option(
            help="Instances of the rules' laws, expressions that people compute with, or random "
            "trees with functions of one type."
        ),
    ] = "laws",
    count: Annotated[int, typer.Option(min=1, help="How many expressions.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The seed.")] = 42,
) -> None:
    """Write sources of a kind, for `build --sources`; random trees seldom are of one."""
    from random import Random

    from equivec.corpus.sources import special_sources
    from equivec.expression.files import write_expressions

    written = write_expressions(out, special_sources(kind, count, Random(seed)))  # noqa: S311
    note(f"wrote {out}: {written:,} expressions")


@app.command()
def analogies(
    out: Annotated[Path, typer.Argument(help="The file to write.")],
    of_each_family: Annotated[
        int, typer.Option(min=1, help="Analogies of each family, at most.")
    ] = 12_000,
    seed: Annotated[int, typer.Option(help="The seed.")] = 42,
) -> None:
    """Write analogies for `train --analogies`; none is asked by an evaluation."""
    from equivec.corpus.training_analogies import write_training_analogies
    from equivec.evaluate.analogies import generated_analogies, paper_analogies

    asked = [*generated_analogies(), *paper_analogies()]
    written = write_training_analogies(out, of_each_family, asked, seed)
    note(f"wrote {out}: {written:,} analogies")


@app.command()
def export(
    folder: Folder,
    out: Annotated[Path, typer.Argument(help="The file to write; .gz compresses text.")],
    what: Annotated[
        Literal["pairs", "expressions", "arrays"],
        typer.Option("--as", help="Pairs and expressions in the authors' formats, or token ids."),
    ] = "pairs",
    split: Annotated[str, typer.Option(help="The set to export (pairs: always train).")] = "train",
    without: Annotated[
        Path | None,
        typer.Option(help="Arrays: leave out what this other corpus holds out for its tests."),
    ] = None,
    beyond_order: Annotated[
        bool,
        typer.Option(
            "--beyond-order", help="Arrays: one of members that differ only in argument order."
        ),
    ] = False,
    engine: Annotated[
        Literal["rules", "sympy"] | None,
        typer.Option(help="Arrays: only what this engine found and was given."),
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
    is_cleaned = what == "arrays" and without is not None
    for option, is_idle in (
        ("--split", split != TRAIN and (what == "pairs" or is_cleaned)),
        ("--without", without is not None and not is_cleaned),
        ("--beyond-order", beyond_order and (what != "arrays" or is_cleaned)),
        ("--engine", engine is not None and (what != "arrays" or is_cleaned)),
    ):
        if is_idle:
            among = f"--as {what}{' --without' if is_cleaned else ''}"
            raise ConfigError(f"{option} does nothing with {among}; leave one of them out")
    corpus = open_corpus(folder)
    if what == "pairs":
        count = export_pairs(corpus, out)
    elif what == "expressions":
        count = export_expressions(corpus, out, split)
    elif without is not None:
        count = export_arrays_without(corpus, out, open_corpus(without))
    else:
        count = export_arrays(corpus, out, split, beyond_order=beyond_order, engine=engine)
    note(f"wrote {out}: {count:,} {'pairs' if what == 'pairs' else 'expressions'}")


@app.command()
def sample(
    folder: Folder,
    out: Annotated[Path, typer.Argument(help="The folder to make.")],
    clusters: Annotated[int, typer.Option(help="How many clusters to keep.")] = 10_000,
    seed: Annotated[int, typer.Option(help="The seed of the sample.")] = 42,
) -> None:
    """Write a small corpus with some random clusters of a large one."""
    from equivec.pipeline.corpus import sample_corpus

    counts = sample_corpus(folder, out, clusters, seed).manifest["counts"]
    note(f"wrote {out}: {counts['expressions']:,} expressions in {counts['clusters']:,} clusters")


@app.command()
def verify(
    folder: Folder,
    sample: Annotated[
        int, typer.Option(min=0, help="Members judged again at fresh points.")
    ] = 10_000,
    sympy_sample: Annotated[int, typer.Option(min=0, help="Members judged by SymPy too.")] = 0,
    seed: Annotated[int, typer.Option(help="The seed of the sample.")] = 1,
    workers: Annotated[int, typer.Option(help="Worker processes for SymPy.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check every checksum and judge a random sample again; exit code 1 if anything is wrong."""
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
        raise typer.Exit(1)
