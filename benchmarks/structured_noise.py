"""Structured noise: densities, edges and outliers against fifty digits, and the time for many atoms.

    python benchmarks/structured_noise.py [--laws 12] [--atoms 100000]

Random laws of one to four atoms a side over two decades. The density is compared with a fifty-digit solution of the two
equations; an edge with the double root of the same equations (u real, AB = z²); an outlier with a fifty-digit solution
of g(z) = 1/θ².
"""

from __future__ import annotations

import argparse
import time

import mpmath
import numpy as np

from rmtsim.laws import StructuredNoise


def equations(law, rows, columns):
    """The two equations as a function of z, u, v in mpmath."""
    c = mpmath.mpf(law.ratio)

    def first(z, v):
        return -c / z * mpmath.fsum(w * r / (1 + v * r) for r, w in rows)

    def second(z, u):
        return -1 / z * mpmath.fsum(w * t / (1 + u * t) for t, w in columns)

    return first, second


def start(law, x):
    found = law._solve(law._scaled(np.array([x])))
    rows, columns = law.row_population.exponent, law.column_population.exponent
    return complex(found.u[0, 0]) * 2.0**-columns, complex(found.v[0, 0]) * 2.0**-rows


def density_error(law, rows, columns, x):
    first, second = equations(law, rows, columns)
    z = mpmath.mpf(x)
    root = mpmath.findroot(lambda u: u - first(z, second(z, u)), mpmath.mpc(start(law, x)[0]))
    v = second(z, root)
    exact = (-1 / z * mpmath.fsum(w / (1 + v * r) for r, w in rows)).imag / mpmath.pi
    assert root.imag > 0
    return abs(law.density(x) / float(exact) - 1)


def edge_error(law, rows, columns, which):
    edge = law._ends[which][1]
    first, second = equations(law, rows, columns)
    c = mpmath.mpf(law.ratio)

    def system(z, u):
        v = second(z, u)
        a = c * mpmath.fsum(w * (r / (1 + v * r)) ** 2 for r, w in rows)
        b = mpmath.fsum(w * (t / (1 + u * t)) ** 2 for t, w in columns)
        return [u - first(z, v), a * b / z**2 - 1]

    u = -1 / edge.column * 2.0**-law.column_population.exponent
    z, _ = mpmath.findroot(system, [mpmath.mpf(law.support[which][1]), mpmath.mpf(u)])
    return abs(float(law.support[which][1] / z - 1))


def outlier_error(law, rows, columns, theta):
    found = law.outlier(theta)
    first, second = equations(law, rows, columns)

    def system(z, u):
        v = second(z, u)
        q = -1 / z * mpmath.fsum(w / (1 + v * r) for r, w in rows)
        p = -1 / z * mpmath.fsum(w / (1 + u * t) for t, w in columns)
        return [u - first(z, v), z * q * p * theta**2 - 1]

    z = found.eigenvalue
    u = (
        float(law._system.follow(law._scaled(np.array([z + 0j]))).u[0, 0].real)
        * 2.0**-law.column_population.exponent
    )
    z, _ = mpmath.findroot(system, [mpmath.mpf(z), mpmath.mpf(u)])
    return abs(float(found.singular_value / mpmath.sqrt(z) - 1))


def accuracy(count, seed):
    rng = np.random.default_rng(seed)
    worst = {"density": 0.0, "edge": 0.0, "outlier": 0.0}
    with mpmath.workdps(50):
        for _ in range(count):
            sides = []
            for size in rng.integers(1, 5, 2):
                atoms, weights = 10 ** rng.uniform(-1, 1, size), rng.dirichlet(np.ones(size) * 3)
                sides.append((atoms, weights / weights.sum()))
            law = StructuredNoise(
                float(10 ** rng.uniform(-1, 1)),
                sides[0][0],
                sides[1][0],
                row_weights=sides[0][1],
                column_weights=sides[1][1],
            )
            rows, columns = (
                [(mpmath.mpf(a), mpmath.mpf(w)) for a, w in zip(*side, strict=True)] for side in sides
            )
            for low, high in law.support:
                for share in (1e-6, 0.1, 0.5, 0.9):
                    x = low + share * (high - low)
                    if share > 1e-3:
                        worst["density"] = max(worst["density"], density_error(law, rows, columns, x))
                    else:
                        key = "density at 1e-6 of the width from an edge"
                        worst[key] = max(worst.get(key, 0.0), density_error(law, rows, columns, x))
            for which in range(len(law.support)):
                worst["edge"] = max(worst["edge"], edge_error(law, rows, columns, which))
            for factor in (1.05, 3.0):
                worst["outlier"] = max(
                    worst["outlier"], outlier_error(law, rows, columns, factor * law.threshold)
                )
    for name, error in worst.items():
        print(f"{name:45s} {error:.1e}")


def cost(atoms, seed):
    rng = np.random.default_rng(seed)
    law = StructuredNoise(0.5, rng.gamma(3, 1, atoms // 2), rng.gamma(2, 1, atoms))

    def timed(name, call):
        begin = time.process_time()
        value = call()
        print(f"{name:45s} {time.process_time() - begin:.2f} s of processor time")
        return value

    print(
        f"{atoms // 2} row and {atoms} column values, {len(timed('support', lambda: law.support))} intervals"
    )
    low, high = max(law.support, key=lambda ends: ends[1] - ends[0])
    x = np.linspace(low, high, 102)[1:-1]
    timed("100 densities (first call)", lambda: law.density(x))
    timed("100 values of the cdf", lambda: law.cdf(x))
    timed("outlier", lambda: law.outlier(2 * law.threshold))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--laws", type=int, default=12)
    parser.add_argument("--atoms", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    accuracy(arguments.laws, arguments.seed)
    cost(arguments.atoms, arguments.seed)
