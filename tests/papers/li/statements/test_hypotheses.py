"""What the hypotheses contain: losses, architectures, norms, domains; small cases against plain code."""

import itertools
import math

import numpy as np
import pytest

from rmtsim import verify
from rmtsim.claims import find
from rmtsim.papers.li.statements import hypotheses, order_parameters

CHEAP = ("remarkD.3.convolution", "remarkD.3.residual", "sec4.2.signs", "condD.4")


@pytest.mark.parametrize("name", CHEAP)
def test_printed_is_refuted_and_corrected_confirmed(name):
    assert str(verify(f"li.{name}", budget=0.3)[0].verdict) == "REFUTED"
    assert str(verify(f"li.{name}/corrected", budget=1.0)[0].verdict) == "CONFIRMED"


def test_curvature_of_the_risk_is_the_density_of_the_margin():
    """E(1 − sz)₊ = Φ(1/s) + sφ(1/s) for a normal z: its second derivative at s = 1 is the density at 1."""
    rng = np.random.default_rng(1)
    z = math.sqrt(2) * rng.standard_normal(4_000_000)
    h = 0.05
    risks = [np.maximum(0.0, 1 - s * z).mean() for s in (1 + h, 1 - h, 1.0)]
    found = (risks[0] + risks[1] - 2 * risks[2]) / h**2
    assert found == pytest.approx(hypotheses.MARGIN_DENSITY, abs=0.01)


def test_the_lower_bound_is_below_the_norm_of_absolute_covariances():
    """|||κ|||₂^av of the block of W₁ and W₂ at width 3, from many samples, entry by entry."""
    rng = np.random.default_rng(2)
    n, samples = 3, 40_000
    first, second = (rng.standard_normal((n, n)) * math.sqrt(2 / n) for _ in range(2))
    alpha = rng.standard_normal(n)
    x = rng.standard_normal((samples, n))
    reach = x @ first
    h1, h2 = (reach > 0).astype(float), (np.maximum(reach, 0) @ second > 0).astype(float)
    entries = np.einsum("mi,mj,ml,l->mijl", x, h1, h2, alpha).reshape(samples, -1)
    covariance = entries.T @ entries / samples  # fair labels: means are zero
    norm = np.linalg.norm(np.abs(covariance), 2)
    for i in range(n):
        v = np.zeros((n, n, n))
        v[i] = np.sign(alpha) / n
        assert v.ravel() @ covariance @ v.ravel() <= norm * (1 + 1e-12)


def test_slopes_of_a_loss_of_the_class():
    """Convex: slopes do not fall; a minimum: they change sign."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        state = rng.bit_generator.state
        low = hypotheses._slopes_of_a_loss(np.array([-1e6]), rng)
        rng.bit_generator.state = state
        slopes = hypotheses._slopes_of_a_loss(np.linspace(-5, 5, 200), rng)
        assert low[0] < 0 < slopes[-1]
        assert (np.diff(slopes) >= 0).all()


def test_least_norms_of_a_rare_event():
    """min_a ‖X − a‖₂² = p(1 − p): the corrected quotient is one, the printed one p^(−1/3) for small p."""
    rng = np.random.default_rng(4)
    assert find("li.condD.4/corrected")(100, rng) == pytest.approx(1.0)
    found = [find("li.condD.4")(1000, rng) for _ in range(20)]
    assert 9.0 < min(found) < max(found) < 13.0


@pytest.mark.parametrize(("order", "count"), [(3, 13), (4, 75)])
def test_cumulants_of_a_chain_are_those_of_connected_entries(order, count):
    """Non-zero exactly where the entries fill an interval of the chain."""
    found = order_parameters._chain_cumulants(order, np.random.default_rng(order))
    connected = {
        others: len({*others, 3}) == max(*others, 3) - min(*others, 3) + 1
        for others in itertools.product(range(7), repeat=order - 1)
    }
    assert sum(connected.values()) == count
    assert all((abs(found[others]) > 1e-9) == linked for others, linked in connected.items())
