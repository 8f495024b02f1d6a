"""How far a stated array is from a measured one."""

from __future__ import annotations

from typing import Any

import numpy as np


def relative_gap(stated: Any, truth: Any) -> float:
    """Largest difference of the entries over the largest entry of ``truth``.

    >>> relative_gap([1.0, 2.0], [1.0, 4.0])
    0.5
    """
    truth = np.asarray(truth)
    return float(np.abs(np.asarray(stated) - truth).max() / np.abs(truth).max())
