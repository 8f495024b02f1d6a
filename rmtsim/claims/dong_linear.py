"""Claims of `dong` on the linear softmax model: eq. (5) and Theorem 1."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rmtsim.claims.controls import with_controls
from rmtsim.claims.model import Claim, Parameter, Parameters, Sampler, Tolerance
from rmtsim.claims.registry import register
from rmtsim.predict import dong_linear as theory

GAMMA = Parameter(
    "gamma",
    "limit of d/N",
    default=1.0,
    open_below=True,
    draw_range=(0.2, 5.0),
    assumption="Theorem 1 assumes d/N → γ in (0, ∞)",
)
CLASSES = Parameter(
    "classes",
    "number of classes C",
    default=10,
    integer=True,
    lowest=2,
    draw_range=(2, 50),
    assumption="Theorem 1 assumes a fixed C ≥ 2",
)

_SMOOTH = (1.0,)
"""Given the data, the logits are Gaussian with covariance x_n·x_m/d, so the mean energy is a smooth function of these
products averaged over the data: a series in 1/d, and no other power occurs (docs/dong-theorem-1.md)."""

_SIZES = (40, 80, 160, 320)
_GRID: tuple[Parameters, ...] = ({"gamma": 1.0, "classes": 10}, {"gamma": 2.0, "classes": 20})


def _identity_sample(
    parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
) -> NDArray[np.float64]:
    """Largest entry-wise error of eq. (5), relative to the largest entry, over all blocks of a drawn model."""
    import mpmath

    from rmtsim.hessian.differentiation import hessian_by_differences
    from rmtsim.hessian.linear import block
    from rmtsim.sampling.linear import sample_linear

    classes, samples = int(parameters["classes"]), size + 1
    errors = np.empty(replicates)
    for index in range(replicates):
        model = sample_linear(size, samples, classes, rng)
        labels = rng.integers(classes, size=samples)

        def loss(theta, model=model, labels=labels):  # type: ignore[no-untyped-def]
            total = mpmath.mpf(0)
            for x, label in zip(model.inputs, labels, strict=True):
                logits = [
                    mpmath.fdot(theta[c * size : (c + 1) * size], [mpmath.mpf(float(v)) for v in x])
                    for c in range(classes)
                ]
                total -= mpmath.log(
                    mpmath.exp(logits[label]) / mpmath.fsum(mpmath.exp(logit) for logit in logits)
                )
            return total / samples

        # One diagonal and one off-diagonal block, every entry: by symmetry of classes these are all cases.
        i, j = rng.choice(classes, size=2, replace=False)
        worst = 0.0
        for a, b in ((i, i), (i, j)):
            truth = hessian_by_differences(
                loss, model.weights, range(a * size, (a + 1) * size), range(b * size, (b + 1) * size)
            )
            worst = max(worst, float(np.abs(block(model, a, b) - truth).max() / np.abs(truth).max()))
        errors[index] = worst
    return errors


register(
    Claim(
        id="dong.eq5",
        paper="dong",
        equation="eq. (5)",
        statement="The Hessian of the cross-entropy loss (4) has the blocks H_ii = (1/N) Σ p_ni(1-p_ni) x_n x_nᵀ and "
        "H_ij = -(1/N) Σ p_ni p_nj x_n x_nᵀ.",
        kind="identity",
        parameters=(
            Parameter(
                "classes",
                "number of classes C",
                default=3,
                integer=True,
                lowest=2,
                highest=50,
                draw_range=(2, 6),
            ),
        ),
        grid=({"classes": 2}, {"classes": 4}),
        sizes=(2, 3),
        size_name="d",
        sample=_identity_sample,
        predict=lambda parameters: 0.0,
        tolerance=Tolerance(absolute=1e-12),
        cost=lambda parameters, size: 4e-4 * size**3 * (size + 1) * parameters["classes"],
    )
)


def _energy_table(
    statistic: Callable[[float, float, int], float],
) -> Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]]:
    """Sampler of a function of (mean ‖H_ii‖², mean ‖H_ij‖², d) of freshly drawn models, and of its two controls.

    The theorem is about one block; all blocks of a kind have one distribution, so their average has the
    same limit and less noise.
    """

    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        from rmtsim.hessian.linear import sample_block_energies

        dimension, samples = _shape(parameters, size)
        values = np.empty((replicates, 3))
        for index in range(replicates):
            energies = sample_block_energies(dimension, samples, int(parameters["classes"]), rng)
            values[index] = (
                statistic(energies.mean_diagonal, energies.mean_offdiagonal, dimension),
                energies.logit_variance,
                energies.data / dimension,
            )
        return values

    return sample


def _control_means(parameters: Parameters, size: int) -> tuple[float, float]:
    """Exact means of the controls: logits have variance |x|²/d given x, and E‖XᵀX/N‖²/d = (d + 1 + N)/N.

    The latter from E(x_n·x_m)² = d for n ≠ m and E|x_n|⁴ = d(d + 2).
    """
    dimension, samples = _shape(parameters, size)
    return 1 - 1 / parameters["classes"], (dimension + 1 + samples) / samples


def _energy_sample(statistic: Callable[[float, float, int], float], *, controls: bool) -> Sampler:
    table = _energy_table(statistic)
    if controls:
        return with_controls(table, _control_means, pilot_size=_SIZES[0])
    return lambda parameters, size, rng, replicates: table(parameters, size, rng, replicates)[:, 0]


def _shape(parameters: Parameters, size: int) -> tuple[int, int]:
    """(d, N) of a size: the more lopsided the ratio, the smaller the smaller side, which bounds the N²d of work."""
    from rmtsim.sampling.shapes import proportional_shape

    gamma = float(parameters["gamma"])
    return proportional_shape(max(2, round(size * min(gamma, 1 / gamma) ** 0.25)), gamma)


def _energy_cost(parameters: Parameters, size: int) -> float:
    dimension, samples = _shape(parameters, size)
    classes = float(parameters["classes"])
    return (
        1.5e-4
        + 2e-8 * (samples + classes) * dimension
        + samples**2 * (2.2e-8 + 6e-11 * (dimension + 3 * classes))
    )


def _energy_memory(parameters: Parameters, size: int) -> float:
    dimension, samples = _shape(parameters, size)
    return float(8.0 * (samples * (dimension + parameters["classes"]) + 3.0 * samples**2))


def _block_claim(
    name: str,
    equation: str,
    statement: str,
    statistic: Callable[[float, float, int], float],
    predict: Callable[[Parameters], float],
    *,
    exponents: tuple[float, ...] = (0.5, 2 / 3, 1.0),
    note: str = "",
) -> Claim:
    return register(
        Claim(
            id=f"dong.thm1.{name}",
            paper="dong",
            equation=f"Theorem 1, eq. ({equation})",
            statement=statement,
            kind="limit",
            parameters=(GAMMA, CLASSES),
            grid=_GRID,
            sizes=_SIZES,
            size_name="n, min(d, N) ≈ n·min(γ, 1/γ)^¼",
            # The controls fluctuate on a fixed scale, and so must what they explain: ‖H‖_F/d shrinks with the size.
            sample=_energy_sample(statistic, controls=exponents == _SMOOTH),
            predict=predict,
            tolerance=Tolerance(relative=0.02),
            exponents=exponents,
            cost=_energy_cost,
            memory=_energy_memory,
            note=note,
        )
    )


_SLIP = (
    "The proof bounds the second moment of the block's spectrum, which is ‖H‖²_F/d: the printed norm lacks its "
    "square. ‖H‖_F/d itself is √(g/d)(1 + o(1)) and tends to zero."
)

_Energy = Callable[[float, float], float]
_BLOCKS: tuple[tuple[str, str, str, _Energy, Callable[[float, int], float]], ...] = (
    ("diagonal", "22", "ii", lambda diagonal, offdiagonal: diagonal, theory.diagonal_energy),
    ("offdiagonal", "23", "ij", lambda diagonal, offdiagonal: offdiagonal, theory.offdiagonal_energy),
)


def _printed_and_corrected(
    name: str, equation: str, index: str, pick: _Energy, energy: Callable[[float, int], float]
) -> None:
    """(22) or (23): the norm as printed, and its square."""

    def predict(parameters: Parameters) -> float:
        return energy(parameters["gamma"], parameters["classes"])

    statement = "For fixed C and d, N → ∞ with d/N → γ: (1/d){} → g_{}(γ, C) almost surely."
    _block_claim(
        name,
        equation,
        statement.format(f"‖H_{index}‖_F", index),
        lambda diagonal, offdiagonal, dimension: float(np.sqrt(pick(diagonal, offdiagonal))) / dimension,
        predict,
        note=_SLIP,
    )
    _block_claim(
        f"{name}/corrected",
        equation,
        statement.format(f"‖H_{index}‖²_F", index),
        lambda diagonal, offdiagonal, dimension: pick(diagonal, offdiagonal) / dimension,
        predict,
        exponents=_SMOOTH,
        note=_SLIP,
    )


for _block in _BLOCKS:
    _printed_and_corrected(*_block)
_block_claim(
    "ratio",
    "26, first part",
    "For fixed C and d, N → ∞ with d/N → γ: ‖H_ij‖²_F/‖H_ii‖²_F → g_ij(γ, C)/g_ii(γ, C).",
    lambda diagonal, offdiagonal, dimension: offdiagonal / diagonal,
    lambda parameters: theory.ratio(parameters["gamma"], parameters["classes"]),
    exponents=_SMOOTH,
)


def _exact_sample(
    function: Callable[[float, int], float],
) -> Callable[[Parameters, int, np.random.Generator, int], NDArray[np.float64]]:
    def sample(
        parameters: Parameters, size: int, rng: np.random.Generator, replicates: int
    ) -> NDArray[np.float64]:
        return np.full(replicates, function(parameters["gamma"], size))

    return sample


_CLASS_COUNTS = (1_000, 4_000, 16_000, 64_000, 256_000)


def _class_limit(
    name: str,
    equation: str,
    statement: str,
    function: Callable[[float, int], float],
    predict: Callable[[Parameters], float],
    exponent: float | None = None,
) -> Claim:
    return register(
        Claim(
            id=f"dong.thm1.{name}",
            paper="dong",
            equation=f"Theorem 1, eq. ({equation})",
            statement=statement,
            kind="limit" if exponent is None else "rate",
            exponent=exponent,
            parameters=(GAMMA,),
            grid=({"gamma": 0.1}, {"gamma": 1.0}, {"gamma": 5.0}),
            sizes=_CLASS_COUNTS,
            size_name="C",
            sample=_exact_sample(function),
            exact=1e-12,
            predict=predict,
            tolerance=Tolerance(relative=1e-3),
            exponents=(1.0,),
            cost=lambda parameters, size: 0.05,
        )
    )


_class_limit(
    "diagonal-limit",
    "24",
    "lim C² g_ii(γ, C) = γe + 1 as C → ∞.",
    lambda gamma, classes: float(classes) ** 2 * theory.diagonal_energy(gamma, classes),
    lambda parameters: theory.diagonal_limit(parameters["gamma"]),
)
_class_limit(
    "offdiagonal-limit",
    "25",
    "lim C⁴ g_ij(γ, C) = γe² + 1 as C → ∞.",
    lambda gamma, classes: float(classes) ** 4 * theory.offdiagonal_energy(gamma, classes),
    lambda parameters: theory.offdiagonal_limit(parameters["gamma"]),
)
_class_limit(
    "ratio-rate",
    "26",
    "The ratio g_ij/g_ii vanishes like C⁻²: lim C² g_ij/g_ii = (γe² + 1)/(γe + 1) as C → ∞.",
    theory.ratio,
    lambda parameters: theory.ratio_limit(parameters["gamma"]),
    exponent=2.0,
)
