"""Second moments at initialisation against networks drawn and differentiated by the engine."""

import numpy as np
import pytest

from rmtsim.networks import fully_connected
from rmtsim.papers.li.theory import activation_energies, entry_variance, gradient_energies, hessian_energies

WIDTHS = (3, 5, 4)


def _averages(factor, networks):
    rng = np.random.default_rng(11)
    architecture = fully_connected((*WIDTHS, 1), "relu", gain=factor)
    layout = architecture.layout
    depth = len(WIDTHS)
    activations, gradients, blocks = [], [], []
    for _ in range(networks):
        network = architecture.sample(rng)
        x = rng.standard_normal((1, WIDTHS[0]))
        x *= 1 / np.linalg.norm(x)
        activations.append([np.square(read).sum() for read in network.forward(x).reads])
        gradient, hessian = network.gradient(x), network.hessian(x)
        gradients.append([np.square(gradient[layout.layer(p)]).sum() for p in range(depth)])
        blocks.append(
            [
                [np.square(hessian[layout.layer(p), layout.layer(q)]).sum() for q in range(depth)]
                for p in range(depth)
            ]
        )
    return [
        (np.mean(each, axis=0), np.std(each, axis=0) / np.sqrt(networks))
        for each in (activations, gradients, blocks)
    ]


@pytest.mark.thorough
def test_moments_of_networks_with_unequal_widths():
    factor = 1.3
    found = _averages(factor, 1500)
    stated = (
        activation_energies(WIDTHS, factor),
        gradient_energies(WIDTHS, factor),
        hessian_energies(WIDTHS, factor),
    )
    for (mean, error), expected in zip(found, stated, strict=True):
        assert np.all(np.abs(mean - expected) <= 4.5 * error + 1e-12)
        # A constant that is off by a fifth is noticed wherever there is something to see.
        assert np.any(np.abs(mean - 1.2 * expected) > 4.5 * error)


def test_equal_widths():
    n, depth, c = 7, 5, 0.8
    widths = (n,) * depth
    assert gradient_energies(widths, c).sum() == pytest.approx(depth * (c / 2) ** (depth - 1))
    assert hessian_energies(widths, c).sum() == pytest.approx(
        depth * (depth - 1) / 2 * n * (c / 2) ** (depth - 2)
    )
    # A block beyond the first off-diagonal has n⁴ entries of this variance; ‖x‖² is n on average.
    assert hessian_energies(widths, c)[0, 2] * n == pytest.approx(n**4 * entry_variance(n, depth, c))


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: gradient_energies((), 1.0), ValueError, "widths"),
        (lambda: gradient_energies(3, 1.0), TypeError, "widths=3"),
        (lambda: gradient_energies((3, 0), 1.0), ValueError, r"widths\[1\]=0"),
        (lambda: hessian_energies((3, 3), -1.0), ValueError, "factor=-1"),
        (lambda: entry_variance(3, 3, 1.0), ValueError, "layers=3"),
    ],
)
def test_bad_input_is_named(call, error, message):
    with pytest.raises(error, match=message):
        call()
