"""The law of a correlated random matrix, from its mean and its covariance."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.arrays import Matrix
from rmtsim.errors import ConvergenceError
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._distribution import Atom, Interval
from rmtsim.laws.dyson import _continuation as path
from rmtsim.laws.dyson._conditions import spread_intervals, support_bound
from rmtsim.laws.dyson._edge import BandEdge
from rmtsim.laws.dyson._iterate import anderson, fixed_point
from rmtsim.laws.dyson._problem import DiagonalProblem, build_problem
from rmtsim.laws.dyson._quadrature import Break
from rmtsim.laws.dyson._structure import Structure, mixture, survey
from rmtsim.laws.dyson._support import find_atoms
from rmtsim.laws.dyson._values import BoundaryValues, SamplingError, Solution
from rmtsim.laws.self_energy._base import SelfEnergy, hermitian_matrix
from rmtsim.laws.self_energy._function import FromFunction
from rmtsim.laws.self_energy._gaussian import FromSamples

Method = Literal["newton", "anderson", "fixed-point"]


class MatrixDyson(SpectralLaw):
    """Law of a correlated random matrix, given its mean and covariance, by the Matrix Dyson equation.

    The Stieltjes transform is tr M(z)/n, with M the solution of 1 + (z − A + S[M]) M = 0 that has a positive
    imaginary part.

    Parameters
    ----------
    mean : float or array_like
        Mean A = E[H]: a symmetric or Hermitian matrix of shape (n, n), or a number a for a·1.
    self_energy : SelfEnergy or callable
        Covariance S[R] = E[(H − A) R (H − A)]: an object of :mod:`rmtsim.laws.self_energy`, or a function of
        complex matrices of shape (n, n), which is tested.
    size : int, optional
        Side n; required if the mean is a number and the self-energy a function.

    Attributes
    ----------
    mean_matrix, self_energy, size
        The parameters.
    bound : tuple of float or None
        Interval that contains the support; None for a linearisation.
    edges : tuple of BandEdge
        Ends of the intervals of the support, each with its kind (square root, cusp, hard, power) and error.
    singularities : tuple of Break
        Points inside the support where the density behaves like a power of the distance.
    unaccounted_mass : float
        Mass missing from intervals and atoms, plus the quadrature error; above 1e-7 the support is refused, or, at hard
        edges of narrow bands far from zero, above what neighbouring doubles hold between them.

    Raises
    ------
    ValueError
        If mean and self-energy do not fit, or a function is not a self-energy.

    See Also
    --------
    rmtsim.laws.dyson.ensembles : Laws of common ensembles.

    Notes
    -----
    See [1]_. The equation is solved by a Newton–Krylov method on the real axis itself; every value has a
    certificate, and a value without one raises ConvergenceError.

    References
    ----------
    .. [1] L. Erdős, T. Krüger and D. Schröder, "Random matrices with slow correlation decay", Forum Math. Sigma 7
       (2019).

    Examples
    --------
    >>> from rmtsim.laws import MatrixDyson, self_energy
    >>> law = MatrixDyson(0.0, self_energy.Wigner(100, 1.0))
    >>> round(law.density(0.0), 12), [[round(end, 9) for end in band] for band in law.support]
    (0.318309886184, [[-2.0, 2.0]])
    >>> solution = law.solve(1 + 1e-6j)
    >>> solution.residual <= 1e-10, solution.status
    (True, 'converged')
    """

    def __init__(
        self,
        mean: ArrayLike,
        self_energy: SelfEnergy | Callable[[NDArray[np.complex128]], Any],
        *,
        size: int | None = None,
    ) -> None:
        try:
            scalar = np.ndim(mean) == 0
        except ValueError as error:
            raise ValueError(f"mean: expected a number or a matrix ({error})") from None
        if not isinstance(self_energy, SelfEnergy):
            if not callable(self_energy):
                raise TypeError(
                    f"self_energy={validate.shown(self_energy)}: expected an object of rmtsim.laws.self_energy "
                    "or a callable"
                )
            if scalar and size is None:
                raise ValueError("size: needed when the mean is a number and the self-energy a bare callable")
            try:
                self_energy = FromFunction(self_energy, len(np.asarray(mean)) if size is None else size)
            except TypeError as error:
                raise TypeError(
                    f"self_energy, size: expected a function of one n×n matrix ({error})"
                ) from error
        self.self_energy = self_energy
        if (
            size is not None
            and validate.integer("size", size, meaning="rows of the matrix") != self_energy.size
        ):
            raise ValueError(
                f"size={size}: the self-energy acts on {self_energy.size}×{self_energy.size} matrices"
            )
        self.size = self_energy.size
        meaning = "mean A = E[H], the same size as the self-energy"
        self.mean_matrix: Matrix | float = (
            validate.finite_number("mean", np.asarray(mean).item(), meaning="mean A = a·1")
            if scalar
            else hermitian_matrix("mean", mean, size=self.size, meaning=meaning)
        )
        compatible = getattr(self_energy, "compatible", None)
        if compatible is not None and not scalar and np.any(np.asarray(self.mean_matrix)[~compatible]):
            raise ValueError(
                "mean: non-zero between blocks of unequal weights, which no multiple of 1 can fill"
            )
        self._problem, self._vectors, self._classes = build_problem(self.mean_matrix, self_energy)

    @property
    def _full_mean(self) -> Matrix:
        return (
            np.eye(self.size) * self.mean_matrix
            if np.ndim(self.mean_matrix) == 0
            else np.asarray(self.mean_matrix)
        )

    @cached_property
    def _spectrum(self) -> NDArray[np.float64]:
        if np.ndim(self.mean_matrix) == 0:
            return np.array([float(self.mean_matrix)])
        return np.linalg.eigvalsh(np.asarray(self.mean_matrix))

    @property
    def _linearised(self) -> bool:
        return bool(np.any(self._problem.projection == 0))

    @cached_property
    def _center(self) -> float | None:
        """A if the mean is a·1: the law is symmetric about it, since M(−z̄) = −M(z)* for a = 0."""
        symmetric = not self._linearised and np.ptp(self._spectrum) == 0
        full = self._full_mean
        return float(self._spectrum[0]) if symmetric and not np.any(full - np.diag(np.diag(full))) else None

    @property
    def bound(self) -> Interval | None:
        """Spec A + [−2‖S‖^½, 2‖S‖^½] contains the support (`li` Remark D.4); None for a linearisation."""
        if self._linearised:
            return None
        reach = 2 * np.sqrt(self.self_energy.norm)
        return float(self._spectrum[0] - reach), float(self._spectrum[-1] + reach)

    def solve(
        self,
        z: complex,
        *,
        method: Method = "newton",
        max_iterations: int = 100_000,
        start: ArrayLike | None = None,
    ) -> Solution:
        """Solve the Matrix Dyson equation at one point of the upper half plane.

        Parameters
        ----------
        z : complex
            Spectral parameter, Im z > 0.
        method : {"newton", "anderson", "fixed-point"}, optional
            Newton–Krylov with continuation in Im z (default), Anderson acceleration, or the half-averaged
            iteration.
        max_iterations : int, optional
            Limit for the last two methods.
        start : array_like, optional
            Initial matrix of shape (n, n) with positive definite imaginary part, for the last two methods.

        Returns
        -------
        Solution
            M with a residual of at most 1e-10, an estimated relative error of at most 1e-6, and Im M > 0.

        Raises
        ------
        ConvergenceError
            If no certified solution is found.
        ValueError
            If Im z ≤ 0 or an option is not accepted.

        Examples
        --------
        >>> from rmtsim.laws import self_energy
        >>> law = MatrixDyson(0.0, self_energy.Wigner(2, 1.0))
        >>> law.solve(1j).matrix.round(6).tolist()
        [0.618034j, 0.618034j]
        """
        point = validate.complex_array("z", z, meaning="spectral parameter")
        if point.ndim:
            raise TypeError("z: expected one complex number; stieltjes(z) takes arrays")
        value = complex(point.item())
        if value.imag <= 0:
            raise ValueError(f"z={value}: expected Im z > 0 (boundary values on the axis: density, boundary)")
        problem = self._problem
        before = problem.evaluations
        if method == "newton":
            if start is not None:
                raise ValueError("start: only the methods anderson and fixed-point take one")
            result = path.descend(problem, np.array([value]))
            iterations = int(result.iterations[0])
            state, error = result.state, float(result.error[0] / problem.norm(result.state)[0])
            residual = float(result.residual[0])
            good = bool(result.kind[0] == path.BULK) and error <= path.ACCURACY and residual <= path.RESIDUAL
        elif method in ("anderson", "fixed-point"):
            if self._linearised:
                raise ValueError(f"method={method!r}: linearisations are solved by newton only")
            limit = validate.integer("max_iterations", max_iterations)
            parameter = problem.parameter(np.array([value]))
            first = problem.start(parameter) if start is None else self._start(start)
            state, residual, error, iterations = self._mixed(value, method, first, limit)
            good = error <= path.ACCURACY
        else:
            raise ValueError(f"method={method!r}: expected 'newton', 'anderson' or 'fixed-point'")
        if not good:
            raise ConvergenceError(
                f"z={value}: residual {residual:.2g} after {iterations} iterations, estimated relative error of M "
                f"{error:.2g}, expected at most {path.ACCURACY:g}; try a larger Im z, or method='newton', or rescale "
                "the problem to length one",
                residual=residual,
                iterations=iterations,
            )
        return Solution(
            self._rotate(state[0]),
            residual,
            iterations,
            problem.evaluations - before,
            "converged",
            error,
            float(path.condition(problem, problem.parameter(np.array([value])), state)[0]),
        )

    def _mixed(
        self, value: complex, method: str, state: NDArray[np.complex128], limit: int
    ) -> tuple[NDArray[np.complex128], float, float, int]:
        """Mixing iterations until M itself is known: a small residual alone may belong to a point near another
        solution.

        The error is the distance to the certified solution that Newton reaches from where the iteration stopped; if
        there is none, or it is far, the iteration goes on with a smaller residual.
        """
        problem = self._problem
        z = np.array([value])
        parameter = problem.parameter(z)
        iterate = anderson if method == "anderson" else fixed_point
        used, tolerance = 0, path.RESIDUAL
        while True:
            outcome = iterate(problem, parameter, state, tolerance, limit - used)
            state, residual = outcome.state, float(outcome.residual[0])
            used += int(outcome.iterations[0])
            error = np.inf
            if residual <= path.RESIDUAL and problem.lowest_imaginary(state)[0] > 0:
                exact = path.finish(problem, z, state)
                if exact.kind[0] == path.BULK:
                    size = float(problem.norm(exact.state)[0])
                    error = float(problem.norm(state - exact.state)[0] + exact.error[0]) / size
            tolerance /= 30
            if error <= path.ACCURACY or used >= limit or residual > tolerance * 30 or tolerance < 1e-16:
                return state, residual, error, used

    def _start(self, start: ArrayLike) -> NDArray[np.complex128]:
        matrix = np.asarray(start, dtype=np.complex128)
        if matrix.shape != (self.size, self.size):
            raise ValueError(f"start has shape {matrix.shape}: expected {self.size}×{self.size}")
        if np.linalg.eigvalsh((matrix - matrix.conj().T) / 2j)[0] <= 0:
            raise ValueError("start: expected a matrix with positive definite imaginary part")
        if isinstance(self._problem, DiagonalProblem):
            if self._vectors is not None:
                matrix = self._vectors.conj().T @ matrix @ self._vectors
            entries: NDArray[Any] = np.diag(matrix)
            if self._classes is not None:
                # The solution is constant on merged rows, so a start may be averaged over them.
                count = np.bincount(self._classes)
                entries = (
                    np.bincount(self._classes, entries.real) + 1j * np.bincount(self._classes, entries.imag)
                ) / count
            return entries[None].copy()
        return matrix[None]

    def _rotate(self, state: NDArray[np.complex128]) -> Matrix:
        if self._classes is not None:
            state = state[self._classes]
        if self._vectors is None:
            return state
        result: Matrix = (self._vectors * state) @ self._vectors.conj().T
        return result

    def boundary(self, x: ArrayLike) -> BoundaryValues:
        """Density at real points, with error estimates.

        Parameters
        ----------
        x : array_like
            Points of the real line, of any shape.

        Returns
        -------
        BoundaryValues
            Density, error, residual and status of each point.

        Raises
        ------
        ConvergenceError
            If a value cannot be certified.
        """
        points = validate.real_array("x", x, meaning="where the density is evaluated")
        folded = points.ravel()
        if self._center is not None:
            folded = self._center + np.abs(folded - self._center)
        places, back = np.unique(folded, return_inverse=True)
        if not len(places):
            empty = np.zeros(points.shape)
            return BoundaryValues(empty, empty, empty, np.zeros(points.shape, dtype="U7"))
        result = path.boundary_values(self._problem, places)
        failed = np.flatnonzero(result.kind == path.FAILED)
        if len(failed):
            worst = failed[0]
            raise ConvergenceError(
                f"x={places[worst]:.17g}: no certified boundary value (residual {result.residual[worst]:.2g}); "
                "try stieltjes(x + iη) with η > 0, or move x off the singularity",
                residual=float(result.residual[worst]),
                iterations=int(result.iterations[worst]),
            )
        density = np.maximum(self._problem.trace(result.state).imag / np.pi, 0.0)
        density[result.kind == path.OUTSIDE] = 0.0
        status = np.array(["bulk", "outside", "edge", "failed"])[result.kind]
        error = result.error / np.pi
        self._mend_poles(places, density, error, result.kind)
        shape = points.shape
        return BoundaryValues(
            density[back].reshape(shape),
            error[back].reshape(shape),
            result.residual[back].reshape(shape),
            status[back].reshape(shape),
        )

    def _mend_poles(
        self,
        places: NDArray[np.float64],
        density: NDArray[np.float64],
        error: NDArray[np.float64],
        kind: NDArray[np.intp],
    ) -> None:
        """At an atom the continuous part's density, from both sides; at a hard edge infinity."""
        length = self._problem.scale
        for i in np.flatnonzero((kind == path.EDGE) & (density * length > 1e3)):
            if find_atoms(self._problem, places[i : i + 1]):
                near = path.boundary_values(self._problem, places[i] + 1e-6 * length * np.array([-1.0, 1.0]))
                density[i] = float(
                    np.mean(self._problem.trace(near.state).imag * (near.kind != path.OUTSIDE)) / np.pi
                )
                error[i] = 1e-6 / length
            else:
                density[i] = np.inf

    def sampling_error(self, x: ArrayLike, groups: int = 10) -> SamplingError:
        """Bias and standard error of the density that result from an estimated self-energy.

        Parameters
        ----------
        x : array_like
            Real points.
        groups : int, optional
            Number of jackknife groups, from 2 to half the number of samples.

        Returns
        -------
        SamplingError
            Density, bias and standard error.

        Raises
        ------
        TypeError
            If the self-energy is not a :class:`rmtsim.laws.self_energy.FromSamples`.

        Notes
        -----
        Delete-a-group jackknife: the law is solved again without each group. If the mean of the law is the mean of
        the samples, it is estimated again too.

        Examples
        --------
        >>> import numpy as np
        >>> from rmtsim.laws.self_energy import FromSamples, Wigner
        >>> rng = np.random.default_rng(0)
        >>> from rmtsim.spectra import gaussian_matrix
        >>> energy = FromSamples([gaussian_matrix(Wigner(4), rng) for _ in range(200)])
        >>> error = MatrixDyson(0.0, energy).sampling_error(0.0)
        >>> bool(abs(error.density - error.bias - 1 / np.pi) < 3 * error.standard_error)
        True
        """
        energy = self.self_energy
        if not isinstance(energy, FromSamples):
            raise TypeError(f"self_energy={energy!r}: expected FromSamples, whose covariance is estimated")
        groups = validate.integer(
            "groups", groups, minimum=2, maximum=energy.count // 2, meaning="jackknife groups"
        )
        own_mean = np.ndim(self.mean_matrix) == 2 and np.array_equal(
            np.asarray(self.mean_matrix), energy.mean
        )
        full = np.asarray(self.density(x))
        parts = np.array(
            [
                np.asarray(MatrixDyson(part.mean if own_mean else self.mean_matrix, part).density(x))
                for part in energy.without_groups(groups)
            ]
        )
        centre = parts.mean(axis=0)
        spread = np.sqrt((groups - 1) / groups * ((parts - centre) ** 2).sum(axis=0))
        return SamplingError(full, (groups - 1) * (centre - full), spread)

    def _pdf(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        # The support is not needed.
        finite = np.isfinite(x)
        values = np.zeros(x.shape)
        values[finite] = self.boundary(x[finite]).density
        return values

    def stieltjes(self, z: ArrayLike) -> Any:
        """Stieltjes transform in both half planes, and at real points outside the support."""
        points = validate.complex_array("z", z, meaning="a point off the support")
        flat = points.ravel()
        upper = np.where(flat.imag < 0, flat.conj(), flat)
        turned = np.zeros(len(flat), dtype=np.bool_)
        if self._center is not None:
            turned = upper.real < self._center
            upper = np.where(turned, 2 * self._center - upper.conj(), upper)
        values = self._stieltjes_upper(upper)
        values = np.where(turned, -values.conj(), values)
        values = np.where(flat.imag < 0, values.conj(), values)
        if np.asarray(z).dtype.kind != "c":
            shaped: Matrix = values.real.reshape(points.shape)
        else:
            shaped = values.reshape(points.shape)
        return shaped if shaped.ndim else shaped.item()

    def _stieltjes_upper(self, z: NDArray[np.complex128]) -> NDArray[np.complex128]:
        if not len(z):
            return z
        unique, back = np.unique(z, return_inverse=True)
        result = path.descend(self._problem, unique)
        wrong = np.flatnonzero((unique.imag == 0) & (result.kind != path.OUTSIDE))
        if len(wrong):
            raise ValueError(f"z={unique[wrong[0]].real}: on the support of the law; expected a point off it")
        failed = np.flatnonzero((unique.imag > 0) & (result.kind != path.BULK))
        if len(failed):
            raise ConvergenceError(
                f"z={unique[failed[0]]}: residual {result.residual[failed[0]]:.2g}; try a larger Im z",
                residual=float(result.residual[failed[0]]),
                iterations=int(result.iterations[failed[0]]),
            )
        values: NDArray[np.complex128] = self._problem.trace(result.state)[back.ravel()]
        return values

    @cached_property
    def _places(self) -> NDArray[np.float64]:
        """Likely locations of atoms and singularities: zero, and the eigenvalues of the mean if they are few."""
        spectrum = np.unique(self._spectrum)
        return np.unique(np.array([0.0, *spectrum])) if len(spectrum) <= 64 else np.zeros(1)

    @cached_property
    def _structure(self) -> Structure:
        problem = self._problem
        if isinstance(problem, DiagonalProblem) and not self._linearised:
            # Uncoupled parts: the law is their mixture, and each has its own edges.
            parts = [(share, self._part(part)) for share, part in problem.components()]
            return mixture(parts)
        bounds = None if self._linearised else list(support_bound(self.mean_matrix, self.self_energy))
        center = self._center if self._center is not None else float(np.mean(self._spectrum))
        return survey(problem, bounds, center, self._places)

    def _part(self, part: DiagonalProblem) -> Structure:
        norm = float(part.profile.sum(axis=1).max())
        if norm == 0:
            return Structure([], [(float(part.mean[0]), 1.0)], [], [], 0.0)
        bounds = spread_intervals(np.unique(part.mean), 2 * np.sqrt(norm))
        places = np.unique(np.array([0.0, *part.mean])) if part.size <= 64 else np.zeros(1)
        return survey(part, bounds, float(np.mean(part.mean)), places)

    @property
    def edges(self) -> tuple[BandEdge, ...]:
        """Ends of the bands from left to right, each with its kind (square root, cusp, hard, power) and error.

        >>> from rmtsim.laws import self_energy
        >>> [edge.kind for edge in MatrixDyson(0.0, self_energy.Wigner(3)).edges]
        ['square root', 'square root']
        """
        return tuple(self._structure.edges)

    @property
    def singularities(self) -> tuple[Break, ...]:
        """Points inside the bands where the density behaves like |x − location|^exponent, exponent not zero."""
        return tuple(self._structure.breaks)

    @property
    def unaccounted_mass(self) -> float:
        """Mass that no band or atom explains, and error of the bands' quadrature; above 1e-7 the support is refused."""
        return float(self._structure.unaccounted)

    @property
    def _intervals(self) -> tuple[Interval, ...]:
        """The bands [lower, upper] of the continuous part, in order."""
        return tuple(self._structure.bands)

    @property
    def atoms(self) -> tuple[Atom, ...]:
        """Pairs (location, mass)."""
        return tuple(self._structure.atoms)

    @property
    def _masses(self) -> tuple[float, ...]:
        return tuple(self._structure.masses)

    def _density_inside(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.density(x))

    def _cdf_inside(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        values = self._structure.cumulative(x)
        for location, mass in self._structure.atoms:
            values += np.where(x >= location, mass, 0.0)
        return values

    def moment(self, order: int) -> float:
        """Moment from the series of M at infinity: C_k = A C_{k−1} + Σ S[C_i] C_{k−2−i}.

        Examples
        --------
        >>> from rmtsim.laws import self_energy
        >>> law = MatrixDyson(0.0, self_energy.Wigner(3, 1.0))
        >>> [round(law.moment(k), 12) for k in (2, 4, 6)]
        [1.0, 2.0, 5.0]
        """
        order = validate.integer("order", order, minimum=0, maximum=200, meaning="order of the moment")
        return self._affine_moment(1.0, 0.0, order)

    def _affine_moment(self, scale: float, shift: float, k: int) -> float:
        """The series of scale·H + shift: its mean is scale·A + shift, its self-energy scale²·S."""
        if self._linearised:
            known = self._structure
            total = sum(mass * (scale * location + shift) ** k for location, mass in known.atoms)
            return float(
                total
                + sum(
                    weight * table.integrate(lambda x: (scale * x + shift) ** k)
                    for weight, table in known.tables
                )
            )
        problem = self._problem
        mean = scale * problem.mean  # type: ignore[attr-defined]
        diagonal = isinstance(problem, DiagonalProblem)
        one = np.ones((1, problem.size)) if diagonal else np.eye(self.size)[None]
        mean = mean + shift * (one[0] if diagonal else np.eye(self.size))
        series = [one.astype(np.complex128)]
        energies = [scale**2 * problem.energy(series[0])]
        for degree in range(1, k + 1):
            term = problem.product(np.broadcast_to(mean, series[0].shape), series[-1])
            for i in range(degree - 1):
                term = term + problem.product(energies[i], series[degree - 2 - i])
            series.append(term)
            energies.append(scale**2 * problem.energy(term))
        return float(problem.trace(series[k])[0].real)
