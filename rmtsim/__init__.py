"""rmtsim simulates random-matrix models of neural networks and verifies theorems about them.

The names below load on first use; other public names are in the packages ``rmtsim.laws``, ``rmtsim.spectra``,
``rmtsim.networks``, ``rmtsim.curvature``, ``rmtsim.matrix_free``, ``rmtsim.ensembles`` and ``rmtsim.papers``.

>>> import rmtsim
>>> rmtsim.MarchenkoPastur(ratio=0.25).support
((0.25, 2.25),)
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rmtsim.claims import Claim, Parameter, Tolerance, all_claims, claim, correction, find, predict
    from rmtsim.curvature import block_energies, sample_linear
    from rmtsim.errors import ConvergenceError
    from rmtsim.laws import (
        GeneralizedMarchenkoPastur,
        MarchenkoPastur,
        MatrixDyson,
        Semicircle,
        SpikedCovariance,
    )
    from rmtsim.spectra import model_spectrum, spectrum
    from rmtsim.verdicts import ClaimResult, PointResult, Results, Verdict, verify

__version__ = "0.1.0"

_HOMES = {
    # spectral laws
    "GeneralizedMarchenkoPastur": "rmtsim.laws",
    "MarchenkoPastur": "rmtsim.laws",
    "MatrixDyson": "rmtsim.laws",
    "Semicircle": "rmtsim.laws",
    "SpikedCovariance": "rmtsim.laws",
    # your own spectrum
    "model_spectrum": "rmtsim.spectra",
    "spectrum": "rmtsim.spectra",
    # Hessian blocks of the linear softmax model
    "block_energies": "rmtsim.curvature",
    "sample_linear": "rmtsim.curvature",
    # claims
    "Claim": "rmtsim.claims",
    "Parameter": "rmtsim.claims",
    "Tolerance": "rmtsim.claims",
    "all_claims": "rmtsim.claims",
    "claim": "rmtsim.claims",
    "correction": "rmtsim.claims",
    "find": "rmtsim.claims",
    "predict": "rmtsim.claims",
    # verdicts
    "ClaimResult": "rmtsim.verdicts",
    "PointResult": "rmtsim.verdicts",
    "Results": "rmtsim.verdicts",
    "Verdict": "rmtsim.verdicts",
    "verify": "rmtsim.verdicts",
    # errors
    "ConvergenceError": "rmtsim.errors",
}

__all__ = [
    "Claim",
    "ClaimResult",
    "ConvergenceError",
    "GeneralizedMarchenkoPastur",
    "MarchenkoPastur",
    "MatrixDyson",
    "Parameter",
    "PointResult",
    "Results",
    "Semicircle",
    "SpikedCovariance",
    "Tolerance",
    "Verdict",
    "__version__",
    "all_claims",
    "block_energies",
    "claim",
    "correction",
    "find",
    "model_spectrum",
    "predict",
    "sample_linear",
    "spectrum",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rmtsim' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
