"""Claims of `li` on the Hessian of a deep ReLU network: eqs. (3)–(6), (12)–(14), the entries of section 3.3.

The judge is the loss itself: second differences in 90-digit arithmetic of a network written neuron by neuron. Points
on a kink have probability zero, and the steps of 10⁻¹⁵ are far shorter than the distance to the next one.
"""

from __future__ import annotations

from functools import partial

import mpmath
import numpy as np
from numpy.typing import NDArray

from rmtsim.claims import Corrected, Erratum, Identity, Place, Plan, claim
from rmtsim.curvature._differentiation import SecondDifferences
from rmtsim.networks import Network, network_from_arrays
from rmtsim.papers.li.statements.paths import Sample, draw, loss_of_parameters

Array = NDArray[np.float64]

IDENTITY_PLAN = Plan(sizes=(2, 3), size_name="n", cost=0.1)


def _relative(found: Array, true: Array) -> float:
    return float(np.linalg.norm(found - true) / np.linalg.norm(true))


def _engine(sample: Sample) -> Network:
    """The same network in the engine; its "loss" is the output itself."""
    arrays = [*(weights.T for weights in sample.matrices), sample.alpha[None, :]]
    return network_from_arrays(arrays, activation="relu", loss="none")


def _some_loss(rng: np.random.Generator) -> str:
    return ("hinge", "absolute")[int(rng.integers(2))]


def _differences(sample: Sample) -> SecondDifferences:
    """Second derivatives of the loss of class L₀ at this sample."""
    label = int(sample.label)
    if sample.loss == "hinge":
        return SecondDifferences(
            loss_of_parameters(sample, lambda value: max(mpmath.mpf(0), 1 - label * value)), sample.parameters
        )
    return SecondDifferences(loss_of_parameters(sample, lambda value: abs(value - label)), sample.parameters)


def _indices(sample: Sample, layer: int) -> list[int]:
    place = sample.place(layer)
    return list(range(place.start, place.stop))


def _two_layers(rng: np.random.Generator, layers: int, last: int) -> tuple[int, int]:
    """p < q ≤ ``last``, at random."""
    low, high = sorted(int(k) for k in rng.choice(np.arange(1, last + 1), size=2, replace=False))
    return low, high


@claim(
    "li.eq3",
    at=Place("eqs. (2), (3)", note="The matrices of (3) are the transposes of those of (2)."),
    printed="A network whose layers are ReLU(Wᵀ·) is the product T(x) = xᵀ W₁dg(h₁) … W_{L−1}dg(h_{L−1}) α with the "
    "gates h of that input.",
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN.but(sizes=(2, 5, 9), cost=1e-4),
)
def product_of_gated_matrices(size: int, rng: np.random.Generator) -> float:
    """Relative error of the product against the network engine."""
    sample = draw(size, rng, layers=int(rng.integers(2, 7)))
    network = _engine(sample)
    true = float(network.output(sample.inputs[None, :])[0, 0])
    return abs(sample.output() - true) / abs(true)


@claim(
    "li.eq4",
    at="eq. (4)",
    printed="d²l(T)/dθ² = l''(T) ∇T∇Tᵀ + l'(T) ∇²T for a smooth loss (logistic, square) and the network of eq. (3).",
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN,
)
def chain_rule(size: int, rng: np.random.Generator) -> float:
    """Relative error of the whole matrix."""
    sample = draw(size, rng, layers=3)
    network = _engine(sample)
    row, value, label = sample.inputs[None, :], sample.output(), sample.label
    slope_of_output, curvature_of_output = network.jacobian(row)[0, 0], network.hessian(row)
    if rng.integers(2):
        share = 1 / (1 + np.exp(label * value))
        first, second = -label * share, share * (1 - share)
        differences = SecondDifferences(
            loss_of_parameters(sample, lambda t: mpmath.log(1 + mpmath.exp(-int(label) * t))),
            sample.parameters,
        )
    else:
        first, second = 2 * (value - label), 2.0
        differences = SecondDifferences(
            loss_of_parameters(sample, lambda t: (t - int(label)) ** 2), sample.parameters
        )
    printed = second * np.outer(slope_of_output, slope_of_output) + first * curvature_of_output
    everything = range(len(sample.parameters))
    return _relative(printed, differences(everything, everything))


def block_error(size: int, rng: np.random.Generator) -> float:
    """Relative error of H_pq for random p < q ≤ L − 1, L between 3 and 6."""
    layers = int(rng.integers(3, 7))
    low, high = _two_layers(rng, layers, layers - 1)
    sample = draw(size, rng, layers, _some_loss(rng))
    while not sample.block(low, high).any():
        sample = draw(size, rng, layers, sample.loss)
    true = _differences(sample)(_indices(sample, high), _indices(sample, low))
    return _relative(sample.block(low, high), true)


claim(
    "li.eq12",
    block_error,
    at="eq. (12)",
    printed="The block of vec W_q (rows) and vec W_p (columns), p < q < L, is l'·dg(h_q)W_{q+1}dg(h_{q+1})…α ⊗ "
    "dg(h_{q−1})W_{q−1}ᵀ…dg(h_p) ⊗ xᵀW₁dg(h₁)…W_{p−1}dg(h_{p−1}), vec stacking columns.",
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN,
)
claim(
    "li.eq5",
    block_error,
    at=Place(
        "eq. (5)",
        same_as="li.eq12",
        note="In our copy of (5) the middle product has an arrow to the right; (12), and (5) as appendix F.2.1 quotes "
        "it, have it to the left, which is tested.",
    ),
    printed="The same as eq. (12), whose product in the middle runs downwards.",
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN,
)


def whole_matrix_error(size: int, rng: np.random.Generator) -> float:
    """Relative error of the whole Hessian of one sample: blocks (12), zero diagonal blocks, α as layer L."""
    layers = int(rng.integers(3, 5))
    sample = draw(size, rng, layers, _some_loss(rng))
    total = len(sample.parameters)
    printed = np.zeros((total, total))
    for high in range(2, layers + 1):
        for low in range(1, high):
            block = sample.block(low, high)
            printed[sample.place(high), sample.place(low)] = block
            printed[sample.place(low), sample.place(high)] = block.T
    return _relative(printed, _differences(sample)(range(total), range(total)))


claim(
    "li.eq13",
    whole_matrix_error,
    at=Place(
        "eq. (13)",
        note="For q = L eq. (12) has to be read with W_L := α and 1 behind it, as appendix F does.",
    ),
    printed="The Hessian of the loss of one sample has zero diagonal blocks, H_pq below and H_pqᵀ above the diagonal; "
    "layer L is α, a matrix of one column.",
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN,
)
claim(
    "li.eq6",
    whole_matrix_error,
    at=Place("eq. (6)", same_as="li.eq13"),
    printed="The same as eq. (13).",
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN,
)


def shorthand_block(sample: Sample, low: int, high: int, *, printed: bool) -> Array:
    """(14a)–(14c); ``printed`` takes W̃_{q∼(L−1)} as defined there, dg(h_q) W_{q+1}dg(h_{q+1}) … dg(h_{L−2}) W_{L−1}."""
    top = sample.layers - 1
    if printed:
        matrix = np.diag(sample.gates[high - 1])
        for layer in range(high + 1, top):
            matrix = matrix @ sample.gated(layer)
        matrix = matrix @ sample.matrices[top - 1]
    else:
        matrix = sample.between(high, top + 1)
    left = sample.slope() * matrix @ (sample.gates[top - 1] * sample.alpha)
    return np.asarray(
        np.kron(np.kron(left[:, None], sample.between(low, high).T), sample.forward(low - 1)[None, :])
    )


def shorthand_error(size: int, rng: np.random.Generator, *, printed: bool) -> float:
    """Relative error of (14) for random p < q ≤ L − 1."""
    layers = int(rng.integers(3, 6))
    low, high = _two_layers(rng, layers, layers - 1)
    sample = draw(size, rng, layers)
    while not sample.block(low, high).any():
        sample = draw(size, rng, layers)
    true = _differences(sample)(_indices(sample, high), _indices(sample, low))
    return _relative(shorthand_block(sample, low, high, printed=printed), true)


claim(
    "li.eq14",
    partial(shorthand_error, printed=True),
    at="eq. (14)",
    printed="H_pq = α̃_q ⊗ W̃ᵀ_{p∼(q−1)} ⊗ x̃ᵀ_{p−1} for p < q < L, with α̃_q = W̃_{q∼(L−1)} dg(h_{L−1}) α l' and "
    "W̃_{q∼(L−1)} = dg(h_q) Π_{k=q+1}^{L−2}(W_k dg(h_k)) W_{L−1}.",
    corrected=Corrected(
        "H_pq = α̃_q ⊗ W̃ᵀ_{p∼(q−1)} ⊗ x̃ᵀ_{p−1} for p < q < L, with α̃_q = W̃_{q∼(L−1)} dg(h_{L−1}) α l' and "
        "W̃_{q∼(L−1)} = dg(h_q) Π_{k=q+1}^{L−1}(W_k dg(h_k)).",
        measured=partial(shorthand_error, printed=False),
    ),
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN,
    erratum=Erratum(
        cause="the shorthand for the way to the top keeps W_{L−1} at q = L − 1",
        note="At q = L − 1 nothing lies between W_q and α, but the printed W̃_{q∼(L−1)} is dg(h_q)W_{L−1} there.",
        credit="Eq. (12) is right for every q, and so is (14) with W̃_{q∼(L−1)} defined like the W̃_{p∼(q−1)} two "
        "lines below.",
    ),
)


def printed_entries(sample: Sample) -> Array:
    """Section 3.3 as an array over (a, c, d, f), meant for ∂²l/∂w^p_ac ∂w^q_df, with i, p, j, q, k = 1 … 5."""
    h, w = sample.gates, sample.matrices
    left = sample.slope() * h[3] * (w[4] @ sample.alpha)
    middle = h[2][:, None] * w[2] * h[1][None, :]
    right = (sample.inputs @ w[0]) * h[0]
    return np.asarray(np.einsum("a,cd,f->acdf", left, middle, right))


def right_entries(sample: Sample) -> Array:
    """The entries that (12) gives, over (a, c, d, f), for ∂²l/∂w^q_ca ∂w^p_fd."""
    h, w = sample.gates, sample.matrices
    left = sample.slope() * h[3] * (w[4] @ (h[4] * sample.alpha))
    middle = h[2][:, None] * w[2].T * h[1][None, :]
    right = (sample.inputs @ w[0]) * h[0]
    return np.asarray(np.einsum("a,cd,f->acdf", left, middle, right))


def _six_layers(size: int, rng: np.random.Generator) -> tuple[Sample, Array]:
    """A network of L = 6 and ∂²l/∂w^q_ij ∂w^p_kl as an array over (i, j, k, l), p = 2 and q = 4."""
    sample = draw(size, rng, layers=6, alive=(5,))
    while not right_entries(sample).any():
        sample = draw(size, rng, layers=6, alive=(5,))
    block = _differences(sample)(_indices(sample, 4), _indices(sample, 2))
    return sample, block.reshape(size, size, size, size).transpose(1, 0, 3, 2)


def entries_as_printed(size: int, rng: np.random.Generator) -> float:
    """Relative error of the printed entries, read as ∂²l/∂w^p_ac ∂w^q_df."""
    sample, true = _six_layers(size, rng)
    return _relative(printed_entries(sample), true.transpose(2, 3, 0, 1))


def entries_corrected(size: int, rng: np.random.Generator) -> float:
    """Relative error of the right entries, of ∂²l/∂w^q_ca ∂w^p_fd."""
    sample, true = _six_layers(size, rng)
    return _relative(right_entries(sample), true.transpose(1, 0, 3, 2))


claim(
    "li.sec3.3",
    entries_as_printed,
    at="section 3.3, the display of entries",
    printed="Where each factor of (5) has one matrix: ∂²l/∂w^p_ac ∂w^q_df = Σ_b l' h^q_a w^k_ab α_b · h^j_c w^j_cd "
    "h^p_d · Σ_e x_e w^i_ef h^i_f.",
    corrected=Corrected(
        "Where each factor of (5) has one matrix: ∂²l/∂w^q_ca ∂w^p_fd = Σ_b l' h^q_a w^k_ab h^k_b α_b · h^j_c w^j_dc "
        "h^p_d · Σ_e x_e w^i_ef h^i_f.",
        measured=entries_corrected,
    ),
    states=Identity(within=1e-8),
    plan=IDENTITY_PLAN.but(cost=0.15),
    erratum=Erratum(
        cause="in the entries the layers p and q are exchanged, a matrix is not transposed and a gate is lost",
        note="Rows of (5) belong to vec W_q, whose entry (a, c) is w^q_ca; the middle factor is W_jᵀ, so w^j_dc; and "
        "dg(h_k) of (5) is missing before α. (Our copy has the index i on the middle weight, read as j.)",
        credit="Eqs. (5) and (12), which the display spells out, are right.",
    ),
)
