"""The default index: bundled expressions, built once for each model, wherever it was stopped."""

from __future__ import annotations

import gzip
import re
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from equivec.errors import ConfigError, FileFormatError
from equivec.expression.files import read_expressions
from equivec.expression.limits import Limits
from equivec.expression.prefix import parse_prefix, write_prefix
from equivec.expression.text import parse
from equivec.search.default import EXPRESSIONS, default_folder, default_index, is_there
from equivec.search.folder import FolderStore
from support.encoders import FakeEncoder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def few(tmp_path: Path, monkeypatch) -> Path:
    """A file of expressions in the place of the bundled ones, and a cache of its own."""
    monkeypatch.setenv("EQUIVEC_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "few.txt.gz"
    path.write_bytes(gzip.compress(b"tan x\ndiv sin x cos x\nsin x\nadd x INT+ 1\n", mtime=0))
    return path


def test_what_is_bundled_is_varied_each_once_and_has_what_people_type_first() -> None:
    texts = gzip.decompress(EXPRESSIONS.read_bytes()).decode().splitlines()
    assert len(texts) == len(set(texts)) >= 50_000
    assert EXPRESSIONS.stat().st_size < 2_000_000
    for text in ("tan(x)", "sin(x)/cos(x)", "(a + b)^2", "a^2 + 2ab + b^2", "exp(x)", "sqrt(x)"):
        assert write_prefix(parse(text)) in texts, text
    for text in texts[::50]:
        assert write_prefix(parse_prefix(text, limits=Limits(nodes=300))) == text


def test_it_is_built_once_and_then_opened(few: Path) -> None:
    model = FakeEncoder()
    folder = default_folder(model, few)
    assert not is_there(folder)
    reports: list[object] = []
    built = default_index(model, few, reports.append)
    assert is_there(folder)
    assert len(built) == 4
    assert [hit.is_equal for hit in built.search("sin(t)/cos(t)", 2).hits] == [True, True]
    default_index(model, few, reports.append)
    assert len(reports) == 1


def test_another_model_and_other_expressions_have_another_place(few: Path) -> None:
    one, other = FakeEncoder(), FakeEncoder(width=16)
    places = [
        default_folder(one, few),
        default_folder(other, few),
        default_folder(one, EXPRESSIONS),
    ]
    assert len({*places}) == 3
    assert default_index(one, few).info().width == 32
    assert default_index(other, few).info().width == 16


def test_a_build_that_was_stopped_goes_on(few: Path) -> None:
    model = FakeEncoder()
    texts = read_expressions(few)

    def stop(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        default_index(model, few, stop)
    folder = default_folder(model, few)
    assert FolderStore.exists(folder)
    assert not is_there(folder)
    assert len(default_index(model, few)) == len(list(texts))


def test_a_cache_that_cannot_be_written_to_is_named(few: Path, monkeypatch) -> None:
    monkeypatch.setenv("EQUIVEC_CACHE", str(few))
    with pytest.raises(ConfigError, match=re.escape("name another place in EQUIVEC_CACHE")):
        default_index(FakeEncoder(), few)


def test_of_two_that_need_it_at_once_one_builds_and_the_other_waits(few: Path) -> None:
    model, told = FakeEncoder(), []
    with ThreadPoolExecutor(1) as threads:
        waiting = []

        def begin_another(_: object) -> None:
            waiting.append(threads.submit(default_index, model, few, tell=told.append))
            while not any("waiting for it" in sentence for sentence in told):
                time.sleep(0.01)

        built = default_index(model, few, begin_another, told.append)
        other = waiting[0].result()
    folder = default_folder(model, few)
    assert len(built) == len(other) == 4
    assert told == [
        f"building the default index in {folder}, once; this takes a minute or two",
        f"another process is building the default index in {folder}; waiting for it",
    ]


def test_damage_is_named(few: Path) -> None:
    default_index(FakeEncoder(), few)
    keys = next(default_folder(FakeEncoder(), few).glob("*.keys.npy"))
    keys.write_bytes(keys.read_bytes()[:-1] + b"x")
    with pytest.raises(FileFormatError, match=re.escape(f"{keys} is damaged")):
        default_index(FakeEncoder(), few)
