"""Records: what is written is read back the same, and what is wrong with a file is one sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equivec.errors import FileFormatError
from equivec.storage.values import InJson, Record, read_record, read_records, record_from

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class Inner(Record):
    count: Annotated[int, InJson("how many")]
    share: float = 0.5


@dataclass(frozen=True)
class Outer(Record):
    name: str
    rows: tuple[Inner, ...]
    by_size: Mapping[int, int]
    seed: int | tuple[int, ...]
    color: Literal["red", "blue"] = "red"
    inner: Inner | None = None
    is_done: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)


inners = st.builds(Inner, st.integers(), st.floats(allow_nan=False))
outers = st.builds(
    Outer,
    name=st.text(),
    rows=st.lists(inners).map(tuple),
    by_size=st.dictionaries(st.integers(), st.integers()),
    seed=st.integers() | st.lists(st.integers()).map(tuple),
    color=st.sampled_from(["red", "blue"]),
    inner=st.none() | inners,
    is_done=st.booleans(),
    more=st.dictionaries(st.text(), st.none() | st.integers() | st.text()),
)


@given(outers)
def test_what_is_written_is_read_back_the_same(value: Outer) -> None:
    text = json.dumps(value.to_json())
    assert record_from(json.loads(text), Outer, "a.json") == value


GOOD: dict[str, Any] = {"name": "a", "rows": [{"how many": 3}], "by_size": {"2": 5}, "seed": 7}


def test_fields_have_their_defaults_and_unknown_ones_are_ignored() -> None:
    expected = Outer("a", (Inner(3, 0.5),), {2: 5}, 7)
    assert record_from({**GOOD, "unknown": []}, Outer, "a.json") == expected


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"name": 3}, "a.json: name is 3, not a text"),
        ({"name": None}, "a.json: name is null, not a text"),
        ({"rows": {}}, "a.json: rows is an object, not a list"),
        ({"rows": [{"how many": 1}, {}]}, "a.json: rows[1] has no 'how many'"),
        ({"rows": [{"how many": 1.5}]}, "a.json: rows[0].how many is 1.5, not a whole number"),
        ({"rows": [{"how many": True}]}, "a.json: rows[0].how many is True, not a whole number"),
        (
            {"rows": [{"how many": 1, "share": "half"}]},
            "a.json: rows[0].share is 'half', not a number",
        ),
        ({"by_size": [1]}, "a.json: by_size is a list, not an object"),
        (
            {"by_size": {"two": 5}},
            "a.json: by_size is 'two', not an object whose keys are whole numbers",
        ),
        ({"by_size": {"2": "5"}}, "a.json: by_size['2'] is '5', not a whole number"),
        ({"seed": "7"}, "a.json: seed is '7', not a whole number or a list"),
        ({"seed": [7, "8"]}, "a.json: seed[1] is '8', not a whole number"),
        ({"color": "green"}, "a.json: color is 'green', not one of red, blue"),
        ({"inner": 3}, "a.json: inner is 3, not an object"),
        ({"is_done": 1}, "a.json: is_done is 1, not true or false"),
    ],
    ids=str,
)
def test_a_wrong_field_is_named_in_one_sentence(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(FileFormatError) as caught:
        record_from({**GOOD, **changes}, Outer, "a.json")
    assert str(caught.value) == problem


def test_files_are_read_and_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_text('[{"how many": 1}, {"how many": 2}]')
    assert read_records(path, Inner) == (Inner(1), Inner(2))
    with pytest.raises(FileFormatError, match=r"a\.json is a list, not an object$"):
        read_record(path, Inner)
    path.write_text('[{"how many": 1}, {}]')
    with pytest.raises(FileFormatError, match=r"a\.json: row 2 has no 'how many'$"):
        read_records(path, Inner)
    path.write_text('{"how many": 1}')
    assert read_record(path, Inner) == Inner(1)
    with pytest.raises(FileFormatError, match=r"a\.json is not a list of rows$"):
        read_records(path, Inner)
