"""Overlap by renaming: what brute force over all permutations finds."""

from itertools import permutations

import pytest

from equivec.semvec.dataset import SemVecDataset, Split
from equivec.semvec.renaming import describe_renaming
from equivec.semvec.sets import token_ids


def renamings(row: bytes, variables: tuple[int, ...]) -> set[bytes]:
    tables = (dict(zip(variables, names, strict=True)) for names in permutations(variables))
    return {bytes(table.get(token, token) for token in row) for table in tables}


@pytest.mark.parametrize("name", ["Bool5", "Poly5", "SimpPoly5"])
def test_an_expression_or_class_is_renamed_training_if_some_permutation_says_so(
    name: str, datasets: dict[str, SemVecDataset]
) -> None:
    dataset = datasets[name]
    variables = token_ids(dataset.spec, dataset.spec.variables)
    rows = [bytes(row) for row in dataset.expressions]
    classes = dict(zip(rows, dataset.class_ids.tolist(), strict=True))
    trained = {rows[row] for row in dataset.rows(Split.TRAIN)}
    trained_classes = {classes[row] for row in trained}
    unseen = [rows[row] for row in dataset.rows(Split.UNSEEN)]
    shown = [not trained.isdisjoint(renamings(row, variables)) for row in unseen]
    found = {
        classes[row]
        for row in unseen
        if any(classes[other] in trained_classes for other in renamings(row, variables))
    }
    assert describe_renaming(dataset) == {
        "share_of_unseen_expressions": pytest.approx(sum(shown) / len(shown), abs=1e-4),
        "share_of_unseen_classes": pytest.approx(
            len(found) / len({classes[row] for row in unseen}), abs=1e-4
        ),
    }
