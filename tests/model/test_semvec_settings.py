"""The table of settings."""

import pytest

from equivec.errors import ConfigError
from equivec.model.semvec_settings import Setting


def test_a_word_that_no_table_has_is_refused() -> None:
    with pytest.raises(ConfigError, match="'triples' is unknown; choose from pairs, classes"):
        Setting(name="new", sampling="triples")
