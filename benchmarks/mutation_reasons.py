"""Why some constants need no test: they steer an algorithm whose answer does not depend on them (for mutations.py)."""

from __future__ import annotations

from typing import Any

_BRACKET = (
    "where the bracket of a root begins, how it grows or where it is cut; the root does not depend on it"
)
_GUARD = "a guard: its value is not used where it enters (it divides zeros, or is masked)"
_FEATURES = "features of a fitted companion: any would do, the mean does not depend on them"
_COUNT = "how many points are taken, rounded"
_WHOLE = "the argument is an integer, and 1.03 times it is truncated to the same integer"
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
_UNIT = "the unit of a distance or an angle that is searched for and then laid off in the same unit"
_FACTOR = "a factor of a function whose zero is sought"
_DIRECTION = "a direction: the next double below zero is the same for any number below it"
_QUADRATURE = "where a quadrature is split or how far it reaches; its value does not depend on it"
_MARK = "a mark: only its sign is used"
_SCALE = "the unit of a change of variables; the solution does not depend on it"
_ROUNDING = "part of a sum of which it is less than the rounding"
_CHECKED = "a refinement that is used only where it agrees with the first result to 1e-5"

REASONS: dict[tuple[str, str, str], str] = {
    ("laws._hard_edge", "HardEdge._reach", ""): _QUADRATURE,
    ("laws._airy_counts", "_eigenvalues", ""): _QUADRATURE,
    ("laws._airy_diffusion", "diffused_tables", "_Resolution"): _COUNT,
    ("laws._airy_diffusion", "_System.__init__", "_STRETCH"): _SCALE,
    ("laws._airy_diffusion", "_march", "-math.log(beta)"): _START,
    ("laws._critical", "_at_origin", "1 / (v - poles)"): _CHECKED,
    ("laws._distribution", "_without_nan", ""): _GUARD,
    ("laws._expectation", "differential_entropy", "np.where(density"): _GUARD,
    ("laws._free.convolution", "FreeConvolution._descend", "1e-13"): _START,
    ("laws._noise.gaps", "Side.inverse", "eps"): _STOP,
    ("laws._noise.gaps", "Side._finite", ""): _BRACKET,
    ("laws._noise.gaps", "_crossing", "1e-13"): _BRACKET,
    ("laws._noise.law", "_TIE", ""): _STOP,
    ("laws._airy_tails", "_NEAR_LEFT", ""): _CHOICE,
    ("laws._noise.law", "SeparableLaw._table", "last.column"): _START,
    ("laws._noise.law", "SeparableLaw._solve", ""): _START,
    ("laws._noise.system", "System._followed", "self.bound"): _START,
    ("laws._noise.law", "SeparableLaw._beside", "near, -1"): _MARK,
    ("laws._noise.outliers", "Transform.parameter_of_location", ""): _BRACKET,
    ("laws._noise.profile", "ProfileNoise._gaps", "_GRID"): _BRACKET,
    ("laws._noise.profile", "ProfileNoise._stieltjes_upper", "1e-80"): _GUARD,
    ("laws._noise.structured", "_eigenvalues", "1e-10"): _STOP,
    ("laws._noise.law", "SeparableLaw._inner", "distance[k] ** 1.5"): _ROUNDING,
    ("laws._noise.system", "System.bound", ""): _START,
    ("laws._tracy_widom", "TracyWidom._nodes", "math.sqrt(2.0)"): _QUADRATURE,
    ("laws._tracy_widom", "TracyWidom._solve", "0.5 * (low + high)"): _START,
    ("laws.dyson.ensembles", "separable", "np.arange(POINTS)"): _QUADRATURE,
    ("laws.self_energy._gaussian", "_keeps_diagonals", "np.abs(matrices)"): _STOP,
    ("laws.self_energy._kronecker", "Kronecker.simultaneous", "np.pi"): _PROBE,
    ("laws._noise.system", "_EPS", ""): _STOP,
    ("laws._noise.system", "CERTIFICATE", ""): _STOP,
    ("laws._noise.system", "_NEAR_EDGE", ""): _STOP,
    ("laws._noise.system", "_shorten", "u.imag / step.imag"): _NEWTON,
    ("laws._hard_edge", "HardEdge._largest", ""): _QUADRATURE,
    ("laws._single_ring", "SingleRing._spread", ""): _GUARD,
    ("laws._single_ring", "SingleRing._at_radius", "increasing_root(excess"): _START,
    ("laws._single_ring", "SingleRing._draw", "increasing_root(excess"): _START,
    ("laws._base", "_NOISE", ""): _STOP,
    ("laws._base", "_FAR", ""): _CHOICE,
    ("laws._base", "SpectralLaw._solve_inside", "density * (0.5 * width"): _NEWTON,
    ("laws._base", "SpectralLaw._solve_inside", "signed[k]"): _UNIT,
    ("laws._base", "SpectralLaw._solve_inside", "_NOISE"): _STOP,
    ("laws._base", "SpectralLaw._with_tail", "0.5 * (ends"): _CHOICE,
    ("laws._base", "SpectralLaw._interval_of", "place, -1"): _WHOLE,
    ("laws._critical", "_EPS", ""): _STOP,
    ("laws._critical", "_pinches", "6 * (square"): _NEWTON,
    ("laws._critical", "_pinches", "np.where(left"): _UNIT,
    ("laws._critical", "_pinches", "1 / (direction"): _FACTOR,
    ("laws._free.bands", "find_bands", "_GRID"): _COUNT,
    ("laws._free.bands", "chebyshev_grid", ""): _PROBE,
    ("laws._free.compression", "Compression._steepness", ""): _STEP,
    ("laws._free.compression", "Compression._lowest", ""): _BRACKET,
    ("laws._free.compression", "Compression._between", "(1 - self.share) * mean"): _BRACKET,
    ("laws._free.compression", "Compression._crossing", "copysign"): _UNIT,
    ("laws._free.compression", "Compression._crossing", "np.finfo"): _BRACKET,
    ("laws._free.compression", "Compression._crossing", "increasing_root(excess"): _STOP,
    ("laws._free.compression", "Compression._solved", "/ (2 * step)"): _NEWTON,
    ("laws._free.compression", "Compression._solved", "stalled[active] + 1"): _WHOLE,
    ("laws._free.compression", "Compression._start", ""): _START,
    ("laws._free.compression", "Compression._solved", "1e-05"): _NEWTON,
    ("laws._free.convolution", "FreeConvolution._density_inside", "band.upper - band.lower"): _CHOICE,
    ("laws._free.transforms", "r_transform", "1e-13"): _BRACKET,
    ("laws._free.transforms", "r_transform", "near + tiny + 1 / level"): _BRACKET,
    ("laws._free.transforms", "_inverted", "2e-16"): _STOP,
    ("laws._generalized_marchenko_pastur", "_TIE", ""): _STOP,
    ("laws._generalized_marchenko_pastur", "GeneralizedMarchenkoPastur._distance", "nextafter"): _DIRECTION,
    ("laws._generalized_marchenko_pastur", "GeneralizedMarchenkoPastur._one_pole_guess", ""): _START,
    ("laws._generalized_marchenko_pastur", "GeneralizedMarchenkoPastur._real_roots", "w * (2 * q"): _NEWTON,
    ("laws._kernels", "EPS", ""): _STOP,
    ("laws._kernels", "CERTIFICATE", ""): _STOP,
    ("laws._kernels", "_identity", "abs(slope) + abs(lift)"): _STOP,
    ("laws._kernels", "_newton", "2 * square - plain"): _NEWTON,
    ("laws._kernels", "_newton", "abs(linear) + abs(w)"): _STOP,
    ("laws._kernels", "_newton", "error / (slope"): _NEWTON,
    ("laws._kernels", "_middle", ""): _BRACKET,
    ("laws._kernels", "_follow_curve", "target.imag + math.sqrt"): _BRACKET,
    ("laws._kernels", "_follow_curve", "abs(w * slope)"): _STOP,
    ("laws._kernels", "_local_root", ""): _START,
    ("laws._painleve", "_first_guess", ""): _START,
    ("laws._tracy_widom", "TracyWidom._solve", "-30.0, -10.0"): _BRACKET,
    ("laws._tracy_widom", "TracyWidom._solve", "tails.FARTHEST - 1"): _BRACKET,
    ("papers.dong.theory.fan_out", "wedge_moments", "np.where(short > 0"): _GUARD,
    ("laws.dyson.ensembles", "banded", "np.arange(side) + 0.5"): _SHIFT,
    ("laws._planar", "Ginibre._draw", "rng.integers"): _WHOLE,
    ("laws._spacings", "_sinc_slope", "spherical_jn"): _WHOLE,
    ("laws.self_energy._function", "FromFunction._check", "j"): _PROBE,
    ("laws.self_energy._gaussian", "GaussianSum._packed", "n * (n + 1)"): _CHOICE,
    ("laws._spikes", "_FAR", ""): _GUARD,
    ("laws._spacings", "_precise_legendre", "value - before"): _NEWTON,
    ("papers.l2l.theory.divergence", "critical_step", ""): _BRACKET,
    ("papers.l2l.theory.minimisers", "train_step", "_root("): _BRACKET,
    ("papers.l2l.theory.minimisers", "validation_time", "1 / penalty"): _BRACKET,
    ("papers.l2l.theory.minimisers", "_root", ""): _BRACKET,
    ("papers.l2l.theory.spectrum", "nodes", ""): _QUADRATURE,
    ("papers.l2l.theory.spectrum", "_panels", ""): _QUADRATURE,
    ("papers.loglinear.theory.transfer", "least_tradeoff", "np.where(weight > 0"): _GUARD,
    ("papers.dong.theory.relu_pairs", "_shape_features", ""): _FEATURES,
    ("papers.dong.theory.softmax_curvature", "_transforms", "-9 * scale - 2"): _QUADRATURE,
    ("papers.dong.theory.softmax_curvature", "_transforms", "9 * scale + 2 * variance"): _QUADRATURE,
    ("papers.dong.theory.softmax_curvature", "_log_grid", ""): _QUADRATURE,
    ("papers.dong.theory.softmax_moments", "_STEP", ""): _QUADRATURE,
    ("papers.dong.theory.softmax_moments", "_integrand", "45"): _QUADRATURE,
    ("papers.dong.theory.softmax_moments", "_integrand", "14 * scale + order"): _QUADRATURE,
    ("papers.dong.theory.softmax_moments", "_logit_grid", "logaddexp"): _QUADRATURE,
    ("papers.dong.theory.softmax_moments", "_logit_grid", "math.ceil((14"): _QUADRATURE,
    ("papers.dong.theory.softmax_moments", "_logit_grid", "np.arange(-count"): _QUADRATURE,
    ("papers.dong.theory.softmax_overlap", "_grid", ""): _QUADRATURE,
    ("papers.sparse.theory.order_statistics", "_end", ""): _QUADRATURE,
    ("papers.wu.theory.curvature", "_outer", ""): _COUNT,
}
"""(end of the module, function, part of the expression) -> why nobody needs to notice."""


def reason(entry: dict[str, Any]) -> str:
    """Why a constant of a trial needs no test; empty if there is no reason."""
    for (module, function, part), why in REASONS.items():
        if entry["module"].endswith(module) and entry["function"] == function and part in entry["expression"]:
            return why
    return ""
