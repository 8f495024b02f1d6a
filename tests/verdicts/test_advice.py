"""What an open verdict lacks: the cheapest remedy first, for the point nearest to a verdict."""

import json
from dataclasses import replace

import numpy as np

from rmtsim import claim, verify
from rmtsim.verdicts._evidence.independent import Evidence
from rmtsim.verdicts._evidence.sequences import stage_widths
from rmtsim.verdicts._needs import Lack, Need

SIZES = (40, 80, 160, 320)
OPTIONS = {"limit": 1.0, "tolerance": 0.02, "sizes": SIZES, "cost": 1e-4, "mode": "mean"}


def _value(size, rng, replicates):
    return 1 + 1 / size + 0.5 * rng.standard_normal(replicates)


def test_undeclared_exponents_are_the_first_remedy():
    (result,) = verify(claim("advice", _value, **OPTIONS), budget=4, progress=False)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert result.deciding.lacks[0].lack in (Lack.EXPONENTS, Lack.FEWER_EXPONENTS)
    assert "exponents=" in result.next_step
    assert "--budget" not in result.next_step


def test_a_truth_on_the_edge_is_not_sent_for_more_and_more_budget():
    def edge(size, rng, replicates):
        return 1.02 + 0.05 * rng.standard_normal(replicates)

    (result,) = verify(claim("edge", edge, exponents=(1.0,), **OPTIONS), budget=10, seed=1, progress=False)
    assert str(result.verdict) == "INCONCLUSIVE"
    assert result.deciding.lacks[0].lack is Lack.EDGE
    assert "no budget decides this" in result.deciding.needs


def test_the_open_point_nearest_to_a_verdict_is_shown():
    (result,) = verify(claim("points", _value, **OPTIONS), budget=1, progress=False)
    (point,) = result.points
    far, near, unknown = (replace(point, more=more, lacks=()) for more in (900.0, 20.0, None))
    assert replace(result, points=(far, near, unknown)).deciding is near
    declared = replace(unknown, lacks=(Need(lack=Lack.EXPONENTS, verdict="CONFIRMED"),))
    assert replace(result, points=(far, near, declared)).deciding is declared


def test_a_support_does_not_widen_the_mean_of_a_small_variance():
    rng = np.random.default_rng(1)
    values = 0.5 + 0.01 * (rng.random((2, 4096)) - 0.5)
    widths = np.tile(stage_widths(640, 4096)[:, None], 2)
    halves = []
    for support in (None, (0.0, 1.0)):
        evidence = Evidence((40, 80), (1.0, 1.0), widths, support)
        for index in range(2):
            evidence.add(index, values[index], 64)
        low, high = evidence.mean_set(0.05).ends
        assert ((low < 0.5) & (high > 0.5)).all()
        halves.append((high - low).max())
    assert halves[1] < 1.2 * halves[0]


def test_the_command_foresees_a_budget(tmp_path, capsys):
    from rmtsim.cli import main

    file = tmp_path / "planned.py"
    file.write_text(
        "from rmtsim import claim\n"
        "@claim('planned', limit=1.0, tolerance=0.01, sizes=(4, 8, 16, 32), exponents=(1.0,), mode='mean')\n"
        "def planned(size, rng, replicates):\n"
        "    return 1 + 9 * rng.standard_normal(replicates)\n"
    )
    assert main(["plan", str(file), "--seconds", "0.2", "--json"]) == 0
    (foreseen,) = json.loads(capsys.readouterr().out)
    assert foreseen["verdict_so_far"] == "INCONCLUSIVE"
    assert foreseen["budget"] is None or foreseen["budget"] > 0.2
    assert foreseen["remedies"]
    assert len(foreseen["plan"]) == 4
    assert main(["plan", str(file), "--seconds", "0.2"]) == 0
    assert "what would decide it" in capsys.readouterr().out
    assert main(["plan"]) == 2
    assert main(["plan", str(file), "--seconds", "0"]) == 2
