"""Where the cache lies, and switches that stay no longer than they must."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from equivec.errors import ConfigError
from equivec.storage.environment import cache_folder, switched


def test_the_cache_is_the_users_unless_another_is_named(monkeypatch) -> None:
    monkeypatch.setenv("HOME", "/home/user")
    monkeypatch.delenv("EQUIVEC_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_folder() == Path("/home/user/.cache/equivec")
    monkeypatch.setenv("XDG_CACHE_HOME", "/caches")
    assert cache_folder() == Path("/caches/equivec")
    monkeypatch.setenv("EQUIVEC_CACHE", "/own")
    assert cache_folder() == Path("/own")


def test_a_user_without_a_home_is_told_to_name_a_cache(monkeypatch) -> None:
    for name in ("HOME", "EQUIVEC_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(os, "getuid", lambda: 123_456)  # whom the system does not know
    sentence = "user 123456 has no home directory, so there is no place for the cache; name a"
    with pytest.raises(ConfigError, match=re.escape(sentence)):
        cache_folder()


def test_a_switch_is_put_back_even_after_an_error_and_a_users_own_is_left(monkeypatch) -> None:
    with pytest.raises(ZeroDivisionError), switched("EQUIVEC_TEST", "1"):
        1 / (int(os.environ["EQUIVEC_TEST"]) - 1)
    assert "EQUIVEC_TEST" not in os.environ
    monkeypatch.setenv("EQUIVEC_TEST", "own")
    with switched("EQUIVEC_TEST", "1"):
        assert os.environ["EQUIVEC_TEST"] == "own"
    assert os.environ["EQUIVEC_TEST"] == "own"
