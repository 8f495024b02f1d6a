"""Twins of the statements about the formulas of the Hessian of one sample and its blocks."""

import numpy as np

from tests.papers.li.twins._models_b import identity, leaky, relu, second_derivatives, swish
from tests.papers.twinning import twin

ROUNDING = 1e-10
SMALL = [(2, {}), (3, {})]


class Sample:
    """A network of L layers and one input, all drawn again until every layer has an open gate."""

    def __init__(self, n, layers, rng):
        while True:
            self.x, self.alpha = rng.normal(size=n), rng.normal(size=n) * np.sqrt(2 / n)
            self.w = [rng.normal(size=(n, n)) * np.sqrt(2 / n) for _ in range(layers - 1)]
            self.y, self.h = [self.x], []
            for w in self.w:
                z = self.y[-1] @ w
                self.h.append((z > 0) * 1.0)
                self.y.append(np.maximum(z, 0))
            self.t = self.y[-1] @ self.alpha
            if all(h.any() for h in self.h):
                break
        self.label = -1.0 if self.t > 0 else 1.0

    def matrix(self, k):
        return self.w[k - 1]

    def gate(self, k):
        return np.diag(self.h[k - 1])

    def behind(self, q, top=None):
        """D_q W_(q+1) D_(q+1) ⋯ W_top D_top."""
        found = self.gate(q)
        for k in range(q + 1, (len(self.w) if top is None else top) + 1):
            found = found @ self.matrix(k) @ self.gate(k)
        return found

    def true(self, loss, rows=None, columns=None):
        n = len(self.x)
        rows, columns = (
            None if layer is None else (layer - 1) * n * n + np.arange(n * n) for layer in (rows, columns)
        )
        return second_derivatives(self.x, self.w, self.alpha, loss, relu, rows, columns)


def hinge(sample):
    """The loss of T and its slope."""
    y = sample.label
    return lambda t: (1 + -y * t).apply(
        lambda a: np.maximum(a, 0), lambda a: (a > 0) * 1.0, np.zeros_like
    ), -y


def absolute(sample):
    y = sample.label
    return lambda t: (t + -y).apply(np.abs, np.sign, np.zeros_like), np.sign(sample.t - y)


def either(rng):
    return hinge if rng.uniform() < 0.5 else absolute


def error(formula, true):
    return np.linalg.norm(formula - true) / np.linalg.norm(true)


@twin("li.eq3", [(2, {}), (5, {})], replicates=30, accuracy=ROUNDING)
def product(size, rng):
    s = Sample(size, rng.integers(2, 7), rng)
    found = s.x
    for k in range(1, len(s.w) + 1):
        found = found @ s.matrix(k) @ s.gate(k)
    return abs(found @ s.alpha - s.t) / abs(s.t)


@twin("li.eq4", SMALL, replicates=30, accuracy=ROUNDING)
def smooth(size, rng):
    s = Sample(size, 3, rng)
    y, t = s.label, s.t
    if rng.uniform() < 0.5:
        share = 1 / (1 + np.exp(y * t))
        slope, bend = -y * share, share * (1 - share)

        def loss(t):
            grown = (-y * t).apply(lambda a: 1 + np.exp(a), np.exp, np.exp)
            return grown.apply(np.log, lambda a: 1 / a, lambda a: -1 / a**2)
    else:
        slope, bend = 2 * (t - y), 2.0

        def loss(t):
            return (t + -y) * (t + -y)

    one, two = s.w
    second = one @ np.diag(s.h[0]) @ two
    gradient = np.concatenate(
        [
            np.outer(s.x, s.gate(1) @ two @ s.gate(2) @ s.alpha).T.ravel(),
            np.outer(s.y[1], s.gate(2) @ s.alpha).T.ravel(),
            s.x @ second @ s.gate(2),
        ]
    )
    # Second derivatives of T itself with unit matrices in the place of two of the three factors.
    formula = bend * np.outer(gradient, gradient) + slope * multilinear(s)
    return error(formula, s.true(loss))


def multilinear(s):
    """∇²T at constant gates: T with units in the place of two layers, all pairs of layers."""
    n = len(s.x)
    layers = [*s.w, s.alpha[:, None]]
    gates = [*s.h, np.ones(1)]
    units = []
    for k, w in enumerate(layers):
        for j in range(w.shape[1]):
            for i in range(n):
                unit = np.zeros(w.shape)
                unit[i, j] = 1
                units.append((k, unit))
    found = np.zeros((len(units), len(units)))
    for a, (p, first) in enumerate(units):
        for b, (q, second) in enumerate(units):
            if p < q:
                y = s.x
                for k, w in enumerate(layers):
                    y = (y @ {p: first, q: second}.get(k, w)) * gates[k]
                found[a, b] = found[b, a] = y[0]
    return found


def block(s, p, q, slope, b=None):
    """The formula of H_pq, rows of vec W_q and columns of vec W_p."""
    last = s.behind(q) @ s.alpha if b is None else b
    middle = s.behind(p, q - 1)
    return slope * np.kron(np.kron(last[:, None], middle.T), s.y[p - 1][None])


def two_layers(layers, rng):
    p, q = sorted(rng.choice(layers - 1, size=2, replace=False) + 1)
    return p, q


@twin({"li.eq12": {}, "li.eq5": {}}, SMALL, replicates=30, accuracy=ROUNDING)
def one_block(size, rng):
    layers, kind = rng.integers(3, 7), either(rng)
    p, q = two_layers(layers, rng)
    while True:
        s = Sample(size, layers, rng)
        loss, slope = kind(s)
        formula = block(s, p, q, slope)
        if formula.any():
            return error(formula, s.true(loss, q, p))


@twin({"li.eq13": {}, "li.eq6": {}}, SMALL, replicates=30, accuracy=ROUNDING)
def whole(size, rng):
    layers, kind = rng.integers(3, 5), either(rng)
    s = Sample(size, layers, rng)
    loss, slope = kind(s)
    square = size * size
    formula = np.zeros(((layers - 1) * square + size,) * 2)
    for p in range(1, layers):
        columns = slice((p - 1) * square, p * square)
        for q in range(p + 1, layers + 1):
            rows = slice((q - 1) * square, q * square if q < layers else None)
            found = (
                block(s, p, q, slope)
                if q < layers
                else slope * np.kron(s.behind(p, layers - 1).T, s.y[p - 1][None])
            )
            formula[rows, columns] = found
            formula[columns, rows] = found.T
    return error(formula, s.true(loss))


def shorthand(size, rng, corrected):
    layers = rng.integers(3, 6)
    p, q = two_layers(layers, rng)
    while True:
        s = Sample(size, layers, rng)
        loss, slope = hinge(s)
        if block(s, p, q, slope).any():
            break
    # α̃_q = W̃_(q~(L-1)) D_(L-1) α, the product up to W_(L-1) without its gate.
    if q == layers - 1:
        b = s.alpha if corrected else s.gate(q) @ s.matrix(q) @ s.gate(q) @ s.alpha
        b = s.gate(q) @ b
    else:
        b = s.behind(q, layers - 2) @ s.matrix(layers - 1) @ s.gate(layers - 1) @ s.alpha
    return error(block(s, p, q, slope, b), s.true(loss, q, p))


twin({"li.eq14": {"corrected": False}}, SMALL, replicates=150)(shorthand)
twin({"li.eq14/corrected": {"corrected": True}}, SMALL, replicates=30, accuracy=ROUNDING)(shorthand)


@twin("li.sec3.3/corrected", SMALL, replicates=30, accuracy=ROUNDING)
def entries(size, rng):
    while True:
        s = Sample(size, 6, rng)
        loss, slope = hinge(s)
        last = s.h[3] * (s.matrix(5) @ (s.h[4] * s.alpha))
        first = (s.x @ s.matrix(1)) * s.h[0]
        formula = slope * np.einsum("a,c,dc,d,f->acdf", last, s.h[2], s.matrix(3), s.h[1], first)
        if formula.any() and not s.h[4].all():
            break
    # Entry (i, j) of a matrix has the index jn + i: true[a, c, d, f] is that of w⁴_ca and w²_fd.
    true = s.true(loss, 4, 2).reshape((size,) * 4)
    return error(formula, true)


def simple(n, rng, deviation):
    """Two n × n matrices and α, and an input; in the convention T = α·σ(W_2σ(W_1x)) they are the transposes."""
    w = [rng.normal(size=(n, n)) * deviation for _ in range(2)]
    return w, rng.normal(size=n) * deviation, rng.normal(size=n)


def output(w, alpha, x):
    return np.maximum(np.maximum(x @ w[0], 0) @ w[1], 0) @ alpha


def norm(matrix):
    return np.linalg.norm(matrix, 2)


@twin(
    {"li.thm1.c.absolute": {"corrected": False}, "li.thm1.c.absolute/corrected": {"corrected": True}},
    [(10, {}), (100, {})],
    replicates=30,
    accuracy=ROUNDING,
)
def at_a_risk(size, rng, corrected):
    """|l'| = 1: the ratio is 1 up to rounding."""
    while True:
        w, alpha, x = simple(4, rng, 0.5)
        plain = second_derivatives(x, w, alpha)
        if plain.any():
            break
    y = output(w, alpha, x) + rng.choice([-1.0, 1.0]) / size
    h = second_derivatives(x, w, alpha, lambda t: (t + -y).apply(np.abs, np.sign, np.zeros_like))
    ratio = norm(h) / norm(plain)
    return abs(ratio - 1) if corrected else ratio


@twin(
    {"li.thm1.c.risk": {"corrected": False}, "li.thm1.c.risk/corrected": {"corrected": True}},
    [(2, {}), (3, {})],
    replicates=30,
    accuracy=ROUNDING,
)
def scaled(size, rng, corrected):
    while True:
        w, alpha, x = simple(size, rng, np.sqrt(1 / size))
        t = output(w, alpha, x)
        if 1e-6 < abs(t) < 0.5:
            break
    y = np.sign(t)

    def loss(t):
        return (1 + -y * t).apply(lambda a: np.maximum(a, 0), lambda a: (a > 0) * 1.0, np.zeros_like)

    one, two = (norm(second_derivatives(x, [s * each for each in w], s * alpha, loss)) for s in (1.0, 1.1))
    return abs(two / (1.1 * one) - 1) if corrected else two / one


def diagonal_blocks(size, rng, activation):
    w, alpha, x = simple(size, rng, np.sqrt(1 / size))
    h = np.abs(second_derivatives(x, w, alpha, identity, activation))
    square = size * size
    cuts = [slice(0, square), slice(square, 2 * square), slice(2 * square, None)]
    return max(h[cut, cut].max() for cut in cuts) / h.max()


twin({"li.sec2.3.swish": {"activation": swish}}, SMALL, replicates=500)(diagonal_blocks)
twin({"li.sec2.3.swish/corrected": {"activation": leaky(0.01)}}, SMALL, replicates=30, accuracy=1e-12)(
    diagonal_blocks
)
