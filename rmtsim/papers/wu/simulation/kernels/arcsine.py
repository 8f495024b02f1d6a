"""The arcsine inside compiled loops, without a call or a branch: so the compiler turns a loop over it into vector code.

Fdlibm's rational approximation (arcsin x - x)/x = R(x²) for |x| <= 1/2, and arcsin x = π/2 - 2 arcsin √((1-x)/2) above.
"""

from __future__ import annotations

import math

import numpy as np

from rmtsim._internal.jit import kernel

_P0, _P1, _P2 = 1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01
_P3, _P4, _P5 = -4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05
_Q1, _Q2 = -2.40339491173441421878e00, 2.02094576023350569471e00
_Q3, _Q4 = -6.88283971605453293030e-01, 7.70381505559019352791e-02
_QUARTER_TURN = math.pi / 2


@kernel
def arcsine(x):  # type: ignore[no-untyped-def]
    """arcsin(x) for |x| <= 1, within two units in the last place."""
    size = abs(x)
    near = size <= 0.5
    square = x * x if near else 0.5 - 0.5 * size
    root = size if near else np.sqrt(square)
    above = square * (_P0 + square * (_P1 + square * (_P2 + square * (_P3 + square * (_P4 + square * _P5)))))
    below = 1.0 + square * (_Q1 + square * (_Q2 + square * (_Q3 + square * _Q4)))
    value = root + root * (above / below)
    value = value if near else _QUARTER_TURN - 2.0 * value
    return -value if x < 0.0 else value
