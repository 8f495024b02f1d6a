"""rmtsim simulates random-matrix models of neural networks and verifies theorems about them.

The names below load on first use; everything else needs its module path (``from rmtsim.hessian.linear import block``).

>>> import rmtsim
>>> rmtsim.MarchenkoPastur(ratio=0.25).support
((0.25, 2.25),)
"""

from __future__ import annotations

import importlib
import types
from typing import TYPE_CHECKING, Any

from rmtsim import predict

if TYPE_CHECKING:
    from rmtsim.claims import Claim, Parameter, Tolerance, all_claims, claim, correction, find
    from rmtsim.errors import ConvergenceError
    from rmtsim.hessian.linear import block_energies
    from rmtsim.laws import (
        GeneralizedMarchenkoPastur,
        MarchenkoPastur,
        MatrixDyson,
        Semicircle,
        SpikedCovariance,
    )
    from rmtsim.predict.softmax_moments import softmax_moment
    from rmtsim.sampling.linear import sample_linear
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
    # exact predictions and simulation of the linear softmax model
    "block_energies": "rmtsim.hessian.linear",
    "sample_linear": "rmtsim.sampling.linear",
    "softmax_moment": "rmtsim.predict.softmax_moments",
    # claims
    "Claim": "rmtsim.claims",
    "Parameter": "rmtsim.claims",
    "Tolerance": "rmtsim.claims",
    "all_claims": "rmtsim.claims",
    "claim": "rmtsim.claims",
    "correction": "rmtsim.claims",
    "find": "rmtsim.claims",
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
    "softmax_moment",
    "spectrum",
    "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'rmtsim' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


class _Predict(types.ModuleType):
    """The package of closed forms, which can also be asked for what a claim predicts."""

    def __call__(self, name: Any, /, **parameters: Any) -> float:
        """The number that a claim (or the claim of this name) states at a parameter point; the rest is at its default.

        >>> from rmtsim import predict
        >>> round(predict("dong.thm1.diagonal-limit", gamma=1.0), 6)
        3.718282
        """
        from rmtsim.claims import Claim, find

        claim = name if isinstance(name, Claim) else find(name)
        return claim.prediction(parameters)


# `predict` is both: theory by module (predict.dong.linear), and a number by claim. The package itself knows no claims.
predict.__class__ = _Predict
