"""Twins of the statements about batch normalisation: Section 5.2 and Remark D.3."""

import numpy as np

from tests.papers.twinning import twin


def deviation(z):
    return z.std(axis=0)


class Network:
    """The network of Section 5.2, with random coefficients of the samples, a layer and a direction in it."""

    def __init__(self, n, rng):
        scale = np.sqrt(2 / n)
        self.n = n
        self.w = [scale * rng.normal(size=(n, n)) for _ in range(3)]
        self.alpha = scale * rng.normal(size=n)
        self.x = rng.normal(size=(4 * n, n))
        self.s = rng.choice([-1.0, 1.0], size=4 * n) / (4 * n)
        self.v = rng.normal(size=(n, n))
        self.p = int(rng.integers(1, 4))
        self.pre, self.post, self.sigma = [None], [self.x], [None]
        for w in self.w:
            z = self.post[-1] @ w
            with np.errstate(divide="ignore", invalid="ignore"):
                self.sigma.append(1 / deviation(z))
                self.post.append(np.maximum(z * self.sigma[-1], 0))
            self.pre.append(z)
        self.defined = all(np.isfinite(each).all() for each in self.sigma[1:])

    def back(self):
        """u_l of the display, for every sample."""
        u = [None] * 4
        u[3] = (self.pre[3] > 0) * self.alpha
        for level in (3, 2):
            u[level - 1] = (self.pre[level - 1] > 0) * ((u[level] * self.sigma[level]) @ self.w[level - 1].T)
        return u

    def display(self, with_factor):
        u = self.back()[self.p]
        u = u * self.sigma[self.p] if with_factor else u
        return ((self.s[:, None] * (self.post[self.p - 1] @ self.v)) * u).sum()

    def moved(self, t, normalise):
        """Σ s_i T(x_i) with W_p + tV, normalise(l, z) in the place of Σ_l z_l."""
        a = self.x
        for level, w in enumerate(self.w, start=1):
            a = np.maximum(normalise(level, a @ (w + t * self.v if level == self.p else w)), 0)
        return self.s @ (a @ self.alpha)

    def held_derivative(self):
        """d/dt with Σ held: the tangent is passed forwards."""
        tangent = self.post[self.p - 1] @ self.v
        for level in range(self.p, 4):
            tangent = (self.pre[level] > 0) * tangent * self.sigma[level]
            if level < 3:
                tangent = tangent @ self.w[level]
        return self.s @ (tangent @ self.alpha)


def network(n, rng):
    while True:
        found = Network(n, rng)
        if found.defined:
            return found


def relative(found, stated):
    scale = max(abs(found), abs(stated))
    return abs(found - stated) / scale if scale > 0 else 0.0


# The sampler's differences of step 10⁻⁹ have errors of about 10⁻⁷; the derivative here is exact.
@twin(
    {"li.sec5.2.bn": {"with_factor": False}, "li.sec5.2.bn/corrected": {"with_factor": True}},
    [(4, {}), (6, {})],
    replicates=1000,
    accuracy=1e-5,
)
def held(size, rng, with_factor):
    one = network(size, rng)
    return relative(one.held_derivative(), one.display(with_factor))


def difference(function, step):
    return (function(step) - function(-step)) / (2 * step)


@twin("li.sec5.2.bn.statistics", [(4, {}), (6, {})], replicates=1000, accuracy=1e-5)
def moving(size, rng):
    one = network(size, rng)
    return relative(
        difference(lambda t: one.moved(t, lambda _, z: z / deviation(z)), 1e-7), one.display(True)
    )


@twin("li.sec5.2.bn.statistics/corrected", [(4, {}), (6, {})], replicates=300, accuracy=1e-5)
def centred(size, rng):
    one = network(size, rng)
    posts, hats, scales = [one.x], [None], [None]
    for w in one.w:
        z = posts[-1] @ w
        scales.append(deviation(z))
        hats.append((z - z.mean(axis=0)) / scales[-1])
        posts.append(np.maximum(hats[-1], 0))
    g = one.s[:, None] * one.alpha * (hats[3] > 0)
    for level in (3, 2, 1):
        g = (g - g.mean(axis=0) - hats[level] * (g * hats[level]).mean(axis=0)) / scales[level]
        if level == one.p:
            break
        g = (g @ one.w[level - 1].T) * (hats[level - 1] > 0)
    stated = ((posts[one.p - 1] @ one.v) * g).sum()
    return relative(
        difference(lambda t: one.moved(t, lambda _, z: (z - z.mean(axis=0)) / deviation(z)), 1e-7), stated
    )


class Jet:
    """f(0), f'(0) and f''(0)/2 of arrays along a direction."""

    def __init__(self, *parts):
        self.parts = parts

    def __add__(self, other):
        return Jet(*(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def product(self, other, times=np.multiply):
        a, b = self.parts, other.parts
        return Jet(
            times(a[0], b[0]),
            times(a[0], b[1]) + times(a[1], b[0]),
            times(a[0], b[2]) + times(a[1], b[1]) + times(a[2], b[0]),
        )

    def gate(self):
        is_open = self.parts[0] > 0
        return Jet(*(is_open * a for a in self.parts))

    def normalised(self):
        """Minus the mean over the inputs, over the root of the mean square of the rest; the inputs are rows."""
        u = Jet(*(a - a.mean(axis=-2, keepdims=True) for a in self.parts))
        v0, v1, v2 = (a.mean(axis=-2, keepdims=True) for a in u.product(u).parts)
        first, second = v1 / v0, v2 / v0
        root = v0**-0.5
        return u.product(Jet(root, -root * first / 2, root * (0.375 * first**2 - second / 2)))


BATCH = 250
"""Draws per call."""


@twin(
    {
        f"li.remarkD.3.{kind}{form}": {"kind": kind, "corrected": bool(form)}
        for kind in ("convolution", "residual")
        for form in ("", "/corrected")
    },
    [(3, {}), (5, {})],
    replicates=1500,
    # Where the ratio is zero, differences in the place of derivatives leave rounding.
    accuracy=1e-5,
)
def curvature_of_a_layer(size, rng, kind, corrected):
    n, scale = size, np.sqrt(2 / size)
    shape = (BATCH, n) if kind == "convolution" else (BATCH, n, n)
    index = (np.arange(n)[:, None] - np.arange(n)) % n

    def full(w):
        return w[:, index] if kind == "convolution" else w

    weights = [full(scale * rng.normal(size=shape)) for _ in range(3)]
    directions = [full(rng.normal(size=shape)) for _ in range(3)]
    alpha, moving = scale * rng.normal(size=(BATCH, n, 1)), rng.normal(size=(BATCH, n, 1))
    x = rng.normal(size=(BATCH, 8, n))
    y = rng.choice([-1.0, 1.0], size=(BATCH, 8, 1))
    chosen = rng.integers(3, size=BATCH)[:, None, None]

    def second(every):
        w = [
            Jet(c, v * (every | (chosen == k)), 0 * v)
            for k, (c, v) in enumerate(zip(weights, directions, strict=True))
        ]

        def layer(a, k):
            z = a.product(w[k], np.matmul)
            return z if corrected else z.normalised()

        a = layer(Jet(x, 0 * x, 0 * x), 0).gate()
        top = layer(layer(a, 1).gate(), 2)
        a = (top if kind == "convolution" else a + top).gate()
        output = a.product(Jet(alpha, moving * every, 0 * moving), np.matmul).parts[2]
        return 2 * np.abs((y * output).mean(axis=(1, 2)))

    one, all_layers = second(False), second(True)
    kept = all_layers >= 1e-3
    return one[kept] / all_layers[kept]
