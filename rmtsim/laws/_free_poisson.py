"""The free Poisson law, a Marchenko–Pastur law under its other name."""

from __future__ import annotations

from rmtsim._internal import validate
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._marchenko_pastur import MarchenkoPastur


def free_poisson(rate: float, jump: float = 1.0) -> SpectralLaw:
    """Free Poisson law, whose free cumulants are κ_j = rate·jump^j.

    Parameters
    ----------
    rate : float
        Expected number of jumps, positive. Below one the law has an atom of mass 1 − rate at zero.
    jump : float, optional
        Size of a jump, not zero.

    Returns
    -------
    SpectralLaw
        The Marchenko–Pastur law of ratio 1/rate and variance rate·|jump|, reflected if ``jump`` is negative.

    Raises
    ------
    ValueError
        If ``rate`` is not positive, or ``jump`` is zero or not finite.

    Notes
    -----
    The R-transform is ``R(g) = rate·jump/(1 − jump·g)``.

    Examples
    --------
    >>> from rmtsim.laws import free_poisson
    >>> law = free_poisson(2.0, 0.5)
    >>> law.moment(1), law.moment(2), free_poisson(0.25).atoms
    (1.0, 1.5, ((0.0, 0.75),))
    >>> free_poisson(1.0, -1.0).support
    ((-4.0, 0.0),)
    """
    rate = validate.positive_number("rate", rate, meaning="expected number of jumps")
    jump = validate.finite_number("jump", jump, meaning="size of a jump")
    if not rate * abs(jump) > 0:
        raise ValueError(f"jump={jump}: expected a finite number other than 0, not lost beside rate={rate}")
    law = MarchenkoPastur(1 / rate, rate * abs(jump))
    return law if jump > 0 else law.scaled(-1.0)
