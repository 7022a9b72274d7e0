"""Requests answered: what is asked of search, the model and the judge, and how it is written out.

Everything here blocks; the application decides in which thread it runs.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from equivec.algebra.judgement import UNLIKE, judge, place
from equivec.algebra.points import Domain
from equivec.algebra.sympy_judge import SymPyJudge
from equivec.embed.components import principal_components
from equivec.embed.encoder import can_write
from equivec.errors import ConfigError, EquivecError
from equivec.expression.prefix import parse_prefix
from equivec.expression.text import parse, write, write_recognizable
from equivec.jobs.timebox import TimeBox, TimeBoxConfig
from equivec.jobs.workers import Failure
from equivec.search.filters import Filter
from equivec.search.index import Index
from equivec.search.judging import SearchConfig
from equivec.serve import schemas
from equivec.serve.plotting import plot
from equivec.serve.problems import FieldError
from equivec.serve.schemas import Finding

if TYPE_CHECKING:
    from equivec.algebra.compare import Verdict, Witness
    from equivec.algebra.judgement import Judgement
    from equivec.expression.tree import Node
    from equivec.search.judging import Hit
    from equivec.serve.batching import BatchingEncoder
    from equivec.serve.config import ServiceConfig


_CHECKS_PER_WORKER = 10_000


class Answers:
    """The service without HTTP."""

    def __init__(self, index: Index, encoder: BatchingEncoder, config: ServiceConfig) -> None:
        self.config = config
        self.encoder = encoder
        self.index = Index(index.store, encoder)
        self.expressions = len(self.index)
        self._shown, vectors = self.index.sample(config.map_points)
        self._map = principal_components(vectors, 2)
        self._places = self._map.place(vectors)
        self._model: Any = index.encoder  # which may do more than encode
        limits = TimeBoxConfig(time_limit=config.check_seconds, workers=config.checks)
        # Nothing piles up in our judge as it does in SymPy's cache.
        own = replace(limits, tasks_per_worker=_CHECKS_PER_WORKER)
        self._box = TimeBox(own, preload=("equivec.algebra.judgement",))
        offered = Domain if config.sympy else ()
        self._sympy = {domain: SymPyJudge(limits, domain) for domain in offered}

    def rehearse(self) -> None:
        """Search once, so that model and index are in memory when the first request comes."""
        self.index.search("x", 1)

    def warm_up(self) -> None:
        """Start the judge's workers, so that the first to ask need not wait for them."""
        self._box.run(judge, "x", "x")

    def close(self) -> None:
        """Stop the judge's workers at once."""
        self._box.close()
        for each in self._sympy.values():
            each.close()

    def read(self, field: str, text: str, format: str = "auto") -> Node:  # noqa: A002
        """The tree of a text within the service's limits; an error knows the field."""
        try:
            return parse(text, format, limits=self.config.expression)
        except EquivecError as error:
            raise FieldError(field, error) from None

    def parse(self, request: schemas.ParseRequest) -> schemas.ParseResponse:
        """What a text spells."""
        tree = self.read("expression", request.expression, request.format)
        return schemas.ParseResponse(
            formula=_formula(tree),
            nodes=tree.size,
            depth=tree.depth,
            variables=sorted(tree.variables),
        )

    def embed(self, request: schemas.EmbedRequest) -> schemas.EmbedResponse:
        """A vector for each expression."""
        _check("expressions", len(request.expressions), self.config.most_expressions)
        trees = [
            self.read(f"expressions.{place}", text)
            for place, text in enumerate(request.expressions)
        ]
        vectors = self.encoder.encode(trees, normalize=request.normalize)
        return schemas.EmbedResponse(
            model=self.encoder.name, width=self.encoder.width, vectors=vectors.tolist()
        )

    def search(self, request: schemas.SearchRequest) -> schemas.SearchResponse:
        """Equal expressions and neighbours."""
        _check("k", request.k, self.config.most_hits)
        tree = self.read("expression", request.expression)
        settings = SearchConfig(
            same_names=request.same_names, judge_seconds=self.config.judge_seconds
        )
        result = self.index.search(tree, request.k, filter=_filter(request.filter), config=settings)
        return schemas.SearchResponse(
            query=_formula(tree),
            hits=[_hit(hit) for hit in result.hits],
            expressions=self.expressions,
            seconds=asdict(result.timings),
        )

    def equivalents(self, request: schemas.EquivalentsRequest) -> schemas.EquivalentsResponse:
        """The model's proposals, judged."""
        beam = request.beam or self.config.widest_beam
        _check("beam", beam, self.config.widest_beam)
        _check("k", request.k, beam)
        tree = self.read("expression", request.expression)
        if not can_write(self._model):
            error = ConfigError(f"the encoder {self._model.name!r} writes no expressions")
            raise FieldError("expression", error)
        # One processor, so that the others are left to what is quick.
        found = self._model.equivalents(tree, k=request.k, beam=beam, threads=1)
        return schemas.EquivalentsResponse(
            query=_formula(tree),
            proposals=[
                schemas.Proposal(
                    formula=_formula(each.tree),
                    log_probability=each.log_probability,
                    verdict=_judgement(each.verdict),
                )
                for each in found
            ],
        )

    def check(self, request: schemas.CheckRequest) -> schemas.CheckResponse:
        """The verdict on two formulas, from a worker that is killed when it takes too long."""
        if request.judge == "sympy" and not self.config.sympy:
            error = ConfigError("SymPy is not asked here; the service must be started with --sympy")
            raise FieldError("judge", error)
        left, right = self.read("left", request.left), self.read("right", request.right)
        domain = Domain(request.domain) if request.domain else None
        by = self._by_sympy if request.judge == "sympy" else self._by_numbers
        verdict = by(left, right, domain)
        witness = verdict.witness.point if verdict.witness else None
        return schemas.CheckResponse(
            left=_formula(left),
            right=_formula(right),
            verdict=verdict,
            plot=plot(left, right, Domain(verdict.domain), witness),
        )

    def analogy(self, request: schemas.AnalogyRequest) -> schemas.AnalogyResponse:
        """What is to y2 as x1 is to y1."""
        _check("k", request.k, self.config.most_hits)
        given = [self.read(name, getattr(request, name)) for name in ("x1", "y1", "y2")]
        result = self.index.analogy(given[0], given[1], given[2], request.k)
        return schemas.AnalogyResponse(
            given=[_formula(tree) for tree in given], hits=[_hit(hit) for hit in result.hits]
        )

    def whole_map(self) -> schemas.MapResponse:
        """The places of all expressions on the map."""
        x, y = self._places.round(4).T.tolist()
        return schemas.MapResponse(
            expressions=[write(parse_prefix(text)) for text in self._shown],
            x=x,
            y=y,
            explained=self._map.shares.tolist(),
        )

    def locate(self, request: schemas.LocateRequest) -> schemas.LocateResponse:
        """Where a formula and its neighbours lie on the map."""
        _check("k", request.k, self.config.most_hits)
        tree = self.read("expression", request.expression)
        hits = self.index.search(tree, request.k, config=SearchConfig(judge_seconds=0)).hits
        trees = [tree, *(hit.tree for hit in hits)]
        vectors = self.index.encode(trees)
        (x, y), *others = self._map.place(vectors).round(4).tolist()
        return schemas.LocateResponse(
            query=schemas.Place(formula=_formula(tree), x=x, y=y),
            neighbours=[
                schemas.NeighbourPlace(formula=_formula(hit.tree), x=x, y=y, cosine=hit.cosine)
                for hit, (x, y) in zip(hits, others, strict=True)
            ],
        )

    def _by_numbers(self, left: Node, right: Node, domain: Domain | None) -> schemas.Judgement:
        texts = write_recognizable(left), write_recognizable(right)
        answer = self._box.run(judge, *texts, domain)
        if answer.value is not None:
            return _judgement(answer.value)
        is_slow = answer.failure is Failure.TIME_LIMIT
        reason = f"stopped after {self.config.check_seconds:g} s" if is_slow else "the worker died"
        finding = Finding.TIME_LIMIT if is_slow else Finding.FAILED
        return _finding(finding, left, right, domain, reason)

    def _by_sympy(self, left: Node, right: Node, domain: Domain | None) -> schemas.Judgement:
        verdict = self._sympy[domain or Domain.REAL].compare(left, right)
        reason = verdict.reason(self.config.check_seconds)
        return _finding(Finding[verdict.name], left, right, domain, reason)


def _check(field: str, value: int, most: int) -> None:
    if value > most:
        error = ConfigError(f"{field} may be {most:,} at most here, not {value:,}")
        raise FieldError(field, error)


def _filter(fields: schemas.FilterFields) -> Filter:
    try:
        return Filter(
            contains=frozenset(fields.contains),
            excludes=frozenset(fields.excludes),
            min_operators=fields.min_operators,
            max_operators=fields.max_operators,
            variables=fields.variables,
        )
    except ConfigError as error:
        raise FieldError("filter", error) from None


def _formula(tree: Node) -> schemas.Formula:
    return schemas.Formula(
        infix=write(tree, "infix"),
        latex=write(tree, "latex"),
        prefix=write(tree, "prefix"),
        mathml=write(tree, "mathml"),
    )


def _hit(hit: Hit) -> schemas.FoundFormula:
    return schemas.FoundFormula(
        formula=_formula(hit.tree),
        cosine=hit.cosine,
        verdict=_judgement(hit.verdict) if hit.verdict is not None else None,
        renaming=dict(hit.renaming),
    )


def _judgement(found: Judgement) -> schemas.Judgement:
    return schemas.Judgement(
        relation=Finding[found.relation.name],
        reason=found.reason,
        witness=_witness(found.witness),
        domain=found.domain.value,
        words=found.words,
        evidence=found.evidence,
        sentence=found.sentence,
        rank=found.rank,
        positive=_verdict(found.positive) if found.positive else None,
    )


def _finding(
    finding: Finding, left: Node, right: Node, domain: Domain | None, reason: str
) -> schemas.Judgement:
    """What another judge says, or one that was stopped, in the same words."""
    domain = domain or Domain.REAL
    where = place(domain, sorted(left.variables | right.variables))
    words = f"{finding.value.lower().replace('_', ' ')}{where}"
    return schemas.Judgement(
        relation=finding,
        reason=reason,
        domain=domain.value,
        words=words,
        evidence=reason,
        sentence=f"{words} ({reason})",
        rank=0 if finding is Finding.EQUAL else UNLIKE,
    )


def _verdict(verdict: Verdict) -> schemas.OneVerdict:
    return schemas.OneVerdict(
        relation=Finding[verdict.relation.name],
        reason=verdict.reason,
        witness=_witness(verdict.witness),
    )


def _witness(witness: Witness | None) -> schemas.WitnessPoint | None:
    if witness is None:
        return None
    return schemas.WitnessPoint(point=dict(witness.point), left=witness.left, right=witness.right)
