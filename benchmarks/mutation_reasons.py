"""Why some constants need no test: they steer an algorithm whose answer does not depend on them (for mutations.py)."""

from __future__ import annotations

from typing import Any

_BRACKET = "where the bracket of a root begins or how it grows; the root does not depend on it"
_QUADRATURE = "where a quadrature is split or how far it reaches; its value does not depend on it"

REASONS: dict[tuple[str, str, str], str] = {
    ("predict.l2l.divergence", "critical_step", ""): _BRACKET,
    ("predict.l2l.minimisers", "train_step", "_root("): _BRACKET,
    ("predict.l2l.minimisers", "validation_time", "1 / penalty"): _BRACKET,
    ("predict.l2l.minimisers", "_root", ""): _BRACKET,
    ("predict.l2l.spectrum", "nodes", ""): _QUADRATURE,
}
"""(end of the module, function, part of the expression) -> why nobody needs to notice."""


def reason(entry: dict[str, Any]) -> str:
    """Why a constant of a trial needs no test; empty if there is no reason."""
    for (module, function, part), why in REASONS.items():
        if entry["module"].endswith(module) and entry["function"] == function and part in entry["expression"]:
            return why
    return ""
