"""The search over onnxruntime writes the same as the search over torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from equivec.embed.decoding import search
from equivec.embed.runtime import Runtime
from equivec.model import decoding
from equivec.model.beams import BeamConfig
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
    config = BeamConfig(beams=beams, max_tokens=12, excludes_input=excludes_input)
    ours = search(runtime, INPUTS, config)
    theirs = decoding.search_batch(network, INPUTS, TABLE, config)
    for one, other in zip(ours, theirs, strict=True):
        assert [each.ids for each in one] == [each.ids for each in other]
        assert [each.log_probability for each in one] == pytest.approx(
            [each.log_probability for each in other], abs=1e-3
        )
