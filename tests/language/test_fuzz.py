"""Mutated formulas by the ten thousand: a tree or one of our errors, nothing else."""

from __future__ import annotations

import random

import pytest

from equivec.errors import EquivecError
from equivec.language.infix_writer import write_infix
from equivec.language.latex_writer import write_latex
from equivec.language.mathml_writer import write_mathml
from equivec.language.text import parse
from support.language_trees import Sampler

ROUNDS = 6_000  # for each of the three notations
PIECES = [
    *r"\frac \sqrt \sin \left( \right) \left| \left. \right. \operatorname{ \cdot { } ^ _ [ ]".split(),  # noqa: E501
    *r"| \{ \} $ & \\ # 1 0 x e i d \pi ( ) , . ; : = < \le \in \to \sum \int _{ ^{ \text{if}".split(),  # noqa: E501
    *r"\begin{cases} \end{cases} \quad ' ! \not \mid \| \langle \hat \mathbf{ \partial \over".split(),  # noqa: E501
    *r"\pmod \overset \forall \neg \wedge \newcommand{\a}{\a\a} \def\b#1{#1#1} é ² ∫ % \Delta".split(),  # noqa: E501
    *"<mi> </mrow> <mo>+</mo> &lt; ** .. sum( ⟦ \" ?a bb. ^[ \0 \ud800".split(),
]  # fmt: skip
WRITERS = {"latex": write_latex, "infix": write_infix, "mathml": write_mathml}


def mutate(text: str, generator: random.Random) -> str:
    """The text with one to four small accidents."""
    for _ in range(generator.randint(1, 4)):
        place = generator.randint(0, len(text))
        end = min(len(text), place + generator.randint(0, 6))
        accident = generator.randrange(4)
        if accident == 0:
            text = text[:place] + text[end:]
        elif accident == 1:
            text = text[:place] + generator.choice(PIECES) + text[end:]
        elif accident == 2:
            text = text[:place] + text[place:end] * generator.randint(2, 30) + text[end:]
        else:
            text = text[:place] + text[place:end][::-1] + text[end:]
    return text


@pytest.mark.parametrize("notation", WRITERS)
def test_no_mutated_formula_breaks_a_reader(notation: str) -> None:
    generator = random.Random(f"language fuzz {notation}")
    sampler = Sampler(generator)
    for number in range(ROUNDS):
        text = mutate(WRITERS[notation](sampler.tree(1 + number % 3)), generator)
        try:
            tree = parse(text, notation, on_unknown=("keep", "refuse")[number % 2])
            assert write_infix(tree) is not None
        except EquivecError:
            continue
        except Exception as error:
            raise AssertionError(f"{error!r} at {text!r}") from error
