"""Activations with three derivatives and their kinks declared.

At a kink the derivatives are those from the left (ReLU: zero), the choice of most software; a Hessian there is the
Hessian of the piece, and :meth:`Activation.kinks` says where pieces meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, ndtr

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import frozen

Family = Callable[[Array, int, float], Array | None]


def _identity(z: Array, order: int, _: float) -> Array | None:
    return z if order == 0 else np.ones_like(z) if order == 1 else None


def _leaky_relu(z: Array, order: int, slope: float) -> Array | None:
    if order == 0:
        return np.asarray(np.maximum(z, 0.0) if slope == 0.0 else np.where(z > 0, z, slope * z))
    if order == 1:
        gate = (z > 0).astype(np.float64)
        return gate if slope == 0.0 else gate * (1 - slope) + slope
    return None


def _quadratic(z: Array, order: int, _: float) -> Array | None:
    return 0.5 * z**2 if order == 0 else z if order == 1 else np.ones_like(z) if order == 2 else None


def _tanh(z: Array, order: int, _: float) -> Array:
    if order == 0:
        return np.asarray(np.tanh(z))
    # 1 - tanh² = 4u/(1 + u)² with u = e^(-2|z|), without cancellation far out.
    with np.errstate(over="ignore"):  # u is zero long before 2|z| leaves the range of doubles
        u = np.exp(-2 * np.abs(z))
    slope = 4 * u / np.square(1 + u)
    if order == 1:
        return np.asarray(slope)
    t = np.tanh(z)
    return np.asarray(-2 * t * slope if order == 2 else slope * (6 * t**2 - 2))


def _sigmoid(z: Array, order: int, _: float = 1.0) -> Array:
    s = expit(z)
    if order == 0:
        return np.asarray(s)
    slope = s * expit(-z)
    if order == 1:
        return np.asarray(slope)
    # 1 - 2s = -tanh(z/2), without cancellation at zero.
    return np.asarray(-slope * np.tanh(0.5 * z) if order == 2 else slope * (1 - 6 * slope))


def _softplus(z: Array, order: int, _: float) -> Array:
    return np.asarray(np.logaddexp(0.0, z)) if order == 0 else _sigmoid(z, order - 1)


def _gelu(z: Array, order: int, _: float) -> Array:
    if order == 0:
        return np.asarray(z * ndtr(z))
    # Beyond 40 the bell is zero, and z² would leave the range of doubles for |z| > 1e154.
    near = np.clip(z, -40.0, 40.0)
    bell = np.exp(-0.5 * near**2) / math.sqrt(2 * math.pi)
    if order == 1:
        return np.asarray(ndtr(z) + near * bell)
    return np.asarray(bell * (2 - near**2) if order == 2 else bell * near * (near**2 - 4))


def _swish(z: Array, order: int, beta: float) -> Array:
    with np.errstate(over="ignore"):  # the gate is exactly zero or one there
        inner = np.asarray(beta * z)
    gate = _sigmoid(inner, order)
    if order == 0:
        return z * gate
    # The k-th derivative of z·g(z) is k g^(k-1) + z g^(k).
    return order * beta ** (order - 1) * _sigmoid(inner, order - 1) + z * (beta**order * gate)


def _sin(z: Array, order: int, _: float) -> Array:
    return np.asarray((np.sin(z), np.cos(z), -np.sin(z), -np.cos(z))[order])


@frozen
class _Kind:
    family: Family
    default: float | None
    """Default of the one parameter, None where there is none."""
    parameter: str
    kinks: tuple[float, ...] = ()
    formula: str = ""


_KINDS: dict[str, _Kind] = {
    "identity": _Kind(_identity, None, "", formula="z"),
    "relu": _Kind(_leaky_relu, None, "", (0.0,), formula="max(z, 0)"),
    "leaky_relu": _Kind(_leaky_relu, 0.01, "slope", (0.0,), formula="z for z > 0, slope·z else"),
    "tanh": _Kind(_tanh, None, "", formula="tanh z"),
    "sigmoid": _Kind(_sigmoid, None, "", formula="1/(1 + e^-z)"),
    "softplus": _Kind(_softplus, None, "", formula="log(1 + e^z)"),
    "gelu": _Kind(_gelu, None, "", formula="z·Φ(z), Φ the normal distribution function"),
    "swish": _Kind(_swish, 1.0, "beta", formula="z/(1 + e^(-beta·z))"),
    "sin": _Kind(_sin, None, "", formula="sin z"),
    "quadratic": _Kind(_quadratic, None, "", formula="z²/2"),
}
ACTIVATIONS = tuple(_KINDS)
"""Names that :func:`activation` knows."""


@frozen
class Activation:
    """A scalar activation function with its first three derivatives.

    Use :func:`activation` to make one.

    Notes
    -----
    At a kink the derivatives are those from the left (zero for ReLU).

    Examples
    --------
    >>> from rmtsim.networks import activation
    >>> relu = activation("relu")
    >>> relu([-1.0, 2.0]), relu.derivative([-1.0, 2.0], order=1), relu.kinks
    (array([0., 2.]), array([0., 1.]), (0.0,))
    """

    name: str
    """Name of the function."""
    parameter: float = 0.0
    """Its parameter, if it has one: the slope of "leaky_relu", beta of "swish"."""

    @property
    def formula(self) -> str:
        """The function in words."""
        return _KINDS[self.name].formula if self.name in _KINDS else self.name

    @property
    def kinks(self) -> tuple[float, ...]:
        """Points where the first derivative jumps; empty for smooth functions.

        >>> activation("relu").kinks, activation("tanh").kinks
        ((0.0,), ())
        """
        smooth = self.name not in _KINDS or (self.name == "leaky_relu" and self.parameter == 1.0)
        return () if smooth else _KINDS[self.name].kinks

    @property
    def piecewise_linear(self) -> bool:
        """Whether all derivatives beyond the first vanish away from kinks."""
        return self.name in ("identity", "relu", "leaky_relu")

    def __call__(self, z: ArrayLike) -> Array:
        """σ(z), entry by entry."""
        return self.derivative(z, 0)

    def derivative(self, z: ArrayLike, order: int) -> Array:
        """Derivative at given points.

        Parameters
        ----------
        z : array_like
            Points.
        order : {0, 1, 2, 3}
            Order of the derivative; 0 gives the function itself.

        Returns
        -------
        ndarray
            Values with the shape of ``z``.

        Examples
        --------
        >>> activation("sin").derivative([0.0], 3)
        array([-1.])
        """
        order = validate.integer("order", order, minimum=0, maximum=3)
        values = np.asarray(z, dtype=np.float64)
        result = _KINDS[self.name].family(values, order, self.parameter)
        return np.zeros_like(values) if result is None else result

    def slope_and_bend(self, z: Array) -> tuple[Array | None, Array | None]:
        """First and second derivative as forward and backward passes use them.

        Parameters
        ----------
        z : ndarray
            Points.

        Returns
        -------
        slope : ndarray or None
            First derivative, None if it is one everywhere.
        bend : ndarray or None
            Second derivative, None if it vanishes everywhere.
        """
        if self.name == "identity":
            return None, None
        family = _KINDS[self.name].family
        slope = family(z, 1, self.parameter)
        if self.name == "tanh" and slope is not None:
            # The slope is most of the work of the second derivative.
            return slope, -2 * np.tanh(z) * slope
        return slope, None if self.piecewise_linear else family(z, 2, self.parameter)

    def __str__(self) -> str:
        kind = _KINDS.get(self.name)
        if kind is None or kind.default is None:
            return self.name
        return f"{self.name}({kind.parameter}={self.parameter:g})"


def activation(name: str | Activation, **parameters: Any) -> Activation:
    """Activation function by name.

    Parameters
    ----------
    name : str or Activation
        "identity", "relu", "leaky_relu", "tanh", "sigmoid", "softplus", "gelu", "swish", "sin" or "quadratic"; an
        :class:`Activation` is returned unchanged.
    **parameters : float
        ``slope`` of "leaky_relu" (default 0.01) or ``beta`` of "swish" (default 1).

    Returns
    -------
    Activation
        The function with its derivatives.

    Raises
    ------
    ValueError
        If the name is unknown.
    TypeError
        If the activation does not have the parameter.

    Notes
    -----
    "gelu" is z·Φ(z) with the normal distribution function Φ, "swish" is z/(1 + exp(−beta·z)), "quadratic" is z²/2.

    Examples
    --------
    >>> from rmtsim.networks import activation
    >>> round(float(activation("swish", beta=0.1)(2.0)), 6), str(activation("leaky_relu"))
    (1.099668, 'leaky_relu(slope=0.01)')
    >>> activation("cosine")
    Traceback (most recent call last):
        ...
    ValueError: activation='cosine': expected one of identity, relu, leaky_relu, ...
    """
    if isinstance(name, Activation):
        if parameters:
            raise TypeError(
                f"{', '.join(parameters)}: parameters belong to a name, and {name} is an activation already"
            )
        return name
    if not isinstance(name, str) or name not in _KINDS:
        raise ValueError(f"activation={validate.shown(name)}: expected one of {', '.join(ACTIVATIONS)}")
    kind = _KINDS[name]
    unknown = set(parameters) - ({kind.parameter} if kind.default is not None else set())
    if unknown:
        known = f"{kind.parameter} alone" if kind.default is not None else "no parameter"
        raise TypeError(f"{', '.join(sorted(unknown))}: activation {name} takes {known}")
    if kind.default is None:
        return Activation(name)
    return Activation(
        name, validate.finite_number(kind.parameter, parameters.get(kind.parameter, kind.default))
    )
