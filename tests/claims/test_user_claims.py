"""Claims written by users: decorator, files, helpful errors."""

import importlib
import sys

import numpy as np
import pytest

from rmtsim.claims import Parameter, _files, claim
from rmtsim.claims._files import load_file, resolve
from rmtsim.errors import SamplerError, UnknownClaimError
from rmtsim.laws import MarchenkoPastur
from rmtsim.runs._work import BatchKey, run_batch
from rmtsim.verdicts import verify

FILE = """
import numpy as np
from rmtsim.claims import claim

@claim("mean.true", limit=0.5, tolerance=0.02, sizes=(10, 20, 40), cost=1e-5, exponents=(1,))
def true_mean(size, rng):
    return rng.random(size).mean()

@claim("mean.false", limit=0.6, tolerance=0.02, sizes=(10, 20, 40), cost=1e-5, exponents=(1,))
def false_mean(size, rng):
    return rng.random(size).mean()
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "my_claims.py"
    path.write_text(FILE)
    return path


def test_a_file_gives_its_claims_and_they_get_right_verdicts(file):
    claims = load_file(file)
    assert [(item.id, item.origin) for item in claims] == [
        ("mean.true", str(file)),
        ("mean.false", str(file)),
    ]
    assert [str(result.verdict) for result in verify(claims, budget=4)] == ["CONFIRMED", "REFUTED"]


@pytest.mark.parametrize("name", ["mean.false", "false_mean"])
def test_a_claim_is_picked_by_its_name_or_its_functions(file, name):
    (found,) = resolve(f"{file}::{name}")
    assert found.id == "mean.false"


def test_near_names_are_suggested(file):
    with pytest.raises(UnknownClaimError, match=r"did you mean mean\.true"):
        resolve(f"{file}::mean.tru")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("x = 1\n", "no claims found"),
        ("def\n", "line 1"),
        ("import no_such_module_here\n", "no_such_module_here"),
        ("x = 1\nraise RuntimeError('boom')\n", r"bad\.py: line 2: RuntimeError: boom"),
        ("from rmtsim import claim\nclaim('a', limit=1, tolerance=0.1)\n", "line 2: .*sizes"),
    ],
)
def test_files_that_are_no_claims(tmp_path, text, match):
    path = tmp_path / "bad.py"
    path.write_text(text)
    with pytest.raises(ValueError, match=match):
        load_file(path)


def test_a_file_that_is_no_python_file_is_named(tmp_path):
    path = tmp_path / "claims.txt"
    path.write_text(FILE)
    with pytest.raises(ValueError, match=r"should end in \.py"):
        resolve(str(path))


def test_a_missing_file_is_named():
    with pytest.raises(ValueError, match=r"nowhere\.py: no such file"):
        resolve("nowhere.py")


@pytest.mark.parametrize(
    ("returned", "match"),
    [
        (None, "returned None.*return statement"),
        ("two", "returned str"),
        (1j, "complex"),
        (np.ones((2, 2)), r"shape \(2, 2\)"),
        (float("nan"), "returned nan"),
        ([[1], [1, 2]], "ragged"),
        ([], r"shape \(0,\)"),
    ],
)
def test_wrong_returns_are_explained(returned, match):
    @claim("wrong", limit=1.0, tolerance=0.1, sizes=(10, 20))
    def wrong(size, rng):
        return returned

    with pytest.raises(SamplerError, match=match):
        verify(wrong, budget=1)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({}, "state exactly one of"),
        ({"limit": 1.0, "bound": 2.0}, "found: limit, bound"),
        ({"limit": 1.0, "sizes": (40, 20)}, "increasing"),
        ({"limit": 1.0, "sizes": (40, 20.5)}, "sizes=20.5"),
        ({"limit": 1.0, "tolerance": -0.1}, "tolerance=-0.1"),
        ({"limit": 1.0, "amplitude": 2.0}, "amplitude"),
        ({"limit": 1.0, "sizes": 40}, "sizes=40: expected a sequence"),
        ({"limit": 1.0, "sizes": (40,)}, "at least two sizes"),
        ({"limit": 1.0, "exponents": 1.0}, "exponents=1.0: expected a sequence"),
        ({"limit": 1.0, "exponents": ()}, "at least one"),
        ({"limit": 1.0, "parameters": ("gamma",)}, "parameters='gamma'"),
        ({"limit": 1.0, "support": (1, 0)}, "low < high"),
        ({"limit": lambda gamma: 1.0}, r"declared parameters by name \(none\), and takes \(gamma\)"),
        ({"probability": 1.5}, r"prediction=1.5: expected a probability in \[0, 1\]"),
        ({"rate": "fast"}, "rate='fast'"),
        ({"rate": 1.0, "relation": "o"}, "relation='o'"),
        ({"bound": 1.0, "sense": "<"}, "sense='<'"),
        ({"law": 3}, "law=3"),
        ({"law": MarchenkoPastur}, "not its class"),
    ],
)
def test_bad_declarations_are_refused(options, match):
    with pytest.raises((ValueError, TypeError), match=match):
        claim("bad", **{"tolerance": 0.1, "sizes": (10, 20), **options})


def test_an_error_in_the_function_is_reported_with_its_place(tmp_path):
    path = tmp_path / "broken.py"
    path.write_text(FILE.replace("rng.random(size).mean()", "1 / 0"))
    with pytest.raises(
        SamplerError, match=r"mean.true: true_mean\(size=\d+, rng\) raised ZeroDivisionError: .*line 7"
    ):
        verify(load_file(path)[0], budget=1)


def test_values_outside_the_declared_support_are_refused():
    @claim("outside", limit=0.5, tolerance=0.1, sizes=(10, 20), support=(0, 1), cost=1e-5)
    def outside(size, rng):
        return 0.5 + rng.standard_normal()

    with pytest.raises(SamplerError, match=r"declared support \[0, 1\]"):
        verify(outside, budget=1)


def test_a_wrong_signature_is_refused():
    with pytest.raises(TypeError, match=r"expected sampler\(size, rng\), found sampler\(rng, n\)"):

        @claim("bad", limit=1.0, tolerance=0.1, sizes=(10, 20))
        def sampler(rng, n):
            return n

    with pytest.raises(TypeError, match=r"expected sampler\(size, rng\), found sampler\(n, d\)"):

        @claim("bad", limit=1.0, tolerance=0.1, sizes=(10, 20))
        def sampler(n, d):
            return n


@pytest.mark.parametrize("sample", [lambda n, rng: n, lambda n, generator: n], ids=["rng", "generator"])
def test_size_and_generator_are_given_by_position(sample):
    made = claim("mine", limit=1.0, tolerance=0.1, sizes=(10, 20))(sample)
    assert made.sample({}, 20, np.random.default_rng(0), 2).tolist() == [20, 20]


def test_a_sampler_that_is_seeded_anew_is_named():
    @claim("seeded", limit=0.0, tolerance=0.5, sizes=(10, 20, 40), cost=1e-3, exponents=(1.0,))
    def sampler(n, rng):
        rng = np.random.default_rng(n)
        return rng.normal()

    assert "seed" in verify(sampler, budget=1)[0].deciding.needs


def test_parameters_reach_sampler_and_prediction():
    scale = Parameter(
        "scale", "mean of the law", default=1.0, lowest=0.0, open_below=True, assumption="scale > 0"
    )

    @claim(
        "scaled",
        limit=lambda scale: 2 * scale,
        tolerance=0.05,
        sizes=(10, 20, 40),
        parameters=(scale,),
        exponents=(1.0,),
        cost=1e-5,
    )
    def scaled(size, rng, scale):
        return 2 * scale * rng.exponential(size=size).mean()

    (result,) = verify(scaled, points=[{"scale": 0.5}], budget=2)
    assert (str(result.verdict), result.deciding.predicted) == ("CONFIRMED", 1.0)
    with pytest.raises(ValueError, match=r"scale=-1.0.*scale > 0"):
        verify(scaled, points=[{"scale": -1.0}])


def test_a_law_claim_compares_with_the_distribution_function():
    @claim(
        "uniform",
        law=lambda x: np.clip(x, 0, 1),
        tolerance=0.05,
        sizes=(50, 200, 800),
        cost=1e-4,
        exponents=(0.5,),
    )
    def uniform(size, rng):
        return rng.random(size)

    @claim(
        "not.uniform",
        law=lambda x: np.clip(x, 0, 1),
        tolerance=0.05,
        sizes=(50, 200, 800),
        cost=1e-4,
        exponents=(0.5,),
    )
    def beta(size, rng):
        return rng.beta(2, 2, size)

    assert [str(result.verdict) for result in verify([uniform, beta], budget=20)] == ["CONFIRMED", "REFUTED"]


def test_an_event_claim():
    @claim("event", probability=1.0, tolerance=0.02, sizes=(10, 40, 160), cost=1e-5, exponents=(1.0,))
    def event(size, rng):
        return rng.random() < 1 - 1 / size

    (result,) = verify(event, budget=5)
    assert str(result.verdict) == "CONFIRMED"


PACKAGED = FILE.replace("import numpy as np", "from . import helper\nfrom .helper import draws").replace(
    "rng.random(size)", "draws(rng, size)"
)
HELPER = "def draws(rng, size):\n    return rng.random(size)\n"


@pytest.fixture
def packaged(tmp_path):
    """A file of claims in a package inside a package, with a helper beside it."""
    folder = tmp_path / "outermost_of_claims" / "inner"
    folder.mkdir(parents=True)
    for name, text in (("../__init__", ""), ("__init__", ""), ("helper", HELPER), ("stated", PACKAGED)):
        (folder / f"{name}.py").write_text(text)
    yield folder / "stated.py"
    for name in [name for name in sys.modules if name.startswith("outermost_of_claims")]:
        del sys.modules[name]


def test_a_file_inside_a_package_may_import_relatively(packaged, monkeypatch):
    path = list(sys.path)
    claims = load_file(packaged)
    assert sys.path == path
    assert claims[0].measured.__module__ == "outermost_of_claims.inner.stated"
    assert [str(result.verdict) for result in verify(claims, budget=4)] == ["CONFIRMED", "REFUTED"]
    monkeypatch.chdir(packaged.parent)
    assert [claim.id for claim in resolve("stated.py::true_mean")] == ["mean.true"]


def test_a_package_of_claims_is_a_file_too(packaged):
    (packaged.parent / "__init__.py").write_text(PACKAGED)
    claims = load_file(packaged.parent / "__init__.py")
    assert claims[0].measured.__module__ == "outermost_of_claims.inner"


def test_a_relative_import_outside_of_a_package_is_explained(packaged):
    (packaged.parent / "__init__.py").unlink()
    with pytest.raises(ValueError, match=r"stated\.py: line 2: .*put an empty __init__\.py into inner"):
        load_file(packaged)
    packaged.write_text(PACKAGED.replace("from . import", "import").replace("from .helper", "from helper"))
    assert len(load_file(packaged)) == 2


def test_a_package_whose_name_is_taken_is_loaded_as_a_file(tmp_path):
    folder = tmp_path / "numpy"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise AssertionError('this is not numpy')\n")
    (folder / "stated.py").write_text(FILE)
    assert [claim.id for claim in load_file(folder / "stated.py")] == ["mean.true", "mean.false"]


def test_batches_of_a_file_and_of_its_module_are_the_same(packaged, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(packaged.parents[2]))
    module = importlib.import_module("outermost_of_claims.inner.stated")
    store = tmp_path / "runs.sqlite"
    (imported,) = verify(module.true_mean, budget=1, store=store)
    (loaded,) = verify(load_file(packaged)[:1], budget=1, store=store)
    assert imported.reused == 0
    assert loaded.reused == loaded.batches == imported.batches


def test_a_file_that_declares_imported_functions_may_be_loaded_again(tmp_path):
    (tmp_path / "measured_elsewhere.py").write_text(
        "def mean(size, rng):\n    return rng.random(size).mean()\n"
    )
    file = tmp_path / "declared.py"
    text = """
from measured_elsewhere import mean
from rmtsim import claim

for_all = {"tolerance": 0.02, "sizes": (10, 20, 40), "cost": 1e-5}
claim("imported.one", mean, limit=0.5, **for_all)
claim("imported.two", mean, limit=0.6, **for_all)
"""
    file.write_text(text)
    load_file(file)
    file.write_text(text.replace("0.6", "0.7") + 'claim("imported.three", mean, limit=0.5, **for_all)')
    first, second, _ = load_file(file)
    assert (first.id, second.id, second.prediction({})) == ("imported.one", "imported.two", 0.7)
    sys.modules.pop("measured_elsewhere")


NAMESAKES = """
from rmtsim.claims import claim
{top}
@claim("my.{name}", limit=0.0, tolerance=0.1, sizes=(4, 8, 16))
def measured(size, rng):
    {body}
    return rng.normal() + helper.VALUE
"""


@pytest.mark.parametrize(("top", "body"), [("import helper", ""), ("", "import helper")])
def test_two_files_that_use_different_modules_of_one_name_are_refused(tmp_path, monkeypatch, top, body):
    """One of them would get the values of the other's module."""
    monkeypatch.setattr(_files, "_LOADED", {})
    for name, value in (("one", 1.0), ("two", 2.0), ("same", 1.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "helper.py").write_text(f"VALUE = {value}\n")
        (tmp_path / name / "mine.py").write_text(NAMESAKES.format(top=top, body=body, name=name))
    (first,) = load_file(tmp_path / "one" / "mine.py")
    (second,) = load_file(tmp_path / "same" / "mine.py")
    assert first.measured.__module__ != second.measured.__module__
    with pytest.raises(ValueError, match="a module named helper, and so does "):
        load_file(tmp_path / "two" / "mine.py")


def test_a_sampler_may_import_a_module_beside_its_file(tmp_path):
    (tmp_path / "late_helper.py").write_text("VALUE = 7.0\n")
    text = NAMESAKES.format(top="", body="import late_helper as helper", name="late")
    (tmp_path / "mine.py").write_text(text)
    (claim,) = load_file(tmp_path / "mine.py")
    path = list(sys.path)
    values = run_batch(BatchKey(claim, (), 4, 0, 64, 0))
    assert 6 < values.mean() < 8
    assert sys.path == path
