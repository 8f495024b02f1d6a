"""Local minima of the hinge risk on its kinks, which training that does not converge approaches, and certificates for
them.

R_m = (1/m)Σ(1 − y_iT_i)₊ of a ReLU network has two kinds of kinks, margins y_iT_i = 1 and gates. Descent with a
finite step oscillates around a kink; linear programmes find it, and Newton's method on the equations of a stationary
point

    Σ_A y_i∇T_i + Σ_E μ_i y_i∇T_i = 0,   y_iT_i = 1 on E   (A: margins below 1, E: margins 1)

refines it. It is certified to be a local minimum if no gate is at its kink, 0 < μ_i < 1 on E, so that R_m grows at
first order unless ∇T_i·d = 0 on E, and if on those d the Hessian of −(1/m)Σμ_iy_iT_i is positive semi-definite with
no larger kernel than there are directions along which no T_i of A and E changes (scalings of a neuron against what
reads it, and others): they are tangent to a surface on which R_m is constant, as the rank of (∇T_i) is nearby, and
across it R_m grows. At kinks of gates there is no such certificate; :func:`clarke_slope` computes whether Clarke's
generalised gradient contains zero there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen
from rmtsim.networks import Network
from rmtsim.papers.li.simulation.hinge_training import TrainedHinge

_NEAR = 1e-5
"""Margins so near to 1 are taken to be on the kink; Newton's method then shows whether they are."""


@frozen
class KinkPoint:
    """Where the linear programmes ended, as a stationary point on the kinks of the margins."""

    network: Network
    inputs: Array
    labels: Array
    multipliers: Array
    """μ_i: 1 where the margin is below 1, 0 where it is above, solved for where it is 1."""
    on_kink: NDArray[np.bool_]
    """E."""

    @property
    def risk(self) -> float:
        """R_m: mean hinge loss."""
        return self.network.loss(self.inputs, self.labels)

    def _plain(self) -> Network:
        return self.network.with_loss("none")

    @property
    def residual(self) -> float:
        """Largest entry of (1/m)Σμ_iy_i∇T_i and of y_iT_i − 1 on E."""
        weights = (self.multipliers * self.labels[:, 0])[:, None]
        margins = (self.labels * self.network.output(self.inputs))[:, 0]
        off = np.abs(margins[self.on_kink] - 1).max(initial=0.0)
        return float(max(np.abs(self._plain().gradient(self.inputs, weights)).max(), off))

    @property
    def felt(self) -> NDArray[np.bool_]:
        """Samples on which R_m depends near this point: A and E."""
        return np.asarray(self.multipliers > 0)

    def _rank(self, network: Network) -> int:
        slopes = network.with_loss("none").jacobian(self.inputs).reshape(len(self.inputs), -1)[self.felt]
        return int(np.linalg.matrix_rank(slopes, tol=1e-8))

    @property
    def unfelt(self) -> int | None:
        """Directions along which no T_i of A and E changes; None where their number is another nearby.

        The rank can only grow nearby, and does so at almost every point if at any: one random point shows it.
        """
        rank = self._rank(self.network)
        step = np.random.default_rng(0).standard_normal(self.network.parameters.size)
        near = self.network.with_parameters(self.network.parameters + 1e-3 * step / np.linalg.norm(step))
        return self.network.parameters.size - rank if self._rank(near) == rank else None

    @property
    def certified(self) -> bool:
        """Whether this is a local minimum, to rounding: all conditions of the module's docstring."""
        inside = self.multipliers[self.on_kink]
        if self.residual > 1e-10 or not (
            self.on_kink.any() and ((inside > 1e-6) & (inside < 1 - 1e-6)).all()
        ):
            return False
        margins = (self.labels * self.network.output(self.inputs))[:, 0]
        apart = np.abs(margins[~self.on_kink] - 1).min(initial=np.inf)
        if min(apart, gate_distance(self.network, self.inputs)) < 1e-6:
            return False
        slopes = self._plain().jacobian(self.inputs).reshape(len(self.inputs), -1)[self.on_kink]
        free = _complement(slopes)
        weights = -(self.multipliers * self.labels[:, 0])[:, None]
        curvature = free @ self._plain().hessian(self.inputs, weights) @ free.T
        eigenvalues = np.linalg.eigvalsh(curvature)
        kernel = int((np.abs(eigenvalues) < 1e-8).sum())
        return bool(eigenvalues.min(initial=0.0) > -1e-8 and kernel == self.unfelt)


def gate_distance(network: Network, inputs: Array) -> float:
    """The smallest |pre-activation| of the hidden layers; behind a layer whose gates are all closed there is no kink.

    >>> from rmtsim.papers.li.simulation.hinge_training import hinge_problem
    >>> network, inputs, _ = hinge_problem(2, 2, 3, np.random.default_rng(0))
    >>> gate_distance(network, inputs) == float(np.abs(inputs @ network.weights[0].T).min())
    True
    """
    validate.instance("network", network, Network)
    rows, nearest = validate.matrix("inputs", inputs), np.inf
    if rows.shape[1] != network.weights[0].shape[1]:
        raise ValueError(
            f"inputs of shape {rows.shape}: expected {network.weights[0].shape[1]} numbers a sample"
        )
    for matrix in network.weights[:-1]:
        rows = rows[rows.any(axis=1)]
        reach = rows @ matrix.T
        nearest = min(nearest, float(np.abs(reach).min(initial=np.inf)))
        rows = np.maximum(reach, 0.0)
    return nearest


def clarke_slope(
    network: Network,
    inputs: Array,
    labels: Array,
    rng: np.random.Generator,
    *,
    radius: float = 1e-6,
    points: int = 200,
) -> tuple[float, Array]:
    """The slope at which R_m falls, at least, along the best direction, over the largest; and the direction.

    The best of d in [−1, 1]^N for the gradients g at random points within ``radius``: the largest t with −g·d ≥ t for
    all of them, over the largest |g|₁. By duality t is the least |g|₁ in their convex hull: zero where Clarke's
    generalised gradient holds zero, one at an ordinary point.

    >>> from rmtsim.papers.li.simulation.hinge_training import hinge_problem
    >>> network, inputs, labels = hinge_problem(2, 2, 4, np.random.default_rng(1))
    >>> round(clarke_slope(network, inputs, labels, np.random.default_rng(0))[0], 3)
    1.0
    """
    validate.instance("network", network, Network)
    labels = validate.matrix("labels", labels)
    if labels.shape != (len(validate.matrix("inputs", inputs)), 1):
        raise ValueError(f"labels of shape {labels.shape}: expected a column, one label ±1 a sample")
    if not np.isin(labels, (-1.0, 1.0)).all():
        raise ValueError("labels: expected entries -1 and 1 alone, one a sample")
    rng = validate.generator("rng", rng)
    radius = validate.positive_number("radius", radius, meaning="radius of the ball of gradients")
    if radius > 1:
        raise ValueError(f"radius={radius:g}: expected a number <= 1 (radius of the ball of gradients)")
    points = validate.integer("points", points, maximum=10**5, meaning="gradients drawn")
    theta = network.parameters
    steps = rng.standard_normal((points, theta.size))
    steps *= radius * rng.random((points, 1)) / np.linalg.norm(steps, axis=1, keepdims=True)
    drawn = [network.with_parameters(theta + step).gradient(inputs, labels).round(10) for step in steps]
    gradients = np.unique(np.array(drawn), axis=0)
    scale = float(np.abs(gradients).sum(axis=1).max())
    if scale == 0:
        return 0.0, np.zeros(theta.size)
    programme = linprog(
        np.append(np.zeros(theta.size), -1.0),
        A_ub=np.concatenate([gradients, np.ones((len(gradients), 1))], axis=1),
        b_ub=np.zeros(len(gradients)),
        bounds=[(-1, 1)] * theta.size + [(0, None)],
    )
    if programme.x is None:
        raise ArithmeticError("the linear programme of the steepest direction failed")
    return float(programme.x[-1]) / scale, np.asarray(programme.x[:-1])


def _complement(rows: Array) -> Array:
    """An orthonormal basis of what is orthogonal to the rows, as rows."""
    _, singular, right = np.linalg.svd(rows)
    return np.asarray(right[int((singular > 1e-10 * singular[0]).sum()) :])


def descend_to_kink(end: TrainedHinge, rng: np.random.Generator, *, walks: int = 12) -> KinkPoint:
    """From where training ended down to a kink of the margins: steps by linear programmes, then Newton's method.

    A step minimises the risk of the linearised outputs in a box, whose side falls by four where the risk itself does
    not follow: so a walk ends at the kink of a gate as well. From there a step along :func:`clarke_slope` starts the
    next one, if it decreases the risk. The result says whether the end is stationary, or a local minimum.

    >>> from rmtsim.papers.li.simulation.hinge_training import train_hinge
    >>> rng = np.random.default_rng(5)
    >>> ends = [end for end in train_hinge(2, 2, 4, rng, 20) if not end.stationary]
    >>> found = [descend_to_kink(end, rng, walks=1) for end in ends[:3]]
    >>> minima = [point for point in found if point.certified]
    >>> len(minima) > 0, all(0 < point.risk < 1 for point in minima)
    (True, True)
    >>> bool(max(abs(point.risk - point.multipliers.mean()) for point in minima) < 1e-9)  # Euler's theorem
    True
    """
    validate.instance("end", end, TrainedHinge)
    rng = validate.generator("rng", rng)
    walks = validate.integer("walks", walks, maximum=1000, meaning="walks by linear programmes at most")
    network, inputs, labels = end.network, end.inputs, end.labels
    for left in reversed(range(walks)):
        network = _walk(network, inputs, labels)
        point = _newton(network, inputs, labels)
        if not left or (point.residual < 1e-10 and point.risk <= network.loss(inputs, labels) + 1e-9):
            break
        slope, direction = clarke_slope(network, inputs, labels, rng)
        if slope < 1e-6:
            break
        before = network.loss(inputs, labels)
        trials = (network.with_parameters(network.parameters + 4.0**-k * direction) for k in range(3, 14))
        network = next((trial for trial in trials if trial.loss(inputs, labels) < before), network)
    return point


def _walk(network: Network, inputs: Array, labels: Array) -> Network:
    """Linear programmes in shrinking boxes, gates held, while the risk falls."""
    samples, side, risk = len(inputs), 0.1, network.loss(inputs, labels)
    for _ in range(100):
        plain = network.with_loss("none")
        slopes = plain.jacobian(inputs).reshape(samples, -1) * labels
        margins = (plain.output(inputs) * labels)[:, 0]
        size = slopes.shape[1]
        programme = linprog(
            np.concatenate([np.zeros(size), np.full(samples, 1 / samples)]),
            A_ub=np.concatenate([-slopes, -np.eye(samples)], axis=1),
            b_ub=margins - 1,
            bounds=[(-side, side)] * size + [(0, None)] * samples,
        )
        if programme.x is None or side < 1e-9:
            break
        step = np.asarray(programme.x[:size])
        hoped = risk - float(np.maximum(1 - margins - slopes @ step, 0.0).mean())
        if hoped < 1e-12:
            break
        tried = network.with_parameters(network.parameters + step)
        gained = risk - tried.loss(inputs, labels)
        if gained >= 0.1 * hoped:
            network, risk = tried, risk - gained
        else:
            side /= 4
    return network


def _newton(network: Network, inputs: Array, labels: Array) -> KinkPoint:
    """Newton's method on (θ, μ_E), steps of least length; without a kink the point as it is."""
    margins = (labels * network.output(inputs))[:, 0]
    on_kink, active = np.abs(margins - 1) < _NEAR, margins < 1 - _NEAR
    multipliers = active.astype(np.float64)
    size, samples, signs = network.parameters.size, len(inputs), labels[:, 0]
    if not on_kink.any():
        return KinkPoint(network, inputs, labels, multipliers, on_kink)
    for _ in range(8):
        plain = network.with_loss("none")
        slopes = plain.jacobian(inputs).reshape(samples, -1) * labels / samples
        if not multipliers[on_kink].any():
            multipliers[on_kink] = np.linalg.lstsq(slopes[on_kink].T, -slopes[active].sum(axis=0))[0]
        margins = (labels * plain.output(inputs))[:, 0]
        curvature = plain.hessian(inputs, (multipliers * signs)[:, None])
        kinks = slopes[on_kink]
        system = np.block([[curvature, kinks.T], [kinks, np.zeros((len(kinks), len(kinks)))]])
        right = np.concatenate([-multipliers @ slopes, (1 - margins[on_kink]) / samples])
        step = np.linalg.lstsq(system, right, rcond=1e-10)[0]
        if not np.isfinite(step).all() or np.abs(step[:size]).max() > 1e-2:
            break  # no stationary point near: the residual says so
        network = network.with_parameters(network.parameters + step[:size])
        multipliers[on_kink] += step[size:]
    return KinkPoint(network, inputs, labels, multipliers, on_kink)
