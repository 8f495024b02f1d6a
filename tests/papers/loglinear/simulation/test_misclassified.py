"""Instances of Section 3.5: the assumptions hold, and the logits are those of a word model."""

import numpy as np
import pytest

from rmtsim.papers.loglinear.simulation.adversary import maximise
from rmtsim.papers.loglinear.simulation.misclassified import (
    BULK,
    draw_instances,
    instances_from,
    point_length,
)
from rmtsim.papers.loglinear.simulation.word_model import kl_divergence, l1_distance, word_model


@pytest.mark.parametrize("words", [1, 4])
def test_assumptions_hold_and_a_word_model_realises_them(words):
    drawn = draw_instances(7, words, np.random.default_rng(2))
    # Any logits are a word model: contexts as unit vectors, anchors as vectors of ⟨v, v₀⟩.
    teacher, student = (word_model(logs.T, np.eye(7)) for logs in (drawn.teacher, drawn.student))
    assert kl_divergence(teacher, student) == pytest.approx(drawn.divergence, rel=1e-10)
    assert l1_distance(teacher, student) == pytest.approx(drawn.l1, rel=1e-10)
    bulk = np.zeros(words + BULK + 1, dtype=bool)
    bulk[words : words + BULK] = True
    for model, above in ((teacher, drawn.above), (student, drawn.student_above)):
        # ⟨v, v₀⟩ is whatever makes ⟨v, v_j - v₀⟩ - b_j what the network sees; it misses log Z_bulk by ε_b at most.
        anchors = model.logits[:, :words] - drawn.thresholds - above
        assert anchors == pytest.approx(np.repeat(anchors[:, :1], words, axis=1), abs=1e-10)
        assert (np.abs(anchors[:, 0] - model.log_partition(bulk)) <= drawn.error + 1e-10).all()
    outputs = np.sum(drawn.weights * np.maximum(drawn.above, 0), axis=1)
    assert outputs == pytest.approx(drawn.margin)
    assert (outputs >= 0).all()
    assert (drawn.error <= drawn.normalised_margin / 8).all()
    assert (drawn.thresholds >= drawn.error[:, None] - np.log(4 * words) - 1e-12).all()
    assert np.abs(drawn.weights).max(axis=1) == pytest.approx(np.ones(7))


def test_search_finds_a_known_maximum_and_repeats_itself():
    def objective(points):
        return np.where(points[:, 0] > 0, -np.sum((points - 1) ** 2, axis=1), -np.inf)

    first = maximise(objective, 3, np.random.default_rng(1), generations=80)
    again = maximise(objective, 3, np.random.default_rng(1), generations=80)
    assert first[1] > -1e-2
    assert first[0].tobytes() == again[0].tobytes()


def test_bad_input():
    with pytest.raises(ValueError, match="points"):
        instances_from(np.ones((2, 3)), 2, largest_error=0.1)
    with pytest.raises(ValueError, match="words=0"):
        point_length(0)
