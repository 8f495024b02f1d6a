"""The version of a sampler's code changes with its files, its values in memory and the packages it imports."""

import dataclasses
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from rmtsim.claims._files import load_file
from rmtsim.claims._registry import all_claims, find
from rmtsim.laws import MarchenkoPastur
from rmtsim.runs._identity.code_version import code_version, forget_versions, version_of

FILE = '''
"""My claims."""
import functools
import math as numbers
import numpy as np
import my_tools
from my_words import NOTE
from rmtsim.claims import Corrected, Erratum, Limit, Tolerance, claim
from rmtsim.laws import Semicircle
from my_helpers import draw
from my_star import *

SCALE = 2.0
UNRELATED = 1
TABLE = {}
TOLERANCE = Tolerance(absolute=0.1)
LIMIT = 0.0


def register(function):
    TABLE[function.__name__] = function
    return function


@register
def shift(x):
    return x + 1


def _helper(x):
    """Words."""
    if x is None:
        raise ValueError("words of an error")
    return SCALE * x


def prediction():
    return LIMIT


def corrected_prediction():
    return LIMIT + 1


mine = functools.partial(claim, sizes=(10, 20, 40), tolerance=TOLERANCE)
ours = functools.partial(mine, erratum=Erratum(note=NOTE))


@claim("my.mean", limit=prediction, tolerance=0.1, sizes=(10, 20, 40), statement="words")
def mean(size, rng):
    return _helper(draw(size, rng)).mean()


@ours("my.other", limit=prediction, corrected=Corrected("Corrected.", states=Limit(corrected_prediction, within=0.1)))
def other(size, rng):
    UNRELATED = rng.normal()
    return UNRELATED / size


@mine("my.table", limit=prediction)
def table(size, rng):
    return TABLE["shift"](rng.normal()) + my_tools.half(size)


ours("my.again", lambda size, rng: mean(size, rng) + star(size), limit=0.0)


@claim("my.law", law=Semicircle(), tolerance=0.1, sizes=(10, 20, 40))
def law(size, rng):
    from my_tools import twice

    return twice(rng.standard_normal(size))
'''
NEIGHBOURS = {
    "my_helpers": "SIGN = 1\n\ndef draw(size, rng):\n    return SIGN * rng.standard_normal(size)\n\n"
    "def unused():\n    return 1\n",
    "my_tools": "def half(x):\n    return x / 2\n\ndef twice(x):\n    return 2 * x\n",
    "my_star": "def star(x):\n    return 0 * x\n",
    "my_words": "NOTE = 'words'\n",
}


@pytest.fixture
def versions(tmp_path):
    """Code versions of the claims of a file with some text replaced, each in a folder of its own."""
    count = 0

    def load(old="", new="", **neighbours):
        nonlocal count
        count += 1
        folder = tmp_path / str(count)
        folder.mkdir()
        assert old in FILE
        for name, text in {**NEIGHBOURS, **neighbours}.items():
            (folder / f"{name}.py").write_text(text)
            sys.modules.pop(name, None)
        file = folder / "mine.py"
        file.write_text(textwrap.dedent(FILE.replace(old, new)))
        return {each.id: code_version(each) for each in load_file(file)}

    yield load
    for name in NEIGHBOURS:
        sys.modules.pop(name, None)


def changed(before, after):
    assert before.keys() == after.keys()
    return {name.removeprefix("my.") for name in before if before[name] != after[name]}


def test_reloading_changes_nothing(versions):
    assert versions() == versions()


EVERY_CLAIM = {"mean", "other", "other/corrected", "table", "again", "law"}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"""Words."""', '"""Other words."""'),
        ("SCALE = 2.0", "# a comment\nSCALE = 2.0"),
        ("SCALE = 2.0", "SCALE = 2.5"),
        ("SCALE = 2.0", "SCALE = 2.0\nSCALE += 1"),
        ("UNRELATED = 1", "UNRELATED = 2"),
        ("tolerance=0.1", "tolerance=0.2"),
        ("LIMIT = 0.0", "LIMIT = 0.5"),
        ("SCALE * x", "SCALE + x"),
        ("(draw(size, rng))", "(draw(size + 1, rng))"),
        ("return x + 1", "return x + 2"),
        ("+ star(size)", "- star(size)"),
        ("twice(rng.standard_normal(size))", "twice(rng.normal(size=size))"),
        ("law=Semicircle()", "law=Semicircle(entry_variance=2.0)"),
    ],
)
def test_every_byte_of_the_file_counts(versions, old, new):
    assert changed(versions(), versions(old, new)) == EVERY_CLAIM


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("my_helpers", "SIGN = 1", "SIGN = -1"),
        ("my_helpers", "return 1", "return 2"),
        ("my_tools", "x / 2", "x / 3"),
        ("my_star", "0 * x", "1 * x"),
        ("my_words", "words", "other words"),
    ],
)
def test_imported_modules_of_the_user_count(versions, module, old, new):
    edited = versions(**{module: NEIGHBOURS[module].replace(old, new)})
    assert changed(versions(), edited) == EVERY_CLAIM


def test_a_module_that_is_not_imported_does_not_count(versions):
    assert versions(my_notes="x = 1\n") == versions(my_notes="x = 2\n") == versions()


def test_revision_and_closures_count():
    claim = find("dong.thm1.diagonal")
    assert code_version(dataclasses.replace(claim, revision=claim.revision + 1)) != code_version(claim)
    lambdas = [dataclasses.replace(claim, sample=_sampler(factor)) for factor in (1.0, 2.0)]
    assert code_version(lambdas[0]) != code_version(lambdas[1])
    assert code_version(lambdas[0]) == code_version(dataclasses.replace(claim, sample=_sampler(1.0)))


def _sampler(factor):
    return lambda parameters, size, rng, replicates: factor * rng.standard_normal(replicates)


def test_closures_count_however_deep():
    def wrapped(depth, factor):
        function = _sampler(factor)
        for _ in range(depth):
            function = _through(function)
        return dataclasses.replace(find("dong.eq5"), sample=function)

    assert code_version(wrapped(30, 1.0)) != code_version(wrapped(30, 2.0))
    assert code_version(wrapped(30, 1.0)) == code_version(wrapped(30, 1.0))


def _through(function):
    return lambda *arguments: function(*arguments)


def test_what_a_law_has_computed_meanwhile_does_not_count():
    def version(law):
        return code_version(dataclasses.replace(find("dong.eq5"), sample=lambda *_: law.cdf(np.zeros(1))))

    fresh, used = MarchenkoPastur(0.5), MarchenkoPastur(0.5)
    used.cdf(np.linspace(0, 3, 7))
    assert used.support
    assert version(fresh) == version(used) != version(MarchenkoPastur(0.25))


def test_words_of_a_claim_do_not_count():
    claim = find("dong.thm1.diagonal")
    reworded = dataclasses.replace(claim, statement="other words", note="more", correction=None)
    assert code_version(reworded) == code_version(claim)


def test_functions_typed_at_a_prompt_depend_on_what_their_names_stand_for():
    session = """
from rmtsim.claims import claim
from rmtsim.runs._identity.code_version import code_version
SCALE = {scale}
def helper(x):
    return {body}
@claim("typed", limit=0.0, tolerance=0.1, sizes=(10, 20, 40))
def typed(size, rng):
    return helper(rng.normal())
print(code_version(typed))
"""

    def version(scale=1, body="SCALE * x"):
        text = session.format(scale=scale, body=body)
        done = subprocess.run([sys.executable, "-"], input=text, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    plain = version()
    assert len(plain) == 20
    assert version() == plain
    assert version(scale=2) != plain
    assert version(body="SCALE + x") != plain


def test_threads_may_ask_together():
    forget_versions()
    claims = all_claims("li")
    alone = [code_version(claim) for claim in claims]
    forget_versions()
    found = [[] for _ in range(8)]
    threads = [
        threading.Thread(target=lambda into=into: into.extend(map(code_version, claims))) for into in found
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 8


def test_every_registered_claim_has_one_and_workers_can_find_it():
    for claim in all_claims():
        assert len(code_version(claim)) == 20
        assert version_of(claim).modules == ()
