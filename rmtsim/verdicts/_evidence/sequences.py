"""Anytime-valid intervals: the error probability holds at every stopping time, however often the data are inspected.

Each is the set of values whose e-process (a non-negative martingale that starts at one, if that value is the truth)
has never exceeded 1/level; by Ville's inequality the truth leaves that set with probability at most ``level`` over
the whole run.

- means of unbounded quantities: the t-mixture. Exact for normal replicates with unknown variance at every
  count; for others asymptotic, widened by the first Cornish–Fisher term of the measured skewness.
- means of quantities with known bounds: empirical Bernstein, exact at every count.
- frequencies of events: the beta-binomial mixture, exact at every count.

Sources: Robbins (1970), Lai (1976) for mixtures; Waudby-Smith and Ramdas (2024) for empirical Bernstein.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rmtsim.verdicts._evidence.moments import Moments
from rmtsim.verdicts._needs import Lack, Need

ROOMY = 640
"""Ten batches of 64 replicates: from here on the sample skewness is used without a margin."""

FEW = 96
"""Replicates at which values without skewness bound a mean, but for a chance of about one in a hundred."""

SKEWED = 0.6
"""Sample skewness beyond which 24 replicates do not bound a mean; see :func:`most_skewness`."""

JUMPING = 2.5
"""Sample skewness that shows rare values (an exponential has two): where one size has it, all need ``ROOMY``
replicates, because rare values seen there may not have occurred elsewhere yet."""

FIRST_LOOK = ROOMY
"""Replicates before the first evaluation, if the budget allows: values that occur once in a hundred replicates are
then seen with probability 0.998."""

_STAGE_FACTOR = 4.0
"""Mixture widths grow by this factor; a width off by half of it costs a few per cent of the radius."""


def stage_widths(first: int, last: int) -> NDArray[np.float64]:
    """Mixture widths (in replicates) that serve all counts from ``first`` to ``last``: a third of each stage.

    >>> stage_widths(640, 640).tolist()
    [213.33333333333334]
    """
    stages = 1 + max(0, math.ceil(math.log(max(last, first) / first, _STAGE_FACTOR)))
    return np.asarray((first / 3) * _STAGE_FACTOR ** np.arange(stages), dtype=np.float64)


def _skewness_widening(
    skewness: NDArray[np.float64], count: NDArray[np.float64], z: NDArray[np.float64]
) -> NDArray[np.float64]:
    # Quantile shift of Student's ratio for skewed data. Few replicates do not determine their skewness, so two
    # standard errors of it are added.
    size = np.abs(skewness) + np.where(count < ROOMY, 2 * np.sqrt(6 / count), 0.0)
    return 1 + size * (2 * z**2 + 1) / (6 * np.sqrt(count) * z)


UNSEEN = 2.0
"""Unseen values are assumed to be this many times as far out as the farthest one seen, which is the conditional mean
under a tail of index two, the heaviest with a variance."""


def tail_widening(
    reach: NDArray[np.float64], count: NDArray[np.float64], z: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Factor for values with tails heavier than exponential; ``reach`` is the largest deviation in deviations.

    Values of weight c/n do not occur in n draws with probability exp(-c), and shift the mean by c·v/√n standard
    errors, v how far out they lie. An error of y standard errors then has the exponent c + (y - c·v/√n)²/2, least
    over c ≥ 0, where ordinary fluctuations have y²/2. The two agree while u = z·v/√n ≤ 1; beyond, the level of z
    requires y = z·(u + 1/u)/2. The standard deviation is known up to the share that one value has in it, so the
    factor is divided by one minus that share. The largest of n exponential values is about log n deviations out; up
    to there the factor is one.

    >>> tail_widening(np.array([3.0, 20.0]), np.array([1000.0, 1000.0]), np.array([3.0, 3.0])).round(2)
    array([1.  , 3.38])
    """
    heavy = reach > 1 + np.log(np.maximum(count, 1.0))
    share = np.minimum(reach**2 / count, 1 - 1e-9)
    u = np.maximum(1.0, UNSEEN * z * reach / np.sqrt(count))
    return np.asarray(np.where(heavy, 0.5 * (u + 1 / u) / (1 - share), 1.0))


def jumps(count: int, skewness: float, reach: float) -> bool:
    """Whether rare values stand out: tails heavier than exponential, or more skewness than an exponential has.

    >>> jumps(640, 1.9, 6.5), jumps(640, 8.5, 9.4), jumps(12, 3.0, 3.2)
    (False, True, True)
    """
    return abs(skewness) > JUMPING or reach > 1 + math.log(max(count, 1))


def most_skewness(count: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Sample skewness up to which ``count`` replicates, fewer than ``ROOMY``, bound a mean.

    Few samples of an exponential have so little skewness. An exponential with a hundredth of its values a
    hundred times larger looks like an ordinary one until one of those occurs, so fewer than ``ROOMY`` replicates that
    may be exponential give no interval. Less skewed values have an interval that is widened for skewness.

    >>> most_skewness(np.array([12.0, 64.0, 128.0, 512.0])).round(2)
    array([0.6, 0.6, 0.8, 1.2])
    """
    return np.asarray(SKEWED + 0.2 * np.log2(np.maximum(count, 64.0) / 64.0))


def says_nothing(
    count: NDArray[np.float64],
    skewness: NDArray[np.float64],
    deviation: NDArray[np.float64],
    jumping: bool = False,
) -> NDArray[np.bool_]:
    """Sizes without a bounded interval: their values did not vary, or are few and skewed, or jump at some size."""
    return (deviation <= 0) | ((count < ROOMY) & (jumping | (np.abs(skewness) > most_skewness(count))))


def replicates_wanted(count: int, skewness: float, jumping: bool = False) -> int:
    """How many replicates a size that says nothing so far will need: few where its skewness may be chance.

    >>> replicates_wanted(16, 0.8), replicates_wanted(16, 2.5), replicates_wanted(16, 0.8, jumping=True)
    (96, 640, 640)
    """
    if jumping:
        return max(count, ROOMY)
    chance = 2 * math.sqrt(6 / max(count, 1))
    # Chance alone leaves the sample skewness of so few below the limit, but for two and a half deviations.
    return min(ROOMY, max(count, FEW)) if abs(skewness) < SKEWED + chance else max(count, ROOMY)


def joint_axes(
    counts: Sequence[float] | NDArray[np.float64],
    deviations: Sequence[float],
    skewnesses: Sequence[float],
    level: float,
    widths: NDArray[np.float64],
    reaches: Sequence[float] | None = None,
    *,
    jumping: bool = False,
) -> NDArray[np.float64]:
    """Half-axes A_k of an ellipsoid Σ((mean_k - μ_k)/A_k)² ≤ 1 that holds the true means of all sizes at once.

    Sizes have independent replicates, so the product of their t-mixture e-processes is one e-process for
    the whole vector, whatever rule chooses which size to sample next. Its logarithm is a sum over sizes of
    functions concave in z_k²; replacing each by its chord gives the (slightly larger) ellipsoid. ``widths``
    has shape (stages, sizes): a uniform mixture over stages, of which the tightest is used. ``counts`` may be
    stacked, (…, sizes), for plans to be compared. ``reaches`` are the largest deviations met, in deviations, and
    ``jumping`` says whether rare values stand out at some size.

    A size whose values did not vary (deviation 0), or are fewer than ``ROOMY`` and skewed or jumping, bounds nothing:
    its axis is infinite.

    One size is the plain t-mixture interval:

    >>> joint_axes([1000], [1.0], [0.0], 0.05, np.array([[333.0]])).round(4)
    array([0.0994])
    """
    n = np.asarray(counts, dtype=float)
    if n.min() < 2:  # a size without two replicates has no variance and constrains nothing
        seen = n >= 2
        axes: NDArray[np.float64] = np.full(n.shape, math.inf)
        if seen.any():
            far = np.zeros(n.shape) if reaches is None else reaches
            kept = [np.asarray(item)[seen].tolist() for item in (n, deviations, skewnesses, far)]
            axes[seen] = joint_axes(
                kept[0], kept[1], kept[2], level, widths[:, seen], kept[3], jumping=jumping
            )
        return axes
    stages = len(widths)
    each = n[..., None, :]
    ratio = widths / (each + widths)
    # A level above one (used for small e-values) may leave an empty set; then only the measured means are kept.
    total = np.maximum(math.log(stages / level) - 0.5 * np.log(ratio).sum(axis=-1), 1e-9)
    exponent = np.minimum(2 * total[..., None] / each, 700.0)
    room = 1 - ratio * np.exp(exponent)
    bounded = room > 0  # with too few replicates the t-mixture never excludes any mean
    square = np.expm1(exponent) / np.where(bounded, room, 1.0)  # expm1: many replicates leave a tiny exponent
    z = np.sqrt(square * (each - 1))
    radius = z * _skewness_widening(np.asarray(skewnesses, dtype=float), each, z)
    if reaches is not None:
        radius = radius * tail_widening(np.asarray(reaches, dtype=float), each, z)
    # The stage with the smallest ellipsoid, open ends counted first.
    best = np.where(bounded, np.log(radius), 1e3).sum(axis=-1).argmin(axis=-1)[..., None, None]
    radius = np.take_along_axis(np.where(bounded, radius, math.inf), best, axis=-2)[..., 0, :]
    spread = np.asarray(deviations, dtype=float)
    finite = np.isfinite(radius) & ~says_nothing(n, np.asarray(skewnesses, dtype=float), spread, jumping)
    return np.asarray(np.where(finite, np.where(finite, radius, 0.0) * spread / np.sqrt(n), math.inf))


def event_interval(successes: int, draws: int, level: float) -> tuple[float, float]:
    """Interval for a probability after ``draws``, at every stopping time (beta-binomial mixture, flat prior).

    >>> low, high = event_interval(1000, 1000, 0.05)
    >>> round(low, 4), high
    (0.9901, 1.0)
    """
    if draws == 0:
        return 0.0, 1.0
    failures = draws - successes
    # log of the mixture's likelihood; the e-process at p is this divided by the likelihood at p.
    mixture = float(special.betaln(successes + 1, failures + 1))

    def excess(p: float) -> float:
        likelihood = special.xlogy(successes, p) + special.xlog1py(failures, -p)
        return mixture - float(likelihood) - math.log(1 / level)

    frequency = successes / draws
    if excess(frequency) >= 0:  # cannot happen for level < 1; kept as a guard against rounding
        return frequency, frequency
    from scipy import optimize  # imported here, because it takes a fifth of a second

    low, high = 0.0, 1.0
    # At extreme levels even the last float before an end may not be excluded.
    if successes and excess(1e-300) > 0:
        low = float(optimize.brentq(excess, 1e-300, frequency, xtol=1e-14))
    if failures and excess(1 - 1e-16) > 0:
        high = float(optimize.brentq(excess, frequency, 1 - 1e-16, xtol=1e-14))
    return low, high


def bernstein_interval(
    values: NDArray[np.float64] | Iterable[NDArray[np.float64]],
    level: float,
    lower: float,
    upper: float,
    *,
    running: bool = True,
) -> tuple[float, float]:
    """Interval for the mean of independent ``values`` in [lower, upper], in order of arrival, all or in chunks.

    Predictable plug-in empirical Bernstein sequence; exact at every count, no normality needed. What it needs of the
    past are running sums, so memory does not grow with the number of values, and the division into chunks does not
    change a bit. The ``running`` intersection of all intervals so far is returned; without it, the last one alone.

    >>> rng = np.random.default_rng(0)
    >>> low, high = bernstein_interval(rng.beta(20, 2, 2000), 0.05, 0.0, 1.0)
    >>> low < 20 / 22 < high, round(high - low, 2)
    (True, 0.01)
    """
    chunks = [values] if isinstance(values, np.ndarray) else values
    cost = math.log(2 / min(level, 1.0))
    # Estimates that use only what came before t, shrunk to 1/2 and 1/4.
    before, earlier = 0.5, 0.25
    count, total, squares, weights, products, penalties = 0, 0.0, 0.0, 0.0, 0.0, 0.0
    low, high, last = -math.inf, math.inf, math.nan
    for chunk in chunks:
        if len(chunk) == 0:
            continue
        x = (np.asarray(chunk, dtype=float) - lower) / (upper - lower)
        t = np.arange(count + 1, count + len(x) + 1)
        sums = _running(total, x)
        mean = (0.5 + sums) / (t + 1)
        previous = np.concatenate(([before], mean[:-1]))
        deviations = _running(squares, (x - mean) ** 2)
        variance = (0.25 + deviations) / (t + 1)
        known = np.concatenate(([earlier], variance[:-1]))
        bet = np.minimum(0.75, np.sqrt(2 * cost / (known * t * np.log1p(t))))
        weight = _running(weights, bet)
        product = _running(products, bet * x)
        penalty = _running(penalties, (-np.log1p(-bet) - bet) * (x - previous) ** 2)
        centre, radius = product / weight, (cost + penalty) / weight
        if running:
            low = max(low, float((centre - radius).max()))
            high = min(high, float((centre + radius).min()))
        else:
            low, high = float(centre[-1] - radius[-1]), float(centre[-1] + radius[-1])
        last = float(centre[-1])
        count += len(x)
        before, earlier = mean[-1], variance[-1]
        total, squares, weights, products, penalties = (
            float(each[-1]) for each in (sums, deviations, weight, product, penalty)
        )
    if count == 0:
        return lower, upper
    low, high = max(0.0, low), min(1.0, high)
    if low > high:  # the running intersection can only be empty when a miss has happened
        low = high = last
    return lower + (upper - lower) * low, lower + (upper - lower) * high


def _running(so_far: float, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Running sums that continue ``so_far``; added sequentially, so that the division into chunks does not matter."""
    return np.cumsum(np.concatenate(([so_far], values)))[1:]


DOMINATED = 0.2
"""Share of the whole variance in one value beyond which the values are called heavy-tailed."""


def unvaried(pairs: Sequence[tuple[int, Moments]]) -> list[Need]:
    """Needs of sizes at which all values are equal, or differ by less than can be squared."""
    vanishing = tuple(size for size, moments in pairs if moments.vanishing)
    if vanishing:
        return [Need(lack=Lack.SCALE, sizes=vanishing)]
    found = tuple(size for size, moments in pairs if not moments.varies)
    return [Need(lack=Lack.VARIATION, sizes=found)] if found else []


def tails(pairs: Sequence[tuple[int, Moments]], jumping: bool = False) -> list[Need]:
    """Needs of heavy-tailed values, and of values that are too few and skewed, or ``jumping`` at some size."""
    roomy = [(size, moments) for size, moments in pairs if moments.count >= ROOMY and moments.varies]
    if any(moments.reach**2 > DOMINATED * moments.count for _, moments in roomy):
        size, worst = max(roomy, key=lambda pair: pair[1].reach ** 2 / pair[1].count)
        share = min(1.0, worst.reach**2 / worst.count)
        return [Need(lack=Lack.LIGHT_TAILS, sizes=(size,), counts=(worst.count,), number=share)]
    few = [
        (size, moments.count)
        for size, moments in pairs
        if moments.varies
        and moments.count < ROOMY
        and (jumping or math.fabs(moments.skewness) > most_skewness(moments.count))
    ]
    if not few:
        return []
    sizes, counts = zip(*few, strict=True)
    lack = Lack.REPLICATES_RARE if jumping else Lack.REPLICATES
    return [Need(lack=lack, sizes=sizes, counts=counts, number=ROOMY)]
