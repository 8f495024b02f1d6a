"""Default values that several packages use."""

from __future__ import annotations

LEVEL = 0.05
"""Family-wise probability of a wrong confident verdict."""

SECONDS = 120.0
"""Nominal seconds a claim may spend when no budget is given."""

QUICK_SECONDS = 3.0
"""The same for the quick set."""
