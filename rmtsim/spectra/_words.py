"""A spectrum in words and as a dictionary."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from rmtsim.spectra._fitted import Outlier, Spectrum

_FAR = -20
_SHOWN = 30
"""Outliers listed one by one."""
_MASSES = 6
_NULLS = {
    "tracy-widom": "Tracy–Widom",
    "permutations": "permutations of the entries",
    "signs": "sign flips of the entries",
}


def probability(log10: float) -> str:
    """A p-value from its decimal logarithm; a bound where it is smaller than asymptotic laws can justify.

    >>> probability(-1.5), probability(-6.2), probability(-1234.2)
    ('0.032', '6.3e-07', '<1e-20')
    """
    return f"{10**log10:.2g}" if log10 > _FAR else f"<1e{_FAR}"


def report(spectrum: Spectrum) -> str:
    """The report of :meth:`Spectrum.report`."""
    s = spectrum
    lines = [*_header(s), *_masses(s), *(_no_bulk(s) if s.law is None else [*_bulk(s), *_outliers(s)])]
    if s.population is not None:
        lines += s.population.report().splitlines()
    if s.tail is not None:
        lines.append(
            f"tail       density ∝ λ^-{s.tail.exponent:.3g} (± {s.tail.error:.2g} if values were independent) above "
            f"{s.tail.cut:.4g}, {s.tail.count} eigenvalues"
        )
    return "\n".join(lines)


def _header(s: Spectrum) -> list[str]:
    if s.kind == "covariance" and s.samples is None:
        shape = f"dimension d = {s.dimension}, number of samples unknown"
        convention = "convention: eigenvalues as they are given"
    elif s.kind == "covariance":
        shape = f"dimension d = {s.dimension}, samples N = {s.samples}, d/N = {s.dimension / (s.samples or 1):.4g}"
        convention = (
            "convention: eigenvalues of (1/N) XᵀX, X samples × features; a population belongs to the features"
        )
    else:
        shape = f"symmetric matrix of size {s.dimension}"
        convention = (
            "convention: eigenvalues of the matrix itself; σ is the deviation of an off-diagonal entry"
        )
    zeros = f", {s.zeros} of them zero" if s.zeros else ""
    name = f"{s.name}: " if s.name else ""
    lines = [f"{name}{s.eigenvalues.size} eigenvalues{zeros}; {shape}", convention]
    if s.scale != 1:
        lines.append(
            f"units      the source was divided by {s.scale:.6g}, so that squares of its numbers are doubles"
        )
    return lines


def _masses(s: Spectrum) -> list[str]:
    """Masses other than the zeros that the first line counts."""
    masses = [mass for mass in s.masses if mass.value != 0 and (mass.count > 1 or s.law is None)]
    if not masses:
        return []
    shown = ", ".join(f"{mass.count} at {mass.value:.6g}" for mass in masses[:_MASSES])
    more = f", and {len(masses) - _MASSES} more places" if len(masses) > _MASSES else ""
    return [f"masses     eigenvalues that coincide: {shown}{more}"]


def _no_bulk(s: Spectrum) -> list[str]:
    lines = [f"bulk       no bulk fits: {s.reason}"]
    if s.bulk.size:
        quarters = np.quantile(s.bulk, [0.0, 0.25, 0.5, 0.75, 1.0])
        lines.append(
            "spread     from least to largest in quarters: " + ", ".join(f"{x:.4g}" for x in quarters)
        )
    if s.outliers:
        shown = ", ".join(f"{o.eigenvalue:.6g}" for o in s.outliers[:_SHOWN])
        more = f", and {len(s.outliers) - _SHOWN} more" if len(s.outliers) > _SHOWN else ""
        lines.append(f"far        {len(s.outliers)} beyond three quartile ranges, no level: {shown}{more}")
    lines.append(f"variance   stable rank {s.stable_rank:.4g}")
    return lines


def _bulk(s: Spectrum) -> list[str]:
    assert s.law is not None
    assert s.edges is not None
    law = "Marchenko–Pastur" if s.kind == "covariance" else "semicircle"
    if len(s.law.support) > 1 or type(s.law).__name__ == "SpikedCovariance":
        law = "generalised Marchenko–Pastur"
    if s.population is not None:
        law += ", population estimated (σ² is its mean)"
    low, high = s.edges
    lines = [f"bulk       {law}, σ = {s.sigma:.6g} ± {s.sigma_error:.2g}, edges {low:.6g} to {high:.6g}"]
    if s.goodness is None:
        lines.append("fit        too few eigenvalues to judge")
    else:
        verdict = "fits" if s.fits else "DOES NOT FIT"
        lines.append(
            f"fit        {verdict}: p = {s.goodness.p_value:.3g} (χ² = {s.goodness.statistic:.4g} on "
            f"{s.goodness.freedom} Chebyshev sums)"
        )
        if s.method == "trimmed":
            lines.append(
                "           σ, edges and outliers come from the upper three quarters of the bulk: indicative only"
            )
    lines.append(f"variance   {100 * s.bulk_share:.4g} % in the bulk; stable rank {s.stable_rank:.4g}")
    return lines


def _outliers(s: Spectrum) -> list[str]:
    kept = probability(s.next_log10_p)
    count = len(s.outliers)
    lines = []
    if s.choice:
        lines.append(f"null       {_NULLS[s.test]}, because {s.choice}")
    if s.reason:
        lines.append(f"rank       no rank: the bulk does not fit, because {s.reason}")
        if count:
            lines.append(
                f"           {count} eigenvalues lie beyond the fitted bulk (indicative, without a level)"
            )
    elif not count:
        return [
            *lines,
            f"outliers   none at level {s.level:g} (the most suspicious eigenvalue has p = {kept}){_upper(s)}",
        ]
    else:
        null = _NULLS[s.test]
        lines.append(
            f"outliers   {count} at level {s.level:g} for any false one ({null}, one after the other; the next has "
            f"p = {kept}): estimated rank {count}{_upper(s)}"
        )
    if count and not s.reason:
        plural = "s" if count > 1 else ""
        lines.append(
            f"           eigenvalue{plural:1s}  p        population spike        cos² features  cos² samples"
        )
        lines += [_line(outlier) for outlier in s.outliers[:_SHOWN]]
        if count > _SHOWN:
            lines.append(f"           and {count - _SHOWN} more")
    return lines


def _upper(s: Spectrum) -> str:
    interval = s.rank_interval
    return "" if interval is None or interval[1] == s.rank else f", at most {interval[1]}"


def _line(o: Outlier) -> str:
    assert o.log10_p is not None
    assert o.spike is not None
    assert o.spike_error is not None
    # At the threshold the eigenvalue depends on the spike with slope zero, so it only bounds the spike.
    known = o.spike_error < abs(o.spike)
    spike = f"{o.spike:.5g} ± {o.spike_error:.2g}" if known else f"{o.spike:.5g}, the threshold"
    return (
        f"           {o.eigenvalue:<11.6g}  {probability(o.log10_p):<7}  {spike:<22}  {o.alignment:<13.4f}  "
        f"{o.sample_alignment:.4f}"
    )


def as_dict(spectrum: Spectrum) -> dict[str, Any]:
    """The dictionary of :meth:`Spectrum.to_dict`: finite numbers, text, None."""
    s = spectrum
    return {
        "name": s.name,
        "kind": s.kind,
        "eigenvalues": int(s.eigenvalues.size),
        "dimension": s.dimension,
        "samples": s.samples,
        "zeros": s.zeros,
        "level": s.level,
        "sigma": s.sigma,
        "sigma_error": s.sigma_error,
        "scale": s.scale,
        "method": s.method,
        "edges": None if s.edges is None else list(s.edges),
        "masses": [{"value": mass.value, "count": mass.count, "share": mass.share} for mass in s.masses],
        "fit": None
        if s.goodness is None
        else {
            "p_value": s.goodness.p_value,
            "chi_square": s.goodness.statistic,
            "freedom": s.goodness.freedom,
            "fits": s.fits,
        },
        "bulk_share": s.bulk_share,
        "stable_rank": s.stable_rank,
        "rank": s.rank,
        "rank_interval": None if s.rank_interval is None else list(s.rank_interval),
        "test": s.test,
        "choice": s.choice,
        "reason": s.reason,
        "outliers": [
            {
                "eigenvalue": o.eigenvalue,
                "log10_p": o.log10_p,
                "spike": o.spike,
                "spike_error": None if o.spike_error is None or math.isinf(o.spike_error) else o.spike_error,
                "alignment": o.alignment,
                "sample_alignment": o.sample_alignment,
            }
            for o in s.outliers
        ],
        "next_log10_p": s.next_log10_p,
        "population": None if s.population is None else s.population.to_dict(),
        "tail": None
        if s.tail is None
        else {
            "exponent": s.tail.exponent,
            "error_if_independent": s.tail.error,
            "cut": s.tail.cut,
            "count": s.tail.count,
        },
    }
