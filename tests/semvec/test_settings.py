"""The table of settings, and the recipes."""

import pytest

from equivec.errors import ConfigError
from equivec.semvec.settings import LossConfig, Setting, ShapeConfig, semvec_recipe


def test_a_word_that_no_table_has_is_refused() -> None:
    with pytest.raises(ConfigError, match="'triples' is unknown; choose from pairs, classes"):
        Setting(name="new", sampling="triples")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("temperature=-0.1", r"temperature must be positive, not -0\.1"),
        ("temperature=inf", "temperature must be positive, not inf"),
        ("unknown_weight=-1", "unknown_weight must be at least 0, not -1"),
        ("label_smoothing=1", r"label_smoothing must lie in \[0, 1\), not at 1"),
        ("attention_dropout=1", r"attention_dropout must lie in \[0, 1\), not at 1"),
        ("layers=0", "layers must be at least 1, not 0"),
        ("width=0", "width must be at least 1, not 0"),
        ("batch_size=1", "batch_size must be at least 2, not 1"),
    ],
)
def test_a_number_outside_its_range_is_refused(change: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        semvec_recipe("fast", [change])


def test_the_learning_rate_of_the_paper_is_the_same_at_every_step() -> None:
    recipe = semvec_recipe("paper")
    paper, points = recipe.training, [(0, 0.0), (1, 0.0), (500_000, 0.5), (999_999, 1.0)]
    assert {paper.learning_rate_at(*point) for point in points} == {1e-4}
    assert (paper.batch_size, paper.min_steps, paper.patience) == (512, 50_000, 20_000)
    assert (paper.steps, paper.average_decay, paper.keeps_best) == (1_000_000, 0.0, True)
    assert recipe.network == ShapeConfig(attention_dropout=0.1)
    assert recipe.objective == LossConfig()
