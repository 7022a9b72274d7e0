"""What people write in LaTeX is read as they mean it; what is doubtful is kept or refused."""

from __future__ import annotations

import pytest

from equivec.errors import LimitError, ParseError
from equivec.language.infix_writer import write_infix
from equivec.language.latex_macros import collect_macros
from equivec.language.latex_reader import read_latex
from equivec.language.reading import CONVENTIONS, Reading
from support.formulas import COLLECTIONS, SHARED, collection

READ = [
    (r"E = mc^2", "E = m*c^2"),
    (r"x_{ij} + x_{n+1}", "x_{i j} + x_{n + 1}"),
    (r"\vec{F} = m\vec{a}", "vec(F) = m*vec(a)"),
    (r"n(n+1)", "n*(n + 1)"),
    (r"f(x+1)", "f(x + 1)"),
    (r"y(3) = y(0)", "y(3) = y(0)"),
    (r"f^{-1}(x) = \sin^{-1} x", "apply(inverse(f), x) = asin(x)"),
    (r"\sin^2 x + \cos 2x", "sin(x)^2 + cos(2*x)"),
    (r"0 < x \le 1", "0 < x <= 1"),
    (r"\sum_{k=1}^n k^2 + 1", "sum(k^2, k=1..n) + 1"),
    (r"\int_0^1 \frac{dx}{1+x}", "integral_between(1/(1 + x), x, 0, 1)"),
    (r"\int f(x)\,dx\,dy", None),
    (r"\frac{d^2y}{dx^2} = \frac{d}{dx} y'", "derivative(y, x, 2) = derivative(y', x, 1)"),
    (r"\frac{\partial^2 f}{\partial x \partial y}", "partial(f, x, 1, y, 1)"),
    (r"\{x \in \mathbb{R} : x > 0\}", "set_where(x in bb.R, x > 0)"),
    (r"x \in [0, 1)", "x in [0, 1)"),
    (r"(-\infty, 2]", "(-oo, 2]"),
    (r"]0, 1[", "Interval.open(0, 1)"),
    (r"[a, b]", "brackets(a, b)"),
    (r"|x| \cdot \|y\|", "abs(x)*norm(y)"),
    (r"P(A|B) = P(X > 1 \mid Y)", "P(given(A, B)) = P(given(X > 1, Y))"),
    (r"X^T Y^{-1} z^*", 'transpose(X)*Y^(-1)*z^["*"]'),
    (r"a \equiv b \pmod{n}", "modulo(a === b, n)"),
    (r"\begin{cases} 1 & x > 0 \\ 0 & \text{otherwise}\end{cases}", "cases(row(1, x > 0), row(0, otherwise))"),  # noqa: E501
    (r"\begin{aligned} a &= b \\ &= c \end{aligned}", "a = b = c"),
    (r"i = 1, \ldots, n", None),
    (r"e^{2\pi i x}", "e^(2*pi*I*x)"),
    (r"\sum_{i=1}^n x_i i", "sum(x_i*i, i=1..n)"),
    (r"f\colon A \to B", "mapping(f, A -> B)"),
    (r"5! = \binom{n}{k}", "5! = binomial(n, k)"),
    (r"\forall x \in A \; \exists y: x < y", "forall(x in A, exists(y, x < y))"),
    (r"x = 1 \text{ if } y > 0", "where(x = 1, y > 0)"),
    (r"g = 9.81\,\mathrm{m}/\mathrm{s}^2", None),
    (r"30^\circ = 50\%", "30° = 50%"),
    (r"A \implies B \iff C", "A => B <=> C"),
    (r"\lim_{x \to 0} \frac{\sin x}{x} = 1.", "lim(sin(x)/x, x -> 0) = 1"),
    (r"\max_{x} f(x) \pm 1", "max(f(x), x) +- 1"),
    (r"k\not\equiv 4,5{\pmod {9}}", None),
    (r"R^a{}_{bcd}", "R_{b c d}^[a]"),
    (r"{}_2F_1(a, b)", "apply(prescript(F_1, 2, missing()), a, b)"),
    (r"3{\frac{1}{7}}", "mixed(3, 1/7)"),
    (r"\mathcal{F}[f](y)", "apply(apply_brackets(cal.F, f), y)"),
    (r"(a+bi)^2 = a - bi", "(a + b*I)^2 = a - b*I"),
    (r"a = b \qquad (1)", "a = b"),
    (r"p \lor \neg p \equiv T", "(p or not p) === T"),
    (r"|\psi\rangle = a|0\rangle", "ket(psi) = a*ket(0)"),
    (r"X \sim \chi^2(n-p)", "X ~ apply(chi^[2], n - p)"),
    (r"H_0: \theta \in \Theta", "mapping(H_0, theta in Theta)"),
    (r"X_1|X_2 \sim N", "given(X_1, X_2) ~ N"),
]  # fmt: skip


@pytest.mark.parametrize(("latex", "infix"), READ)
def test_a_formula_is_read_as_it_is_meant(latex: str, infix: str | None) -> None:
    tree = read_latex(latex, on_unknown="keep")
    assert tree.opaque_parts == []
    if infix is not None:
        assert write_infix(tree) == infix


DOUBTFUL = {
    "bracket without evidence": "w(y + z)",
    "unneeded brackets": "C(p^r)",
    "letters like a word": "Bi + 1",
    "names below a stroke": "x/y z",
    "argument before a stroke": r"\cos 1/x",
    "thousands": "1,000",
    "mixed number": r"2\frac{1}{2}",
    "indices or power": "g^{ij}",
    "divides": "a+1 \\mid b+2",
    "differential alone": "y = dx + 1",
    "integral without differential": r"\int f",
    "list before a relation": "a, b > 0",
    "star as product": "f * g",
}


@pytest.mark.parametrize(("key", "latex"), DOUBTFUL.items())
def test_strict_reading_names_both_readings_of_what_is_doubtful(key: str, latex: str) -> None:
    with pytest.raises(ParseError) as caught:
        read_latex(latex)
    row = CONVENTIONS[key]
    assert row.reading in str(caught.value)
    assert row.other in str(caught.value)
    assert caught.value.with_caret().endswith("^")


@pytest.mark.parametrize("latex", ["Bi = x + y", r"\cos 1/x = z", r"y = \foo{x}"])
def test_tolerant_reading_keeps_what_is_unsafe_or_unknown_as_it_is_written(latex: str) -> None:
    tree = read_latex(latex, on_unknown="keep")
    assert [part.text in latex for part in tree.opaque_parts] == [True]


def test_a_reading_can_be_asked_for() -> None:
    assert read_latex("w(y + z)", Reading(functions="w")) == Reading_of("w(y + z)")
    assert read_latex("f(x)", Reading(variables="f")) == read_latex(r"f \cdot x")
    assert read_latex(r"\log x", Reading(log="e")) == read_latex(r"\ln x")
    assert read_latex("e^x", Reading(constants="pi")) != read_latex("e^x")
    assert read_latex("1.000,5 x", Reading(numbers="1.000")) == read_latex("1000.5 x")
    assert read_latex("1,000 + x", on_unknown="keep") == read_latex("1000 + x")


def Reading_of(latex: str) -> object:  # noqa: N802 - reads as a sentence where it stands
    return read_latex(latex.replace("(", r"{\left(").replace(")", r"\right)}"))


def test_private_commands_are_collected_and_read() -> None:
    macros = collect_macros(r"\newcommand{\RR}{\mathbb{R}} \def\half#1{\frac{#1}{2}}")
    assert read_latex(r"x \in \RR", macros=macros) == read_latex(r"x \in \mathbb{R}")
    assert read_latex(r"\half{y}", macros=macros) == read_latex(r"\frac{y}{2}")
    assert read_latex(r"\newcommand{\a}{\alpha} \a + 1") == read_latex(r"\alpha + 1")


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("", "the text is empty"),
        (r"x +", "ends where an operand should stand"),
        (r"\leq 1", "the left side of"),
        (r"(x + 1", "is never closed"),
        (r"\frobnicate x", r"is not a command that is known"),
        (r"\sin(x < 1)", "'sin' takes a number or a matrix"),
    ],
)
def test_what_cannot_be_read_is_refused_with_a_sentence(latex: str, words: str) -> None:
    with pytest.raises(ParseError, match="(?s)" + words):
        read_latex(latex)


@pytest.mark.parametrize(
    "piece",
    r"( \left( { \sqrt{ | \left| \left. x^{ \{ - a= a: a| \mathbf{ \frac{1}{ \sum_{ f( "
    r"\begin{cases} \forall{}x \overset{ ] a, \neg{}".split(),
)
def test_pathological_input_ends_in_an_error_of_ours_or_a_tree(piece: str) -> None:
    for count in (15, 3_000):
        for mode in ("keep", "refuse"):
            try:
                read_latex((piece * count)[:19_000] + "x", on_unknown=mode)
            except ParseError:
                continue
    with pytest.raises(LimitError, match="characters"):
        read_latex("x" * 30_000)


# Wholly read, tolerantly and strictly: floors under the figures that were measured.
FLOORS = {
    "arqmath": (93, 87), "wikidata": (93, 80), "diffyqs": (96, 90), "statproofbook": (96, 90),
}  # fmt: skip


@pytest.mark.skipif(not SHARED.exists(), reason="the collections are not part of the repository")
@pytest.mark.parametrize("name", COLLECTIONS)
def test_real_formulas_are_read(name: str) -> None:
    formulas, macros = collection(name)
    formulas = formulas[:: 7 if name == "arqmath" else 1]
    for floor, mode in zip(FLOORS[name], ("keep", "refuse"), strict=True):
        whole = 0
        for formula in formulas:
            try:
                whole += not read_latex(formula, on_unknown=mode, macros=macros).opaque_parts
            except ParseError:
                continue
        assert 100 * whole >= floor * len(formulas)
