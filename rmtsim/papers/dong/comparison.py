"""Comparison of a user's network with the finite-C theory of `dong`.

The theory is about networks at initialisation on Gaussian data as dimension and samples grow. One network of finite
size scatters around that, so networks that meet every assumption are drawn at the same sizes; their mean and spread
are shown next to the measured value. Assumptions that the user's weights and inputs do not meet are found by averages
over their entries whose mean and variance are known exactly for Gaussian matrices.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.curvature import BlockEnergies, block_energies
from rmtsim.networks import Activation, Network, fully_connected

__all__ = ["Assumption", "Comparison", "Row", "compare_with_theory"]


_FAR = 4.0
"""Standard deviations beyond which an average is called far: 1 in 16 000 for a Gaussian, 1 in 1000 for the mean square
of thirty weights, which is skewed."""
_NEAR = 0.5
"""Share of a limit by which networks of these sizes may differ from it on average and still be called large."""


@frozen
class Row:
    """One quantity: measured, in theory as d, N → ∞ (None where no theory exists), and in networks of these sizes."""

    name: str
    measured: float
    theory: float | None
    mean: float
    spread: float

    @property
    def distance(self) -> float:
        """Measured minus mean, in standard deviations of one network; infinite where there is no spread."""
        gap = self.measured - self.mean
        return gap / self.spread if self.spread > 0 else 0.0 if gap == 0 else float(np.copysign(np.inf, gap))


@frozen
class Assumption:
    """What the theory assumes, what was found, and whether it is met."""

    name: str
    found: str
    met: bool
    known: str = ""
    """What explains an assumption that is not met, if it is known."""


@frozen
class Comparison:
    """What :func:`compare_with_theory` returns; printing it shows both tables."""

    sizes: str
    rows: tuple[Row, ...]
    assumptions: tuple[Assumption, ...]
    networks: int

    @property
    def broken(self) -> tuple[Assumption, ...]:
        """The assumptions that this network or its inputs do not meet."""
        return tuple(a for a in self.assumptions if not a.met)

    def __str__(self) -> str:
        lines = [
            self.sizes,
            f"{'quantity':<34}{'measured':>12}{'d, N → ∞':>12}{'one network at these sizes':>30}{'distance':>11}",
        ]
        for row in self.rows:
            theory = "none" if row.theory is None else f"{row.theory:.4g}"
            expected = f"{row.mean:.4g} ± {row.spread:.2g}"
            lines.append(
                f"{row.name:<34}{row.measured:>12.4g}{theory:>12}{expected:>30}{row.distance:>8.1f} sd"
            )
        lines.append(f"(mean and standard deviation of {self.networks} networks that meet every assumption)")
        for a in self.assumptions:
            label = "ok    " if a.met else "known " if a.known else "BROKEN"
            lines.append(f"{label} {a.name}: {a.found}{f' ({a.known})' if a.known and not a.met else ''}")
        return "\n".join(lines)


def compare_with_theory(
    network: Network,
    inputs: ArrayLike,
    targets: Any,
    *,
    networks: int = 24,
    rng: np.random.Generator | None = None,
) -> Comparison:
    """Block norms of a network compared with the theory of `dong` at its number of classes, and the assumptions it
    violates.

    For each layer the average energies ‖H_ii‖²_F and ‖H_ij‖²_F, i ≠ j (divided by the input dimension d in the first
    layer) and their ratio. Theory exists for a linear classifier with cross-entropy (Theorem 1), and for one hidden
    ReLU layer with cross-entropy or square loss (Theorem 2); other networks of that depth are compared with it as
    well, and the difference is named. Deeper ones are compared with random ReLU networks of the same widths only.
    ``networks`` draws give the spread; ``rng`` makes them (a fixed stream if not given, so that the same call prints
    the same table).

    >>> from rmtsim.networks import fully_connected
    >>> rng = np.random.default_rng(0)
    >>> network = fully_connected((60, 10), loss="cross_entropy").sample(rng)
    >>> result = compare_with_theory(network, rng.standard_normal((120, 60)), np.arange(120) % 10)
    >>> [row.name for row in result.rows], len(result.broken)
    (['output ‖H_ii‖²/d', 'output ‖H_ij‖²/d', 'output ratio'], 0)
    >>> all(abs(row.distance) < 4 for row in result.rows)
    True
    """
    networks = validate.integer("networks", networks, minimum=4, meaning="draws for the spread")
    rng = np.random.default_rng(20261116) if rng is None else validate.generator("rng", rng)
    architecture = validate.instance("network", network, Network).architecture
    if any(layer.filter for layer in architecture.layers):
        raise ValueError("a convolution: theory exists for dense networks")
    if architecture.loss.name not in ("square", "cross_entropy"):
        raise ValueError(f"loss {architecture.loss}: theory exists for cross_entropy and square")
    if architecture.outputs < 2:
        raise ValueError("one output: theory compares blocks of at least two classes")
    passed = network.forward(inputs)
    x = np.asarray(inputs, dtype=np.float64).reshape(passed.samples, -1)
    measured = _quantities(network, x, targets)
    ideal = fully_connected(
        architecture.widths, "relu", output="identity", loss=architecture.loss, parametrisation="fan_in"
    )
    drawn: list[dict[str, float]] = []
    for _ in range(networks):
        other_x = rng.standard_normal(x.shape)
        other = ideal.sample(rng)
        drawn.append(_quantities(other, other_x, _labels(architecture.loss.name, passed, rng)))
    theory = _theory(architecture.widths, passed.samples, architecture.loss.name, architecture.loss.factor)
    rows = tuple(
        Row(name, value, theory.get(name), *_mean_and_spread([d[name] for d in drawn]))
        for name, value in measured.items()
    )
    samples, dimension = x.shape
    sizes = f"d = {dimension}, N = {samples}, widths {architecture.widths}, {architecture.loss}"
    assumptions = (
        *_assumptions(network),
        *_large_sizes(rows, networks),
        *_explained(network, tuple(a.assumption() for a in _averages(network, x))),
    )
    return Comparison(sizes, rows, assumptions, networks)


def _labels(loss: str, passed: Any, rng: np.random.Generator) -> Any:
    samples, outputs = passed.output.shape
    labels = rng.integers(outputs, size=samples)
    return labels if loss == "cross_entropy" else np.eye(outputs)[labels]


def _quantities(network: Network, x: Array, targets: Any) -> dict[str, float]:
    found: dict[str, float] = {}
    last = len(network.architecture.layers) - 1
    for energies in block_energies(network, x, targets):
        name = (
            "output" if energies.layer == last else "hidden" if last == 1 else f"layer {energies.layer + 1}"
        )
        scale = x.shape[1] if energies.layer == 0 else 1
        per = "/d" if energies.layer == 0 else ""
        if energies.neurons < 2 or energies.mean_diagonal == 0:
            continue
        found[f"{name} ‖H_ii‖²{per}"] = energies.mean_diagonal / scale
        if _has_offdiagonal(energies, network):
            found[f"{name} ‖H_ij‖²{per}"] = energies.mean_offdiagonal / scale
            found[f"{name} ratio"] = energies.ratio
    return found


def _has_offdiagonal(energies: BlockEnergies, network: Network) -> bool:
    # The square loss does not couple outputs: those blocks are zero for every network.
    last = energies.layer == len(network.architecture.layers) - 1
    return not (last and network.architecture.loss.name == "square")


def _theory(widths: tuple[int, ...], samples: int, loss: str, factor: float) -> dict[str, float]:
    """Values as d, N → ∞ at this γ = d/N, m and C; what has no theory at these sizes is left out."""
    from rmtsim.papers.dong.theory import hidden_finite, linear

    gamma, classes = widths[0] / samples, widths[-1]
    values: dict[str, Callable[[], float]] = {}
    if len(widths) == 2 and loss == "cross_entropy":
        values["output ‖H_ii‖²/d"] = lambda: linear.diagonal_energy(gamma, classes)
        values["output ‖H_ij‖²/d"] = lambda: linear.offdiagonal_energy(gamma, classes)
    elif len(widths) == 3:
        hidden = widths[1]
        finite = hidden_finite
        if loss == "cross_entropy":
            values["hidden ‖H_ii‖²/d"] = lambda: finite.hidden_ce_diagonal(gamma, hidden, classes).value
            values["hidden ‖H_ij‖²/d"] = lambda: finite.hidden_ce_offdiagonal(gamma, hidden, classes).value
            values["output ‖H_ii‖²"] = lambda: finite.output_ce_diagonal(hidden, classes).value
            values["output ‖H_ij‖²"] = lambda: finite.output_ce_offdiagonal(hidden, classes).value
        else:
            second = 2 * factor
            values["hidden ‖H_ii‖²/d"] = lambda: finite.hidden_mse_diagonal(
                gamma, hidden, classes, factor=second
            )
            values["hidden ‖H_ij‖²/d"] = lambda: finite.hidden_mse_offdiagonal(
                gamma, hidden, classes, factor=second
            )
    found: dict[str, float] = {}
    for name, value in values.items():
        try:
            found[name] = value()
        except ValueError:
            # Fewer than three hidden neurons, or more than the averages support: there is no finite-C theory.
            continue
    for layer in ("hidden", "output"):
        for per in ("/d", ""):
            pair = f"{layer} ‖H_ij‖²{per}", f"{layer} ‖H_ii‖²{per}"
            if pair[0] in found and pair[1] in found:
                found[f"{layer} ratio"] = found[pair[0]] / found[pair[1]]
    return found


@frozen
class _Average:
    """An average over Gaussian entries: found, its mean and its variance."""

    name: str
    value: float
    mean: float
    variance: float

    source: str

    def assumption(self) -> Assumption:
        deviation = self.variance**0.5
        met = abs(self.value - self.mean) <= _FAR * deviation
        return Assumption(
            self.name, f"{self.value:.4g}, {self.source} {self.mean:.4g} ± {deviation:.2g}", met
        )


def _squared_gram(rows: Array) -> tuple[float, float, float]:
    """‖AᵀA‖²_F, and its mean and variance for independent standard normal entries of A (n × p).

    n p (n + p + 1), and 4 n p (2n² + 5np + 2p² + 5n + 5p + 5): moments of Wishart matrices.
    """
    n, p = rows.shape
    gram = rows @ rows.T if n < p else rows.T @ rows
    variance = 4.0 * n * p * (2 * n**2 + 5 * n * p + 2 * p**2 + 5 * n + 5 * p + 5)
    return float(np.square(gram).sum()), float(n * p * (n + p + 1)), variance


def _averages(network: Network, x: Array) -> tuple[_Average, ...]:
    """Averages that standard normal inputs and weights N(0, 1/fan-in), independent of each other, fix up to scatter."""
    samples, dimension = x.shape
    energy, mean, variance = _squared_gram(x)
    unit = samples**2 * dimension
    lengths = np.square(x).mean(axis=1)
    spread = 8 * (dimension + 2) * (dimension + 3) / (dimension**3 * samples)
    given = "Gaussian inputs give"
    found = [
        _Average("inputs: mean of entries", float(x.mean()), 0.0, 1 / x.size, given),
        _Average("inputs: mean square of entries", float(np.square(x).mean()), 1.0, 2 / x.size, given),
        _Average("inputs: ‖XᵀX/N‖²_F/d", energy / unit, mean / unit, variance / unit**2, given),
        _Average(
            "inputs: mean of (|x|²/d)²", float(np.square(lengths).mean()), 1 + 2 / dimension, spread, given
        ),
    ]
    given = "initialisation gives"
    for k, w in enumerate(network.weights):
        place, fan = f"weights of layer {k + 1}", w.shape[1]
        square = float(fan * np.square(w).mean())
        # Standard normal entries are √fan-in times these, and their Gram matrix is of second order in them.
        energy, mean, variance = _squared_gram(w)
        unit = w.size * fan**2
        found += [
            _Average(f"{place}: fan-in × mean square", square, 1.0, 2 / w.size, given),
            _Average(
                f"{place}: ‖WᵀW‖²_F/(m·fan-in)", energy / w.size, mean / unit, variance / unit**2, given
            ),
        ]
    first = network.weights[0]
    found.append(
        _Average(
            "inputs and weights of layer 1: ‖XWᵀ‖²_F/(N·m)",
            float(np.square(x @ first.T).mean()),
            1.0,
            2 / first.size * (1 + (len(first) + dimension + 1) / samples),
            "independent ones give",
        )
    )
    return tuple(found)


def _is_torch_default(weights: Array) -> bool:
    """Whether entries look like PyTorch's default for linear layers: uniform on ±1/√fan-in, variance 1/(3 fan-in)."""
    scaled = weights * weights.shape[1] ** 0.5
    square = float(np.square(scaled).mean())
    deviation = (4 / 45 / scaled.size) ** 0.5
    return bool(np.abs(scaled).max() <= 1 + 1e-6) and abs(square - 1 / 3) <= _FAR * deviation


def _explained(network: Network, found: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
    """Assumptions about weights that PyTorch's default initialisation does not meet say so."""
    layers = [k for k, w in enumerate(network.weights) if _is_torch_default(w)]
    words = (
        "PyTorch's default, uniform with variance 1/(3 fan-in); the theory's is "
        "torch.nn.init.normal_(weight, std=fan_in**-0.5)"
    )
    marks = [f"weights of layer {k + 1}:" for k in layers]
    if 0 in layers:
        marks.append("inputs and weights of layer 1:")
    return tuple(
        dataclasses.replace(a, known=words) if any(a.name.startswith(mark) for mark in marks) else a
        for a in found
    )


def _large_sizes(rows: tuple[Row, ...], networks: int) -> tuple[Assumption, ...]:
    """Whether the limit is near what networks of these sizes have on average; nothing where no limit is known."""
    worst, met = None, True
    for row in rows:
        if row.theory is None:
            continue
        gap = abs(row.mean - row.theory)
        met &= gap <= _NEAR * abs(row.theory) + _FAR * row.spread / networks**0.5
        if worst is None or gap / abs(row.theory) > worst[0]:
            worst = gap / abs(row.theory), row
    if worst is None:
        return ()
    found = f"{worst[1].name} is {worst[1].mean:.4g} on average at these sizes, {worst[1].theory:.4g} in the limit"
    return (Assumption("d and N large", found, met),)


def _mean_and_spread(values: list[float]) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1))


def _assumptions(network: Network) -> tuple[Assumption, ...]:
    layers = network.architecture.layers
    hidden = len(layers) - 1
    found = [Assumption("at most one hidden layer", str(hidden), hidden <= 1)]
    if hidden:
        names = sorted({str(layer.activation) for layer in layers[:-1]})
        found.append(Assumption("hidden activation ReLU", ", ".join(names), names == ["relu"]))
    output: Activation = layers[-1].activation
    found.append(Assumption("linear output", str(output), output.name == "identity"))
    biases = any(layer.bias for layer in layers)
    found.append(Assumption("no biases", "biases" if biases else "none", not biases))
    scaled = any(layer.scale != 1 or layer.skip for layer in layers)
    found.append(Assumption("plain layers Wa", "scaled or skipped" if scaled else "plain", not scaled))
    if len(layers) == 1 and network.architecture.loss.name == "square":
        found.append(Assumption("a loss whose outputs meet", "square: off-diagonal blocks are zero", False))
    return tuple(found)
