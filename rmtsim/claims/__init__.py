"""What a statement is: its declaration, its parameters, and the registry of all statements."""

from rmtsim.claims._declare import claim, correction
from rmtsim.claims._files import load_file, resolve
from rmtsim.claims._model import Claim, Parameter, Tolerance
from rmtsim.claims._registry import all_claims, find, predict

__all__ = [
    "Claim",
    "Parameter",
    "Tolerance",
    "all_claims",
    "claim",
    "correction",
    "find",
    "load_file",
    "predict",
    "resolve",
]
