"""What an INCONCLUSIVE verdict lacks, and the warnings of any verdict: enumerations with data.

Words are made from them in ``_words/needs.py`` alone.
"""

from __future__ import annotations

from enum import StrEnum

from rmtsim._internal.docstrings import frozen


class Lack(StrEnum):
    """Kinds of reasons why a verdict is INCONCLUSIVE."""

    BUDGET = "budget"
    """No batch fitted into the budget."""
    TIME = "time"
    """More replicates, for ``seconds`` nominal seconds, or for ``seconds`` to ``most`` where these differ much."""
    ESTIMATE = "estimate"
    """Too few replicates to predict a budget: those for a first estimate take ``seconds`` nominal seconds more."""
    FAMILY = "family"
    """More evidence: an e-value of ``number`` is a discovery among all claims of the run."""
    EDGE = "edge"
    """The interval shrinks around the edge of the zone: possibly no budget decides."""
    UNREACHED_SIZES = "unreached sizes"
    """A budget that covers the declared ``sizes``."""
    REPLICATES = "replicates"
    """At least ``number`` replicates at ``sizes``, which have ``counts``: their values are skewed."""
    REPLICATES_RARE = "replicates of rare values"
    """The same, since rare values stand out at some size."""
    DESCRIPTION = "description"
    """No finite-size model describes the values: larger sizes, or other exponents."""
    EXPONENTS = "exponents"
    """Declared exponents: with ``exponents`` the verdict would be ``verdict`` now."""
    FEWER_EXPONENTS = "fewer exponents"
    """Declared exponents instead of the default ones."""
    LARGER_SIZES = "larger sizes"
    """The models differ by more than the tolerance; sizes up to ``reach`` would do."""
    REACH = "sizes up to"
    """Sizes up to ``reach``, as an alternative to the need before it."""
    MORE_SIZES = "more sizes"
    """At least ``number`` sizes: the data need so many terms that no size is left for one more."""
    VOTES = "votes"
    """Sharper values at ``sizes``, which are among the two largest: they would not show a deviation that matters."""
    CONTRADICTION = "contradiction"
    """The interval of ``sizes`` contradicts the models that describe the others."""
    PLAINER_POWER = "plainer power"
    """A single power ``number``, slower than those declared, describes the values too, and decides otherwise."""
    SMALLEST_SIZE = "smallest size"
    """The verdict does not survive the loss of the smallest size, ``sizes``."""
    PAIR = "pair of powers"
    """One declared exponent in place of two, ``exponents``, which together describe the values and decide otherwise."""
    MOVING = "still moving"
    """Larger sizes: at ``sizes`` the values still approach the stated one, and the steps do not shrink."""
    CROSSED = "crossed"
    """Larger sizes: the models cross the stated zone beyond ``sizes``, the largest; a faster decay might end there."""
    VARIATION = "variation"
    """All values at ``sizes`` are equal."""
    SCALE = "scale"
    """Values at ``sizes`` are too small to be squared."""
    LIGHT_TAILS = "light tails"
    """One of ``counts`` values at ``sizes`` carries the share ``number`` of the variance."""
    RANDOMNESS = "randomness"
    """Every batch at ``sizes`` has the same values."""
    INDEPENDENCE = "independence"
    """Means of batches vary ``number`` times as much as independent values allow."""
    DRAWS = "draws"
    """More draws, for ``seconds`` nominal seconds."""
    VALUES = "values"
    """The other sizes of a computed bound, for ``seconds`` nominal seconds."""
    SHARPER_VALUE = "sharper value"
    """A sharper independent value of one side of an identity."""
    SAMPLER = "sampler"
    """A sampler that runs."""
    LOST_BATCH = "lost batch"
    """A batch that killed its workers, named in ``text``."""
    REST_OF_RUN = "rest of the run"
    """The run was interrupted."""
    OTHER = "other"
    """What an older record says in ``text``."""


TIMELY = frozenset({Lack.BUDGET, Lack.UNREACHED_SIZES, Lack.REPLICATES, Lack.REPLICATES_RARE})
"""Needs that more time satisfies, although the time cannot be predicted."""


@frozen(kw_only=True)
class Need:
    """One need of an INCONCLUSIVE verdict; which of the data are set depends on ``lack``."""

    lack: Lack
    seconds: float | None = None
    """Nominal seconds."""
    most: float | None = None
    """Nominal seconds at most, where they are known within a range only; infinite where nothing bounds them."""
    sizes: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()
    """Replicates at ``sizes``."""
    reach: int | None = None
    """Largest size that would be needed."""
    number: float | None = None
    exponents: tuple[float, ...] = ()
    verdict: str = ""
    """Verdict of the interval under ``exponents``."""
    text: str = ""
    """A message from outside the engine, shown as it is."""


class Caution(StrEnum):
    """Kinds of warnings in the first line of a verdict."""

    UNMEASURED_SIZES = "unmeasured sizes"
    """The declared ``sizes`` were not measured: the budget does not cover them."""
    OTHER_POWER = "other power"
    """A single power ``numbers[0]``, slower than those declared, describes values that need two declared terms."""
    BETTER_POWER = "better power"
    """Size^-``numbers[0]`` describes the values better than the declared exponents, or with fewer terms."""
    UNDECLARED = "undeclared exponents"
    """The verdict holds for corrections that decay at least like size^-``numbers[0]``; no exponents are declared."""
    SLOWER_POWER = "slower power"
    """A plausible correction, slower than size^-``numbers[0]`` and than those declared, would undo a refutation."""
    MEAN_ONLY = "mean only"
    """The standard deviation does not decrease: ``numbers`` at the smallest and at the largest size."""
    LARGE_CORRECTION = "large correction"
    """A relative correction of ``numbers[0]`` times the power at the smallest size would reconcile a refuted rate."""


@frozen(kw_only=True)
class Warned:
    """One warning; which of the data are set depends on ``caution``."""

    caution: Caution
    sizes: tuple[int, ...] = ()
    numbers: tuple[float, ...] = ()
