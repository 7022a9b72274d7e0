"""What a model writes for a file of expressions, as JSON lines: judging it is another step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from equivec.errors import FileFormatError
from equivec.expression.completion import TokenTable
from equivec.expression.files import written_whole
from equivec.expression.grammar import ELEMENTARY
from equivec.model.decoding import search
from equivec.model.folder import load_model

if TYPE_CHECKING:
    from collections.abc import Iterator

    from equivec.model.decoding import BeamConfig, Hypotheses
    from equivec.model.folder import Model


def generate(
    folder: str | Path, inputs: str | Path, out: str | Path, config: BeamConfig, device: str
) -> Iterator[tuple[int, int]]:
    """Write a line for each prefix text of a file; yields how many of how many are done.

    A line has the input, and for each hypothesis, best first, its prefix text, its
    log-probability, and whether it came to an end.
    """
    model = load_model(folder, device)
    texts = Path(inputs).read_text(encoding="utf-8").splitlines()
    if not texts:
        raise FileFormatError(f"{inputs} has no expressions")
    ids = [model.vocabulary.encode(text.split()) for text in texts]
    # Items of like lengths end their searches together.
    order = sorted(range(len(ids)), key=lambda place: len(ids[place]))
    table = TokenTable.of(model.vocabulary, ELEMENTARY)
    lines: dict[int, str] = {}
    places = iter(order)
    for found in search(model.network, [ids[place] for place in order], table, config):
        for outputs in _outputs(model, found):
            place = next(places)
            lines[place] = json.dumps({"input": texts[place], "outputs": outputs})
        yield len(lines), len(texts)
    with written_whole(out) as file:
        file.writelines(f"{lines[place]}\n" for place in range(len(texts)))


def _outputs(model: Model, found: Hypotheses) -> Iterator[list[tuple[str, float, bool]]]:
    for rows, scores, ends in zip(
        found.tokens.tolist(), found.scores.tolist(), found.is_finished.tolist(), strict=True
    ):
        yield [
            (" ".join(model.vocabulary.decode(filter(None, row))), round(score, 4), is_finished)
            for row, score, is_finished in zip(rows, scores, ends, strict=True)
            if score > float("-inf")
        ]
