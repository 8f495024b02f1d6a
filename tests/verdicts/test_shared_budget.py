"""A shared budget is divided so that no claim starves."""

import numpy as np

from rmtsim import Parameter, claim, verify

SIZES = (40, 80, 160, 320)


def _claim(name, deviation, tolerance, cost):
    def value(size, rng, replicates):
        return 1 + deviation * rng.standard_normal(replicates)

    return claim(
        name, value, limit=1.0, tolerance=tolerance, sizes=SIZES, exponents=(1.0,), cost=cost, mode="mean"
    )


def test_every_claim_spends_at_least_half_of_its_part_or_is_decided():
    greedy = _claim("greedy", 1.0, 1e-3, 1e-4)  # always nearest to a verdict, and never there
    hard = _claim("hard", 10.0, 1e-3, 1e-3)
    harder = _claim("harder", 100.0, 1e-3, 1e-2)
    results = verify([greedy, hard, harder], budget=60, progress=False)
    spent = np.array([result.points[0].nominal for result in results])
    assert spent.sum() <= 1.15 * 60
    assert spent.sum() >= 0.8 * 60
    assert spent.min() >= 0.4 * 20


def test_what_an_easy_claim_leaves_goes_to_the_others():
    easy, hard = _claim("easy", 0.01, 0.1, 1e-4), _claim("hard", 10.0, 1e-3, 1e-3)
    first, second = (result.points[0] for result in verify([easy, hard], budget=20, progress=False))
    assert str(first.verdict) == "CONFIRMED"
    assert second.nominal > 14


def test_the_clock_ends_a_run_with_what_is_known(tmp_path, capsys):
    from rmtsim.cli import main

    file = tmp_path / "endless.py"
    file.write_text(
        "import time\n"
        "from rmtsim import claim\n"
        "@claim('endless', limit=1.0, tolerance=1e-6, sizes=(40, 80, 160), exponents=(1.0,), cost=1e-3)\n"
        "def endless(size, rng):\n"
        "    time.sleep(2e-4)\n"
        "    return 1 + rng.standard_normal()\n"
    )
    main(["verify", str(file), "--max-wall", "1", "--no-store", "--budget", "1000"])
    shown = capsys.readouterr()
    assert "INCONCLUSIVE" in shown.out
    assert "interrupted" in shown.out + shown.err


def test_one_worker_sees_one_claim_through_after_the_other():
    claims = [_claim(f"claim{number}", 1.0, 0.2, 1e-4) for number in range(3)]
    steps = []
    verify(claims, progress=steps.append)
    order = [step.claim for step in steps]
    assert order == sorted(order)


def test_in_a_quick_run_the_other_points_end_once_one_refutes_the_claim():
    spread = Parameter("spread", "deviation of a replicate", default=0.01, lowest=0.0)

    def value(size, rng, replicates, spread):
        return 1 + spread * rng.standard_normal(replicates)

    wrong = claim(
        "wrong",
        value,
        limit=2.0,
        tolerance=0.1,
        sizes=SIZES,
        exponents=(1.0,),
        cost=1e-4,
        mode="mean",
        parameters=(spread,),
    )
    points = [{"spread": 0.01}, {"spread": 30.0}]
    (quick,) = verify(wrong, points=points, quick=True, progress=False)
    assert [str(point.verdict) for point in quick.points] == ["REFUTED", "INCONCLUSIVE"]
    assert str(quick.verdict) == "REFUTED"
    assert quick.points[1].looks <= 2


def test_a_bound_of_a_mean_with_too_few_draws_is_open_without_a_numerical_warning():
    @claim("few.draws", bound=0.5, sense=">=", of="mean", tolerance=0.01, sizes=(10, 20), cost=1.0)
    def heavy(size, rng):
        """The mean of a value with rare jumps is at least one half."""
        return 1.0 + (rng.random() < 0.01) * 1e3

    (result,) = verify(heavy, budget=12, store=None)
    assert str(result.verdict) == "INCONCLUSIVE"
