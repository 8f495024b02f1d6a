"""Networks on rectified inputs: shapes, laws, refusals, and fast samplers against direct ones in law."""

import dataclasses

import numpy as np
import pytest
from scipy import stats

from rmtsim.papers.wu.simulation.relu_network import (
    draw_inputs,
    draw_network,
    draw_responses,
    input_dimension,
    respond,
)


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
    with pytest.raises(TypeError, match="rng"):
        draw_network(5, 0.3, 2, "seven")


def test_responses_without_inner_products_have_the_same_law_and_say_what_they_lack():
    rng = np.random.default_rng(5)
    plain, short = (
        [
            np.prod(draw_responses(20, 0.6, 2, 4, rng, inner=inner)[0][1].hidden[0][:2], axis=0).mean()
            for _ in range(600)
        ]
        for inner in (True, False)
    )
    error = np.hypot(np.std(plain), np.std(short)) / np.sqrt(600)
    assert np.mean(plain) == pytest.approx(np.mean(short), abs=4 * error)
    # Of inputs drawn in slices of columns nothing is kept but their sums.
    inputs = dataclasses.replace(draw_responses(20, 0.6, 2, 4, rng, inner=False)[0][1].inputs, values=None)
    with pytest.raises(ValueError, match="neither values nor inner products"):
        inputs.inner(inputs)
    with pytest.raises(ValueError, match="neither values nor inner products"):
        _ = inputs.squares


def test_squares_are_the_diagonal_of_the_inner_products():
    x = draw_inputs(5, 9, np.random.default_rng(0))
    network = draw_network(3, 1.0, 2, np.random.default_rng(1))
    inputs = respond(network, x).inputs
    assert np.allclose(inputs.squares, np.diag(x @ x.T), rtol=1e-14)
