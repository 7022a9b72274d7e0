"""Recipes: files and changes say what the configs are, and a mistake is one sentence."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, replace
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from equivec.errors import ConfigError, FileFormatError
from equivec.model.settings import TrainingConfig
from equivec.pipeline.recipes import build, bundled, read_tables, write_recipe
from equivec.pipeline.training import Recipe
from equivec.semvec.settings import SemVecRecipe, semvec_recipe

if TYPE_CHECKING:
    from pathlib import Path


def test_the_papers_recipe_has_the_papers_numbers() -> None:
    recipe = Recipe.read("paper")
    training = recipe.training
    assert (training.learning_rate, training.batch_size, training.seed) == (1e-4, 256, 42)
    assert (training.min_steps, training.steps) == (300_000, 1_000_000)
    assert (training.patience, training.largest_norm) == (30_000, 1.0)
    assert (recipe.objective.label_smoothing, recipe.objective.setting) == (0.1, "semantic")
    assert training.learning_rate_at(0, 0.0) == training.learning_rate_at(10**6, 1.0) == 1e-4
    network = recipe.network
    assert (network.width, network.feed_forward, network.layers, network.heads) == (512, 2048, 6, 8)


def test_the_papers_recipe_names_every_setting() -> None:
    """So that the file is where settings are looked up."""
    path = files("equivec") / "recipes" / "train" / "paper.toml"
    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    for table, config in asdict(Recipe.read("paper")).items():
        assert config.keys() - tables[table].keys() <= {"vocabulary_size", "feed_forward"}


@pytest.mark.parametrize("name", bundled("train"))
def test_a_written_recipe_is_read_as_the_same(name: str, tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    recipe = Recipe.read(name, ["contrast=0.5", "patience=none", "betas=[0.5, 0.25]"])
    path.write_text(write_recipe(recipe), encoding="utf-8")
    assert Recipe.read(str(path)) == recipe


@pytest.mark.parametrize("name", bundled("semvec"))
def test_a_written_semvec_recipe_is_read_as_the_same(name: str, tmp_path: Path) -> None:
    path, recipe = tmp_path / "recipe.toml", semvec_recipe(name, ["width=32"])
    path.write_text(write_recipe(recipe), encoding="utf-8")
    assert semvec_recipe(str(path)) == recipe


@given(st.floats(1e-300, 0.99), st.integers(0, 2**31), st.lists(st.floats(0, 1), max_size=3))
def test_numbers_keep_their_bits(rate: float, steps: int, fractions: list[float]) -> None:
    config = TrainingConfig(learning_rate=rate, steps=steps, validation_at=tuple(fractions))
    tables = tomllib.loads(write_recipe(replace(FAST, training=config)))
    assert tables["training"]["learning_rate"] == rate
    assert tables["training"]["steps"] == steps
    assert tables["training"]["validation_at"] == fractions


FAST = semvec_recipe("fast")


def test_the_width_of_a_recipe_decides_that_of_its_layers() -> None:
    assert Recipe.read("fast", ["width=64"]).network.feed_forward == 256
    assert Recipe.read("fast", ["width=64", "feed_forward=100"]).network.feed_forward == 100


def test_a_change_names_its_table_or_not_and_the_last_one_counts() -> None:
    changes = ["batch_size=8", "training.batch_size = 16", "setting=structural", 'mutants="none"']
    recipe = Recipe.read("fast", changes)
    assert (recipe.training.batch_size, recipe.objective.setting) == (16, "structural")


@pytest.mark.parametrize("kind", [Recipe, SemVecRecipe])
def test_no_two_tables_have_a_setting_of_one_name(kind: type[Recipe | SemVecRecipe]) -> None:
    recipe = Recipe.read("fast") if kind is Recipe else FAST
    names = [name for table in asdict(recipe).values() for name in table]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ("contarst=1", "'contarst' is no setting of a training; did you mean 'contrast'?"),
        ("training.contrast=1", "'contrast' is no setting of a training; choose from batch_size,"),
        ("objectiv.contrast=1", "'objectiv' is no table of a recipe; did you mean 'objective'?"),
        ("steps", "--set wants key=value, such as batch_size=64, not 'steps'"),
        ("batch_size=many", "batch_size must be a whole number, not 'many'"),
        ("batch_size=2.5", "batch_size must be a whole number, not 2.5"),
        ("batch_size=none", "batch_size must be a whole number, not 'none'"),
        ("patience=soon", "patience must be a whole number or none, not 'soon'"),
        ("contrast=true", "contrast must be a number, not True"),
        ("is_compiled=1", "is_compiled must be true or false, not 1"),
        ("setting=3", "setting must be a word, not 3"),
        ("betas=0.9", "betas must be 2 numbers such as [0.5, 0.9], not 0.9"),
        ("betas=[0.9]", "betas must be 2 numbers such as [0.5, 0.9], not [0.9]"),
        ('betas=[0.9, "b"]', "betas must be a number, not 'b'"),
        ("learning_rate=7", "learning_rate must lie in (0, 1), not at 7.0"),
    ],
)
def test_a_change_that_means_nothing_is_one_sentence(change: str, sentence: str) -> None:
    with pytest.raises(ConfigError) as error:
        Recipe.read("fast", [change])
    assert str(error.value).startswith(sentence)


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("[training]\nstepps = 3", ConfigError, "'stepps' is no setting of a training; did you"),
        ("[trainig]\nsteps = 3", ConfigError, "'trainig' is no table of a recipe; did you mean"),
        ("steps = 3", ConfigError, "'steps' is no table of a recipe; choose from network, object"),
        ("[training]\nsteps = '3'", ConfigError, "steps must be a whole number or none, not '3'"),
        ("[training", FileFormatError, "is not TOML: "),
        ("[training]\nsteps = 1\nsteps = 2", FileFormatError, "is not TOML: "),
    ],
)
def test_a_file_that_is_no_recipe_is_named(
    text: str, kind: type[Exception], sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(kind) as error:
        Recipe.read(str(path))
    assert str(path) in str(error.value)
    assert sentence in str(error.value)


def test_a_recipe_that_is_nowhere_is_one_sentence() -> None:
    with pytest.raises(ConfigError) as error:
        Recipe.read("papr")
    assert str(error.value) == "'papr' is no bundled recipe (fast, paper) and no file of TOML"


def test_tables_left_out_have_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("[training]\nsteps = 5\n", encoding="utf-8")
    recipe = build(SemVecRecipe, read_tables(SemVecRecipe, "semvec", str(path)))
    assert recipe.training == TrainingConfig(steps=5)
