"""Mathematical expressions as trees, vectors and verdicts.

Names are loaded when they are first used: importing equivec costs next to nothing.

>>> import equivec
>>> equivec.compare("sin(x)/cos(x)", "tan(x)").is_equal
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from equivec.algebra.compare import (
        JudgeConfig,
        Relation,
        Verdict,
        Witness,
        compare,
        compare_many,
        compare_with_first,
    )
    from equivec.algebra.fingerprint import fingerprint, fingerprints
    from equivec.algebra.floats import Values, evaluate_at
    from equivec.algebra.judgement import Judgement, judge, judge_each
    from equivec.algebra.points import Domain, Points, sample_points
    from equivec.algebra.sympy_bridge import from_sympy, to_sympy
    from equivec.algebra.sympy_judge import SymPyJudge, SymPyVerdict
    from equivec.embed.embedder import Embedder, Equivalent
    from equivec.errors import (
        BusyError,
        ConfigError,
        ConversionError,
        EquivecError,
        FileFormatError,
        LimitError,
        ParseError,
        ShardError,
        SortError,
    )
    from equivec.expression.files import (
        Pair,
        read_expressions,
        read_pairs,
        write_expressions,
        write_pairs,
    )
    from equivec.expression.grammar import BOOLEAN, ELEMENTARY, POLYNOMIAL, Grammar, Symbol
    from equivec.expression.infix import parse_infix, write_infix
    from equivec.expression.latex_parser import parse_latex
    from equivec.expression.latex_writer import write_latex
    from equivec.expression.limits import Limits
    from equivec.expression.mathml import write_mathml
    from equivec.expression.prefix import parse_prefix, write_prefix
    from equivec.expression.text import parse, write
    from equivec.expression.tree import Node
    from equivec.expression.vocabulary import Vocabulary
    from equivec.jobs.timebox import Answer, TimeBox, TimeBoxConfig
    from equivec.jobs.workers import Failure
    from equivec.search.filters import Filter
    from equivec.search.index import Index, IndexConfig, SearchResult
    from equivec.search.judging import Hit, SearchConfig

_HOMES = {
    "algebra.compare": (
        "JudgeConfig Relation Verdict Witness compare compare_many compare_with_first"
    ),
    "algebra.fingerprint": "fingerprint fingerprints",
    "algebra.floats": "Values evaluate_at",
    "algebra.judgement": "Judgement judge judge_each",
    "algebra.points": "Domain Points sample_points",
    "algebra.sympy_bridge": "from_sympy to_sympy",
    "algebra.sympy_judge": "SymPyJudge SymPyVerdict",
    "embed.embedder": "Embedder Equivalent",
    "errors": (
        "BusyError ConfigError ConversionError EquivecError FileFormatError LimitError ParseError "
        "ShardError SortError"
    ),
    "expression.files": "Pair read_expressions read_pairs write_expressions write_pairs",
    "expression.grammar": "BOOLEAN ELEMENTARY POLYNOMIAL Grammar Symbol",
    "expression.infix": "parse_infix write_infix",
    "expression.latex_parser": "parse_latex",
    "expression.latex_writer": "write_latex",
    "expression.limits": "Limits",
    "expression.mathml": "write_mathml",
    "expression.prefix": "parse_prefix write_prefix",
    "expression.text": "parse write",
    "expression.tree": "Node",
    "expression.vocabulary": "Vocabulary",
    "jobs.timebox": "Answer TimeBox TimeBoxConfig",
    "jobs.workers": "Failure",
    "search.filters": "Filter",
    "search.index": "Index IndexConfig SearchResult",
    "search.judging": "Hit SearchConfig",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "BOOLEAN",
    "ELEMENTARY",
    "POLYNOMIAL",
    "Answer",
    "BusyError",
    "ConfigError",
    "ConversionError",
    "Domain",
    "Embedder",
    "Equivalent",
    "EquivecError",
    "Failure",
    "FileFormatError",
    "Filter",
    "Grammar",
    "Hit",
    "Index",
    "IndexConfig",
    "JudgeConfig",
    "Judgement",
    "LimitError",
    "Limits",
    "Node",
    "Pair",
    "ParseError",
    "Points",
    "Relation",
    "SearchConfig",
    "SearchResult",
    "ShardError",
    "SortError",
    "SymPyJudge",
    "SymPyVerdict",
    "Symbol",
    "TimeBox",
    "TimeBoxConfig",
    "Values",
    "Verdict",
    "Vocabulary",
    "Witness",
    "compare",
    "compare_many",
    "compare_with_first",
    "evaluate_at",
    "fingerprint",
    "fingerprints",
    "from_sympy",
    "judge",
    "judge_each",
    "parse",
    "parse_infix",
    "parse_latex",
    "parse_prefix",
    "read_expressions",
    "read_pairs",
    "sample_points",
    "to_sympy",
    "write",
    "write_expressions",
    "write_infix",
    "write_latex",
    "write_mathml",
    "write_pairs",
    "write_prefix",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module 'equivec' has no attribute {name!r}")
    value = getattr(import_module(f"equivec.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
