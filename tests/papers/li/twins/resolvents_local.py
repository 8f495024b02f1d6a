"""Twins of the statements about resolvents at a fixed size: local laws, moments of D, bands of the law."""

import numpy as np

from tests.papers.twinning import twin

PLACES = np.linspace(-1, 1, 17)
SETS = 16
"""Random halves of the coordinates."""


def goe(n, rng):
    drawn = rng.normal(size=(n, n))
    return (drawn + drawn.T) / np.sqrt(2 * n)


def semicircle(z):
    """m with 1 + (z + m)m = 0, Im m > 0."""
    root = np.sqrt(z * z - 4 + 0j)
    one, two = (-z + root) / 2, (-z - root) / 2
    return np.where(one.imag > 0, one, two)


def resolvent_values(values, height):
    """1/(λ_k - x - i·height): rows are the places."""
    return 1 / (values - PLACES[:, None] - 1j * height)


@twin("li.eq26", [(12, {}), (24, {})], replicates=500)
def second_moment(size, rng):
    g = resolvent_values(np.linalg.eigvalsh(goe(size, rng)), size**-0.5)
    found = np.abs(g.sum(axis=1)) ** 2 + 2 * (np.abs(g) ** 2).sum(axis=1)
    return found.mean() / (size * (size + 2))


@twin("li.eq26.fourth", [(12, {}), (24, {})], replicates=500)
def fourth_moment(size, rng):
    """The moments of the weights v_k² (Dirichlet, ½ each) written out: E Π v^(2j)."""
    g = resolvent_values(np.linalg.eigvalsh(goe(size, rng)), size**-0.5)
    p = np.abs(g) ** 2
    a, b = g.sum(axis=1), (g**2).sum(axis=1)
    total = (
        np.abs(a) ** 4
        + 4 * (b * a.conj() ** 2).real
        + 8 * p.sum(axis=1) * np.abs(a) ** 2
        + 4 * np.abs(b) ** 2
        + 8 * p.sum(axis=1) ** 2
        + 32 * ((p * g).sum(axis=1) * a.conj()).real
        + 48 * (p**2).sum(axis=1)
    )
    return total.mean() / (size * (size + 2) * (size + 4) * (size + 6))


def half_sums(n, rng):
    """|Σ D_jj| over random halves: an array of places and halves."""
    values, vectors = np.linalg.eigh(goe(n, rng))
    g = resolvent_values(values, 0.5)
    diagonal, of_square = g @ (vectors**2).T, g**2 @ (vectors**2).T
    z = PLACES[:, None] + 0.5j
    d = 1 + (z + g.mean(axis=1)[:, None]) * diagonal + of_square / n
    chosen = np.argsort(rng.random(size=(SETS, n)), axis=1) < n // 2
    return np.abs(d @ chosen.T)


@twin(
    {
        f"li.{name}{form}": {"corrected": bool(form)}
        for name in ("thm4", "eq25")
        for form in ("", "/corrected")
    },
    [(8, {}), (14, {})],
    replicates=300,
)
def first_moment_of_d(size, rng, corrected):
    found = np.mean([half_sums(size, rng) for _ in range(4)])
    return found / size if corrected else found


@twin(
    {"li.thm4.moments": {"corrected": False}, "li.thm4.moments/corrected": {"corrected": True}},
    [(8, {"order": 2}), (14, {"order": 4})],
    replicates=1500,
)
def moments_of_d(size, rng, corrected, order):
    b = half_sums(size, rng)
    return np.mean((b if corrected else size * b) ** order)


BATCH = 500
"""Matrices of signs per call."""


@twin("li.eq21", [(6, {}), (12, {})], replicates=20000)
def signs(size, rng):
    h = np.triu(rng.choice([-1.0, 1.0], size=(BATCH, size, size))) / np.sqrt(size)
    h = h + np.swapaxes(np.triu(h, 1), 1, 2)
    z, one = 0.5 + 0.5j, np.eye(size)
    g = np.linalg.inv(h - z * one)
    image = (
        np.trace(g, axis1=1, axis2=2)[:, None, None] / size * one + np.swapaxes(g, 1, 2) * (1 - one) / size
    )
    d = one + (z * one + image) @ g
    return np.trace(d, axis1=1, axis2=2).real / size


@twin({"li.thm2.c.local": {}, "li.thm2.c.local/corrected": {}}, [(12, {}), (24, {})], replicates=2000)
def local(size, rng):
    z = 0.5 + 1j * size**-0.5
    found = np.mean(1 / (np.linalg.eigvalsh(goe(size, rng)) - z))
    return abs(found - semicircle(np.array(z)))


def two_block_variance(n):
    first = np.arange(n) < n // 2
    return np.where(first[:, None] & first, 1.0, np.where(first[:, None] | first, 0.2, 0.1)) / n


def two_block(n, rng):
    drawn = np.triu(rng.normal(size=(n, n)) * np.sqrt(two_block_variance(n)))
    return drawn + np.triu(drawn, 1).T


SOLUTIONS = {}


def diagonal_solution(n, z):
    """m with -1/m_i = z + Σ s_ik m_k, Im m > 0."""
    if (n, z) not in SOLUTIONS:
        s, m = two_block_variance(n), np.full(n, 1j)
        for _ in range(6000):
            m = 0.5 * m - 0.5 / (z + s @ m)
        SOLUTIONS[n, z] = m
    return SOLUTIONS[n, z]


@twin(
    {"li.thm2.c.matrix": {"corrected": False}, "li.thm2.c.matrix/corrected": {"corrected": True}},
    [(8, {}), (15, {})],
    replicates=2000,
)
def projection(size, rng, corrected):
    z = 0.5 + 0.5j
    g = np.diag(np.linalg.inv(two_block(size, rng) - z * np.eye(size)))
    found = abs((g - diagonal_solution(size, z))[: size // 2].sum())
    return found / size if corrected else found


@twin("li.thm2.c.heights", [(8, {"gamma": 0.5}), (13, {"gamma": 0.75})], replicates=400)
def heights(size, rng, gamma):
    eta, index = size ** (gamma - 1), np.arange(1, size + 1)
    half = np.diag((index <= size // 2).astype(float))
    sines = np.sqrt(2 / (size + 1)) * np.sin(np.pi * np.outer(index, index) / (size + 1))
    h, largest = two_block(size, rng), []
    for x in PLACES:
        z = complex(x, eta)
        gap = np.linalg.inv(h - z * np.eye(size)) - np.diag(diagonal_solution(size, z))
        largest.append(max(abs(np.trace(b @ gap)) for b in (np.eye(size), half, sines)))
    return eta * np.mean(largest)


@twin("li.thm2.b.two-layers", [(4, {}), (7, {})], replicates=100, accuracy=1e-12)
def atom(size, rng):
    q = rng.integers(size + 1, 3 * size)
    x = rng.normal(size=(size, q))
    values = np.abs(np.linalg.eigvalsh(np.block([[np.zeros((size, size)), x], [x.T, np.zeros((q, q))]])))
    return abs(np.mean(values < 1e-10 * values.max()) - (q - size) / (q + size))


def transform(x, s, a):
    """m(x + i0) of the law with variances s and means a: Newton's method, from a large imaginary part downwards."""
    x = np.asarray(x, dtype=complex)[:, None]
    m = -1 / (x + 8j) * np.ones(len(a))
    for lift in [*(8 * 0.5 ** np.arange(34)), 0.0]:
        for _ in range(2):
            # F_i = 1 + (z - a_i + Σ s_ik m_k) m_i.
            inner = x + 1j * lift - a + m @ s
            jacobian = m[:, :, None] * s + inner[:, :, None] * np.eye(len(a))
            m = m - np.linalg.solve(jacobian, (1 + inner * m)[:, :, None])[:, :, 0]
    return m.mean(axis=1)


# The mass of the density is found by quadrature, to about 3·10⁻⁴ in the mean; an atom would have a mass of order 1/n.
@twin("li.thm2.b", [(2, {}), (3, {})], replicates=30, accuracy=1e-3)
def mass_outside_bands(size, rng):
    p = rng.uniform(0.1, 2, size=(size, size))
    s, a = (p + p.T) / (2 * size), rng.uniform(-3, 3, size=size)
    reach = 3.5 + 2 * np.sqrt(s.sum(axis=1).max())
    x = np.linspace(-reach, reach, 161)

    def inside(x):
        return transform(x, s, a).imag > 1e-5

    # Both sides of every edge, and the places between them where it is; bands alternate with gaps.
    changes = np.flatnonzero(np.diff(inside(x).astype(int)))
    low, high = x[changes], x[changes + 1]
    for _ in range(5):
        places = low[:, None] + (high - low)[:, None] * np.arange(17) / 16
        found = inside(places.ravel()).reshape(places.shape)
        first = np.argmax(found != found[:, :1], axis=1)
        rows = np.arange(len(low))
        low, high = places[rows, first - 1], places[rows, first]
    edges = ((low + high) / 2).reshape(-1, 2)
    angle = np.pi * (np.arange(120) + 0.5) / 120
    places = edges.mean(axis=1)[:, None] - np.diff(edges, axis=1) / 2 * np.cos(angle)
    density = transform(places.ravel(), s, a).imag.reshape(places.shape) / np.pi
    return abs(1 - (density * np.diff(edges, axis=1) / 2 * np.sin(angle)).sum() * np.pi / 120)
