"""Simple expressions of four classes, for plots: ours, in the style of the paper's, or a file's.

The class of an expression is that of the operators which are applied to its variable; operators on
constants do not count, so that sinh(x*cos(2)) is hyperbolic, as in the paper.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from equivec.algebra.fingerprint import fingerprints, is_uninformative
from equivec.errors import ConfigError, FileFormatError, ParseError
from equivec.evaluate.results import DATA
from equivec.expression.grammar import ARITHMETIC, ELEMENTARY, OPERATOR_TYPES
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.text import parse
from equivec.storage.files import read_table, write_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from random import Random

    from equivec.expression.tree import Node

MAX_OPERATORS = 5
_LARGEST_NUMBER = 20
POLYNOMIAL = "polynomial"
_FUNCTIONS: Mapping[str, tuple[str, ...]] = {
    "trigonometric": tuple("sin cos tan cot sec csc asin acos atan".split()),
    "hyperbolic": tuple("sinh cosh tanh coth asinh acosh atanh".split()),
    "logarithmic/exponential": ("log", "exp"),
}
CLASSES = (POLYNOMIAL, *_FUNCTIONS)
HEADINGS = ("expression", "class", "from")
ORIGINS: Mapping[str, bool | None] = {"training": True, "new": False, "": None}
_OPERATORS = frozenset(row.name for row in ELEMENTARY.symbols if row.arity)
_BATCH = 500


@dataclass(frozen=True, slots=True)
class Labelled:
    """An expression in infix, the class it is coloured by, and whether training has it."""

    expression: str
    label: str
    is_from_training: bool | None = None  # None: nobody looked


def plot_expressions() -> list[Labelled]:
    """The committed set of more than 7,000 expressions."""
    return [
        Labelled(expression, label)
        for expression, label in read_table(DATA / "plot_expressions.tsv")
    ]


def read_labelled(path: Path) -> list[Labelled]:
    """The lines `expression<TAB>label` of a file; expressions in any format.

    Tables that evaluations write are read as well: comments, headings, a third column of origins.
    """
    rows: list[Labelled] = []
    seen: dict[str, int] = {}  # where: an expression would be its own nearest neighbour
    for number, line in enumerate(_lines(path), 1):
        columns = line.split("\t")
        if not line.strip() or line.startswith("#") or tuple(columns) in (HEADINGS[:2], HEADINGS):
            continue
        try:
            row = _labelled(columns)
        except (FileFormatError, ParseError) as error:
            raise FileFormatError(f"{path}, line {number}: {error}") from error
        if (first := seen.setdefault(row.expression, number)) != number:
            raise FileFormatError(
                f"{path}, line {number}: {row.expression!r} is there already, in line {first}; "
                "an expression has one place in a plot"
            )
        rows.append(row)
    counts = Counter(row.label for row in rows)
    if len(counts) < 2 or min(counts.values()) < 2:
        few = ", ".join(f"{label!r} {count:,}x" for label, count in counts.most_common()[:-4:-1])
        raise FileFormatError(
            f"{path} must have at least two labels, each twice or more; it has {len(counts):,}"
            + (f", {few} among them" if len(counts) > 3 else f": {few}" if counts else "")
        )
    return rows


def write_labelled(path: Path, rows: Sequence[Labelled]) -> None:
    """Write expressions as `read_labelled` reads them."""
    names = {is_known: name for name, is_known in ORIGINS.items()}
    lines = ((row.expression, row.label, names[row.is_from_training]) for row in rows)
    write_table(path, "the expressions of the plots", HEADINGS, lines)


def _labelled(columns: Sequence[str]) -> Labelled:
    if len(columns) not in (2, len(HEADINGS)):
        raise FileFormatError(
            f"expected expression<TAB>label, found {len(columns)} column{'s'[: len(columns) != 1]}"
        )
    if not columns[1].strip():
        raise FileFormatError("the label is empty; expected expression<TAB>label")
    origin = columns[2] if len(columns) > 2 else ""
    if origin not in ORIGINS:
        known = ", ".join(filter(None, ORIGINS))
        raise FileFormatError(f"{origin!r} is not an origin; expected one of {known}, or no column")
    return Labelled(write_infix(parse(columns[0])), columns[1], ORIGINS[origin])


def expression_class(tree: Node) -> str | None:
    """The class of a simple expression; None for one that is mixed, or none of the four.

    >>> [expression_class(parse(text)) for text in ("x**2 + 2*x", "sinh(x*cos(2))", "x*sin(x)")]
    ['polynomial', 'hyperbolic', 'trigonometric']
    >>> [expression_class(parse(text)) for text in ("sin(x) + exp(x)", "sqrt(x)", "1/x")]
    [None, None, None]
    """
    applied = [node for node in tree.walk() if node.arguments and node.variables]
    types = {
        name for node in applied for name, row in OPERATOR_TYPES.items() if node.symbol in row
    } - {ARITHMETIC}
    if len(types) == 1:
        return types.pop()
    is_polynomial = not types and tree.variables and all(map(_keeps_polynomials, applied))
    return POLYNOMIAL if is_polynomial else None


def is_plain(tree: Node) -> bool:
    """Whether people would write it: no large numbers, no nested constants, x in no exponent.

    >>> [is_plain(parse(text)) for text in ("cos(4*x)**5", "sinh(x*cos(2))", "2*x + sqrt(2)")]
    [True, True, True]
    >>> [is_plain(parse(text)) for text in ("54*x", "x**x", "x + tan(cos(3))", "x/sin(x)")]
    [False, False, False, False]
    """
    return all(map(_is_plain_node, tree.walk()))


def make_plot_set(
    random: Random,
    of_each_class: int,
    training: Sequence[str] = (),
    *,
    candidates: Sequence[str] | None = None,
    training_share: float = 0.35,
) -> list[Labelled]:
    """Different expressions, as many of each class, a share of them from training if there is one.

    Training is given as prefix texts; none of the others is among them. Of its candidates, which
    are all of it unless they are named, the plain ones are taken; where a class has too few, all.
    """
    if not 0 <= training_share <= 1:
        raise ConfigError(f"training_share must lie between 0 and 1, not at {training_share}")
    known = frozenset(training)
    candidates = training if candidates is None else candidates
    taken = _from_training(random, round(training_share * of_each_class), candidates)
    chosen: list[Labelled] = []
    for label in CLASSES:
        texts = taken[label]
        chosen += [Labelled(text, label, is_from_training=True) for text in texts]
        fresh: dict[str, None] = {}
        for tree in _drawn(label, random):
            if len(texts) + len(fresh) == of_each_class:
                break
            text = write_infix(tree)
            if text not in texts and write_prefix(tree) not in known:
                fresh[text] = None
        chosen += [Labelled(text, label, False if known else None) for text in fresh]
    return chosen


def _is_plain_node(node: Node) -> bool:
    if isinstance(node.symbol, int):
        return abs(node.symbol) <= _LARGEST_NUMBER
    if node.arguments and not node.variables:
        return all(argument.is_leaf for argument in node.arguments)
    is_arithmetic = node.symbol in OPERATOR_TYPES[ARITHMETIC]
    return not is_arithmetic or _keeps_polynomials(node)


def _keeps_polynomials(node: Node) -> bool:
    """Whether the operator makes a polynomial of polynomials and constants."""
    if node.symbol == "div":
        return not node.arguments[1].variables
    if node.symbol == "pow":
        exponent = node.arguments[1].symbol
        return isinstance(exponent, int) and exponent >= 0
    return node.symbol in ("add", "mul")


def _from_training(
    random: Random, wanted: int, candidates: Sequence[str]
) -> dict[str, dict[str, None]]:
    """Simple expressions of training by their class, in infix, found in random order."""
    found: dict[str, dict[str, None]] = {label: {} for label in CLASSES}
    for text in random.sample(candidates, len(candidates)):
        if all(len(texts) == wanted for texts in found.values()):
            break
        # Few of millions are simple; most are seen not to be by their tokens.
        if sum(token in _OPERATORS for token in text.split()) > MAX_OPERATORS:
            continue
        tree = parse_prefix(text)
        label = expression_class(tree) if is_plain(tree) else None
        if label is not None and len(found[label]) < wanted:
            found[label][write_infix(tree)] = None
    return found


def _drawn(label: str, random: Random) -> Iterator[Node]:
    """Random expressions of a class that are defined somewhere, without end."""
    while True:
        trees = [parse_infix(_draw(label, random)) for _ in range(_BATCH)]
        for tree, mark in zip(trees, fingerprints(trees), strict=True):
            is_simple = _operators(tree) <= MAX_OPERATORS and expression_class(tree) == label
            if is_simple and not is_uninformative(mark):
                yield tree


def _draw(label: str, random: Random) -> str:
    if label == POLYNOMIAL:
        return random.choice(_POLYNOMIALS)(random)
    f, g = random.choices(_FUNCTIONS[label], k=2)
    template = random.choice(_TEMPLATES)
    values = {"f": f, "g": g, "a": _argument(random), "b": _argument(random)}
    return template.format(**values, k=random.randint(2, 9), n=random.randint(2, 5))


_TEMPLATES = (
    *("{f}({a})", "{f}({a})", "{k}*{f}({a})", "-{k}*{f}({a})", "{f}({a}) + {k}", "{f}({a}) - {k}"),
    *("{f}({a})**{n}", "{f}({a})**{n}", "{k}*{f}({a})**{n}", "{f}({a})/{k}", "{f}(x**{n})"),
    *("{f}({a})*{g}({b})", "{f}({a}) + {g}({b})", "{f}({a}) - {g}({b})", "{f}(x)**{n}*{g}(x)"),
    *("x*{f}({a})", "x + {f}({a})", "{f}(x**2 + {k})", "{f}({g}(x))"),
)


def _argument(random: Random) -> str:
    """What people put into a function: x, scaled and shifted."""
    k, m = random.randint(2, 9), random.randint(1, 9)
    choices = (
        *("x", "x", f"{k}*x", f"-{k}*x", f"x + {m}", f"x - {m}", f"{k}*x + {m}", f"{k}*x - {m}"),
        *(f"x/{k}", f"x*sqrt({k})", f"x*cos({m})", f"-{k}*x - {m}"),
    )
    return random.choice(choices)


def _sum_of_powers(random: Random) -> str:
    terms = [
        f"{random.choice(('', '', '2*', '3*', '4*', '5*', '7*', '10*'))}x**{degree}"
        for degree in sorted(random.sample(range(2, 9), random.randint(0, 2)), reverse=True)
    ]
    terms += [f"{random.randint(2, 20)}*x", str(random.randint(1, 20))][: random.randint(1, 2)]
    return random.choice((" + ", " - ")).join(terms)


def _power_of_sum(random: Random) -> str:
    return f"({_sum(random)})**{random.randint(2, 6)}"


def _product_of_sums(random: Random) -> str:
    return f"({_sum(random)})*({_sum(random)})"


def _power_times_sum(random: Random) -> str:
    n, m = random.randint(1, 4), random.randint(2, 5)
    return f"x**{n}*(x**{m} {random.choice('+-')} {random.choice(('x', '1', '2', '3', '2*x'))})"


def _scaled_sum(random: Random) -> str:
    return f"{random.choice(('sqrt(2)', 'cos(1)', 'pi', '-3', '6'))}*({_sum(random)})"


def _sum(random: Random) -> str:
    first = random.choice(("x", "2*x", "3*x", "x**2", "x**3"))
    return f"{first} {random.choice('+-')} {random.randint(1, 9)}"


_POLYNOMIALS: tuple[Callable[[Random], str], ...] = (
    *(_sum_of_powers, _sum_of_powers, _sum_of_powers),
    *(_power_of_sum, _product_of_sums, _power_times_sum, _scaled_sum),
)


def _operators(tree: Node) -> int:
    return sum(not node.is_leaf for node in tree.walk())


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise FileFormatError(f"{path} cannot be read: {reason}") from error
