"""Why some constants need no test: they steer an algorithm whose answer does not depend on them (for mutations.py)."""

from __future__ import annotations

from typing import Any

_BRACKET = "where the bracket of a root begins or how it grows; the root does not depend on it"
_GUARD = "a guard: its value is not used where it enters"
_FEATURES = "features of a fitted companion: any would do, the mean does not depend on them"
_COUNT = "how many points are taken, rounded"
_WHOLE = "a whole number is asked for, and 1.03 times it is cut to itself"
_SHIFT = "moves all points alike, and only their differences enter"
_CHOICE = "decides which of two forms is used; both give the same value"
_PROBE = "a number at which a property is probed; any would do"
_NEWTON = "the slope in Newton's iteration: the root does not depend on it"
_QUADRATURE = "where a quadrature is split or how far it reaches; its value does not depend on it"

REASONS: dict[tuple[str, str, str], str] = {
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
    ("predict.softmax_curvature", "_transforms", "scale"): _QUADRATURE,
    ("predict.softmax_curvature", "_log_grid", ""): _QUADRATURE,
    ("predict.softmax_moments", "_STEP", ""): _QUADRATURE,
    ("predict.softmax_moments", "_integrand", "45"): _QUADRATURE,
    ("predict.softmax_moments", "_logit_grid", ""): _QUADRATURE,
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
