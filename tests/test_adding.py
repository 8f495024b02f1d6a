"""The table "What to touch" of docs/architecture.md, row by row, with nothing touched but what the row names."""

import importlib
import json
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

import rmtsim
from rmtsim.claims import _registry as registry
from rmtsim.cli import _law_kinds as law_kinds
from rmtsim.cli import main
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws.self_energy._base import SelfEnergy
from rmtsim.runs._pools.pool import Arrival, Pool, SerialPool

ARCHITECTURE = Path(__file__).parents[1] / "docs" / "architecture.md"


def test_every_file_that_the_page_names_exists():
    text = ARCHITECTURE.read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:rmtsim|tests|studies|docs|benchmarks)/[\w/.-]+)`", text))
    assert len(named) > 20
    missing = {name for name in named if "KEY" not in name and not (ARCHITECTURE.parents[1] / name).exists()}
    assert missing == set()


@pytest.fixture
def own_paper(tmp_path, monkeypatch):
    """Rows "paper" and "claim": a folder of rmtsim/papers with a citation and declarations, nothing else."""
    folder = tmp_path / "mine"
    (folder / "statements").mkdir(parents=True)
    (folder / "__init__.py").write_text(
        textwrap.dedent(
            '''
            """On means."""

            from rmtsim.claims import Paper

            PAPER = Paper(key="mine", package=__name__, authors="A. Author", title="On means", modules=["means"])
            '''
        )
    )
    (folder / "statements" / "__init__.py").write_text("")
    (folder / "statements" / "means.py").write_text(
        textwrap.dedent(
            '''
            """Means."""

            from rmtsim import Corrected, Erratum, Limit, claim


            @claim(
                "mine.mean",
                source="Theorem 1",
                standing="theorem",
                statement="The mean of n exponential variables tends to 2.",
                limit=2.0,
                tolerance=0.02,
                sizes=(10, 20, 40),
                exponents=(1.0,),
                because="the expectation is the same at every n",
                cost=1e-5,
                erratum=Erratum(
                    cause="rate and scale exchanged",
                    note="The density is printed with rate 1/2 and used with rate 1.",
                ),
                corrected=Corrected("It tends to 1.", states=Limit(1.0, within=0.02)),
            )
            def mean(size, rng):
                return rng.exponential(size=size).mean()
            '''
        )
    )
    papers = importlib.import_module("rmtsim.papers")
    monkeypatch.setattr(papers, "__path__", [str(tmp_path), *papers.__path__])
    registry.reset()
    yield
    monkeypatch.undo()
    registry.reset()


@pytest.mark.thorough
@pytest.mark.usefixtures("own_paper")
def test_a_paper_with_a_claim(capsys):
    assert [claim.id for claim in rmtsim.all_claims("mine")] == ["mine.mean", "mine.mean/corrected"]
    results = rmtsim.verify(rmtsim.all_claims("mine"), budget=5)
    assert [str(result.verdict) for result in results] == ["REFUTED", "CONFIRMED"]
    assert {claim.citation for claim in rmtsim.all_claims("mine")} == {"A. Author: On means"}
    assert main(["claims", "--paper", "mine", "--json"]) == 0
    assert [row["claim"] for row in json.loads(capsys.readouterr().out)] == [
        "mine.mean",
        "mine.mean/corrected",
    ]


class Uniform(SpectralLaw):
    """Row "law": the uniform law on [−1, 1]."""

    support = ((-1.0, 1.0),)
    atoms = ()
    _masses = (1.0,)

    def moment(self, k):
        return 1 / (k + 1) if k % 2 == 0 else 0.0

    def matrix(self, n, rng):
        return np.diag(rng.uniform(-1, 1, n))

    def _density_inside(self, x):
        return np.full(x.shape, 0.5)

    def _cdf_inside(self, x):
        return (x + 1) / 2

    def _stieltjes_upper(self, z):
        return 0.5 * np.log((z - 1) / (z + 1))


def test_a_law(monkeypatch, capsys, tmp_path):
    assert Uniform().ppf(0.75) == pytest.approx(0.5)
    kind = law_kinds.LawKind(
        "uniform", "uniform on [−1, 1]", lambda parser: None, lambda _: Uniform(), lambda _: {}
    )
    monkeypatch.setattr("rmtsim.cli._law.KINDS", (*law_kinds.KINDS, kind))
    words = [
        "law",
        "uniform",
        "--json",
        "--moments",
        "2",
        "--plot",
        str(tmp_path / "u.png"),
        "--sample",
        "50",
    ]
    assert main(words) == 0
    assert json.loads(capsys.readouterr().out)["moments"] == {"1": 0.0, "2": 1 / 3}


class Doubled(SelfEnergy):
    """Row "self-energy": S[R] = 2 tr R/n, a Wigner matrix of variance 2."""

    size = 2

    def _apply(self, batch, symmetric=False):
        return 2 * np.trace(batch, axis1=1, axis2=2)[:, None, None] / self.size * np.eye(self.size)

    def draw(self, rng, copies=1):
        raw = self._rng(rng).standard_normal((self.size * copies,) * 2)
        return (raw + raw.T) / np.sqrt(self.size * copies)


def test_a_self_energy():
    law = rmtsim.MatrixDyson(0.0, Doubled())
    assert law.support[0] == pytest.approx((-np.sqrt(8), np.sqrt(8)), abs=1e-6)
    assert law.moment(2) == pytest.approx(2.0)


class Backwards(Pool):
    """Row "executor": three methods; this one answers in reverse."""

    def __init__(self):
        self.inner = SerialPool()

    def environments(self):
        return self.inner.environments()

    def completed(self, keys):
        done = 0
        while done < len(keys):
            batch = list(keys[done:])
            arrived = list(self.inner.completed(batch))
            for arrival in reversed(arrived):
                yield Arrival(done + arrival.index, arrival.content, arrival.environment)
            done += len(batch)

    def close(self):
        self.inner.close()


def test_an_executor_of_your_own_changes_nothing():
    here, there = (
        rmtsim.verify("dong.thm1.ratio", budget=0.5, seed=3, executor=executor)[0]
        for executor in (None, Backwards())
    )
    assert here.digest == there.digest
