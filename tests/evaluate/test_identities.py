"""The development set: true by the judge, without repetition, and what its docs say."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.algebra.compare import PAPER_JUDGE, compare_many
from equivec.evaluate.retrieval import Identity, read_identities
from equivec.expression.grammar import ELEMENTARY
from equivec.expression.infix import parse_infix, write_infix
from equivec.expression.prefix import write_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.expression.tree import Node

IDENTITIES = read_identities()
ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "results"
DOCS = (ROOT / "docs" / "identities.md").read_text(encoding="utf-8")


def ordered(tree: Node) -> str:
    """The tree's tokens, terms and factors sorted: what does not depend on order or grouping."""
    if tree.is_integer or not ELEMENTARY[str(tree.symbol)].is_commutative:
        parts = [ordered(argument) for argument in tree.arguments]
    else:
        parts = sorted(ordered(part) for part in operands(tree))
    return f"{tree.symbol}({', '.join(parts)})"


def operands(tree: Node) -> Iterator[Node]:
    """The terms of a sum or the factors of a product, however they are grouped."""
    for argument in tree.arguments:
        if argument.symbol == tree.symbol:
            yield from operands(argument)
        else:
            yield argument


def shown(identity: Identity) -> str:
    return f"{write_infix(identity.left)} = {write_infix(identity.right)}"


def test_the_judge_finds_every_identity_equal() -> None:
    verdicts = compare_many(
        [(identity.left, identity.right) for identity in IDENTITIES], PAPER_JUDGE
    )
    wrong = [
        f"{shown(identity)}: {verdict.relation}, {verdict.witness}"
        for identity, verdict in zip(IDENTITIES, verdicts, strict=True)
        if not verdict.is_equal
    ]
    assert not wrong


def test_most_are_in_x_alone_and_one_family_has_the_others() -> None:
    others = [identity for identity in IDENTITIES if identity.variables != {"x"}]
    assert len(IDENTITIES) - len(others) >= 400
    assert len(others) >= 40
    assert {identity.family for identity in others} == {"several variables"}


def test_order_and_grouping_do_not_count_as_different() -> None:
    assert ordered(parse_infix("x*(y + 2)*3")) == ordered(parse_infix("3*(x*(2 + y))"))
    assert ordered(parse_infix("x/y")) != ordered(parse_infix("y/x"))


def test_the_sides_differ_by_more_than_order() -> None:
    same = [shown(i) for i in IDENTITIES if ordered(i.left) == ordered(i.right)]
    assert not same


def test_no_identity_stands_twice() -> None:
    first: dict[frozenset[str], str] = {}
    repeated = []
    for identity in IDENTITIES:
        key = frozenset({ordered(identity.left), ordered(identity.right)})
        if key in first:
            repeated.append((first[key], shown(identity)))
        first.setdefault(key, shown(identity))
    assert not repeated


def test_a_side_has_at_most_forty_tokens() -> None:
    long = [
        shown(identity)
        for identity in IDENTITIES
        if any(len(write_prefix(side).split()) > 40 for side in (identity.left, identity.right))
    ]
    assert not long


def test_the_docs_name_every_family_with_an_example() -> None:
    rows = re.findall(r"^\| ([^|`]+) \| `(.+)` \| `(.+)` \|$", DOCS, flags=re.MULTILINE)
    examples = [Identity(parse_infix(left), parse_infix(right), name) for name, left, right in rows]
    assert set(examples) <= set(IDENTITIES)
    families = dict.fromkeys(identity.family for identity in IDENTITIES)
    assert [example.family for example in examples] == list(families)


def test_the_docs_say_how_much_of_it_training_has() -> None:
    found = json.loads((RESULTS / "identities_overlap.json").read_text(encoding="utf-8"))
    count = found["identities"]
    text = " ".join(DOCS.split())
    assert f"of the {count:,} identities in x" in text
    for key in ("function_in_training", "a_side_verbatim", "both_sides_verbatim"):
        assert f"{found[key]:,} ({found[key] / count:.0%})" in text
    for key in ("recall_1_of_functions_in_training", "recall_1_of_other_functions"):
        assert f"{found[key]:.3f} of the" in text
    assert f"among {found['distractors']:,} expressions" in text
    assert "ever used in training" not in text
