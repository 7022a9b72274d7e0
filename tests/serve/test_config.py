"""Settings outside their range are refused when they are made."""

from __future__ import annotations

import pytest

from equivec.errors import ConfigError
from equivec.serve.config import ServiceConfig
from equivec.serve.running import Address


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: ServiceConfig(waiting=0), "waiting must be more than 0, not 0"),
        (
            lambda: ServiceConfig(check_seconds=-1.0),
            r"check_seconds must be more than 0, not -1\.0",
        ),
        (
            lambda: ServiceConfig(api_key="short"),
            "an API key must have at least 16 characters, not 5",
        ),
        (lambda: Address(port=70_000), "a port lies between 0 and 65,535, not at 70,000"),
        (lambda: Address(processes=0), "workers must be at least 1, not 0"),
    ],
)
def test_what_is_out_of_range_is_named(make, sentence) -> None:
    with pytest.raises(ConfigError, match=sentence):
        make()


def test_a_key_is_not_shown() -> None:
    assert "0123456789abcdef" not in repr(ServiceConfig(api_key="0123456789abcdef"))


def test_only_this_machine_may_ask_unless_told_otherwise() -> None:
    assert Address().host == "127.0.0.1"
