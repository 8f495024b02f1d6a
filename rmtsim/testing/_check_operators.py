"""Estimators of traces and spectra, on operators whose answer is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator

from rmtsim._internal.randomness import RandomSource, root_seed
from rmtsim.ensembles import haar
from rmtsim.testing._conformance import (
    Check,
    Conformance,
    at_most,
    described,
    failed_with,
    mean_is,
    share_at_least,
)

_SIZE = 60


def _operators() -> Iterator[tuple[str, NDArray[np.float64], LinearOperator]]:
    """Names, symmetric matrices and their operators, rotated so that no coordinate is special."""
    n = _SIZE
    spectra = {
        "identity": np.ones(n),
        "two values": np.repeat([1.0, 3.0], n // 2),
        "indefinite, trace 0": np.concatenate([-np.arange(1.0, n // 2 + 1), np.arange(1.0, n // 2 + 1)]) / n,
        "one large eigenvalue": np.concatenate([np.full(n - 1, 0.1), [30.0]]),
        "power law": np.arange(1.0, n + 1) ** -1.5,
    }
    q = haar(n, np.random.default_rng(0), beta=1)
    for name, values in spectra.items():
        matrix = (q * values) @ q.T
        product = matrix.__matmul__
        yield name, matrix, LinearOperator(matrix.shape, matvec=product, matmat=product, dtype=np.float64)


@described
def check_trace_estimator(
    estimator: Callable[[LinearOperator, np.random.Generator], Any],
    *,
    repeats: int = 4000,
    rng: RandomSource = 0,
    name: str = "",
) -> Conformance:
    """Check that an estimator of the trace is unbiased and its standard error correct.

    Parameters
    ----------
    estimator : callable
        ``estimator(operator, rng)`` returns the trace of a symmetric ``LinearOperator``, or a pair of trace and
        standard error, or an object with ``value`` and ``error``.
    repeats : int, optional
        Largest number of calls per operator.

    Returns
    -------
    Conformance
        For each operator: whether the mean is the trace, within 2 % of the nuclear norm; if standard errors are
        returned, whether at least 85 % of estimates lie within two of them.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.testing import check_trace_estimator
    >>> def hutchinson(operator, rng):
    ...     signs = rng.choice([-1.0, 1.0], operator.shape[0])
    ...     return signs @ (operator @ signs)
    >>> check_trace_estimator(hutchinson).passed
    True
    """
    seed = root_seed("rng", rng)
    checks: list[Check] = []
    for title, matrix, operator in _operators():
        trace, scale = float(np.trace(matrix)), float(np.abs(np.linalg.eigvalsh(matrix)).sum())
        try:
            first = _estimate(estimator(operator, np.random.default_rng(seed)))
            again = _estimate(estimator(operator, np.random.default_rng(seed)))
        except Exception as error:
            checks.append(failed_with(f"unbiased ({title})", error))
            continue
        same = abs(first[0] - again[0])
        if title == "two values":
            checks.append(at_most("repeats with the same generator", same, 1e-9 * scale))
        values = _distinct(estimator, operator)
        if values <= 1e-9 * scale:  # deterministic: one value decides
            checks.append(at_most(f"unbiased ({title})", abs(first[0] - trace), 1e-6 * scale))
            continue

        def value(rng: np.random.Generator, operator: Any = operator) -> float:
            return _estimate(estimator(operator, rng))[0]

        def covered(rng: np.random.Generator, operator: Any = operator, trace: float = trace) -> bool:
            found, error = _estimate(estimator(operator, rng))
            return error is not None and abs(found - trace) <= 2 * error + 1e-9 * abs(trace)

        checks.append(mean_is(f"unbiased ({title})", value, trace, 0.02 * scale, seed=seed, repeats=repeats))
        if first[1] is not None:
            words = f"two standard errors contain the trace ({title})"
            checks.append(share_at_least(words, covered, 0.85, seed=seed, repeats=min(repeats, 400)))
    return Conformance(name or getattr(estimator, "__name__", "estimator"), tuple(checks))


def _distinct(estimator: Any, operator: Any) -> float:
    """Spread of four estimates."""
    values = [_estimate(estimator(operator, np.random.default_rng(k)))[0] for k in range(4)]
    return max(values) - min(values)


def _estimate(returned: Any) -> tuple[float, float | None]:
    if hasattr(returned, "value") and hasattr(returned, "error"):
        return float(returned.value), float(returned.error)
    if isinstance(returned, tuple):
        return float(returned[0]), float(returned[1])
    return float(returned), None


@described
def check_spectrum_estimator(
    estimator: Callable[[LinearOperator, np.random.Generator], Any],
    *,
    repeats: int = 4000,
    rng: RandomSource = 0,
    name: str = "",
) -> Conformance:
    """Check an estimator of the spectral distribution of a symmetric operator.

    Parameters
    ----------
    estimator : callable
        ``estimator(operator, rng)`` returns points and weights of a discrete distribution, for instance the nodes of
        stochastic Lanczos quadrature.
    repeats : int, optional
        Largest number of calls per property.

    Returns
    -------
    Conformance
        For each operator: whether weights are non-negative and sum to one, points lie in the range of the spectrum,
        and first and second moments are unbiased within 2 %.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.testing import check_spectrum_estimator
    >>> def exact(operator, rng):
    ...     values = np.linalg.eigvalsh(operator @ np.eye(operator.shape[0]))
    ...     return values, np.full(len(values), 1 / len(values))
    >>> check_spectrum_estimator(exact).passed
    True
    """
    seed = root_seed("rng", rng)
    checks: list[Check] = []
    for title, matrix, operator in _operators():
        values = np.linalg.eigvalsh(matrix)
        try:
            draws = [_distribution(estimator(operator, np.random.default_rng(k))) for k in range(4)]
        except Exception as error:
            checks.append(failed_with(f"runs ({title})", error))
            continue
        width = max(float(np.ptp(values)), float(np.abs(values).max()))
        total = max(abs(float(weights.sum()) - 1) for _, weights in draws)
        negative = max(0.0, max(-float(weights.min()) for _, weights in draws))
        outside = (
            max(max(values[0] - points.min(), points.max() - values[-1], 0.0) for points, _ in draws) / width
        )
        checks.append(at_most(f"weights are a distribution ({title})", max(total, negative), 1e-6))
        checks.append(at_most(f"points lie in the range of the spectrum ({title})", float(outside), 1e-6))
        for k in (1, 2):
            moment, scale = float((values**k).mean()), float((np.abs(values) ** k).mean())
            found = [float(weights @ points**k) for points, weights in draws]
            words = f"moment {k} ({title})"
            if max(found) - min(found) <= 1e-9 * scale:
                checks.append(at_most(words, abs(found[0] - moment), 1e-6 * scale))
                continue

            def moments(rng: np.random.Generator, operator: Any = operator, k: int = k) -> float:
                points, weights = _distribution(estimator(operator, rng))
                return float(weights @ points**k)

            checks.append(mean_is(words, moments, moment, 0.02 * scale, seed=seed, repeats=repeats))
    return Conformance(name or getattr(estimator, "__name__", "estimator"), tuple(checks))


def _distribution(returned: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    points, weights = returned
    points, weights = np.asarray(points, dtype=float).ravel(), np.asarray(weights, dtype=float).ravel()
    if points.shape != weights.shape or not points.size:
        raise ValueError(
            f"points of shape {points.shape} and weights of shape {weights.shape}: expected equal lengths"
        )
    return points, weights
