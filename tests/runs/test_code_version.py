"""The digest of a sampler's code: changes with what the sampler computes, and with nothing else."""

import dataclasses
import textwrap

import pytest

from rmtsim.claims.files import load_file
from rmtsim.claims.registry import all_claims, find
from rmtsim.runs.identity.code_version import code_version, defining_modules

FILE = '''
"""My claims."""
import numpy as np
from rmtsim.claims import claim
from my_helpers import draw

SCALE = 2.0
UNRELATED = 1


def _helper(x):
    """Words."""
    return SCALE * x


@claim("my.mean", limit=0.0, tolerance=0.1, sizes=(10, 20, 40))
def mean(size, rng):
    return _helper(draw(size, rng)).mean()


@claim("my.other", limit=0.0, tolerance=0.1, sizes=(10, 20, 40))
def other(size, rng):
    return rng.normal() / size
'''
HELPERS = "def draw(size, rng):\n    return rng.standard_normal(size)\n"


@pytest.fixture
def versions(tmp_path, monkeypatch):
    """Code versions of the claims of a file with some text replaced, each in a folder of its own."""
    count = 0

    def load(old="", new="", helpers=HELPERS):
        nonlocal count
        count += 1
        folder = tmp_path / str(count)
        folder.mkdir()
        assert old in FILE
        (folder / "my_helpers.py").write_text(helpers)
        file = folder / "mine.py"
        file.write_text(textwrap.dedent(FILE.replace(old, new)))
        monkeypatch.delitem(__import__("sys").modules, "my_helpers", raising=False)
        from rmtsim.runs.identity import source_code as sources

        sources._file.cache_clear()
        sources.module_digest.cache_clear()
        return {each.id: code_version(each) for each in load_file(file)}

    return load


def test_reloading_changes_nothing(versions):
    assert versions() == versions()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Words."""', '"""Other words."""'),
        ("SCALE = 2.0", "# a comment\nSCALE = 2.0"),
        ("UNRELATED = 1", "UNRELATED = 2"),
        ("tolerance=0.1", "tolerance=0.2"),
        ("return SCALE * x", "return (SCALE *\n        x)"),
    ],
)
def test_words_layout_and_what_is_not_used_change_nothing(versions, old, new):
    assert versions(old, new) == versions()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("SCALE = 2.0", "SCALE = 2.5"),
        ("SCALE * x", "SCALE + x"),
        ("(draw(size, rng))", "(draw(size + 1, rng))"),
    ],
)
def test_what_a_sampler_uses_changes_its_version_and_no_others(versions, old, new):
    before, after = versions(), versions(old, new)
    assert before["my.mean"] != after["my.mean"]
    assert before["my.other"] == after["my.other"]


def test_a_neighbouring_file_counts(versions):
    changed = versions(helpers=HELPERS.replace("size)", "size) + 1"))
    assert changed["my.mean"] != versions()["my.mean"]


def test_revision_and_closures_count():
    claim = find("dong.thm1.diagonal")
    assert code_version(dataclasses.replace(claim, revision=claim.revision + 1)) != code_version(claim)
    lambdas = [dataclasses.replace(claim, sample=_sampler(factor)) for factor in (1.0, 2.0)]
    assert code_version(lambdas[0]) != code_version(lambdas[1])
    assert code_version(lambdas[0]) == code_version(dataclasses.replace(claim, sample=_sampler(1.0)))


def _sampler(factor):
    return lambda parameters, size, rng, replicates: factor * rng.standard_normal(replicates)


def test_words_of_a_claim_do_not_count():
    claim = find("dong.thm1.diagonal")
    assert code_version(dataclasses.replace(claim, statement="other words", note="more")) == code_version(
        claim
    )


def test_every_registered_claim_has_one_and_workers_can_find_it():
    for claim in all_claims():
        assert len(code_version(claim)) == 20
        assert defining_modules(claim) == ()
