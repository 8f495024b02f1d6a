"""The equations of structured noise: as many scalar unknowns as the variance profile has separable terms, twice.

Entry (i, j) of the p × n matrix X has variance (1/n) Σ_l r_il t_jl, l = 1 … k, with all factors non-negative. Row i
of the resolvent of XXᵀ has the diagonal entry -1/(z(1 + Σ_l v_l r_il)), and

    u_l = -(1/z) c Σ_i a_i r_il/(1 + v·r_i),    v_l = -(1/z) Σ_j b_j t_jl/(1 + u·t_j),        c = p/n.

**Certificate.** With A_lm = c Σ a_i r_il r_im/|1 + v·r_i|² and B_lm the same of the columns, imaginary parts give

    |z|² Im u = (Im z) c Σ a_i r_i/|1 + v·r_i|² + A B Im u.

Two different roots with Im u > 0 cannot both satisfy it: their difference d fulfils z² d = A' B' d with entries of
A' and B' bounded by geometric means (Cauchy–Schwarz), and a non-negative matrix with a positive vector that it does
not enlarge has spectral radius at most one. The same argument covers real roots of which the spectral radius of AB
is below z²: they are the values of the law off its support. So any root found by any method is the right one;
residual and identity together certify it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim._internal.arrays import ComplexArray, FloatArray
from rmtsim._internal.docstrings import frozen
from rmtsim.errors import ConvergenceError

_EPS = float(np.finfo(np.float64).eps)
_CELLS = 2**16
"""Points times atoms handled at once."""
CERTIFICATE = 2.0**12 * _EPS
"""Largest residual of a certified root, over the size of the equation's terms."""
IDENTITY = 1e-9
"""Largest error of the identity of imaginary parts, over its terms, away from the edges of the support."""
_NEAR_EDGE = 64 * _EPS
"""Rounding of the identity over Im u/|u|, which matters next to an edge."""
_LOOSEST = 1e-5
_HARD = 1e-6
"""Distance from zero, over the size of the law, below which roots at a hard edge are polished."""
_NEWTON = 14
_MOVES = 400


@frozen(eq=False)
class Solutions:
    """Roots u, v, one row a point, and the evidence for them."""

    u: ComplexArray
    v: ComplexArray
    residual: FloatArray
    identity: FloatArray
    """Error of the identity of imaginary parts; for real roots zero if the spectral radius of AB is below z²."""
    inside: NDArray[np.bool_]
    """Whether Im u > 0."""
    iterations: NDArray[np.intp]


@frozen(eq=False)
class System:
    """The equations for atoms ``rows`` (p, k) with weights ``ratio·a`` and ``columns`` (n, k) with weights ``b``."""

    rows: FloatArray
    row_weights: FloatArray
    """c·a_i, summing to p/n."""
    columns: FloatArray
    column_weights: FloatArray

    def side(self, w: ComplexArray, rows: bool, order: int) -> tuple[ComplexArray, ComplexArray, FloatArray]:
        """Σ g y/(1 + w·y) over one side, and for order 2 also Σ g y yᵀ/(1 + w·y)² and Σ g y yᵀ/|1 + w·y|²."""
        atoms, weights = (self.rows, self.row_weights) if rows else (self.columns, self.column_weights)
        count, k = w.shape
        first = np.zeros((count, k), dtype=np.complex128)
        square = np.zeros((count, k, k), dtype=np.complex128)
        size = np.zeros((count, k, k))
        weighted = weights[:, None] * atoms
        pairs = (weighted[:, :, None] * atoms[:, None, :]).reshape(-1, k * k)
        block = max(1, _CELLS // max(count, 1))
        for begin in range(0, atoms.shape[0], block):
            part = slice(begin, begin + block)
            real = 1 + w.real @ atoms[part].T
            imaginary = w.imag @ atoms[part].T
            scale = 1 / (real * real + imaginary * imaginary)
            x, y = real * scale, imaginary * scale
            first.real += x @ weighted[part]
            first.imag -= y @ weighted[part]
            if order == 2:
                square.real += ((x * x - y * y) @ pairs[part]).reshape(-1, k, k)
                square.imag -= ((2 * x * y) @ pairs[part]).reshape(-1, k, k)
                size += (scale @ pairs[part]).reshape(-1, k, k)
        return first, square, size

    def partner(self, z: ComplexArray, u: ComplexArray) -> ComplexArray:
        """v that belongs to u."""
        return np.asarray(-self.side(u, rows=False, order=1)[0] / z[:, None])

    def newton(self, z: ComplexArray, u: ComplexArray) -> Solutions:
        """Newton's method from u; a residual or identity beyond its limit marks a failure. Real z and u stay real."""
        count = z.size
        u, v = u.copy(), np.zeros_like(u)
        residual, identity = np.full(count, np.inf), np.full(count, np.inf)
        iterations = np.zeros(count, dtype=np.intp)
        live = np.arange(count)
        for step_number in range(1, _NEWTON + 1):
            here, point = u[live], z[live][:, None]
            with np.errstate(all="ignore"):
                down, slope_down, size_down = self.side(here, rows=False, order=2)
                partner = -down / point
                up, slope_up, size_up = self.side(partner, rows=True, order=2)
                error = here + up / point
                matrix = np.eye(here.shape[1]) - slope_up @ slope_down / (point * point)[:, :, None].astype(
                    complex
                )
                step = _solve(matrix, error)
                scale = np.abs(here) + np.abs(up / point)
                wrong = np.max(np.abs(error) / scale, axis=1)
                balance = self._balance(z[live], here, partner, size_up, size_down)
                length = np.max(np.abs(step) / np.abs(here), axis=1)
            v[live], residual[live], identity[live] = partner, wrong, balance
            iterations[live] = step_number
            finite = np.isfinite(step).all(axis=1) & np.isfinite(wrong)
            residual[live[~finite]] = np.inf
            # Once the residual is at rounding level a further step only moves the last digits.
            settled = (wrong <= 4 * _EPS) | ((length <= 4 * _EPS) & (wrong <= CERTIFICATE))
            if step_number == _NEWTON:
                break
            moving = finite & ~settled
            live = live[moving]
            if not live.size:
                break
            factor = _shorten(u[live], step[moving])
            u[live] -= factor[:, None] * step[moving]
        return Solutions(u, v, residual, identity, np.asarray((u.imag > 0).all(axis=1)), iterations)

    def _balance(
        self, z: ComplexArray, u: ComplexArray, v: ComplexArray, up: FloatArray, down: FloatArray
    ) -> FloatArray:
        """Error of |z|² Im u = C Im z + AB Im u over its terms; for real u zero or infinite as ρ(AB) < z² or not.

        The rounding error that is to be expected next to an edge is subtracted.
        """
        height = u.imag
        product = up @ down
        square = np.abs(z) ** 2
        real = (z.imag == 0) & (height == 0).all(axis=1)
        result = np.full(z.shape, np.inf)
        if real.any():
            radius = np.abs(np.linalg.eigvals(product[real])).max(axis=1)
            result[real] = np.where(radius < square[real], 0.0, np.inf)
        rest = ~real & (height > 0).all(axis=1)
        if rest.any():
            point, lift = z[rest], height[rest]
            pushed = np.einsum("ijk,ik->ij", product[rest], lift)
            free = self._free(v[rest]) * point.imag[:, None] if point.imag.any() else 0.0
            error = np.abs(square[rest, None] * lift - pushed - free) / (square[rest, None] * lift)
            allowance = _NEAR_EDGE * np.abs(u[rest]) / lift
            result[rest] = np.max(
                np.maximum(error - np.where(allowance < _LOOSEST, allowance, 0.0), 0.0), axis=1
            )
        return result

    def _free(self, v: ComplexArray) -> FloatArray:
        """c Σ a_i r_i/|1 + v·r_i|²."""
        total = np.zeros(v.shape)
        weighted = self.row_weights[:, None] * self.rows
        block = max(1, _CELLS // max(v.shape[0], 1))
        for begin in range(0, self.rows.shape[0], block):
            part = slice(begin, begin + block)
            gap = 1 + v @ self.rows[part].T
            total += (1 / (gap.real**2 + gap.imag**2)) @ weighted[part]
        return total

    def follow(self, z: ComplexArray) -> Solutions:
        """Certified roots at points with Im z ≥ 0, from far above them down to them.

        Raises ``ConvergenceError`` if a root cannot be certified.
        """
        return self._polished(z, self._followed(z))

    def _followed(self, z: ComplexArray) -> Solutions:
        # Above this height the fixed-point map contracts by a factor of two or more.
        reach = 4 * self.bound
        start = z.real + 1j * np.maximum(z.imag, np.maximum(reach, np.abs(z.real)))
        u = np.asarray(-(self.row_weights @ self.rows) / start[:, None])
        for _ in range(4):
            u = -self.side(self.partner(start, u), rows=True, order=1)[0] / start[:, None]
        first = self.newton(start, u)
        result = Solutions(
            first.u.copy(),
            first.v.copy(),
            np.full(z.shape, np.inf),
            np.full(z.shape, np.inf),
            first.inside.copy(),
            first.iterations.copy(),
        )
        height, state = start.imag.copy(), first.u.copy()
        cut = np.zeros(z.shape)
        """Share of the height, over the target's, at the next try; zero tries the target itself."""
        live = np.arange(z.size)
        for _ in range(_MOVES):
            aim = z[live].real + 1j * (z.imag[live] + cut[live] * (height[live] - z.imag[live]))
            attempt = self.newton(aim, state[live])
            good = _certified(attempt) & attempt.inside
            outside = np.zeros(live.shape, dtype=bool)
            fell = np.flatnonzero(~good & (aim.imag == 0))
            if fell.size:
                flat = self.newton(aim[fell], attempt.u[fell].real.astype(complex))
                real = _certified(flat)
                outside[fell[real]] = True
                for name in ("u", "v", "residual", "identity"):
                    getattr(attempt, name)[fell[real]] = getattr(flat, name)[real]
            arrived = (good | outside) & (cut[live] == 0)
            place = live[arrived]
            for name in ("u", "v", "residual", "identity"):
                getattr(result, name)[place] = getattr(attempt, name)[arrived]
            result.inside[place] = good[arrived]
            result.iterations[live] += attempt.iterations
            moved = good & ~arrived
            state[live[moved]] = attempt.u[moved]
            height[live[moved]] = aim.imag[moved]
            failed = ~good & ~arrived
            cut[live[moved]] = 0.0
            cut[live[failed]] = np.where(cut[live[failed]] == 0, 0.05, 0.5 * (1 + cut[live[failed]]))
            stuck = cut[live] > 1 - 1e-6
            live = live[~arrived & ~stuck]
            if not live.size:
                break
        wrong = ~_certified(result)
        if wrong.any():
            worst = int(np.flatnonzero(wrong)[0])
            raise ConvergenceError(
                f"x, z={z[worst]}: no certified root of the equations of structured noise",
                residual=float(result.residual[worst]),
                iterations=int(result.iterations[worst]),
            )
        return result

    def solve(self, z: ComplexArray, guess: ComplexArray | None = None) -> Solutions:
        """Certified roots at points with Im z ≥ 0, by Newton's method from ``guess`` where that succeeds."""
        if guess is None:
            return self.follow(z)
        quick = self.newton(z, guess)
        left = np.flatnonzero(~(_certified(quick) & quick.inside))
        if left.size:
            slow = self.follow(z[left])
            for name in ("u", "v", "residual", "identity", "inside", "iterations"):
                getattr(quick, name)[left] = getattr(slow, name)
        return self._polished(z, quick)

    def _polished(self, z: ComplexArray, found: Solutions) -> Solutions:
        """The roots next to a hard edge at zero, from equations that determine them there.

        As z → 0 both equations of one separable term say zuv = -τ(t > 0) = -cρ(r > 0), and u/v follows from what they
        differ by: c Σ a/(1 + vr) = Σ b/(1 + ut), sums over positive atoms.
        """
        near = np.flatnonzero((np.abs(z) < _HARD * self.bound) & (z != 0))
        if self.rows.shape[1] > 1 or not near.size:
            return found
        (r, a), (t, b) = (
            (atoms[atoms[:, 0] > 0, 0], weights[atoms[:, 0] > 0])
            for atoms, weights in ((self.rows, self.row_weights), (self.columns, self.column_weights))
        )
        mass = float(a.sum())
        if abs(mass - float(b.sum())) > 64 * _EPS * mass:
            return found
        u, v = found.u[near, 0], found.v[near, 0]
        # Far below the smallest atoms the roots are close to their limit, which is a better start.
        slope = float((a / r).sum() / (b / t).sum())
        root = np.sqrt(-mass / (z[near] * slope))
        root = np.where(root.imag < 0, -root, root)
        limit = np.minimum(np.abs(root) * t.min(), np.abs(root) * slope * r.min()) > 10
        u, v = np.where(limit, root, u), np.where(limit, slope * root, v)
        for _ in range(6):
            p, q = 1 / (1 + v[:, None] * r), 1 / (1 + u[:, None] * t)
            product, above, below = z[near] * u * v, p @ a, q @ b
            p_slope, q_slope = v * (p**2 @ (a * r)), u * (q**2 @ (b * t))
            first, second = product + mass - above, below - above
            # Newton's method for log u and log v.
            determinant = product * p_slope + q_slope * (product + p_slope)
            u = u * np.exp((second * (product + p_slope) - first * p_slope) / determinant)
            v = v * np.exp(-(first * q_slope + second * product) / determinant)
        with np.errstate(invalid="ignore"):
            wrong = np.abs(first) / mass + np.abs(second) / (np.abs(above) + np.abs(below))
        good = (
            np.isfinite(u)
            & np.isfinite(v)
            & (wrong <= CERTIFICATE)
            & (limit | (np.abs(u / found.u[near, 0] - 1) < 0.5))
        )
        found.u[near[good], 0], found.v[near[good], 0] = u[good], v[good]
        return found

    @property
    def bound(self) -> float:
        """A number of the size of the largest eigenvalue: (Σ over terms of largest factors)·(1 + √(p/n))²."""
        largest = float(np.sum(self.rows.max(axis=0) * self.columns.max(axis=0)))
        return largest * float(1 + np.sqrt(float(np.sum(self.row_weights)))) ** 2

    def stieltjes(self, z: ComplexArray, v: ComplexArray, weights: FloatArray) -> ComplexArray:
        """Σ weights_i/(-z(1 + v·r_i)) over the rows."""
        return _resolvent_trace(z, v, self.rows, weights)

    def companion(self, z: ComplexArray, u: ComplexArray, weights: FloatArray) -> ComplexArray:
        """Σ weights_j/(-z(1 + u·t_j)) over the columns."""
        return _resolvent_trace(z, u, self.columns, weights)

    def angles(self, w: ComplexArray, rows: bool) -> FloatArray:
        """Σ g arg(1 + w·y) over one side."""
        atoms, weights = (self.rows, self.row_weights) if rows else (self.columns, self.column_weights)
        total = np.zeros(w.shape[0])
        block = max(1, _CELLS // max(w.shape[0], 1))
        for begin in range(0, atoms.shape[0], block):
            part = slice(begin, begin + block)
            total += np.arctan2(w.imag @ atoms[part].T, 1 + w.real @ atoms[part].T) @ weights[part]
        return total


def _resolvent_trace(
    z: ComplexArray, w: ComplexArray, atoms: FloatArray, weights: FloatArray
) -> ComplexArray:
    total = np.zeros(z.shape, dtype=np.complex128)
    block = max(1, _CELLS // max(z.size, 1))
    for begin in range(0, atoms.shape[0], block):
        part = slice(begin, begin + block)
        total += (1 / (1 + w @ atoms[part].T)) @ weights[part]
    return np.asarray(-total / z)


def _certified(solutions: Solutions) -> NDArray[np.bool_]:
    return (solutions.residual <= CERTIFICATE) & (solutions.identity <= IDENTITY)


def _solve(matrix: ComplexArray, error: ComplexArray) -> ComplexArray:
    if error.shape[1] == 1:
        return np.asarray(error / matrix[:, :, 0])
    try:
        return np.asarray(np.linalg.solve(matrix, error[:, :, None])[:, :, 0])
    except np.linalg.LinAlgError:
        return np.full(error.shape, np.nan, dtype=np.complex128)


def _shorten(u: ComplexArray, step: ComplexArray) -> FloatArray:
    """Largest factor in (0, 1] with which a step reduces no imaginary part to less than a quarter."""
    with np.errstate(all="ignore"):
        share = np.where((u.imag > 0) & (step.imag > 0), 0.75 * u.imag / step.imag, 1.0)
    return np.asarray(np.minimum(1.0, share.min(axis=1)))
