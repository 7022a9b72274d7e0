"""The table of settings."""

import pytest

from equivec.errors import ConfigError
from equivec.semvec.settings import RECIPES, Setting, TrainingConfig


def test_a_word_that_no_table_has_is_refused() -> None:
    with pytest.raises(ConfigError, match="'triples' is unknown; choose from pairs, classes"):
        Setting(name="new", sampling="triples")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_size": 0}, "batch_size must be at least 1, not 0"),
        ({"steps": -1}, "steps must be at least 0, not -1"),
        ({"warmup_steps": -1}, "warmup_steps must be at least 0, not -1"),
        ({"learning_rate": 0}, "learning_rate must be positive and finite, not 0"),
        ({"learning_rate": float("nan")}, "learning_rate must be positive and finite, not nan"),
        ({"temperature": -0.1}, r"temperature must be positive and finite, not -0\.1"),
        ({"temperature": float("inf")}, "temperature must be positive and finite, not inf"),
        ({"final_share": 2}, r"final_share must lie in \[0, 1\], not 2"),
        ({"average_decay": 1}, r"average_decay must lie in \[0, 1\), not 1"),
        ({"attention_dropout": 1}, r"attention_dropout must lie in \[0, 1\), not 1"),
        ({"patience": 5}, "patience needs validation_every, the steps between two validations"),
    ],
)
def test_a_number_outside_its_range_is_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        TrainingConfig(**options)  # type: ignore[arg-type]


def test_the_learning_rate_of_the_paper_is_the_same_at_every_step() -> None:
    paper = RECIPES["paper"]
    points = [(0, 0.0), (1, 0.0), (500_000, 0.5), (999_999, 1.0)]
    assert {paper.learning_rate_at(*point) for point in points} == {1e-4}
    assert (paper.batch_size, paper.min_steps, paper.patience) == (512, 50_000, 20_000)
    assert (paper.steps, paper.average_decay, paper.attention_dropout) == (1_000_000, 0.0, 0.1)
