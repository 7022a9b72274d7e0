"""Mutated texts by the hundred thousand: an answer or one of our errors, nothing else."""

from __future__ import annotations

import random
import resource
from typing import TYPE_CHECKING

import pytest

from equivec.errors import ParseError
from equivec.expression.text import PARSERS, parse, write
from support.trees import random_tree

if TYPE_CHECKING:
    from equivec.expression.tree import Node

ROUNDS = 40_000  # for each of the three parsers

# Pieces that have a meaning somewhere, and some that have none.
PIECES = [
    *r"\frac \sqrt \sin \log \left( \right) \left| \right| \operatorname{ \cdot".split(),
    *"{ } ^ _ [ ] | $ & # add mul INT+ INT- 1 0 9 x e i pi sin( ln(x) ) ( ** * / - + , .".split(),
    *"e5 1e9 == = ! ~ >> < é х ２ ² ∫ ' lambda".split(),
    *["\0", "\n", "\t", " ", "\ud800", '"', "\\", "9" * 50],
]


def mutate(text: str, generator: random.Random) -> str:
    """The text with one to four small accidents."""
    for _ in range(generator.randint(1, 4)):
        place = generator.randint(0, len(text))
        end = min(len(text), place + generator.randint(0, 6))
        accident = generator.randrange(5)
        if accident == 0:
            text = text[:place] + text[end:]
        elif accident == 1:
            text = text[:place] + generator.choice(PIECES) + text[end:]
        elif accident == 2:
            text = text[:place] + generator.choice(PIECES) + text[place:]
        elif accident == 3:
            text = text[:place] + text[place:end] * generator.randint(2, 30) + text[end:]
        else:
            text = text[:place] + text[place:end][::-1] + text[end:]
    return text


@pytest.mark.parametrize("format", PARSERS)
def test_no_mutated_text_breaks_a_parser(format: str) -> None:
    generator = random.Random(f"fuzz {format}")
    seeds = [write(random_tree(generator, depth=4), format) for _ in range(300)]
    outcomes = {"read": 0, "refused": 0}
    memory_before = 0
    for number in range(ROUNDS):
        text = mutate(generator.choice(seeds), generator)
        tree = read(text, format)
        outcomes["refused" if tree is None else "read"] += 1
        if tree is not None and number % 50 == 0:
            assert parse(write(tree, format), format) == tree, text
        if number == ROUNDS // 10:
            memory_before = peak_memory()
    assert sum(outcomes.values()) == ROUNDS
    assert min(outcomes.values()) > ROUNDS // 50, outcomes
    assert peak_memory() - memory_before < 30_000, "kilobytes more than after the first tenth"


def read(text: str, format: str) -> Node | None:
    """The tree, or None where the text is refused with a sentence."""
    try:
        return parse(text, format)
    except ParseError as error:
        sentence = error.with_caret()
        if not sentence:
            raise AssertionError(f"no sentence for {text!r}") from error
        return None


def peak_memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
