"""Worst errors of the laws of structured noise, hard edges, complex eigenvalues, polynomials and kernels.

    python -m benchmarks.structured_accuracy

References have fifty digits: roots of the defining equations, which are written here again, Bessel determinants by
Gauss–Legendre quadrature, and closed forms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import mpmath
import numpy as np

from benchmarks.common import report
from rmtsim.laws import (
    ConditionNumber,
    DeformedCircular,
    Discrete,
    HardEdge,
    SingleRing,
    StructuredNoise,
)
from rmtsim.laws.dyson import conjugate_kernel, polynomial_law, semicircular, tangent_kernel

DIGITS = 50


def worst(pairs: Iterable[tuple[float, Any]], relative: bool = True) -> float:
    """Largest error of (value, reference)."""
    return max(
        float(abs(mpmath.mpf(value) - exact) / (abs(exact) if relative else 1)) for value, exact in pairs
    )


def structured_noise() -> list[tuple[str, float]]:
    rng = np.random.default_rng(11)
    density, mass = [], []
    for _ in range(12):
        ratio = 10 ** rng.uniform(-1, 1)
        rows, columns = 10 ** rng.uniform(-1, 1, 3), 10 ** rng.uniform(-1, 1, 2)
        law = StructuredNoise(ratio, rows=rows, columns=columns)
        for low, high in law.support:
            for share in (0.02, 0.5, 0.9):
                x = low + share * (high - low)
                u, v = _two_scalars(law, ratio, rows, columns, x)
                z, c = mpmath.mpf(x), mpmath.mpf(ratio)
                first, second = [mpmath.mpf(r) for r in rows], [mpmath.mpf(t) for t in columns]
                transform = -sum(1 / (1 + v * r) for r in first) / len(first) / z
                density.append((law.pdf(x), transform.imag / mpmath.pi))
                angles = c * sum(mpmath.arg(1 + v * r) for r in first) / len(first)
                angles += sum(mpmath.arg(1 + u * t) for t in second) / len(second)
                mass.append((law.cdf(x), 1 - (angles + z * (u * v).imag) / (mpmath.pi * c)))
    return [
        (f"structured noise, {len(density)} points: density, relative", worst(density)),
        (f"structured noise, {len(mass)} points: cdf, absolute", worst(mass, relative=False)),
    ]


def _two_scalars(law: StructuredNoise, ratio: float, rows: Any, columns: Any, x: float) -> tuple[Any, Any]:
    """Roots u, v of the two equations at x, by continuation from far above the axis."""
    c = mpmath.mpf(ratio)
    first, second = [mpmath.mpf(r) for r in rows], [mpmath.mpf(t) for t in columns]

    def equations(u: Any, v: Any, z: Any) -> list[Any]:
        return [
            u + c / z * sum(r / (1 + v * r) for r in first) / len(first),
            v + 1 / z * sum(t / (1 + u * t) for t in second) / len(second),
        ]

    height = 100 * mpmath.mpf(law.support[-1][1])
    z = x + 1j * height
    found = [-c / z * sum(first) / len(first), -1 / z * sum(second) / len(second)]
    while height:
        height = height / mpmath.mpf("1.4") if height > mpmath.mpf(x) * mpmath.mpf(10) ** -5 else 0
        z = x + 1j * height
        found = list(mpmath.findroot(lambda u, v, z=z: equations(u, v, z), found, maxsteps=100))
    assert min(each.imag for each in found) > 0, "another root"
    return found[0], found[1]


def hard_edge() -> list[tuple[str, float]]:
    """cdf 1 - det(1 - K) of complex matrices with the Bessel kernel, by 60 Gauss–Legendre nodes."""
    rows = []
    nodes, weights = _legendre(40)
    for excess in (1, 3):
        pairs = []
        for t in (0.3, 2.0, 9.0):
            # T has kernel (√s/2) J_m(√(s x y)) on (0, 1), s = 4 t; the interval is empty with det(1 - T²).
            s = mpmath.mpf(4 * t)
            matrix = mpmath.matrix(len(nodes), len(nodes))
            for i, (x, w) in enumerate(zip(nodes, weights, strict=True)):
                for j, (y, q) in enumerate(zip(nodes, weights, strict=True)):
                    # x = ξ², so that the square roots of the argument are smooth.
                    value = mpmath.sqrt(s) / 2 * mpmath.besselj(excess, mpmath.sqrt(s) * x * y)
                    matrix[i, j] = 2 * mpmath.sqrt(w * x * q * y) * value
            one = mpmath.eye(len(nodes))
            empty = mpmath.det(one - matrix) * mpmath.det(one + matrix)
            pairs.append((HardEdge(2, excess).cdf(t), 1 - empty))
        rows.append((f"hard edge, complex, excess {excess}: cdf, relative", worst(pairs)))
    return rows


def _legendre(count: int) -> tuple[list[Any], list[Any]]:
    starts, _ = np.polynomial.legendre.leggauss(count)
    nodes, weights = [], []
    for start in starts:
        x = mpmath.findroot(lambda y: mpmath.legendre(count, y), mpmath.mpf(float(start)))
        slope = count * (x * mpmath.legendre(count, x) - mpmath.legendre(count - 1, x)) / (x**2 - 1)
        nodes.append((1 + x) / 2)
        weights.append(1 / ((1 - x**2) * slope**2))
    return nodes, weights


def closed_forms() -> list[tuple[str, float]]:
    def pairs(method: Callable[[float], float], exact: Callable[[Any], Any], at: Iterable[float]) -> float:
        return worst((method(x), exact(mpmath.mpf(x))) for x in at)

    condition = pairs(
        ConditionNumber(1).pdf,
        lambda x: (2 * x + 4) / x**3 * mpmath.exp(-2 / x - 2 / x**2),
        (0.5, 2.0, 30.0, 1e6),
    )
    quaternion = pairs(
        HardEdge(4).cdf, lambda t: 1 - mpmath.exp(-2 * t) * mpmath.cosh(2 * mpmath.sqrt(t)), (0.1, 1.0, 4.0)
    )
    # Squared singular values 1 and 4: s(−t) = (1/(1 + t) + 1/(4 + t))/2, r² = 1/s − t, mass t·s.
    ring = SingleRing(Discrete([1.0, 4.0]))
    masses = []
    for t in map(mpmath.mpf, (0.2, 1.0, 7.0)):
        s = (1 / (1 + t) + 1 / (4 + t)) / 2
        masses.append((ring.radial_cdf(float(mpmath.sqrt(1 / s - t))), t * s))
    return [
        ("condition number, real: density, relative", condition),
        ("hard edge, quaternion: cdf, relative", quaternion),
        ("single ring, two singular values: radial cdf, relative", worst(masses)),
    ]


def planar() -> list[tuple[str, float]]:
    rng = np.random.default_rng(3)
    pairs = []
    for _ in range(20):
        values = rng.standard_normal(4) + 1j * rng.standard_normal(4)
        law = DeformedCircular(values, 0.8)
        w = values[0] + 0.3 * (rng.standard_normal() + 1j * rng.standard_normal())
        if not law.inside(w):
            continue
        shift = [mpmath.mpmathify(complex(w)) - mpmath.mpmathify(complex(a)) for a in values]
        square = [abs(c) ** 2 for c in shift]
        noise = mpmath.mpf(0.8)

        def excess(t: Any, square: list[Any] = square, noise: Any = noise) -> Any:
            return noise * sum(1 / (s + t) for s in square) / 4 - 1

        t = mpmath.findroot(excess, (mpmath.mpf(10) ** -30, noise), solver="illinois", maxsteps=2000)
        p = [1 / (t + s) for s in square]
        heavy = sum(x**2 for x in p) / 4
        tilt = abs(sum(x**2 * c for x, c in zip(p, shift, strict=True)) / 4) ** 2
        pairs.append((law.pdf(w), (t * heavy + tilt / heavy) / mpmath.pi))
    return [(f"deformed circular law, {len(pairs)} points: density, relative", worst(pairs))]


def kernels() -> list[tuple[str, float]]:
    """Conjugate and tangent kernel of two layers, from nested scalar equations of the layers."""
    inputs, widths, b, slope = 2.0, (1.5, 4.0), 0.8, 1.3
    rows = []
    for name, law, weights, shift in (
        ("conjugate", conjugate_kernel(inputs, widths, b), (0.0, 0.0, 1.0), 0.0),
        (
            "tangent",
            tangent_kernel(inputs, widths, b, slope),
            (b**4, b**2, 1.0),
            slope**2 - b**4 + slope - b**2,
        ),
    ):
        low, high = law.support[0]
        pairs = []
        for share in (0.05, 0.4, 0.9):
            x = low + share * (high - low)
            pairs.append((law.pdf(x), _kernel_density(x, inputs, widths, b, weights, shift)))
        rows.append((f"{name} kernel of two layers: density, relative", worst(pairs)))
    return rows


def _kernel_density(
    x: float, inputs: float, widths: tuple[float, ...], b: float, weights: tuple[float, ...], shift: float
) -> Any:
    """Im tr (shift − x + Σ q_l X_lᵀX_l)⁻¹/π, where layer l is replaced by its deterministic equivalent.

    (A + q XᵀX)⁻¹ ≈ (A + Φ/s)⁻¹ with Φ = b² X'ᵀX' + 1 − b², s = 1/q + (1/width) tr (A + Φ/s)⁻¹ Φ, from the last layer
    down to the data, whose X_0ᵀX_0 is replaced in the same way with Φ = 1.
    """
    share = mpmath.mpf(b) ** 2
    sides = [mpmath.mpf(inputs), *map(mpmath.mpf, widths)]

    def levels(z: Any, unknown: list[Any]) -> list[Any]:
        """Residuals of the equations of s_2, s_1, s_0; the last entry is the transform."""
        one, data, first = mpmath.mpf(shift) - z, mpmath.mpf(weights[0]), mpmath.mpf(weights[1])
        s2, s1, s0 = unknown
        one, first = one + (1 - share) / s2, first + share / s2
        # Layer 1 has the weight ``first``; where it is replaced, ``one`` and ``data`` grow.
        one1, data1 = one + (1 - share) / s1, data + share / s1
        plain = one1 + 1 / s0
        mean = 1 / plain  # tr of the resolvent
        # tr R X_0ᵀX_0 = (1 − one1·tr R)/data1, and the same one level up.
        of_data = (1 - one1 * mean) / data1
        of_first = (1 - one * mean - data * of_data) / first
        return [
            s2 - 1 / mpmath.mpf(weights[2]) - (share * of_first + (1 - share) * mean) / sides[2],
            s1 - 1 / first - (share * of_data + (1 - share) * mean) / sides[1],
            s0 - 1 / data1 - mean / sides[0],
            mean,
        ]

    height = mpmath.mpf(50)
    unknown = [mpmath.mpc(1)] * 3
    while True:
        z = mpmath.mpf(x) + (1j * height if height > 1e-3 else 0)
        found = mpmath.findroot(lambda *u, z=z: levels(z, list(u))[:3], unknown, maxsteps=100)
        unknown = list(found)
        if height <= 1e-3:
            break
        height /= mpmath.mpf(1.5)
    density = levels(mpmath.mpf(x), unknown)[3].imag / mpmath.pi
    assert density > 0, "another root"
    return density


def polynomials() -> list[tuple[str, float]]:
    """The anticommutator of two Wigner matrices: G is a root of 2g/(1 − g²) + 1/g = z."""
    x, y = semicircular("x"), semicircular("y")
    law = polynomial_law(x * y + y * x)
    pairs = []
    for point in (0.3, 1.0, 2.5, 3.2):
        z = mpmath.mpf(point)
        # g³ z + g² − g z + 1 = 0
        roots = mpmath.polyroots([z, 1, -z, 1], maxsteps=500, extraprec=200)
        pairs.append((law.pdf(point), max(abs(root.imag) for root in roots) / mpmath.pi))
    return [("anticommutator by linearisation: density, relative", worst(pairs))]


def main() -> None:
    with mpmath.workdps(DIGITS):
        rows = [
            {"what": what, "rmtsim": f"{error:.1e}"}
            for part in (structured_noise, hard_edge, closed_forms, planar, kernels, polynomials)
            for what, error in part()
        ]
    report("Accuracy against fifty digits", rows)


if __name__ == "__main__":
    main()
