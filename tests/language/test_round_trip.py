"""What is written in a notation is read back as the same tree, whatever the layers."""

from __future__ import annotations

import random

import pytest

from equivec.language.infix_reader import read_infix
from equivec.language.infix_writer import write_infix
from equivec.language.json_form import read_json, write_json
from equivec.language.latex_reader import read_latex
from equivec.language.latex_writer import write_latex
from equivec.language.mathml_reader import read_mathml
from equivec.language.mathml_writer import write_mathml
from support.language_trees import Sampler

TREES = 1_500
NOTATIONS = {
    "latex": (write_latex, read_latex),
    "infix": (write_infix, read_infix),
    "mathml": (write_mathml, read_mathml),
    "json": (write_json, read_json),
}


@pytest.mark.parametrize("notation", NOTATIONS)
def test_a_written_tree_is_read_back_strictly_as_the_same_tree(notation: str) -> None:
    write, read = NOTATIONS[notation]
    sampler = Sampler(random.Random(f"round trip {notation}"))
    for number in range(TREES):
        tree = sampler.tree(1 + number % 3)
        text = write(tree)
        assert read(text) == tree, f"{text}\nof {write_json(tree)}"
