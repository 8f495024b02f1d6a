"""The pytest plugin, run on small suites: collection, levels, messages, selection, workers, JUnit."""

import random
import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest

from rmtsim.errors import SamplerError
from rmtsim.testing import ClaimFailedError, assert_limit, assert_mean
from rmtsim.testing._shares import Plan, Share

pytest_plugins = ["pytester"]

WARNINGS = ["-W", "default", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
"""Inner sessions in this process inherit that warnings are errors."""

SUITE = """
import pytest
from rmtsim import claim
from rmtsim.testing import assert_confirmed, assert_limit, assert_mean, assert_not_refuted

STATED = dict(tolerance=0.05, sizes=(8, 16, 32), exponents=(1.0,), because="an exact series", cost=1e-6)


def quantity(size, rng, replicates):
    return 0.5 + 1 / size + rng.random(replicates)


true_claim = claim("suite.true", quantity, limit=1.0, **STATED)


def test_limit():
    assert_limit(quantity, 1.0, **STATED)


def test_false():
    assert_limit(quantity, 1.2, **STATED)


def test_two_means():
    first = assert_mean(lambda rng, replicates: rng.random(replicates), 0.5, tolerance=0.05, cost=1e-7)
    second = assert_mean(lambda rng, replicates: rng.random(replicates), 0.5, tolerance=0.05, cost=1e-7)
    assert first.family_level == 3 * second.family_level
    assert first.points[0].values != second.points[0].values


def test_open():
    assert_limit(quantity, 1.0, **(STATED | {"tolerance": 1e-6}), budget=0.01)


@pytest.mark.rmtsim(inconclusive="warn", budget=0.01)
def test_open_by_marker():
    assert_limit(quantity, 1.0, **(STATED | {"tolerance": 1e-6}))


def test_not_refuted():
    assert_not_refuted(quantity, limit=1.0, **(STATED | {"tolerance": 1e-6}), budget=0.01)
"""


@pytest.fixture
def run(pytester):
    """Run pytest on a suite in this process, with the plugin of this source tree."""

    def run(*options, suite=SUITE, name="test_suite"):
        pytester.makepyfile(**{name: suite})
        plugin = ["-p", "no:rmtsim", "-p", "rmtsim.testing._plugin", "-p", "no:cacheprovider", *WARNINGS]
        return pytester.runpytest_inprocess(*plugin, *options)

    return run


def test_verdicts_become_outcomes(run):
    result = run("-rf")
    result.assert_outcomes(passed=5, failed=2, warnings=1)
    result.stdout.fnmatch_lines(
        [
            "*test_suite.py::test_false#1 is refuted.*",
            "*Declared before the run:*",
            "*test_suite.py::test_open#1 is undecided.*",
            "*InconclusiveWarning: the budget did not decide*",
            "rmtsim: * CONFIRMED, * INCONCLUSIVE, 1 REFUTED; flakiness budget 1e-06, smallest level * seed 0",
        ]
    )


def test_a_failure_prints_the_whole_reasoning(run):
    text = run("-k", "test_false").stdout.str()
    with pytest.raises(ClaimFailedError) as failure:
        assert_limit(
            lambda size, rng, replicates: 0.5 + 1 / size + rng.random(replicates),
            1.2,
            tolerance=0.05,
            sizes=(8, 16, 32),
            exponents=(1.0,),
            because="an exact series",
            cost=1e-6,
        )
    lines = failure.value.result.explain().splitlines()
    declared = lines[lines.index("Declared before the run:") :][:4]
    assert all(line.strip() in text for line in declared)
    assert "Verdict: REFUTED" in text


def test_the_level_is_that_of_all_collected_tests(run):
    levels = []
    selections = (
        ["-v"], ["-k", "suite.true"], ["--deselect", "test_suite.py::test_open"], ["test_suite.py::suite.true"],
        ["--rmtsim-tests=7"],
    )  # fmt: skip
    for options in selections:
        text = run(*options).stdout.str()
        levels.append(re.search(r"smallest level (\S+),", text)[1])
    # 1024 shares, of which the first assertion of a test spends a half and the second a sixth; eight for seven tests.
    assert levels == ["1.63e-10", "4.88e-10", "1.63e-10", "4.88e-10", "2.08e-08"]


def test_options(run):
    text = run(
        "-k", "suite.true", "--rmtsim-flakiness", "0.01", "--rmtsim-tests=3", "--rmtsim-seed=5"
    ).stdout.str()
    assert "flakiness budget 0.01, smallest level 0.00125, seed 5" in text
    run("--rmtsim-inconclusive", "warn").assert_outcomes(passed=6, failed=1, warnings=2)


def test_options_in_the_ini_file(run, pytester):
    pytester.makeini("[pytest]\nrmtsim_flakiness = 1e-3\nrmtsim_tests = 500\nrmtsim_inconclusive = warn\n")
    result = run("-k", "suite.true or open")
    result.assert_outcomes(passed=3, deselected=4, warnings=2)
    assert f"smallest level {1e-3 / 512 / 2:.3g}," in result.stdout.str()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--rmtsim-flakiness=2", "flakiness=2.0: expected a number in (0, 1)"),
        ("--rmtsim-flakiness=x", "flakiness=x: expected a number"),
        ("--rmtsim-tests=0", "tests=0: expected a whole number >= 1"),
        ("--rmtsim-seed=-1", "seed=-1: expected a whole number in"),
        ("--rmtsim-budget=0", "budget=0.0: expected a finite number > 0"),
    ],
)
def test_bad_options(run, option, message):
    result = run(option)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert message in result.stderr.str()


def test_junit_contains_the_verdicts(run, pytester):
    run("--junitxml=out.xml", "-k", "suite.true or false")
    tree = ElementTree.parse(pytester.path / "out.xml")
    values = {each.get("name"): each.get("value") for each in tree.iter("property")}
    assert values["rmtsim: suite.true"].startswith("CONFIRMED at level")
    assert values["rmtsim: test_suite.py::test_false#1"].startswith("REFUTED at level")


@pytest.mark.thorough
def test_workers_of_xdist_give_the_same_verdicts(pytester):
    pytester.makepyfile(test_suite=SUITE)
    plugin = [
        "-p",
        "no:rmtsim",
        "-p",
        "rmtsim.testing._plugin",
        "-p",
        "no:cacheprovider",
        "-k",
        "true or false or two",
    ]
    texts = []
    for number in (0, 2):
        result = pytester.runpytest_subprocess(*plugin, "-n", str(number))
        result.assert_outcomes(passed=2, failed=1)
        text = result.stdout.str()
        texts.append(
            text[text.index("test_suite.py::test_false#1 is refuted") : text.index("short test summary")]
        )
        assert "smallest level 1.63e-10" in text
    numbers = [re.findall(r"estimate[^\n]*|interval[^\n]*", text) for text in texts]
    assert numbers[0]
    assert numbers[0] == numbers[1]


def test_a_random_seed_is_printed_and_repeats(run):
    text = run("-k", "suite.true", "--rmtsim-seed", "random").stdout.str()
    seed = re.search(r"seed (\d+)", text)[1]
    assert seed != "0"
    assert f"seed {seed}" in run("-k", "suite.true", f"--rmtsim-seed={seed}").stdout.str()


def test_the_generator_depends_on_the_name_of_the_test(run):
    suite = """
        import pytest
        seen = []

        @pytest.mark.parametrize("again", [1, 2])
        def test_draw(rmtsim_rng, again):
            seen.append(rmtsim_rng.random())

        def test_other(rmtsim_rng):
            assert rmtsim_rng.random() not in seen and len(set(seen)) == len(seen)
            print("drawn", seen)
    """
    texts = [
        re.search(r"drawn .*", run("-s", *options, suite=suite, name="test_rng").stdout.str())[0]
        for options in ([], [], ["--rmtsim-seed=1"])
    ]
    assert texts[0] == texts[1] != texts[2]


def test_a_correction_is_collected_and_the_printed_form_must_fail(run):
    suite = """
        from rmtsim import Corrected, Limit, claim

        @claim("slip", states=Limit(1.2, within=0.05), sizes=(8, 16, 32), exponents=(1.0,), because="x", cost=1e-6,
               corrected=Corrected("It tends to {value}.", states=Limit({value}, within=0.05)))
        def quantity(size, rng, replicates):
            return 0.5 + 1 / size + rng.random(replicates)
    """
    run(suite=suite.replace("{value}", "1.0")).assert_outcomes(passed=2)
    run(suite=suite.replace("{value}", "1.3"), name="test_b").assert_outcomes(passed=3, failed=1)


def test_markers_of_claims(run, pytester):
    pytester.makeini("[pytest]\nmarkers = nightly: not every day\n")
    suite = """
        import pytest
        from rmtsim import claim

        STATED = dict(limit=1.2, tolerance=0.05, sizes=(8, 16, 32), exponents=(1.0,), because="x", cost=1e-6)

        @pytest.mark.xfail(reason="false")
        @pytest.mark.nightly
        @claim("above", **STATED)
        def above(size, rng, replicates):
            return 0.5 + 1 / size + rng.random(replicates)

        @claim("below", **STATED)
        @pytest.mark.nightly
        @pytest.mark.rmtsim(budget=1e-9, inconclusive="warn")
        def below(size, rng, replicates):
            return 0.5 + 1 / size + rng.random(replicates)

        @pytest.mark.skip
        @claim("skipped", **STATED)
        def skipped(size, rng, replicates):
            return 0.5 + 1 / size + rng.random(replicates)
    """
    run(suite=suite).assert_outcomes(xfailed=1, passed=1, skipped=1, warnings=1)
    run("-m", "not nightly", suite=suite).assert_outcomes(skipped=1, deselected=2)


@pytest.mark.parametrize(
    ("function", "options", "error", "message"),
    [
        (lambda: 3.0, {}, TypeError, "expected a function of (rng)"),
        (lambda *, rng: 3.0, {}, TypeError, "expected a function of (rng)"),
        (lambda rng, scale: 3.0, {}, TypeError, "expected a function of (rng)"),
        (3.0, {}, TypeError, "expected a function of (rng)"),
        (lambda rng: rng.random(), {"inconclusive": "maybe"}, ValueError, "inconclusive='maybe'"),
        (max, {}, SamplerError, "max"),
        (lambda rng: float("nan"), {}, SamplerError, "returned nan"),
        (lambda rng: rng.random((2, 3)), {}, SamplerError, "shape (2, 3)"),
        (lambda rng: 1 / 0, {}, SamplerError, "ZeroDivisionError"),
        (lambda rng: sys.exit(1), {}, SamplerError, "SystemExit"),
        (lambda rng: np.random.standard_normal(), {}, SamplerError, "not np.random"),  # noqa: NPY002
        (lambda rng: random.random(), {}, SamplerError, "draw from rng"),
    ],
)
def test_functions_that_cannot_be_tested(function, options, error, message):
    with pytest.raises(error) as found:
        assert_mean(function, 0.5, tolerance=0.1, **options)
    assert message in str(found.value)


def test_a_larger_budget_is_suggested_only_if_it_helps():
    with pytest.raises(ClaimFailedError, match="values that vary") as constant:
        assert_mean(lambda rng: 3.0, 3.0, tolerance=0.1)
    assert "Raise budget=" not in str(constant.value)
    with pytest.raises(ClaimFailedError, match="Raise budget="):
        assert_mean(lambda rng: rng.random(), 0.5, tolerance=1e-4, budget=0.05)


def test_imported_claims_are_not_collected_twice(run, pytester):
    pytester.makepyfile(mine=SUITE)
    result = run(suite="from mine import true_claim\nother = true_claim\n", name="test_imported")
    result.assert_outcomes()


def test_a_session_without_claims_prints_nothing_and_loads_nothing(pytester):
    pytester.makepyfile(
        "import sys\ndef test_x():\n    assert not {'numpy', 'scipy', 'rmtsim.claims'} & set(sys.modules)\n"
    )
    result = pytester.runpytest_subprocess(
        "-p", "no:rmtsim", "-p", "rmtsim.testing._plugin", "-p", "no:hypothesispytest"
    )
    result.assert_outcomes(passed=1)
    assert "rmtsim:" not in result.stdout.str()


def test_more_tests_than_shares(run):
    suite = (
        "import pytest\n"
        + SUITE
        + "\n@pytest.mark.parametrize('k', range(1020))\ndef test_many(k):\n    pass\n"
    )
    text = run("-k", "suite.true", suite=suite, name="test_large").stdout.str()
    assert "smallest level 2.44e-10" in text


def test_shares_sum_to_the_budget():
    share = Share("x", Plan(flakiness=0.01, tests=5))
    spent = sum(share.spend() for _ in range(10_000))
    assert 8 * spent < 0.01
    assert 8 * spent == pytest.approx(0.01, rel=1e-3)
