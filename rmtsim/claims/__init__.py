"""What is stated, what is predicted, what is measured: one folder per paper, one declaration per statement."""

from rmtsim.claims.declare import claim, correction
from rmtsim.claims.files import load_file, resolve
from rmtsim.claims.model import Claim, Parameter, Tolerance
from rmtsim.claims.registry import all_claims, find

__all__ = [
    "Claim",
    "Parameter",
    "Tolerance",
    "all_claims",
    "claim",
    "correction",
    "find",
    "load_file",
    "resolve",
]
