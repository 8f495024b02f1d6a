"""Networks on rectified inputs: shapes, laws, refusals, and that shortcuts have the law of the long way."""

import numpy as np
import pytest
from scipy import stats

from rmtsim.sampling import energy_distances as wu_distances
from rmtsim.sampling import weights as wu_weights
from rmtsim.sampling.last_layers import conditioned_hidden, many_logits
from rmtsim.sampling.relu_network import draw_inputs, draw_network, draw_responses, input_dimension, respond


def test_inputs_have_the_moments_of_a_rectified_gaussian():
    x = draw_inputs(2000, 200, np.random.default_rng(0))
    error = 5 / np.sqrt(x.size)
    assert abs(x.mean() - 1 / np.sqrt(2 * np.pi)) < error
    assert abs(x.var() - (np.pi - 1) / (2 * np.pi)) < error
    assert abs((x == 0).mean() - 0.5) < error
    centred = draw_inputs(2000, 200, np.random.default_rng(0), centred=True)
    assert abs(centred.mean()) < error


def test_shortcut_without_first_weights_has_their_law():
    """Mean activation and pre-activation correlation between inputs, short way (d large) against long way."""
    rng = np.random.default_rng(1)
    width, alpha, count = 60, 0.6, 16
    short, long = [], []
    for _ in range(300):
        ((_, response),) = draw_responses(width, alpha, 2, count, rng)
        short.append(np.mean(response.hidden[0][0] * response.hidden[0][1]))
        network = draw_network(width, alpha, 2, rng)
        long.append(
            np.mean(
                np.prod(
                    respond(network, draw_inputs(2, input_dimension(width, alpha), rng)).hidden[0], axis=0
                )
            )
        )
    assert stats.ks_2samp(short, long).pvalue > 0.001
    assert np.mean(short) == pytest.approx(0.1234, abs=5 * np.std(short) / np.sqrt(300))


def test_same_stream_same_bytes():
    one, two = (draw_responses(30, 0.5, 3, 20, np.random.default_rng(5), networks=2)[1][1] for _ in range(2))
    assert one.logits.tobytes() == two.logits.tobytes()


def test_bidiagonal_model_has_the_law_of_the_gram_matrix():
    rng = np.random.default_rng(2)
    fast = [wu_weights.gram_deviation(12, 0.5, rng) for _ in range(400)]
    slow = []
    for _ in range(400):
        w = rng.standard_normal((12, input_dimension(12, 0.5))) / np.sqrt(input_dimension(12, 0.5))
        slow.append(np.abs(np.linalg.eigvalsh(w @ w.T) - 1).max())
    assert stats.ks_2samp(fast, slow).pvalue > 0.001


def test_projection_deviation_is_the_matrix_norm():
    rng = np.random.default_rng(3)
    value = wu_weights.projection_deviation(20, 3, np.random.default_rng(3), 1)[0]
    w = rng.standard_normal((1, 3, 20))[0] / np.sqrt(20)
    q = np.linalg.qr(w.T)[0]
    assert value == pytest.approx(np.sum((w.T @ w - q @ q.T) ** 2), rel=1e-10)


def test_energy_distance_of_known_laws():
    rng = np.random.default_rng(4)
    # Two normals at distance t in one dimension, exactly: 2E|N(t, 2)| - 2E|N(0, 2)|.
    t = 1.5
    exact = 2 * (stats.foldnorm.mean(t / np.sqrt(2)) - stats.foldnorm.mean(0)) * np.sqrt(2)
    values = [
        wu_distances.energy_distance(rng.standard_normal((60, 1)), t + rng.standard_normal((60, 1)))
        for _ in range(200)
    ]
    assert np.mean(values) == pytest.approx(exact, abs=5 * np.std(values) / np.sqrt(200))
    null = [
        wu_distances.rectified_energy_distance(np.maximum(rng.standard_normal((40, 30)), 0) * 0.7, 0.49)
        for _ in range(100)
    ]
    assert np.mean(null) == pytest.approx(0, abs=5 * np.std(null) / 10)


def test_condition_holds_and_shapes():
    free, conditioned = conditioned_hidden(40, 0.5, 64, np.random.default_rng(0))
    assert free.shape == (64, 40)
    assert (conditioned > 0).all(axis=0).sum() >= 2
    assert many_logits(30, 0.3, 4, 10, 6, np.random.default_rng(0)).shape == (6, 10, 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 0.3, 3), r"width=0: expected an integer in \[1"),
        ((50, -0.1, 3), r"alpha=-0.1: expected a finite number >= 0 \(d = width"),
        ((50, 0.3, 1), r"classes=1: expected an integer in \[2"),
        ((10**5, 1.0, 3), "would need d|would have"),
        ((50, float("nan"), 3), "alpha=nan"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        draw_network(*arguments, np.random.default_rng(0))


def test_randomness_is_an_argument():
    with pytest.raises(TypeError, match=r"numpy\.random\.Generator"):
        draw_network(5, 0.3, 2, 7)


def test_largest_entry_has_the_law_of_the_largest_of_all_entries():
    """Against entries drawn one by one; a Kolmogorov–Smirnov test at level 1e-3."""
    from scipy import stats

    from rmtsim.sampling.weights import largest_entry

    rng = np.random.default_rng(5)
    short = largest_entry(6, 30, rng, 4000)
    drawn = np.abs(rng.standard_normal((4000, 180))).max(axis=1) / np.sqrt(30)
    assert stats.ks_2samp(short, drawn).pvalue > 1e-3
