"""Why some constants need no test: they steer an algorithm whose answer does not depend on them (for mutations.py)."""

from __future__ import annotations

from typing import Any

_BRACKET = (
    "where the bracket of a root begins, how it grows or where it is cut; the root does not depend on it"
)
_GUARD = "a guard: its value is not used where it enters (it divides zeros, or is masked)"
_FEATURES = "features of a fitted companion: any would do, the mean does not depend on them"
_COUNT = "how many points are taken, rounded"
_WHOLE = "a whole number is asked for, and 1.03 times it is cut to itself"
_SHIFT = "moves all points alike, and only their differences enter"
_CHOICE = "decides which of two forms is used; both give the same value"
_PROBE = "a number at which a property is probed; any would do"
_NEWTON = (
    "a slope, or the step of a difference quotient, in Newton's iteration: the root does not depend on it"
)
_START = "where an iteration starts: the root does not depend on it, and its residual is checked"
_STOP = (
    "a small multiple of rounding at which an iteration stops, or that a residual or a tie is compared with"
)
_STEP = "step of a difference quotient whose error, the step squared, is 1e-10 of the slope"
_UNIT = "the unit of a distance that is searched for and then laid off in the same unit"
_DIRECTION = "a direction: the next double below zero is the same for any number below it"
_QUADRATURE = "where a quadrature is split or how far it reaches; its value does not depend on it"

REASONS: dict[tuple[str, str, str], str] = {
    ("laws.base", "_NOISE", ""): _STOP,
    ("laws.base", "_FAR", ""): _CHOICE,
    ("laws.base", "SpectralLaw._solve_inside", "density * (0.5 * width"): _NEWTON,
    ("laws.base", "SpectralLaw._with_tail", "0.5 * (ends"): _CHOICE,
    ("laws.base", "SpectralLaw._interval_of", "place, -1"): _WHOLE,
    ("laws.critical", "_EPS", ""): _STOP,
    ("laws.critical", "_pinches", "6 * (square"): _NEWTON,
    ("laws.free.bands", "Band.piece_ends", ""): _PROBE,
    ("laws.free.bands", "find_bands", "_GRID"): _COUNT,
    ("laws.free.bands", "find_bands", "np.arange(count)"): _PROBE,
    ("laws.free.bands", "find_bands", "np.union1d"): _PROBE,
    ("laws.free.compression", "Compression._steepness", ""): _STEP,
    ("laws.free.compression", "Compression._lowest", ""): _BRACKET,
    ("laws.free.compression", "Compression._between", "(1 - self.share) * mean"): _BRACKET,
    ("laws.free.compression", "Compression._crossing", "copysign"): _UNIT,
    ("laws.free.compression", "Compression._crossing", "np.finfo"): _BRACKET,
    ("laws.free.compression", "Compression._crossing", "increasing_root(excess"): _STOP,
    ("laws.free.compression", "Compression._solved", "/ (2 * step)"): _NEWTON,
    ("laws.free.compression", "Compression._solved", "stalled[active] + 1"): _WHOLE,
    ("laws.free.compression", "Compression._start", ""): _START,
    ("laws.free.compression", "Compression._solved", "1e-05"): _NEWTON,
    ("laws.free.convolution", "FreeConvolution._density_inside", "band.upper - band.lower"): _CHOICE,
    ("laws.free.transforms", "r_transform", "1e-13"): _BRACKET,
    ("laws.free.transforms", "r_transform", "near + tiny + 1 / level"): _BRACKET,
    ("laws.free.transforms", "_inverted", "2e-16"): _STOP,
    ("laws.generalized_marchenko_pastur", "_TIE", ""): _STOP,
    ("laws.generalized_marchenko_pastur", "GeneralizedMarchenkoPastur._distance", "nextafter"): _DIRECTION,
    ("laws.generalized_marchenko_pastur", "GeneralizedMarchenkoPastur._one_pole_guess", ""): _START,
    ("laws.generalized_marchenko_pastur", "GeneralizedMarchenkoPastur._real_roots", "w * (2 * q"): _NEWTON,
    ("laws.kernels", "EPS", ""): _STOP,
    ("laws.kernels", "CERTIFICATE", ""): _STOP,
    ("laws.kernels", "_identity", "abs(slope) + abs(lift)"): _STOP,
    ("laws.kernels", "_newton", "2 * square - plain"): _NEWTON,
    ("laws.kernels", "_newton", "abs(linear) + abs(w)"): _STOP,
    ("laws.kernels", "_newton", "error / (slope"): _NEWTON,
    ("laws.kernels", "_middle", ""): _BRACKET,
    ("laws.kernels", "_follow_curve", "target.imag + math.sqrt"): _BRACKET,
    ("laws.kernels", "_follow_curve", "abs(w * slope)"): _STOP,
    ("laws.kernels", "_local_root", ""): _START,
    ("laws.painleve", "_first_guess", ""): _START,
    ("laws.tracy_widom", "TracyWidom._solve", "-30.0, -10.0"): _BRACKET,
    ("laws.tracy_widom", "TracyWidom._solve", "FARTHEST - 1"): _BRACKET,
    ("predict.dong.fan_out", "wedge_moments", "np.where(short > 0"): _GUARD,
    ("laws.dyson.ensembles", "banded", "np.arange(side) + 0.5"): _SHIFT,
    ("laws.planar", "Ginibre._draw", "rng.integers"): _WHOLE,
    ("laws.spacings", "_sinc_slope", "spherical_jn"): _WHOLE,
    ("laws.self_energy.function", "FromFunction._check", "j"): _PROBE,
    ("laws.self_energy.gaussian", "GaussianSum._packed", "n * (n + 1)"): _CHOICE,
    ("laws.spikes", "_FAR", ""): _GUARD,
    ("laws.spacings", "_precise_legendre", "value - before"): _NEWTON,
    ("predict.l2l.divergence", "critical_step", ""): _BRACKET,
    ("predict.l2l.minimisers", "train_step", "_root("): _BRACKET,
    ("predict.l2l.minimisers", "validation_time", "1 / penalty"): _BRACKET,
    ("predict.l2l.minimisers", "_root", ""): _BRACKET,
    ("predict.l2l.spectrum", "nodes", ""): _QUADRATURE,
    ("predict.l2l.spectrum", "_panels", ""): _QUADRATURE,
    ("predict.loglinear.transfer", "least_tradeoff", "np.where(weight > 0"): _GUARD,
    ("predict.relu_pairs", "_shape_features", ""): _FEATURES,
    ("predict.softmax_curvature", "_transforms", "-9 * scale - 2"): _QUADRATURE,
    ("predict.softmax_curvature", "_transforms", "9 * scale + 2 * variance"): _QUADRATURE,
    ("predict.softmax_curvature", "_log_grid", ""): _QUADRATURE,
    ("predict.softmax_moments", "_STEP", ""): _QUADRATURE,
    ("predict.softmax_moments", "_integrand", "45"): _QUADRATURE,
    ("predict.softmax_moments", "_integrand", "14 * scale + order"): _QUADRATURE,
    ("predict.softmax_moments", "_logit_grid", "logaddexp"): _QUADRATURE,
    ("predict.softmax_moments", "_logit_grid", "math.ceil((14"): _QUADRATURE,
    ("predict.softmax_moments", "_logit_grid", "np.arange(-count"): _QUADRATURE,
    ("predict.softmax_overlap", "_grid", ""): _QUADRATURE,
    ("predict.sparse.order_statistics", "_end", ""): _QUADRATURE,
    ("predict.wu.curvature", "_outer", ""): _COUNT,
}
"""(end of the module, function, part of the expression) -> why nobody needs to notice."""


def reason(entry: dict[str, Any]) -> str:
    """Why a constant of a trial needs no test; empty if there is no reason."""
    for (module, function, part), why in REASONS.items():
        if entry["module"].endswith(module) and entry["function"] == function and part in entry["expression"]:
            return why
    return ""
