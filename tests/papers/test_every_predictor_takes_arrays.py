"""Every public function of a paper's theory takes arrays and answers entry by entry.

Each paper lists arguments for its functions in `tests/papers/KEY/theory/predictors.py`; a function that is not listed
there fails a test.
"""

import dataclasses
import functools
import importlib
import inspect
import itertools
import pickle
import pkgutil

import numpy as np
import pytest

from rmtsim._internal.arrays import Records
from rmtsim.claims._papers import PAPERS
from tests.papers.whole import Whole

KEYS = [key for key, paper in PAPERS.items() if (paper.folder / "theory").is_dir()]
LISTS = {key: importlib.import_module(f"tests.papers.{key}.theory.predictors") for key in KEYS}
EXAMPLES = {f"{key}.{name}": each for key in KEYS for name, each in LISTS[key].EXAMPLES.items()}


@functools.cache
def predictors():
    """All public functions with a parameter, by paper, module and name."""
    found = {}
    for key in KEYS:
        theory = importlib.import_module(f"rmtsim.papers.{key}.theory")
        for module in pkgutil.walk_packages(theory.__path__, f"{theory.__name__}."):
            members = importlib.import_module(module.name)
            for name in getattr(members, "__all__", ()):
                function = getattr(members, name)
                own = getattr(function, "__module__", None) == module.name and not inspect.isclass(function)
                if own and callable(function) and inspect.signature(function).parameters:
                    found[f"{key}.{module.name.removeprefix(theory.__name__ + '.')}.{name}"] = function
    return found


@pytest.mark.parametrize("key", KEYS)
def test_every_public_function_is_listed(key):
    listed, others = set(LISTS[key].EXAMPLES), set(getattr(LISTS[key], "NOT_ELEMENTWISE", ()))
    assert not listed & others
    assert {f"{key}.{name}" for name in listed | others} == {
        name for name in predictors() if name.startswith(f"{key}.")
    }


def numbers(answer):
    """An answer as a dictionary of arrays: of its fields, its places in a tuple, or itself."""
    if dataclasses.is_dataclass(answer):
        return {field.name: np.asarray(getattr(answer, field.name)) for field in dataclasses.fields(answer)}
    if isinstance(answer, tuple):
        return dict(enumerate(map(np.asarray, answer)))
    return {None: np.asarray(answer)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_arrays_are_answered_entry_by_entry(name):
    function, example = predictors()[name], EXAMPLES[name]
    lists = [key for key, value in example.items() if isinstance(value, list)]
    fixed = {
        key: value.value if isinstance(value, Whole) else value
        for key, value in example.items()
        if key not in lists
    }
    shape = tuple(len(example[key]) for key in lists)
    assert lists
    assert set(example) == set(inspect.signature(function).parameters)
    grids = {
        key: np.array(example[key]).reshape([-1 if k == axis else 1 for k in range(len(lists))])
        for axis, key in enumerate(lists)
    }
    found = function(**fixed, **grids)
    for index in itertools.product(*map(range, shape)):
        alone = function(**fixed, **{key: example[key][k] for key, k in zip(lists, index, strict=True)})
        for field, value in numbers(alone).items():
            whole = getattr(found, field) if isinstance(found, Records) else numbers(found)[field]
            assert whole.shape == shape + value.shape
            assert whole.dtype == (np.int64 if isinstance(alone, int) else np.float64)
            # An array in one call and its entries one by one may go through other roundings (SIMD), nothing more.
            np.testing.assert_allclose(whole[index], value, rtol=4e-15, atol=0)
        if isinstance(found, Records):
            assert type(found[index]) is type(alone)


def test_whole_arguments_may_be_positional():
    ridge = predictors()["sparse.masking.ridge_risk"]
    found = ridge([[1.0]], [[1.0]], 0.5, [1.0, 2.0], penalty=1.0)
    assert found.tolist() == [ridge([[1.0]], [[1.0]], 0.5, signal, 1.0) for signal in (1.0, 2.0)]


def test_a_bad_entry_is_named_and_a_mask_refused():
    erm = predictors()["l2l.errors.erm_error"]
    with pytest.raises(ValueError, match=r"ratio=-2\.0"):
        erm(1.0, np.array([2.0, -2.0]))
    with pytest.raises(TypeError, match=r"ratio: .*masked"):
        erm(1.0, np.ma.masked_array([1.0, 2.0], [True, False]))
    with pytest.raises(ValueError, match=r"noise, ratio: expected numbers, or arrays that fit together"):
        erm([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(TypeError, match="depth="):
        predictors()["liu.deep.wide_limit"]("tanh", [1, 2])


def test_a_number_in_an_array_without_axes_is_a_number():
    moment = predictors()["sparse.order_statistics.largest_moment"]
    assert moment(np.array(3), np.int64(2)) == moment(3, 2)
    assert isinstance(moment(np.array(3), 2), float)
    assert predictors()["l2l.errors.erm_error"](np.array(1.0), np.float64(2.0)) == 1.5


def test_records_are_copied_and_empty_arrays_stay_empty():
    step = predictors()["l2l.minimisers.train_step"]
    found = pickle.loads(pickle.dumps(step([3, 4], 1.0, 2.0)))
    assert found.place.tolist() == [step(3, 1.0, 2.0).place, step(4, 1.0, 2.0).place]
    assert step(np.empty((0, 2), dtype=int), 1.0, 2.0).place.shape == (0, 2)
    assert [each.shape for each in predictors()["l2l.spectrum.edges"]([])] == [(0,), (0,)]
