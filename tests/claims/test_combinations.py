"""Every combination of options is tested as it is stated, or refused when it is declared."""

import itertools
import math

import numpy as np
import pytest
import scipy.stats

from rmtsim import claim, verify
from rmtsim.claims import Bound, Plan, Rate
from rmtsim.errors import SamplerError

SIZES = (20, 40, 80)


def one(size, rng):
    """1 + 1/size with noise of deviation 1/size."""
    return 1 + (1 + rng.standard_normal()) / size


def batch(size, rng, replicates):
    return 1 + (1 + rng.standard_normal(replicates)) / size


def event(size, rng, replicates):
    return rng.random(replicates) < 1 - 1 / size


def computed(size):
    return 1 + 1 / size


def coupled(sizes, rng):
    return 1 + (1 + rng.standard_normal((8, 1))) / np.array(sizes, dtype=float)


STATED = {
    "limit": {"limit": 1.0},
    "rate": {"rate": 0.0},
    "limit and rate": {"limit": 1.0, "rate": 1.0},
    "law": {"law": scipy.stats.norm(1.0, 0.5)},
    "distance": {"law": 0.0},
    "probability": {"probability": 1.0},
    "bound": {"bound": 2.0},
    "identity": {"identity": True},
}
FUNCTIONS = {
    "one": (one, {}),
    "batch": (batch, {}),
    "computed": (computed, {"accuracy": 1e-12}),
    "coupled": (coupled, {"coupled": True}),
}
EXTRAS = {
    "nothing": {},
    "amplitude": {"amplitude": 1.0},
    "relation": {"relation": "O"},
    "amplitude of O": {"amplitude": 1.0, "relation": "O"},
    "sense": {"sense": ">="},
    "mean": {"of": "mean"},
    "probability of": {"of": "probability"},
    "mode": {"mode": "in probability"},
    "support": {"support": (-9.0, 9.0)},
    "outer": {"outer": ("width", (2, 4))},
    "exponents": {"exponents": (1.0,)},
}
ACCEPTED = {
    # What is stated: which of the extras are accepted for some function (the others are refused for all).
    "limit": {"mode", "support", "outer"},
    "rate": {"amplitude", "relation", "support"},
    "limit and rate": {"amplitude", "relation"},
    "law": {"outer"},
    "distance": {"support", "outer"},
    "probability": {"outer"},
    "bound": {"sense", "mean", "probability of"},
    "identity": set(),
}


def _declared(stated, extra, name):
    function, own = FUNCTIONS[name]
    if "outer" in EXTRAS[extra]:
        plain = function
        function = {
            "one": lambda size, rng, width: plain(size, rng),
            "batch": lambda size, rng, replicates, width: plain(size, rng, replicates),
            "computed": lambda size, width: plain(size),
            "coupled": lambda sizes, rng, width: plain(sizes, rng),
        }[name]
    return claim(
        "combined",
        function,
        tolerance=0.2,
        sizes=SIZES,
        cost=2e-3,
        **STATED[stated],
        **EXTRAS[extra],
        **own,
    )


@pytest.mark.thorough
@pytest.mark.parametrize("stated", STATED)
def test_a_combination_runs_or_is_refused(stated):
    accepted = set()
    for extra, name in itertools.product(EXTRAS, FUNCTIONS):
        try:
            made = _declared(stated, extra, name)
        except (TypeError, ValueError):
            continue
        accepted.add(extra)
        if extra == "exponents":
            continue  # as without; only whether it is accepted matters
        try:
            (result,) = verify(made, budget=0.1, progress=False)
        except SamplerError:
            # Values that are no events, and single numbers where a sample is compared with a law.
            assert stated in ("law", "probability") or extra == "probability of", (stated, extra, name)
            continue
        assert result.deciding.quantity, (stated, extra, name)
        for option, value in EXTRAS[extra].items():
            kept = made.prediction({}) if option == "amplitude" else getattr(made, option)
            assert kept == value, (stated, extra, name)
    assert accepted == ACCEPTED[stated] | {"nothing", "exponents"}


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(STATED, 2)))
def test_two_statements_are_refused_but_for_a_limit_with_its_rate(first, second):
    both = STATED[first] | STATED[second]
    if set(both) in ({"limit", "rate"}, {"law"}):
        return
    with pytest.raises(ValueError, match="state exactly one of"):
        claim("two", batch, tolerance=0.1, sizes=SIZES, **both)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("options", "verdict"),
    [
        ({"rate": 1.0}, "CONFIRMED"),
        ({"rate": 1.0, "relation": "O"}, "CONFIRMED"),
        ({"rate": 0.5, "relation": "O"}, "CONFIRMED"),
        ({"rate": 1.0, "amplitude": 1.0}, "CONFIRMED"),
        ({"rate": 1.0, "limit": 1.05}, "REFUTED"),
        ({"rate": 0.5}, "REFUTED"),
        ({"rate": 2.0, "relation": "O"}, "REFUTED"),
        ({"rate": 1.0, "amplitude": 1.6}, "REFUTED"),
    ],
)
@pytest.mark.parametrize("name", ["batch", "computed", "coupled"])
def test_a_limit_and_its_rate(options, verdict, name):
    function, own = FUNCTIONS[name]
    stated = {
        "limit": 1.0,
        "tolerance": 0.2,
        "sizes": (20, 40, 80, 160),
        "exponents": (1.0,),
        "cost": 1e-5,
        **own,
        **options,
    }
    (result,) = verify(claim("approach", function, **stated), budget=10, progress=False)
    assert str(result.verdict) == verdict
    assert result.kind == "rate"


def test_a_limit_that_depends_on_parameters_is_approached():
    from rmtsim.claims import Parameter

    def value(size, rng, replicates, ratio):
        return ratio**2 + (1 + rng.standard_normal(replicates)) / size

    made = claim(
        "approach",
        value,
        states=Rate(1.0, to=lambda ratio: ratio**2, amplitude=1.0, within=0.2),
        over=[Parameter("ratio", "ratio", 2.0)],
        points=[{"ratio": 2.0}, {"ratio": 3.0}],
        plan=Plan(sizes=(20, 40, 80, 160), exponents=(1.0,), cost=1e-5),
    )
    (result,) = verify(made, budget=20, progress=False)
    assert str(result.verdict) == "CONFIRMED"
    assert [point.predicted for point in result.points] == [1.0, 1.0]


@pytest.mark.parametrize(
    ("stated", "function", "verdict"),
    [
        (Bound(1.05, of="mean", within=0.01), batch, "CONFIRMED"),
        (Bound(1.02, of="mean", within=0.01), batch, "REFUTED"),
        (Bound(lambda size: 1 + 1 / size, of="mean", within=0.01), batch, "CONFIRMED"),
        (Bound(lambda size: 1 + 0.4 / size, of="mean", within=0.01), batch, "REFUTED"),
        (Bound(lambda size: 1 + 0.4 / size, ">=", of="mean", within=0.01), batch, "CONFIRMED"),
        (Bound(lambda size: 1 - 1 / size, of="probability", within=0.01), event, "CONFIRMED"),
        (Bound(lambda size: 1 - 2 / size, of="probability", within=0.01), event, "REFUTED"),
        (Bound(lambda size: 1 + 8 / size), batch, "CONFIRMED"),
        (Bound(lambda size: 1 + 2 / size), batch, "REFUTED"),
    ],
)
def test_bounds_of_means_and_probabilities_and_bounds_that_depend_on_the_size(stated, function, verdict):
    made = claim("bounded", function, states=stated, plan=Plan(sizes=SIZES, cost=1e-5))
    (result,) = verify(made, budget=10, progress=False)
    assert str(result.verdict) == verdict
    assert (result.severity is not None) == (verdict == "CONFIRMED")


def test_a_bound_that_is_attained_is_possibly_never_decided():
    def fair(size, rng, replicates):
        return rng.random(replicates) < 0.5

    made = claim("edge", fair, bound=0.5, of="probability", tolerance=1e-12, sizes=SIZES, cost=1e-5)
    (result,) = verify(made, budget=1, progress=False)
    assert str(result.verdict) == "INCONCLUSIVE"


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"limit": 1.0, "rate": -1.0}, "rate=-1.0: expected a number > 0"),
        ({"limit": 0.0, "tolerance": Rate}, "tolerance"),
        ({"bound": 1.0, "of": "median"}, "of='median': expected one of"),
        ({"limit": 1.0, "of": "mean"}, "belongs to a bound claim"),
        ({"rate": 1.0, "relation": "O", "amplitude": 2.0}, "exact power"),
    ],
)
def test_refusals_say_why(options, match):
    with pytest.raises((TypeError, ValueError), match=match):
        claim("refused", batch, **{"tolerance": 0.1, "sizes": SIZES, **options})


def test_a_relative_tolerance_of_zero_is_refused():
    from rmtsim.claims import Relative

    for stated in ({"limit": 0.0}, {"law": scipy.stats.norm()}, {"identity": True}, {"rate": 0.0}):
        with pytest.raises(ValueError, match="declare an absolute one"):
            claim("refused", batch, tolerance=Relative(0.1), sizes=SIZES, **stated)
    assert math.isclose(
        claim("ok", batch, tolerance=Relative(0.1), sizes=SIZES, rate=0.5).tolerance.width(0.5), 0.05
    )
