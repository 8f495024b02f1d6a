"""Claims of known truth, for tests of code that evaluates claims."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from rmtsim._internal.docstrings import frozen
from rmtsim.claims import Claim, claim

_NOISES = {
    "normal": lambda rng, count: rng.standard_normal(count),
    "uniform": lambda rng, count: np.sqrt(12) * (rng.random(count) - 0.5),
    "exponential": lambda rng, count: rng.exponential(size=count) - 1,
    "coin": lambda rng, count: 2.0 * rng.integers(0, 2, count) - 1,
}


@frozen
class KnownClaim:
    """A claim about the limit of limit + amplitude·size^-exponent + noise.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim.testing.strategies import claims
    >>> find(claims(), lambda known: not known.true)
    <KnownClaim 0 + 0/size^1.0 + normal noise; stated: 0.4 ± 0.1; false>
    """

    claim: Claim
    """The claim."""
    true: bool
    """Whether it is true."""
    words: str
    """The quantity and the statement."""

    def __repr__(self) -> str:
        return f"<KnownClaim {self.words}; {str(self.true).lower()}>"


@st.composite
def claims(draw: st.DrawFn, *, true: bool | None = None) -> KnownClaim:
    """Claims of a limit, true or false, with known finite-size correction and noise of variance 1.

    Parameters
    ----------
    true : bool, optional
        Only true, or only false ones. The stated value of a true claim is the limit; that of a false one is off by
        four to ten tolerances.

    Returns
    -------
    SearchStrategy of KnownClaim
        Shrinks towards a true claim without correction.

    Examples
    --------
    >>> from hypothesis import find
    >>> from rmtsim import verify
    >>> from rmtsim.testing.strategies import claims
    >>> known = find(claims(true=True), lambda known: True)
    >>> str(verify(known.claim, budget=1)[0].verdict)
    'CONFIRMED'
    """
    limit, amplitude = draw(st.integers(-5, 5)), draw(st.integers(-3, 3))
    exponent = draw(st.sampled_from([1.0, 0.5, 2 / 3, 2.0]))
    noise = draw(st.sampled_from(sorted(_NOISES, key=lambda name: name != "normal")))
    right = draw(st.sampled_from([True, False])) if true is None else true
    tolerance = 0.1
    stated = limit if right else round(limit + draw(st.sampled_from([4, -4, 10])) * tolerance, 12)

    def quantity(size: int, rng: np.random.Generator, replicates: int) -> NDArray[np.float64]:
        return np.asarray(limit + amplitude / size**exponent + _NOISES[noise](rng, replicates))

    words = f"{limit} + {amplitude}/size^{exponent} + {noise} noise; stated: {stated} ± {tolerance}"
    made = claim(
        "known.limit",
        quantity,
        limit=float(stated),
        tolerance=tolerance,
        sizes=(16, 32, 64, 128),
        exponents=(exponent,),
        because="the quantity is made that way",
        cost=1e-6,
        statement=f"The limit is {stated}.",
    )
    return KnownClaim(made, right, words)
