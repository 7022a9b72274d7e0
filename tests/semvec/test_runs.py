"""Runs by their names."""

import pytest

from equivec.errors import ConfigError
from equivec.semvec.dataset import COMPOSITIONS, SEMVEC_SPECS
from equivec.semvec.runs import SemVecJob, group_runs, parse_runs
from equivec.semvec.settings import SETTINGS, semvec_recipe


def test_runs_are_named_by_dataset_setting_and_seed() -> None:
    runs = parse_runs(["Bool5,Poly5:SemEmb@7", "all:transfer"], seed=3)
    assert [(run.dataset, run.seed) for run in runs[:2]] == [("Bool5", 7), ("Poly5", 7)]
    assert {run.dataset for run in runs[2:]} == {source for source, _ in COMPOSITIONS}
    assert {run.seed for run in runs[2:]} == {3}


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_name_of_a_run_names_it_again(setting: str) -> None:
    for run in parse_runs([f"all:{setting}@1,2"]):
        assert parse_runs([run.name]) == [run]


@pytest.mark.parametrize("setting", ["SemEmb", "larger", "combined"])
def test_all_is_every_dataset(setting: str) -> None:
    runs = parse_runs([f"all:{setting}"])
    assert [run.dataset for run in runs] == [spec.name for spec in SEMVEC_SPECS]


def test_with_folds_every_run_is_made_once_without_each_of_them() -> None:
    runs = parse_runs(["Bool5:SemEmb"], folds=3)
    assert [run.source for run in runs] == [f"Bool5 less {part} of 3" for part in (1, 2, 3)]
    assert all(run.scored_on == () for run in runs), "no test split is touched"


def test_networks_of_one_shape_are_trained_at_once() -> None:
    groups = group_runs(parse_runs(["Bool5:StructEmb-32", "all:StructEmb", "Poly5:SemEmb"]))
    assert [len(group) for group in groups] == [1, 15]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Bool5", "'Bool5' is not DATASETS:SETTING or DATASETS:SETTING@SEEDS"),
        ("Bool5:SemEmb@x", "'Bool5:SemEmb@x' is not DATASETS:SETTING"),
        (f"Bool5:SemEmb@{2**63}", "a seed of .* is larger than 9223372036854775807"),
        (f"Bool5:SemEmb@{'9' * 5000}", "a seed of .* is larger than 9223372036854775807"),
        ("Bool5,Bool5:SemEmb", "Bool5:SemEmb@42 is asked for twice; give it another seed"),
        ("Bool9:SemEmb", "'Bool9' is not a SemVec dataset; choose from Bool5, "),
        ("Bool5:SemEmbed", "'SemEmbed' in 'Bool5:SemEmbed' is not a setting; choose from Struct"),
    ],
)
def test_what_is_not_a_run_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse_runs([text])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"folds": 1}, "folds must be 0 \\(none\\) or at least 2, not 1"),
        ({"folds": 5, "keeps_weights": True}, "folds are for choosing settings"),
    ],
)
def test_an_impossible_job_is_refused(options: dict[str, int], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SemVecJob(runs=("Bool5:SemEmb",), recipe=semvec_recipe("fast"), **options)  # type: ignore[arg-type]
