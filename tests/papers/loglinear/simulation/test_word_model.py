"""The log-linear word model against loops, and what it refuses."""

import math

import numpy as np
import pytest

from rmtsim.papers.loglinear.simulation.word_model import (
    kl_divergence,
    l1_distance,
    shifted_student,
    word_model,
)


def naive_probabilities(atoms, context):
    weights = [math.exp(sum(a * b for a, b in zip(atom, context, strict=True))) for atom in atoms]
    return [w / sum(weights) for w in weights]


@pytest.fixture
def models():
    rng = np.random.default_rng(3)
    return [word_model(rng.standard_normal((6, 3)), rng.standard_normal((4, 3))) for _ in range(2)]


def test_probabilities_divergence_and_distance_against_loops(models):
    teacher, student = models
    for t in range(4):
        p, q = (naive_probabilities(model.dictionary, model.contexts[t]) for model in models)
        assert np.exp(teacher.log_probabilities()[t]) == pytest.approx(p, rel=1e-13)
        assert kl_divergence(teacher, student)[t] == pytest.approx(
            sum(a * math.log(a / b) for a, b in zip(p, q, strict=True)), rel=1e-12
        )
        assert l1_distance(teacher, student)[t] == pytest.approx(
            sum(abs(a - b) for a, b in zip(p, q, strict=True)), rel=1e-12
        )


def test_bulk_without_the_top_words(models):
    model = models[0]
    sums = np.sort(np.exp(model.logits), axis=1)
    for removed in range(6):
        found = np.exp(model.log_partition(model.without_top(removed)))
        assert found == pytest.approx(sums[:, : 6 - removed].sum(axis=1), rel=1e-13)


def test_large_logits_do_not_overflow():
    model = word_model([[1000.0], [999.0]], [[1.0]])
    assert model.log_partition()[0] == pytest.approx(1000 + math.log1p(math.exp(-1)), rel=1e-15)


def test_a_common_shift_is_not_seen(models):
    moved = shifted_student(models[0], -40.0)
    assert moved.log_probabilities() == pytest.approx(models[0].log_probabilities(), abs=1e-12)
    assert moved.logits == pytest.approx(models[0].logits - 40)


def test_bad_input_is_one_clear_line(models):
    model = models[0]
    with pytest.raises(ValueError, match="selects no word in context 0"):
        model.log_partition(np.zeros(6, dtype=bool))
    with pytest.raises(ValueError, match="shape"):
        model.log_partition(np.ones(5, dtype=bool))
    with pytest.raises(TypeError, match="booleans"):
        model.log_partition(np.ones(6))
    with pytest.raises(ValueError, match="removed=6"):
        model.without_top(6)
    with pytest.raises(ValueError, match="nan at index 0, 1"):
        word_model([[0.0, math.nan]], [[0.0, 1.0]])
    with pytest.raises(ValueError, match="contexts"):
        word_model(np.ones((3, 2)), np.ones((3, 4)))
    with pytest.raises(ValueError, match="expected the same"):
        kl_divergence(model, word_model(np.ones((5, 2)), np.ones((4, 2))))
