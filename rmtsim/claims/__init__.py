"""One module per paper: what is stated, what is predicted, what is measured."""

from rmtsim.claims.model import Claim, Parameter, Tolerance
from rmtsim.claims.registry import all_claims, find, register

__all__ = ["Claim", "Parameter", "Tolerance", "all_claims", "find", "register"]
