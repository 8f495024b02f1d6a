"""Budgets in seconds of the clock: the pilot, the plan that repeats a run, what fits into a budget."""

import json
import time

import numpy as np
import pytest

from rmtsim import claim, verify
from rmtsim.verdicts import RunPlan
from rmtsim.verdicts._timing import measured_steps, read_plan, settled, with_steps

SIZES = (40, 80, 160, 320)


def _noise(size, rng, replicates):
    return 1 + rng.standard_normal(replicates)


def _claim(function=_noise, **options):
    given = {"limit": 1.0, "tolerance": 1e-6, "sizes": SIZES, "exponents": (1.0,), "mode": "mean", **options}
    return claim("timed", function, **given)


def _clock(cost, first=0.0):
    """A runner's clock: a fixed cost per replicate and call; the first call takes longer."""
    calls = []

    def timed(key):
        calls.append(key)
        taken = cost(key.size) * key.replicates + 1e-4 + (first if len(calls) == 1 else 0.0)
        return taken, taken

    return timed, calls


@pytest.mark.parametrize("power", [0, 1, 2, 3])
@pytest.mark.parametrize("scale", [1e-6, 1e-4, 1e-2, 1.0])
def test_steps_follow_the_clock(power, scale):
    made = _claim(cost=1e-3)
    timed, calls = _clock(lambda size: scale * (size / 40) ** power, first=0.3)
    steps = measured_steps(made, {}, 20.0, timed)
    costs = [with_steps(made, steps).cost({}, size) for size in SIZES]
    exact = [scale * (size / 40) ** power + (1e-4 / 4096) for size in SIZES]
    ratio = np.array(costs) / np.array(exact)
    assert ratio.max() < 1.35
    assert ratio.min() > 0.7
    spent = sum(scale * (key.size / 40) ** power * key.replicates for key in calls)
    assert spent < max(0.2 * 20.0, 3 * scale * (1 + 2**power))


def test_a_pilot_of_what_cannot_be_drawn_leaves_the_declared_costs():
    assert measured_steps(_claim(), {}, 1.0, lambda key: None) == ()


def test_plans_are_read_back():
    plan = RunPlan({"a.b": (1, -2), "c": (0,)})
    assert (
        read_plan(plan) == read_plan(plan.text) == read_plan(json.dumps(dict(plan.steps))) == dict(plan.steps)
    )
    assert settled((3, 4), (2, 5)) == (2, 5)
    assert settled((3, 4), (1, 5)) == (3, 4)
    for wrong in ("a.b", "a=x", "a=1.5", "a=999", "[1"):
        with pytest.raises(ValueError, match="expected"):
            read_plan(wrong)
    with pytest.raises(ValueError, match="one per size"):
        verify(_claim(), plan="timed=1,2", progress=False)
    with pytest.raises(ValueError, match="none of the claims is named 'other'"):
        verify(_claim(), plan="other=1,2", progress=False)
    with pytest.raises(TypeError, match="plan=3"):
        verify(_claim(), plan=3)


def test_the_plan_repeats_a_run_exactly():
    plans = []
    (first,) = verify(_claim(), budget=0.3, plan="measured", planned=plans.append, progress=False)
    assert plans[0].seconds == 0.3
    assert first.declared["plan"] == list(plans[0].steps["timed"])
    (again,) = verify(_claim(), budget=0.3, plan=plans[0], executor=2, progress=False)
    assert again.digest == first.digest
    assert verify(_claim(), budget=0.3, plan=plans[0].text, progress=False)[0].digest == first.digest
    (nominal,) = verify(_claim(), budget=0.3, progress=False)
    assert "plan" not in nominal.declared


def test_a_budget_is_in_seconds():
    def slow(size, rng):
        time.sleep(0.02)
        return 1 + rng.standard_normal()

    started = time.monotonic()
    (result,) = verify(_claim(slow), budget=1.5, plan="measured", progress=False)
    assert 0.3 < result.seconds < 3.0  # 1.5 on a quiet machine
    assert (
        time.monotonic() - started < 10.0
    )  # by the default costs, a first round of 640 draws takes a minute


def test_bounds_and_computed_claims_keep_to_the_budget():
    def exact(size):
        return 1 + 1 / size

    options = {"cost": lambda size: 0.01 if size < 160 else 50.0, "accuracy": 1e-12, "mode": None}
    (limit,) = verify(_claim(exact, **options), budget=1.0, progress=False)
    assert limit.deciding.sizes == SIZES[:3]
    assert "size 320 not measured" in limit.deciding.warned
    made = claim(
        "bounded", exact, bound=2.0, tolerance=1e-9, sizes=SIZES, cost=lambda size: 0.6, accuracy=1e-9
    )
    (bound,) = verify(made, budget=1.0, progress=False)
    assert str(bound.verdict) == "INCONCLUSIVE"
    assert bound.deciding.nominal < 1.3
    drawn = claim("bounded", _noise, bound=99.0, tolerance=1e-9, sizes=SIZES, cost=0.05)
    (bound,) = verify(drawn, budget=4.0, progress=False)
    assert 2.0 < bound.deciding.nominal < 5.0


def test_the_command_prints_and_takes_a_plan(tmp_path, capsys):
    from rmtsim.cli import main

    file = tmp_path / "timed.py"
    file.write_text(
        "from rmtsim import claim\n"
        "@claim('timed.noise', limit=1.0, tolerance=0.5, sizes=(4, 8, 16), exponents=(1.0,))\n"
        "def noise(size, rng, replicates):\n"
        "    return 1 + rng.standard_normal(replicates) / size\n"
    )
    options = ["--budget", "0.5", "--no-store", "--json"]
    main(["verify", str(file), *options, "--plan", "measured"])
    shown = capsys.readouterr()
    assert "rmtsim: plan: at most about 1 s of one core" in shown.err
    steps = json.loads(shown.out)[0]["declared"]["plan"]
    main(["verify", str(file), *options, "--plan", f"timed.noise={','.join(map(str, steps))}"])
    assert json.loads(capsys.readouterr().out)[0]["digest"] == json.loads(shown.out)[0]["digest"]
    (tmp_path / "earlier.json").write_text(shown.out)
    main(["verify", str(file), *options, "--plan", str(tmp_path / "earlier.json")])
    assert json.loads(capsys.readouterr().out)[0]["digest"] == json.loads(shown.out)[0]["digest"]
    assert main(["verify", str(file), "--plan", "nothing.json"]) == 2


def test_a_budget_below_the_least_run_is_known_before_it_starts():
    from rmtsim.verdicts._timing import least_seconds

    @claim("slow", limit=1.0, tolerance=0.1, sizes=(4, 8, 16), cost=1.0)
    def slow(size, rng):
        return rng.standard_normal()

    plans = []
    (result,) = verify(slow, budget=3, plan={"slow": (0, 0, 0)}, planned=plans.append, progress=False)
    assert plans[0].least == 4.0 > plans[0].seconds
    assert result.points[0].sizes == (4,)  # two replicates at one size: 2 s of 3
    assert result.points[0].nominal <= 3.0
    assert least_seconds(slow, (2, 2, 2), [{}, {}]) == pytest.approx(16.0)


def test_batches_of_cheap_replicates_are_longer_where_costs_are_measured():
    @claim("cheap", limit=0.0, tolerance=1e-5, sizes=(4, 8, 16), cost=1e-7)
    def cheap(size, rng, replicates):
        return rng.standard_normal(replicates)

    declared, measured = (
        verify(cheap, budget=0.05, plan=plan, progress=False)[0] for plan in (None, {"cheap": (0, 0, 0)})
    )
    assert measured.batches < declared.batches
    (again,) = verify(cheap, budget=0.05, plan={"cheap": (0, 0, 0)}, progress=False)
    assert again.digest == measured.digest
