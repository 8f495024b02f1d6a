"""Claims with a known truth that once got a confident wrong verdict, through the public way to declare them."""

import math
import time

import numpy as np
import pytest
import scipy.stats

from rmtsim import verify
from rmtsim.claims import claim
from rmtsim.claims._samplers import kolmogorov_distance
from rmtsim.errors import SamplerError
from rmtsim.laws import MarchenkoPastur
from rmtsim.verdicts import Verdict
from rmtsim.verdicts._evidence.independent import BatchMeans, dependence
from rmtsim.verdicts._evidence.moments import Moments
from tests.verdicts.calibration.trial import TrialRunner

SIZES = (40, 80, 160, 320, 640)


def limit_of(
    quantity, *, noise=lambda rng, count: 0.05 * rng.standard_normal(count), truth=0.0, budget=20, **options
):
    """The result on a limit measured as ``quantity(n)`` plus noise."""
    fields = {"limit": truth, "tolerance": 0.02, "sizes": SIZES, "cost": 1e-4, **options}

    @claim("attack", **fields)
    def measured(size, rng, replicates):
        return quantity(float(size)) + noise(rng, replicates)

    return verify(measured, budget=budget, runner=TrialRunner())[0].deciding


def test_a_signed_error_is_no_identity():
    @claim("signed", identity=True, tolerance=1e-12, sizes=(2, 4))
    def error(size, rng):
        return -0.33

    assert verify(error)[0].verdict is Verdict.REFUTED


@pytest.mark.parametrize(("probability", "value"), [(0.003, 2.0), (0.01, 2.0), (1e-4, 1e4)])
@pytest.mark.parametrize("budget", [0.5, 20])
def test_values_that_did_not_vary_are_not_exact(probability, value, budget):
    result = limit_of(
        lambda n: 1.0,
        noise=lambda rng, count: value * (rng.random(count) < probability),
        truth=1.0,
        budget=budget,
        exponents=(1.0,),
        tolerance=1e-3,
    )
    assert result.verdict is not Verdict.CONFIRMED
    low, high = result.interval
    assert low <= 1 + probability * value <= high


def test_equal_values_give_advice_on_declarations():
    result = limit_of(lambda n: 1.0, noise=lambda rng, count: np.zeros(count), truth=1.0, exponents=(1.0,))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "accuracy=" in result.needs
    bounded = limit_of(
        lambda n: 1.0,
        noise=lambda rng, count: np.zeros(count),
        truth=1.0,
        exponents=(1.0,),
        support=(0.0, 1.0),
    )
    assert bounded.verdict is Verdict.CONFIRMED


def test_zeros_and_ones_are_events_only_where_that_is_declared():
    result = limit_of(
        lambda n: 0.0, noise=lambda rng, count: np.zeros(count), truth=0.0, exponents=(1.0,), budget=5
    )
    assert result.verdict is Verdict.INCONCLUSIVE


def test_cauchy_noise_is_reported():
    result = limit_of(lambda n: 0.0, noise=lambda rng, count: rng.standard_cauchy(count), exponents=(1.0,))
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "Cauchy-like" in result.needs


def test_clipping_makes_no_certainty():
    @claim(
        "falling.distance", law=0.0, tolerance=0.02, sizes=(100, 200, 400, 800), cost=1e-4, exponents=(0.5,)
    )
    def distance(size, rng, replicates):
        return 0.1 + 0.1 * math.log2(800 / size) + 1e-3 * rng.standard_normal(replicates)

    assert verify(distance, budget=5)[0].verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize(
    ("quantity", "truth", "options"),
    [
        (lambda n: 5 * (n**-0.5 - 6.3 / n), 0.0, {}),
        (lambda n: 5 * (n**-0.5 - 6.3 / n), 0.0, {"exponents": (0.5,)}),
        (
            lambda n: n / (n - 11),
            1.0,
            {"exponents": (1,), "sizes": (20, 40, 80, 160, 320), "tolerance": 0.005},
        ),
        (lambda n: 1 / (math.sqrt(n) + 10), 0.0, {"exponents": (0.5,), "tolerance": 0.003}),
        (
            lambda n: 1 / (math.sqrt(n / 1000) + 10),
            0.0,
            {"exponents": (0.5,), "sizes": tuple(1000 * n for n in SIZES)},
        ),
    ],
    ids=["two terms, undeclared", "two terms", "n/(n-11)", "1/(√n+10)", "relabelled"],
)
def test_the_union_holds_every_model(quantity, truth, options):
    assert limit_of(quantity, truth=truth, **options).verdict is not Verdict.REFUTED


@pytest.mark.parametrize(
    "quantity",
    [
        lambda n: 1 / math.log(n),
        lambda n: n**-0.1,
        lambda n: math.log(n) / math.sqrt(n),
        lambda n: 1 / (1 + n / 1000),
        lambda n: math.cos(2 * math.log(n)) / math.sqrt(n),
    ],
    ids=["1/log n", "n^-0.1", "log n/√n", "late crossover", "oscillation"],
)
def test_what_no_sizes_can_decide_is_open(quantity):
    result = limit_of(quantity)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert result.breakdown is None
    assert "exponents" in result.needs or "still move" in result.needs


def test_a_declaration_decides_and_names_what_it_rests_on():
    open_result = limit_of(lambda n: 0.05 + 1 / n, budget=0.5)
    assert open_result.verdict is Verdict.INCONCLUSIVE
    assert "or other exponents= with their reason" in open_result.needs
    warned = limit_of(lambda n: 0.3 + 1 / n, budget=0.5)
    assert warned.verdict is Verdict.REFUTED
    assert warned.breakdown <= 0.25
    result = limit_of(lambda n: 0.3 + 1 / n, budget=0.5, exponents=(1.0,))
    assert result.verdict is Verdict.REFUTED
    assert 0 < result.breakdown < 1
    assert f"at least like size^-{result.breakdown:.2g}" in result.reason


def test_a_law_with_an_atom():
    @claim(
        "mp.atom",
        law=MarchenkoPastur(ratio=2.0),
        tolerance=0.03,
        sizes=(20, 40, 80),
        cost=1e-3,
        exponents=(1.0,),
    )
    def eigenvalues(size, rng):
        x = rng.standard_normal((size, size // 2))
        return np.linalg.eigvalsh(x @ x.T / (size // 2))

    result = verify(eigenvalues, budget=3)[0].deciding
    assert result.verdict is not Verdict.REFUTED
    assert result.values[-1] < 0.05


def test_a_law_with_an_atom_given_as_a_function():
    law = MarchenkoPastur(ratio=2.0)

    @claim(
        "mp.function",
        law=lambda x: law.cdf(x),
        tolerance=0.03,
        sizes=(20, 40, 80),
        cost=1e-3,
        exponents=(1.0,),
    )
    def eigenvalues(size, rng):
        x = rng.standard_normal((size, size // 2))
        return np.linalg.eigvalsh(x @ x.T / (size // 2))

    result = verify(eigenvalues, budget=3)[0].deciding
    assert result.verdict is not Verdict.REFUTED
    assert result.values[-1] < 0.05


@pytest.mark.parametrize("law", [scipy.stats.norm, scipy.stats.norm(0, 1)], ids=["class", "frozen"])
def test_a_law_of_scipy_with_a_store(law, tmp_path):
    @claim("normal.law", law=law, tolerance=0.05, sizes=(50, 100, 200), cost=1e-3, exponents=(0.5,))
    def sample(size, rng):
        return rng.standard_normal(size)

    plain, stored = (
        verify(sample, budget=0.5, store=store)[0].digest for store in (None, tmp_path / "runs.sqlite")
    )
    assert plain == stored


def test_a_sample_that_does_not_grow_gets_a_hint():
    @claim(
        "fifty", law=scipy.stats.norm, tolerance=0.03, sizes=(100, 200, 400, 800), cost=1e-3, exponents=(0.5,)
    )
    def fifty(size, rng):
        return rng.standard_normal(50)

    result = verify(fifty, budget=3)[0].deciding
    assert "check that the sample grows" in result.reason

    @claim("one", law=scipy.stats.norm, tolerance=0.03, sizes=(100, 200))
    def one(size, rng):
        return rng.standard_normal()

    with pytest.raises(SamplerError, match="a law is compared with a sample"):
        verify(one, budget=1)


def test_a_probability_lies_between_zero_and_one():
    with pytest.raises(ValueError, match=r"prediction=3.0: expected a probability in \[0, 1\]"):
        claim("p", lambda size, rng: True, probability=3.0, tolerance=0.1, sizes=(10, 20))
    item = claim("p", lambda size, rng: 3.0, probability=1.0, tolerance=0.1, sizes=(10, 20))
    with pytest.raises(SamplerError, match="whether the event happened"):
        verify(item, budget=1)


def test_bounds_and_identities_name_the_rate_they_exclude():
    bound = claim("b", lambda size, rng: rng.random(), bound=1.0, tolerance=1e-9, sizes=(10, 20), cost=1e-5)
    same = claim(
        "i", lambda size, rng: 1e-16 * rng.random(), identity=True, tolerance=1e-12, sizes=(2, 4), cost=1e-4
    )
    for item in (bound, same):
        result = verify(item)[0].deciding
        assert result.verdict is Verdict.CONFIRMED
        assert 0 < result.excluded_rate < 0.2
        assert f"{result.excluded_rate:.2g}" in result.reason


def clock(size, rng):
    return rng.standard_normal() + time.perf_counter()


def exits(size, rng):
    raise SystemExit(3)


def deep(size, rng):
    return deep(size, rng)


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (clock, "the same batch computed twice, with the same seed, gave other values"),
        (exits, "raised SystemExit"),
        (deep, "raised RecursionError"),
        (lambda size, rng: 1e200, "expected numbers up to 1e\\+100 in size"),
        (lambda size, rng: rng.standard_normal(7), "returned 7 numbers, which do not fill a batch"),
        (lambda size, rng: np.sort(rng.standard_normal(7)), "returned sorted numbers"),
    ],
    ids=["clock", "exit", "recursion", "1e200", "prefix", "spectrum"],
)
def test_a_failing_sampler_is_one_line_and_costs_no_other_claim(function, match):
    bad = claim("bad", function, limit=0.0, tolerance=0.1, sizes=(10, 20), cost=1e-4)
    good = claim(
        "good",
        lambda size, rng: rng.standard_normal(),
        limit=0.0,
        tolerance=0.5,
        sizes=(10, 20, 40),
        cost=1e-4,
        exponents=(1,),
    )
    with pytest.raises(SamplerError, match=match) as caught:
        verify(bad, budget=1)
    assert "\n" not in str(caught.value)
    failed, kept = verify([bad, good], budget=2)
    assert kept.verdict is Verdict.CONFIRMED
    assert failed.verdict is Verdict.INCONCLUSIVE
    assert str(caught.value) == failed.failed


@pytest.mark.thorough
@pytest.mark.parametrize("truth", [0.02, -0.02])
def test_e_values_have_expectation_at_most_one_on_the_edge(truth):
    """On the edge of the zone neither e-value may exceed one on average."""
    values = []
    for seed in range(40):

        @claim("edge", limit=0.0, tolerance=0.02, sizes=(20, 40, 80), cost=1e-3, exponents=(1.0,))
        def edge(size, rng, replicates):
            return truth + 0.1 * rng.standard_normal(replicates)

        values.append(verify(edge, seed=seed, budget=2, runner=TrialRunner())[0].deciding)
    for name in ("e_value", "e_value_for"):
        assert np.mean([getattr(result, name) for result in values]) <= 1


def shared_in_a_batch(size, rng, replicates):
    return rng.standard_normal() + 0.1 * rng.standard_normal(replicates)


def shared_in_a_call(size, rng):
    return rng.standard_normal() + 0.1 * rng.standard_normal(8)


def seed_of_its_own(size, rng, replicates):
    return np.random.default_rng(size).standard_normal(replicates)


@pytest.mark.parametrize("cost", [1e-5, 1e-3])
@pytest.mark.parametrize(
    ("function", "need"),
    [
        (shared_in_a_batch, "share randomness"),
        (shared_in_a_call, "share randomness"),
        (seed_of_its_own, "seed of its own"),
    ],
)
def test_values_that_are_no_replicates_bound_nothing(function, need, cost):
    for seed in range(4):
        item = claim(
            "dependent", function, limit=0.0, tolerance=0.1, sizes=SIZES, cost=cost, exponents=(1.0,)
        )
        result = verify(item, budget=5, seed=seed)[0].deciding
        assert result.verdict is Verdict.INCONCLUSIVE
        assert need in result.needs


def test_rows_of_coupled_sizes_that_share_randomness_bound_nothing():
    @claim(
        "dependent.rows",
        limit=0.0,
        tolerance=0.1,
        sizes=(10, 20, 40, 80),
        coupled=True,
        cost=1e-3,
        exponents=(1.0,),
    )
    def rows(sizes, rng):
        return rng.standard_normal() + 0.1 * rng.standard_normal((16, 4))

    result = verify(rows, budget=2)[0].deciding
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "share randomness" in result.needs


def test_rare_events_that_meet_in_one_batch_are_no_fault():
    """Two events of 8192 in one piece of 64 come once in 128 draws; 600 of them at random, and the worst by hand."""
    rng = np.random.default_rng(0)

    def complaint(values):
        batches = BatchMeans()
        batches.add(values, 512)
        return dependence([(batches, Moments().updated(values))])

    both = np.zeros(8192)
    both[[7, 11]] = 1.0
    assert complaint(both) == []
    for rare in (2e-4, 2e-3):
        assert not any(complaint((rng.random(8192) < rare).astype(float)) for _ in range(150))
    assert not any(complaint(rng.standard_t(2.5, 8192)) for _ in range(150))
    assert not any(complaint(np.exp(2 * rng.standard_normal(8192))) for _ in range(150))
    # and what calls share is still seen, rare or not
    shared = np.repeat(rng.random(1024) < 0.05, 8).astype(float)
    assert complaint(shared)


def test_antithetic_pairs_are_no_fault():
    @claim("antithetic", limit=1.0, tolerance=0.1, sizes=(10, 20, 40), cost=1e-3, exponents=(1.0,))
    def pairs(size, rng):
        z = rng.standard_normal()
        return 1 + 1 / size + 0.1 * np.array([z, -z])

    assert verify(pairs, budget=3)[0].verdict is Verdict.CONFIRMED


@pytest.mark.parametrize(
    ("quantity", "truth", "options"),
    [
        (lambda n: n**-0.5, 0.0, {"sizes": (100, 200), "exponents": (0.5,)}),
        (lambda n: n**-0.1, 0.0, {"sizes": (100, 200), "exponents": (0.1,)}),
        (lambda n: 1 + 0.1 * (-1) ** n, 1.1, {"sizes": (100, 201, 400, 801, 1600), "exponents": (1.0,)}),
        (lambda n: math.log(n) / n, 0.0, {"sizes": (100, 200, 400, 800, 1600), "exponents": (1.0,)}),
        (
            lambda n: (n / 100) ** -0.5 - (n / 100) ** -1.0,
            0.0,
            {"sizes": (100, 200, 400), "exponents": (0.5,)},
        ),
        (lambda n: 1 / math.log(math.log(n)), 0.0, {"sizes": (100, 200, 400, 800, 1600)}),
    ],
    ids=["two sizes", "two sizes, slow", "parity", "log n/n", "two terms on three sizes", "1/log log n"],
)
def test_computed_values_are_not_refuted_by_their_extrapolation(quantity, truth, options):
    item = claim(
        "computed", lambda size: quantity(size), limit=truth, tolerance=1e-4, accuracy=1e-14, **options
    )
    assert verify(item)[0].verdict is Verdict.INCONCLUSIVE


def test_declared_exponents_that_fail_at_the_smallest_sizes_refute_nothing():
    result = limit_of(lambda n: n**-0.5, exponents=(2.0,))
    assert result.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("height", [30.0, 100.0])
def test_rare_values_met_at_one_size_count_at_all(height):
    """One in a hundred is height deviations off; the largest sizes are drawn far fewer times than a hundred."""
    for seed in range(6):

        @claim(
            "jumps",
            limit=0.0,
            tolerance=0.15 * height / 30,
            sizes=SIZES,
            exponents=(1.0,),
            cost=lambda size: 5e-4 * size / 40,
        )
        def jumps(size, rng, replicates):
            return rng.standard_normal(replicates) + height * (rng.random(replicates) < 0.01)

        result = verify(jumps, budget=4, seed=seed, runner=TrialRunner())[0].deciding
        assert result.verdict is not Verdict.CONFIRMED
        low, high = result.interval
        assert low <= 0.01 * height <= high


@pytest.mark.thorough
@pytest.mark.parametrize(("rate", "verdict"), [(2.7, Verdict.REFUTED), (3.2, Verdict.CONFIRMED)])
def test_discrete_laws_of_scipy(rate, verdict):
    @claim(
        "poisson",
        law=scipy.stats.poisson(3.2),
        tolerance=0.04,
        sizes=(100, 200, 400),
        cost=1e-3,
        exponents=(0.5,),
    )
    def counts(size, rng):
        return rng.poisson(rate, size)

    assert verify(counts, budget=3)[0].verdict in (verdict, Verdict.INCONCLUSIVE)


def test_a_bounded_mean_near_its_bound():
    for parameters, wrong in (((97, 3), Verdict.CONFIRMED), ((4000, 1), Verdict.REFUTED)):

        @claim(
            "beta", limit=1.0, tolerance=0.02, support=(0.0, 1.0), sizes=SIZES, cost=1e-4, exponents=(1.0,)
        )
        def near_one(size, rng, replicates, parameters=parameters):
            return rng.beta(*parameters, replicates)

        assert verify(near_one, budget=3, runner=TrialRunner())[0].verdict is not wrong


def test_events_that_always_happen_are_counted_until_they_decide():
    """Equal values within bounds narrow the interval by their number: four evaluations are no reason to stop."""

    @claim("always", probability=1.0, tolerance=0.01, sizes=(8, 16, 32), cost=1e-3, exponents=(1.0,))
    def always(size, rng, replicates):
        return (rng.random(replicates) < 2).astype(float)

    assert verify(always, level=1e-5, budget=200, runner=TrialRunner())[0].verdict is Verdict.CONFIRMED


@pytest.mark.parametrize("tau", [-2.0, -1.0, -0.5, 2.0])
@pytest.mark.parametrize("power", [0.5, 1.0])
def test_a_second_term_on_three_sizes(power, tau):
    """Two free terms pass through three sizes with any limit; one of up to twice the first is admitted."""
    result = limit_of(
        lambda n: 0.3 * ((n / 40) ** -power + tau * (n / 40) ** (-2 * power)),
        exponents=(power,),
        sizes=(40, 80, 160),
        tolerance=0.01,
    )
    assert result.verdict is not Verdict.REFUTED


def test_second_terms_alone_describe_no_three_sizes():
    result = limit_of(lambda n: n / (n - 11), truth=1.0, exponents=(1.0,), sizes=(12, 24, 48), tolerance=0.05)
    assert result.verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("exponents", [(2 / 3, 1.0), (0.5, 0.75)])
def test_two_declared_exponents_may_occur_together(exponents):
    p, q = exponents
    result = limit_of(
        lambda n: (n / 40) ** -p - 0.9 * (n / 40) ** -q,
        noise=lambda rng, count: 0.02 * rng.standard_normal(count),
        exponents=exponents,
        tolerance=0.005,
    )
    assert result.verdict is not Verdict.REFUTED


def test_a_mean_that_changes_sign_has_no_rate_yet():
    @claim("sign", rate=0.5, tolerance=0.1, sizes=SIZES, cost=1e-4, exponents=(0.5,))
    def difference(size, rng, replicates):
        x = math.sqrt(40 / size)
        return (x - 1.5 * x**2) * (1 + 0.2 * rng.standard_normal(replicates))

    assert verify(difference, budget=5, runner=TrialRunner())[0].verdict is Verdict.INCONCLUSIVE


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-110])
@pytest.mark.parametrize("coupled", [False, True])
def test_numbers_too_small_to_be_squared(scale, coupled):
    item = claim(
        "tiny",
        (lambda sizes, rng: scale * (1 + rng.random((16, 3))))
        if coupled
        else (lambda size, rng: scale * (1 + rng.random())),
        limit=1.5 * scale,
        tolerance=0.1 * scale,
        sizes=(10, 20, 40),
        coupled=coupled,
        cost=1e-3,
        exponents=(1.0,),
    )
    result = verify(item, budget=1)[0].deciding
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "too small to be squared" in result.needs


def test_a_law_over_many_decades():
    """The largest of such numbers is 10³⁰ times the median: its rounding says nothing about the others."""

    @claim(
        "decades",
        law=scipy.stats.lognorm(12),
        tolerance=0.03,
        sizes=(50, 100, 200),
        cost=1e-3,
        exponents=(0.5,),
    )
    def numbers(size, rng):
        return np.exp(20 * rng.standard_normal(size))

    result = verify(numbers, budget=1)[0].deciding
    assert result.verdict is not Verdict.CONFIRMED
    assert min(result.values) > 0.12  # that of the laws; of samples it is larger


def test_a_law_of_large_counts():
    counts = np.floor((1 - np.random.default_rng(0).random(3000)) ** (-1 / 0.3))
    assert counts.max() > 1e10
    wrong = kolmogorov_distance(counts, lambda x: np.where(x < 1, 0, 1 - np.maximum(np.floor(x), 1) ** -0.3))
    right = kolmogorov_distance(
        counts, lambda x: np.where(x < 1, 0, 1 - np.maximum(np.floor(x) + 1, 1) ** -0.3)
    )
    assert right < 0.03 < 0.18 < wrong


@pytest.mark.parametrize(
    ("law", "match"),
    [
        (scipy.stats.norm.pdf, "law falls between"),
        (scipy.stats.norm.sf, "law falls between"),
        (lambda x: 100 * scipy.stats.norm.cdf(x), "numbers from 0 to 1"),
        (lambda x: np.where(x > 1, np.nan, scipy.stats.norm.cdf(x)), "law is nan"),
        (lambda x: 0.5, "as many numbers"),
        (lambda x: math.erf(x), "its law raised TypeError"),
        (lambda x: 1 / 0, "its law raised ZeroDivisionError"),
    ],
    ids=["density", "survival", "percent", "nan", "one number", "no arrays", "raises"],
)
def test_a_law_that_is_no_distribution_function_is_one_line(law, match):
    @claim("law", law=law, tolerance=0.03, sizes=(50, 100), cost=1e-3)
    def sample(size, rng):
        return rng.standard_normal(size)

    with pytest.raises(SamplerError, match=match) as caught:
        verify(sample, budget=1)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("function", "need"),
    [
        (lambda size, rng: np.random.default_rng(size).random(64), "seed of its own"),
        (lambda size, rng: np.tile(rng.random(), 64) + 1e-3 * rng.random(64), "share randomness"),
    ],
    ids=["own seed", "shared"],
)
def test_draws_that_are_no_draws_confirm_no_bound(function, need):
    item = claim("bound", function, bound=1.1, tolerance=1e-9, sizes=(10, 20), cost=1e-4)
    result = verify(item)[0].deciding
    assert result.verdict is Verdict.INCONCLUSIVE
    assert need in result.needs
    assert result.more is None


def test_a_bound_on_one_value_asks_whether_rng_is_used():
    item = claim("bound", lambda size, rng: 0.5, bound=1.0, tolerance=1e-9, sizes=(10, 20), cost=1e-4)
    assert "does the function use rng?" in verify(item)[0].deciding.reason


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"cost": lambda size: 1 / 0}, "bad: cost raised ZeroDivisionError"),
        ({"limit": lambda: 1 / 0}, "bad: the prediction raised ZeroDivisionError"),
        ({"slowest": lambda: 0.0}, "slowest=0.0: expected a finite number > 0"),
    ],
    ids=["cost", "limit", "slowest"],
)
def test_a_declared_function_that_fails_costs_no_other_claim(options, match):
    def mean(size, rng):
        return rng.standard_normal()

    fields = {"limit": 0.0, "tolerance": 0.5, "sizes": (10, 20, 40), "cost": 1e-4, "exponents": (1.0,)}
    bad, good = claim("bad", mean, **{**fields, **options}), claim("good", mean, **fields)
    with pytest.raises(ValueError, match=match):
        verify(bad, budget=1)
    failed, kept = verify([bad, good], budget=3)
    assert match in failed.failed
    assert kept.verdict is Verdict.CONFIRMED


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (
            {"limit": 0.0, "exponents": (1e-9,)},
            r"exponents=1e-09: expected an exponent of size in \[0.01, 16\]",
        ),
        ({"limit": 0.0, "exponents": (400.0,)}, "exponents=400"),
        ({"rate": 200.0, "amplitude": 1.0}, "rate=200: expected an exponent"),
    ],
)
def test_exponents_out_of_reach_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        claim("far", lambda size, rng: rng.random(), tolerance=0.1, sizes=(10, 20, 40), **options)


def test_errors_of_several_lines_and_masked_arrays_are_one_line():
    def raises(size, rng):
        raise ValueError("first\nsecond")

    for function, match in (
        (raises, "first second"),
        (lambda size, rng: np.ma.array([1.0]), "a masked array"),
    ):
        item = claim("bad", function, limit=0.0, tolerance=0.1, sizes=(10, 20), cost=1e-4)
        with pytest.raises(SamplerError, match=match):
            verify(item, budget=1)


def test_a_computed_zero_has_no_rate():
    item = claim("zero", lambda size: 0.0, rate=1.0, tolerance=0.1, sizes=(10, 20, 40), accuracy=1e-14)
    assert verify(item)[0].verdict is Verdict.INCONCLUSIVE
