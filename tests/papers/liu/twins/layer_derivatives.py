"""Twins of the derivatives of a layer (appendix F, eqs. (69) to (75))."""

import numpy as np

from tests.papers.liu.twins._models_b import second_along, sigma
from tests.papers.twinning import twin

# Names whose functions take complex numbers; the value is rounding, of complex steps or of Cauchy's formula.
TWO, ROUNDING = [(2, {"activation": "tanh"}), (4, {"activation": "swish"})], 1e-9


def drawn(m, rng):
    """W, V, V' as vectors and r, u, u'."""
    return rng.normal(size=(3, m * m)), rng.normal(size=(3, m))


def gap(stated, true):
    return np.abs(stated - true).max() / np.abs(true).max()


@twin(
    {"liu.eq69": {"inner": True}, "liu.eq70": {"inner": False}},
    TWO,
    replicates=40,
    accuracy=ROUNDING,
)
def first(size, rng, activation, inner):
    (w, v, _), (r, u, _) = drawn(size, rng)
    w, v = w.reshape(size, size), v.reshape(size, size)
    h, root = 1e-30, np.sqrt(size)
    z = w @ r / root
    moved = w @ (r + 1j * h * u) if inner else (w + 1j * h * v) @ r
    true = sigma(activation, moved / root).imag / h
    return gap(sigma(activation, z, 1) * (w @ u if inner else v @ r) / root, true)


@twin(
    {"liu.eq73": {"inner": True}, "liu.eq75": {"inner": False}},
    TWO,
    replicates=40,
    accuracy=ROUNDING,
)
def second(size, rng, activation, inner):
    (w, v, other), (r, u, along) = drawn(size, rng)
    root = np.sqrt(size)

    def square(entries):
        return entries.reshape(size, size)

    bend = sigma(activation, square(w) @ r / root, 2) / size
    if inner:
        true = second_along(lambda t: sigma(activation, square(w) @ (r + t) / root), u, along)
        return gap(bend * (square(w) @ u) * (square(w) @ along), true)
    true = second_along(lambda t: sigma(activation, square(w + t) @ r / root), v, other)
    return gap(bend * (square(v) @ r) * (square(other) @ r), true)
