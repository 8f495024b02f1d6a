"""Statements of `li` that need a sign, a factor or a hypothesis: Theorem 1(c), sections 2.3-4.3, appendices B, D, E."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import (
    Bound,
    Computed,
    Corrected,
    Identity,
    Limit,
    Plan,
    Probability,
    Simulated,
    claim,
)
from rmtsim.networks import Network, fully_connected
from rmtsim.papers.li.simulation.ensembles import wigner

Rng = np.random.Generator

# ---- Theorem 1(c) ----


@claim(
    "li.thm1.c.absolute",
    corrected=Corrected(states=Identity(within=1e-12)),
    states=Bound(0.1),
    plan=Plan(sizes=(10, 100, 1000), size_name="1/risk", cost=1e-3),
)
def norm_at_small_risk(size: int, rng: Rng, form: str) -> float:
    """‖H‖/‖∇²T‖ for the absolute loss at the risk 1/``size``, one sample, width 4; corrected: less one."""
    model = fully_connected((4, 4, 4, 1), "relu", loss="absolute")
    while True:
        network, x = model.sample(rng), rng.standard_normal((1, 4))
        output = float(network.output(x)[0, 0])
        label = np.array([[output + rng.choice([-1.0, 1.0]) / size]])
        found = network.hessian(x, label)
        output_hessian = _output_hessian(network, x)
        if output_hessian.any():
            quotient = float(np.linalg.norm(found, 2) / np.linalg.norm(output_hessian, 2))
            return quotient if form == "printed" else abs(quotient - 1)


def _output_hessian(network: Network, x: NDArray[np.float64]) -> NDArray[np.float64]:
    """∇²T at x, from the same parameters without a loss."""
    plain = fully_connected(tuple(_widths(network)), "relu", loss="none")
    return np.asarray(Network(plain, network.parameters).hessian(x))


def _widths(network: Network) -> list[int]:
    return [network.weights[0].shape[1], *(weights.shape[0] for weights in network.weights)]


@claim(
    "li.thm1.c.risk",
    corrected=Corrected(states=Identity(within=1e-9)),
    states=Bound(1.0),
    plan=Plan(sizes=(3, 5), size_name="n", cost=2e-3),
)
def norm_along_scaling(size: int, rng: Rng, form: str) -> float:
    """‖H(sθ)‖/‖H(θ)‖, hinge loss of one sample, L = 3, s = 1.1 where the risk falls; corrected: over s, less one."""
    model = fully_connected((size, size, size, 1), "relu", loss="hinge")
    while True:
        network, x = model.sample(rng), rng.standard_normal((1, size))
        output = float(network.output(x)[0, 0])
        if 1e-6 < abs(output) < 0.5:
            break
    label = np.array([[math.copysign(1.0, output)]])
    larger = network.with_parameters(1.1 * network.parameters)
    if not larger.loss(x, label) < network.loss(x, label):
        return 0.0
    quotient = float(
        np.linalg.norm(larger.hessian(x, label), 2) / np.linalg.norm(network.hessian(x, label), 2)
    )
    return quotient if form == "printed" else abs(quotient / 1.1 - 1)


# ---- Sections 2.3, 3.3 and 4.3.2 ----


@claim("li.sec2.3.swish", states=Identity(within=1e-12), plan=Plan(sizes=(3, 5), size_name="n", cost=2e-3))
def diagonal_share(size: int, rng: Rng, form: str) -> float:
    """Largest entry of the diagonal blocks over the largest entry of H: swish; corrected: leaky ReLU."""
    name = "swish" if form == "printed" else "leaky_relu"
    network = fully_connected((size, size, size, 1), name, loss="none").sample(rng)
    x = rng.standard_normal((1, size))
    largest = float(np.abs(network.hessian(x)).max())
    return max(float(np.abs(network.hessian_block(x, None, p, p)).max()) for p in range(3)) / largest


@claim(
    "li.sec3.3.covariance",
    corrected=Corrected(states=Limit(0.25, within=0.01)),
    states=Limit(0.0, within=0.05),
    plan=Plan(sizes=(8, 32, 128), size_name="n", exponents=(1.0,), cost=3e-4),
)
def mean_of_gates(size: int, rng: Rng) -> float:
    """The mean over 500 inputs of h_i h_j for two units of a layer with orthogonal weights: independent gates."""
    weights, _ = np.linalg.qr(rng.standard_normal((size, 2)))
    gates = rng.standard_normal((500, size)) @ weights > 0
    return float((gates[:, 0] & gates[:, 1]).mean())


@claim(
    "li.sec4.3.2.pairing",
    corrected=Corrected(states=Limit(0.0, within=0.05)),
    states=Identity(within=1e-6),
    plan=Plan(
        sizes=(20, 40, 80, 160), size_name="N", exponents=(0.5, 1.0), cost=lambda size: 1e-4 + 1e-9 * size**3
    ),
)
def mirror_distance(size: int, rng: Rng) -> float:
    """Σ|λ_i + λ_{N+1−i}|/Σ|λ_i| of a Gaussian Wigner matrix, A = 0."""
    found = np.linalg.eigvalsh(wigner(size, 1.0, rng))
    return float(np.abs(found + found[::-1]).sum() / np.abs(found).sum())


# ---- Appendix B.2 ----


@claim(
    "li.appB.2.average",
    corrected=Corrected(states=Probability(math.erf(math.sqrt(2)), within=0.01)),
    states=Probability(0.95, within=0.02),
    plan=Plan(sizes=(4, 16, 64), size_name="n", exponents=(1.0,), cost=lambda size: 1e-6 + 2e-8 * size),
)
def within_two_deviations(size: int, rng: Rng, replicates: int, form: str) -> NDArray[np.bool_]:
    """Whether the average of n standard normal variables is within 2σ; corrected: within 2σ/√n."""
    reach = 2.0 if form == "printed" else 2 / math.sqrt(size)
    return np.asarray(np.abs(rng.standard_normal((replicates, size)).mean(axis=1)) <= reach)


@claim(
    "li.appB.2.wigner",
    states=Limit(1.0, within=0.05),
    plan=Plan(
        sizes=(20, 40, 80, 160), size_name="N", exponents=(0.5, 1.0), cost=lambda size: 1e-4 + 1e-9 * size**3
    ),
)
def share_in_semicircle(size: int, rng: Rng, form: str) -> float:
    """Share of the eigenvalues of A_N, entries of variance one, in [−2, 2]; corrected: of A_N/√N."""
    found = np.linalg.eigvalsh(wigner(size, 1.0, rng))
    return float((np.abs(found) <= (2 / math.sqrt(size) if form == "printed" else 2.0)).mean())


# ---- Appendix D ----


@claim("li.lemmaD.1", states=Identity(within=1e-6), plan=Plan(sizes=(2, 6), size_name="atoms", cost=1e-4))
def inversion_error(size: int, rng: Rng, form: str) -> float:
    """|left − right| for a measure with atoms at a and b too, Im z = 10⁻⁹, the integral of Im m in closed form.

    Atoms are at least 0.01 apart, so that Im z is small beside every gap: the error is at most 10⁻⁹/(0.01 π).
    """
    atoms = np.sort(rng.standard_normal(size + 2))
    while np.diff(atoms).min() < 0.01:
        atoms = np.sort(rng.standard_normal(size + 2))
    weights = rng.dirichlet(np.ones(size + 2))
    low, high = rng.choice(size + 2, 2, replace=False)
    a, b = sorted((atoms[low], atoms[high]))
    inside = (atoms > a) & (atoms < b)
    left = float(weights[inside].sum() + (weights[atoms == a].sum() + weights[atoms == b].sum()) / 2)
    height = 1e-9
    integral = float(weights @ (np.arctan((b - atoms) / height) - np.arctan((a - atoms) / height))) / math.pi
    return abs(left - (-integral if form == "printed" else integral))


@claim("li.corD.1.form", states=Identity(within=1e-9), plan=Plan(sizes=(8, 12), size_name="nodes", cost=1e-4))
def square_covariance(size: int, rng: Rng, form: str) -> float:
    """|κ(w_β², w_γ²) at 2ρ over that at ρ − 2|; corrected: − 4. Gaussian variables, by a rule with ``size`` nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(size)
    weights = weights / weights.sum()
    rho = float(rng.uniform(0.05, 0.45))

    def covariance(r: float) -> float:
        other = r * nodes[:, None] + math.sqrt(1 - r**2) * nodes[None, :]
        both = weights[:, None] * weights[None, :]
        return float((both * nodes[:, None] ** 2 * other**2).sum()) - 1.0

    quotient = covariance(2 * rho) / covariance(rho)
    return abs(quotient - (2.0 if form == "printed" else 4.0))


def _null_of_moments(size: int, rng: Rng) -> float:
    """Length of a random perturbation of a law on a ``size`` × ``size`` grid that changes no mixed moment."""
    powers = np.vander(np.cos(np.pi * (np.arange(size) + 0.5) / size), size)
    drawn = rng.standard_normal((size, size))
    moments = powers.T @ drawn @ powers
    inverse = np.linalg.inv(powers)
    return float(np.abs(drawn - inverse.T @ moments @ inverse).max())


@claim(
    "li.lemmaD.2",
    corrected=Corrected(
        measured=_null_of_moments,
        states=Identity(within=1e-8),
        plan=Plan(sizes=(3, 6), size_name="atoms", cost=1e-4),
        evidence=Simulated(),
    ),
    states=Bound(1.0),
    plan=Plan(sizes=(3, 10, 100), size_name="N", cost=1e-3),
    evidence=Computed(1e-8, chain=("li.corD.1.form",)),
)
def dependence_without_cumulants(size: int) -> float:
    """N³κ(f(X), f(Y))/‖f‖₂², X and Y lognormal with the density p(x)p(y)(1 + sin(2π ln x) sin(2π ln y)).

    f(x) = 1/(1 + 100(x − e^{1/4})²), an analytic function.
    """
    z = np.linspace(-9.0, 9.0, 200_001)
    density = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    f = 1 / (1 + 100 * (np.exp(z) - math.exp(0.25)) ** 2)
    shared = float((density * f * np.sin(2 * math.pi * z)).sum()) ** 2
    return float(size**3 * shared / float((density * f**2).sum()))


# ---- Appendix E ----


@claim(
    "li.appE.2.entries",
    states=Identity(within=0.01),
    plan=Plan(sizes=(100,), size_name="N_b", cost=1e-6),
    evidence=Computed(1e-15, chain=("li.sec5.1.skewness",)),
)
def entries_error(size: int, form: str) -> float:
    """Relative error of the stated number of variables in a sampled submatrix."""
    return abs((1e8 if form == "printed" else 1e4) / size**2 - 1)


@claim(
    "li.appE.4.threshold",
    states=Bound(1000.0),
    plan=Plan(sizes=(100,), size_name="N_b", cost=1e-4),
    evidence=Computed(1e-9, chain=("li.appE.3.law",)),
)
def pairs_at_threshold(size: int, form: str) -> float:
    """Expected ordered pairs of independent entries above 0.3; corrected: above 0.345. n = 157."""
    from rmtsim.papers.li.theory import null_count

    return float(null_count(size, 157, 0.3 if form == "printed" else 0.345).mean)
