"""The package as a whole: what it exports, what it loads, and who imports whom."""

from __future__ import annotations

import subprocess
import sys
from pkgutil import iter_modules

import pytest

import equivec
from equivec import errors

HEAVY = ["torch", "sympy", "onnxruntime", "numpy", "flint", "pyarrow"]


def loaded_after(statements: str) -> set[str]:
    """The modules that a fresh interpreter holds after the statements."""
    code = f"import sys\n{statements}\nprint(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stderr.split())


HELP = """
sys.argv = ['equivec', '--help']
from equivec.cli.main import main
try:
    main()
except SystemExit:
    pass
"""


@pytest.mark.parametrize(
    "statements",
    [
        "import equivec",
        "import equivec.cli.main",
        "from equivec import Node, parse; parse('sin(x)')",
        HELP,
    ],
)
def test_nothing_heavy_is_loaded_before_it_is_needed(statements: str) -> None:
    assert not set(HEAVY) & loaded_after(statements)


def test_our_judge_does_not_load_sympy() -> None:
    assert "sympy" not in loaded_after("import equivec; equivec.compare('x', 'x + 1')")


def test_vectors_need_neither_torch_nor_sympy() -> None:
    assert not {"torch", "sympy", "flint"} & loaded_after("from equivec import Embedder")


def test_the_public_names_are_these() -> None:
    assert sorted(equivec.__all__) == sorted(PUBLIC.split())
    assert all(getattr(equivec, name) is not None for name in equivec.__all__)
    assert set(equivec.__all__) <= set(dir(equivec))


def test_every_error_is_public_and_no_name_is_listed_twice() -> None:
    found = {name for name, value in vars(errors).items() if isinstance(value, type)}
    assert found <= set(equivec.__all__)
    assert len(dir(equivec)) == len(set(dir(equivec)))


def test_no_public_name_is_that_of_a_room() -> None:
    """Once the room is imported, the package's attribute of its name is the room."""
    assert not {module.name for module in iter_modules(equivec.__path__)} & set(equivec.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'equivec' has no attribute 'nothing'"):
        equivec.nothing  # noqa: B018


PUBLIC = """
BOOLEAN ELEMENTARY POLYNOMIAL Answer BusyError ConfigError ConversionError Domain Embedder
EquivecError Equivalent Failure
FileFormatError Filter Grammar Hit Index IndexConfig JudgeConfig Judgement LimitError Limits Node
Pair ParseError Points Relation SearchConfig SearchResult ShardError SortError SymPyJudge
SymPyVerdict Symbol TimeBox TimeBoxConfig Values Verdict Vocabulary Witness compare
compare_many compare_with_first evaluate_at fingerprint fingerprints from_sympy judge judge_each
parse parse_infix parse_latex parse_prefix read_expressions read_pairs sample_points to_sympy write
write_expressions write_infix write_latex write_mathml write_pairs write_prefix
"""
