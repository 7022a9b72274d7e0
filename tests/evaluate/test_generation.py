"""Accuracy: copies never count, order alone counts only as the paper counts, kinds add up."""

from __future__ import annotations

import gzip
import json
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from equivec.algebra.sympy_judge import SymPyJudge, SymPyVerdict
from equivec.errors import FileFormatError
from equivec.evaluate.generation import Kind, PaperJudge, accuracy, our_judge, read_generated
from equivec.expression.prefix import write_prefix
from equivec.expression.text import parse

if TYPE_CHECKING:
    from pathlib import Path

CASES = {
    "sin(x)/cos(x)": ("tan(x)", "sin(x)"),  # solved at once
    "x + 1": ("x + 1", "1 + x"),  # a copy, then only another order
    "exp(2*x)": ("exp(x)", "exp(x)**2"),  # wrong, then right
    "ln(x)": (None, "ln(x)"),  # no expression, then a copy
}


@pytest.fixture
def generated(tmp_path: Path) -> Path:
    path = tmp_path / "out.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        for source, outputs in CASES.items():
            texts = [
                ("add x", -1.0, True) if text is None else (write_prefix(parse(text)), -1.0, True)
                for text in outputs
            ]
            file.write(json.dumps({"input": write_prefix(parse(source)), "outputs": texts}) + "\n")
    return path


def test_a_case_worked_by_hand(generated: Path) -> None:
    steps = [found for _, found in accuracy(read_generated(generated), our_judge)]
    assert [(found.solved, found.solved_beyond_order) for found in steps] == [
        (0.25, 0.25),
        (0.75, 0.5),
    ]
    assert steps[-1].first == {
        Kind.COPY: 1,
        Kind.DIFFERENT: 1,
        Kind.EQUAL: 1,
        Kind.INVALID: 1,
    }
    assert [found.invalid for found in steps] == [1 / 4, 1 / 8]
    assert sum(steps[-1].first.values()) == steps[-1].inputs == len(CASES)


def test_the_papers_judge_sees_the_same_here(generated: Path) -> None:
    judge = PaperJudge(seconds=20, workers=1)
    try:
        *_, (_, found) = accuracy(read_generated(generated), judge)
    finally:
        judge.close()
    assert (found.solved, found.solved_beyond_order) == (0.75, 0.5)


def test_the_papers_judge_asks_for_a_pair_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def equal(judge: SymPyJudge, pairs: list[object]) -> list[SymPyVerdict]:
        asked.extend(pairs)
        return [SymPyVerdict.EQUAL] * len(pairs)

    monkeypatch.setattr(SymPyJudge, "compare_many", equal)
    one, other = (parse("x + x"), parse("2*x")), (parse("3*x"), parse("x*3"))
    with closing(PaperJudge(workers=1)) as judge:
        assert judge([one, one]) == [Kind.EQUAL] * 2
        assert judge([other, one]) == [Kind.EQUAL] * 2
    assert asked == [one, other]


@pytest.mark.parametrize(
    "line",
    [
        *("{}", "[]", "3", "no JSON", '{"input": "x", "outputs": [5]}'),
        *('{"input": "x", "outputs": 5}', '{"input": "add x", "outputs": []}'),
    ],
)
def test_another_file_is_refused(tmp_path: Path, line: str) -> None:
    path, good = tmp_path / "other.jsonl", '{"input": "x", "outputs": [["x", -1.0, true]]}'
    path.write_text(f"{good}\n{line}\n", encoding="utf-8")
    with pytest.raises(
        FileFormatError, match="jsonl, line 2 is not what equivec model generate writes"
    ):
        read_generated(path)


@pytest.mark.parametrize("text", ["", '{"input": "x", "outputs": []}\n'])
def test_a_file_without_hypotheses_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FileFormatError, match=r"empty\.jsonl has no hypotheses to judge"):
        read_generated(path)
