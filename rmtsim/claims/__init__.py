"""One module per paper: what is stated, what is predicted, what is measured."""

from rmtsim.claims.decorator import claim
from rmtsim.claims.model import Claim, Parameter, Tolerance
from rmtsim.claims.registry import all_claims, find, register
from rmtsim.claims.sources import load_file, resolve

__all__ = [
    "Claim",
    "Parameter",
    "Tolerance",
    "all_claims",
    "claim",
    "find",
    "load_file",
    "register",
    "resolve",
]
