"""The search on arrays is the search on tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from equivec.embed.decoding import BeamConfig, search
from equivec.embed.runtime import Runtime
from equivec.model import decoding
from support.models import TABLE, ids_of, model_folder_of, tiny_network

if TYPE_CHECKING:
    from pathlib import Path

INPUTS = [ids_of(text) for text in ("sin(x)/cos(x)", "x", "x**2 + 17*x", "exp(x)**3")]


@pytest.mark.parametrize("beams", [1, 5])
@pytest.mark.parametrize("excludes_input", [False, True])
def test_both_searches_write_the_same(beams: int, excludes_input: bool, tmp_path: Path) -> None:
    network = tiny_network(7).eval()
    network.output.weight.data *= 3
    runtime = Runtime(model_folder_of(network, tmp_path / "model"))
    settings = {"beams": beams, "max_tokens": 12, "excludes_input": excludes_input}
    ours = search(runtime, INPUTS, BeamConfig(**settings))
    theirs = decoding.search_batch(network, INPUTS, TABLE, decoding.BeamConfig(**settings))
    for item, hypotheses in enumerate(ours):
        expected = [[t for t in row if t] for row in theirs.tokens[item].tolist()]
        assert [list(one.ids) for one in hypotheses] == expected
        assert [one.log_probability for one in hypotheses] == pytest.approx(
            theirs.scores[item].tolist(), abs=1e-3
        )
