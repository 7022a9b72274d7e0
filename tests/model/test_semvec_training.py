"""Training on classes: what is deduced is true, batches are drawn as said, steps are repeatable."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch

from equivec.corpus.semvec import PADDING, SemVecDataset, SemVecSpec, Split, semvec_spec
from equivec.corpus.semvec_enumeration import enumerate_semvec
from equivec.corpus.semvec_splits import training_pairs
from equivec.errors import ConfigError
from equivec.model.derivation import DerivationConfig, Space, TrainingSet, derive, plain_set
from equivec.model.many_networks import ManyNetworks, NetworkConfig
from equivec.model.semvec_training import (
    SETTINGS,
    Batch,
    BatchSampler,
    Run,
    Setting,
    Trainer,
    TrainingConfig,
    contrastive_losses,
)

CPU = torch.device("cpu")
enumerated = cache(enumerate_semvec)
small_sets = pytest.mark.parametrize(
    "name", ["SimpPoly5", "Poly5", "Bool5", "oneV-Poly10", "SimpPoly8"]
)


def ids(spec: SemVecSpec, names: tuple[str, ...]) -> tuple[int, ...]:
    return tuple(spec.grammar.tokens.index(name) for name in names)


def space_of(spec: SemVecSpec, size: int | None = None) -> Space:
    return Space(
        arities=tuple(symbol.arity for symbol in spec.grammar.symbols),
        operators=ids(spec, spec.operators),
        variables=ids(spec, spec.variables),
        largest_size=size or spec.largest_size,
    )


def training_rows(dataset: SemVecDataset) -> tuple[np.ndarray, np.ndarray]:
    rows = dataset.rows(Split.TRAIN)
    return dataset.expressions[rows], dataset.class_ids[rows].astype(np.int64)


def plain(name: str) -> TrainingSet:
    spec = semvec_spec(name)
    return plain_set(*training_rows(enumerated(spec)), spec.variable_count)


def derived(name: str, target: str | None = None, more: int = 0, smallest: int = 1) -> TrainingSet:
    spec, other = semvec_spec(name), semvec_spec(target or name)
    return derive(
        *training_rows(enumerated(spec)),
        ids(spec, spec.variables),
        space_of(other, other.largest_size + more),
        DerivationConfig(smallest_size=smallest),
    )


def true_classes(part: TrainingSet, name: str, more: int = 0) -> np.ndarray:
    """The class of every expression, by truth table or by values modulo a prime."""
    spec = semvec_spec(name)
    dataset = enumerated(replace(spec, largest_size=spec.largest_size + more))
    known = {
        row.tobytes(): n for row, n in zip(dataset.expressions, dataset.class_ids, strict=True)
    }
    return np.array([known[row.tobytes()] for row in part.expressions])


def assert_sound(part: TrainingSet, truth: np.ndarray) -> None:
    pairs = np.unique(np.stack([part.class_ids, truth]), axis=1)
    assert pairs.shape[1] == len(part.labels), "one class holds two functions"
    functions = pairs[1]
    for column in part.labels.T:
        for label in np.unique(functions):
            known = column[(functions == label) & (column >= 0)]
            assert len(np.unique(known)) <= 1, "one function is said to differ from itself"


@small_sets
def test_what_is_deduced_is_equivalent_and_what_differs_is_different(name: str) -> None:
    part = derived(name)
    assert_sound(part, true_classes(part, name))


@pytest.mark.parametrize("name", ["SimpPoly5", "Bool5"])
def test_larger_expressions_are_deduced_soundly_and_are_no_test_expressions(name: str) -> None:
    spec = semvec_spec(name)
    part = derived(name, more=2, smallest=spec.largest_size + 1)
    assert_sound(part, true_classes(part, name, more=2))
    assert ((part.expressions != PADDING).sum(axis=1) > spec.largest_size).all()


@pytest.mark.parametrize(("name", "target"), [("Poly5", "SimpPoly8"), ("Poly5", "oneV-Poly10")])
def test_a_training_set_speaks_of_another_space(name: str, target: str) -> None:
    part = derived(name, target)
    assert_sound(part, true_classes(part, target))
    assert len(part.labels) < len(part.expressions) / 3


def test_deduction_finds_functions_that_training_never_met() -> None:
    spec = semvec_spec("Bool5")
    dataset = enumerated(spec)
    part = derived("Bool5")
    found = true_classes(part, "Bool5")
    unseen = np.unique(dataset.class_ids[dataset.rows(Split.UNSEEN)])
    assert np.isin(unseen, found).mean() > 0.8


ADD_AB, ADD_BA = "add a b", "add b a"


def rows_of(*texts: str) -> np.ndarray:
    spec = semvec_spec("SimpPoly5")
    rows = [ids(spec, tuple(text.split())) for text in texts]
    return np.array([[*row, *[PADDING] * (5 - len(row))] for row in rows], dtype=np.uint8)


def test_deduction_worked_by_hand() -> None:
    """Commutativity alone: arguments may change places, brackets may not move."""
    spec = replace(semvec_spec("SimpPoly5"), operators=("add",))
    part = derive(
        rows_of(ADD_AB, ADD_BA), np.array([0, 0]), ids(spec, spec.variables), space_of(spec)
    )
    classes = {
        row.tobytes(): number for row, number in zip(part.expressions, part.class_ids, strict=True)
    }

    def class_of(text: str) -> int:
        return int(classes[rows_of(text)[0].tobytes()])

    assert class_of("add a c") == class_of("add c a"), "renamed"
    assert class_of("add add a b c") == class_of("add c add b a"), "substituted and in context"
    left, right = class_of("add add a b c"), class_of("add a add b c")
    assert left != right, "associativity does not follow"
    labels = part.labels[[left, right]]
    assert not ((labels >= 0).all(axis=0) & (labels[0] != labels[1])).any(), "nor is it refuted"


def test_classes_that_training_tells_apart_are_known_to_differ() -> None:
    part = plain("Poly5")
    assert np.array_equal(part.labels[:, 0], np.arange(len(part.class_sizes)))


def sampler_of(*runs: Run, batch_size: int = 64, length: int = 15, seed: int = 0) -> BatchSampler:
    firsts = [semvec_spec(run.dataset).grammar.tokens.index("a") for run in runs]
    return BatchSampler(runs, batch_size, length, firsts, CPU, seed)


def run_of(name: str, setting: str, *sets: TrainingSet) -> Run:
    return Run(name, SETTINGS[setting], 0, sets or (plain(name),))


@pytest.mark.parametrize("name", ["Bool5", "Poly5", "SimpPoly8"])
def test_classes_are_drawn_in_proportion_to_their_ordered_pairs(name: str) -> None:
    spec = semvec_spec(name)
    dataset = enumerated(spec)
    pairs = training_pairs(dataset, np.random.default_rng(0))
    counts = np.bincount(dataset.class_ids[pairs[:, 0]], minlength=dataset.class_count)
    counts = counts[np.unique(dataset.class_ids[dataset.rows(Split.TRAIN)])]
    assert np.allclose(run_of(name, "SemEmb").class_shares(), counts / counts.sum())


def test_large_classes_are_capped_as_published() -> None:
    rows = np.zeros((500 + 3, 1), dtype=np.uint8)
    part = plain_set(rows, np.repeat([0, 1], [500, 3]), 1)
    shares = run_of("Bool5", "SemEmb", part).class_shares()
    assert np.allclose(shares, np.array([200_000, 6]) / 200_006)


def spell(tokens: torch.Tensor, width: int) -> bytes:
    """A framed row as the dataset spells it."""
    inside = [token - 3 for token in tokens.tolist() if token > 2]
    return bytes([*inside, *[PADDING] * (width - len(inside))])


def pairs_of(batch: Batch, width: int, run: int = 0) -> list[tuple[bytes, bytes]]:
    return [
        (spell(source, width), spell(target, width))
        for source, target in zip(batch.sources[run], batch.targets[run], strict=True)
    ]


def test_every_ordered_pair_is_drawn_equally_often() -> None:
    spec = semvec_spec("SimpPoly5")
    sampler = sampler_of(run_of("SimpPoly5", "SemEmb"), batch_size=20_000)
    drawn = pairs_of(sampler.draw(), spec.largest_size)
    dataset = enumerated(spec)
    rows = training_pairs(dataset, np.random.default_rng(0))
    spelled = [row.tobytes() for row in dataset.expressions]
    expected = {(spelled[left], spelled[right]) for left, right in rows.tolist()}
    counts = {pair: drawn.count(pair) for pair in set(drawn)}
    assert counts.keys() <= expected
    mean = len(drawn) / len(expected)
    assert max(counts.values()) < mean + 6 * mean**0.5


def test_a_copy_is_drawn_for_the_structural_setting() -> None:
    batch = sampler_of(run_of("Poly5", "StructEmb")).draw()
    assert torch.equal(batch.sources, batch.targets)


def test_the_equal_size_setting_has_one_target_for_each_source() -> None:
    sampler = sampler_of(run_of("Poly5", "SemEmb-equal"), batch_size=5_000)
    pairs = set(pairs_of(sampler.draw(), 5))
    sizes = plain("Poly5").class_sizes
    assert len(pairs) == sizes[sizes > 1].sum()
    assert all(source != target for source, target in pairs)


def test_renaming_keeps_equivalence_and_changes_names() -> None:
    names = ("Bool5", "SimpPoly8", "BoolL5")
    runs = [run_of(name, "SemEmb+contrastive+renaming") for name in names]
    sampler = sampler_of(*runs)
    for place, name in enumerate(names):
        spec = semvec_spec(name)
        dataset = enumerated(spec)
        spelled = [row.tobytes() for row in dataset.expressions]
        classes = dict(zip(spelled, dataset.class_ids.tolist(), strict=True))
        training = {spelled[row] for row in dataset.rows(Split.TRAIN)}
        pairs = [
            pair for _ in range(4) for pair in pairs_of(sampler.draw(), spec.largest_size, place)
        ]
        assert all(classes[source] == classes[target] for source, target in pairs)
        assert any(source not in training for source, _ in pairs)


def test_without_renaming_only_training_rows_are_drawn() -> None:
    for setting in ("SemEmb", "SemEmb+contrastive", "StructEmb"):
        dataset = enumerated(semvec_spec("Poly5"))
        training = {dataset.expressions[row].tobytes() for row in dataset.rows(Split.TRAIN)}
        pairs = pairs_of(sampler_of(run_of("Poly5", setting), batch_size=500).draw(), 5)
        assert {text for pair in pairs for text in pair} <= training


def test_a_batch_says_what_is_alike() -> None:
    sets = (plain("Bool5"), derived("Bool5", "Bool5", more=1))
    runs = [run_of("Bool5", "transfer", *sets), run_of("Poly5", "SemEmb+contrastive+renaming")]
    batch = sampler_of(*runs, batch_size=32).draw()
    assert not (batch.same & batch.different).any()
    assert not batch.same.diagonal(dim1=1, dim2=2).any()
    first, second = torch.arange(32), torch.arange(32, 64)
    assert batch.same[:, first, second].all(), "a source and its target"
    other = batch.same[1] | batch.different[1] | torch.eye(64, dtype=torch.bool)
    assert other.all(), "of training classes everything is known"
    assert not (batch.same[0] | batch.different[0] | torch.eye(64, dtype=torch.bool)).all()


def test_the_same_seed_draws_the_same_batches() -> None:
    run = run_of("Bool5", "SemEmb+contrastive+renaming+balanced")
    first, again, other = (sampler_of(run, seed=seed).draw() for seed in (1, 1, 2))
    assert torch.equal(first.sources, again.sources)
    assert not torch.equal(first.sources, other.sources)


def test_the_contrastive_loss_is_its_formula() -> None:
    vectors = torch.randn(1, 6, 4, generator=torch.Generator().manual_seed(0))
    classes = [0, 0, 0, 1, 1, 2]
    unsure = {(3, 5), (5, 3)}
    same, different = torch.zeros(2, 1, 6, 6, dtype=torch.bool)
    for i in range(6):
        for j in range(6):
            same[0, i, j] = i != j and classes[i] == classes[j]
            different[0, i, j] = classes[i] != classes[j] and (i, j) not in unsure
    config = TrainingConfig(temperature=0.5, unknown_weight=0.25)
    units = torch.nn.functional.normalize(vectors[0], dim=1)
    powers = (units @ units.T / 0.5).exp()
    expected = []
    for i in range(5):  # the last has no positive
        whole = sum(powers[i, j] * (0.25 if (i, j) in unsure else 1.0) for j in range(6) if j != i)
        positives = [j for j in range(6) if same[0, i, j]]
        terms = [-torch.log(powers[i, j] / whole) for j in positives]
        expected.append(sum(terms) / len(terms))
    loss = contrastive_losses(vectors, same, different, config)
    assert torch.allclose(loss, torch.stack(expected).mean(), atol=1e-5)


NETWORK = NetworkConfig(vocabulary_size=20, width=8, feed_forward=16, layers=1, heads=2)


def trainer_of(*runs: Run, config: TrainingConfig | None = None) -> Trainer:
    torch.manual_seed(0)
    config = config or TrainingConfig(batch_size=16, warmup_steps=2)
    sampler = sampler_of(*runs, batch_size=config.batch_size, length=7)
    networks = ManyNetworks(NETWORK, seeds=range(len(runs)))
    return Trainer(networks, sampler, [run.setting.contrast for run in runs], config)


def test_training_lowers_the_loss() -> None:
    config = TrainingConfig(batch_size=16, warmup_steps=5, learning_rate=0.01)
    trainer = trainer_of(
        run_of("SimpPoly5", "SemEmb+contrastive"), run_of("Bool5", "StructEmb"), config=config
    )
    losses = torch.stack([trainer.step(step / 60) for step in range(60)])
    assert (losses[-10:].mean(dim=0) < losses[:10].mean(dim=0)).all()


def test_a_restored_training_goes_on_as_if_never_stopped() -> None:
    run = run_of("SimpPoly5", "SemEmb+contrastive+renaming")
    trainer = trainer_of(run)
    for _ in range(3):
        trainer.step(0.1)
    state = trainer.state()
    expected = [trainer.step(0.2) for _ in range(3)]
    again = trainer_of(run)
    again.restore(state)
    assert torch.equal(torch.stack([again.step(0.2) for _ in range(3)]), torch.stack(expected))
    assert again.step_count == 6
    assert torch.equal(again.average, trainer.average)


def test_a_checkpoint_of_other_runs_is_refused() -> None:
    trainer = trainer_of(run_of("SimpPoly5", "SemEmb"))
    trainer.step(0.0)
    other = trainer_of(run_of("SimpPoly5", "SemEmb"), run_of("Poly5", "SemEmb"))
    with pytest.raises(ConfigError, match="the checkpoint has weights of shape"):
        other.restore(trainer.state())


def test_a_gradient_is_bounded_for_each_network_by_itself() -> None:
    trainer = trainer_of(*(run_of("SimpPoly5", "SemEmb") for _ in range(3)))
    values = trainer.networks.values
    gradient = torch.full_like(values, 1e-5)
    gradient[1] = 7.0
    gradient[2, 0] = torch.nan
    values.grad = gradient.clone()
    trainer._clip()
    assert torch.equal(values.grad[0], gradient[0])
    assert torch.isclose(values.grad[1].norm(), torch.tensor(1.0), atol=1e-4)
    assert (values.grad[2] == 0).all(), "what is not finite is not followed"


def test_the_learning_rate_rises_and_falls() -> None:
    config = TrainingConfig(learning_rate=1.0, warmup_steps=10, final_share=0.1)
    assert config.learning_rate_at(0, 0.0) == pytest.approx(0.1)
    assert config.learning_rate_at(50, 0.0) == 1.0
    assert config.learning_rate_at(50, 0.5) == pytest.approx(0.55)
    assert config.learning_rate_at(50, 1.0) == pytest.approx(0.1)


def test_a_word_that_no_table_has_is_refused() -> None:
    with pytest.raises(ConfigError, match="'triples' is unknown; choose from pairs, classes"):
        Setting(name="new", sampling="triples")
