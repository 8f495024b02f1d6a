"""Objects in memory: equal ones have one digest in every process, and any difference is seen."""

import array
import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import itertools
import operator
import re
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import scipy.stats

from rmtsim.claims import find
from rmtsim.laws import MarchenkoPastur
from rmtsim.runs._identity.live_values import LiveValues
from rmtsim.runs._identity.sources import kind_of


def digest(*parts):
    return LiveValues(kind_of).digest(*parts)


class Slotted:
    __slots__ = ("x",)

    def __init__(self, x):
        self.x = x


class Forgetful:
    """Its pickle leaves out what matters."""

    def __init__(self, x):
        self.x = x

    def __getstate__(self):
        return {}


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


@dataclasses.dataclass
class Point:
    x: float


Pair = collections.namedtuple("Pair", "x y")


def counter(start):
    return itertools.count(start)


def function(value, default=1):
    def inner(x=default):
        return value + x

    return inner


def with_attribute(value):
    made = function(0)
    made.table = value
    return made


def method_of(x):
    return Point(x).__eq__


MADE = {
    "int": lambda x: x,
    "bool or int": lambda x: bool(x) if x == 1 else x,
    "float": lambda x: 0.5 * x,
    "negative zero": lambda x: 0.0 if x == 1 else -0.0,
    "complex": lambda x: complex(0, x),
    "text": str,
    "bytes": lambda x: bytes([x]),
    "Decimal": decimal.Decimal,
    "Fraction": lambda x: fractions.Fraction(x, 3),
    "range": lambda x: range(0, 10, x),
    "slice": lambda x: slice(0, x),
    "list": lambda x: [x],
    "nested list": lambda x: [[[[x]]]],
    "tuple": lambda x: (x,),
    "dict": lambda x: {"a": x},
    "dict key": lambda x: {x: 0},
    "dict order": lambda x: dict.fromkeys("ab" if x == 1 else "ba"),
    "set": lambda x: {x, "b"},
    "frozenset of tuples": lambda x: frozenset({(x, 1), (0, 0)}),
    "deque": lambda x: collections.deque([x], maxlen=3),
    "deque's length": lambda x: collections.deque([1], maxlen=x),
    "defaultdict": lambda x: collections.defaultdict(int, a=x),
    "OrderedDict": lambda x: collections.OrderedDict(a=x),
    "Counter": lambda x: collections.Counter("a" * x),
    "ChainMap": lambda x: collections.ChainMap({"a": x}),
    "namedtuple": lambda x: Pair(x, 0),
    "SimpleNamespace": lambda x: types.SimpleNamespace(a=x),
    "MappingProxyType": lambda x: types.MappingProxyType({"a": x}),
    "array.array": lambda x: array.array("d", [x]),
    "bytearray": lambda x: bytearray([x]),
    "memoryview": lambda x: memoryview(bytes([x])),
    "date": lambda x: datetime.date(2026, 1, x),
    "datetime": lambda x: datetime.datetime(2026, 1, x, tzinfo=datetime.UTC),
    "timedelta": lambda x: datetime.timedelta(days=x),
    "timezone": lambda x: datetime.timezone(datetime.timedelta(hours=x)),
    "itemgetter": operator.itemgetter,
    "attrgetter": lambda x: operator.attrgetter("a" * x),
    "methodcaller": lambda x: operator.methodcaller("f", x),
    "partial": lambda x: functools.partial(function, x),
    "itertools.count": counter,
    "itertools.chain": lambda x: itertools.chain([x], [3]),
    "itertools.cycle": lambda x: itertools.cycle([x, 3]),
    "regular expression": lambda x: re.compile("a" * x),
    "Path": lambda x: Path("a" * x),
    "Enum": Colour,
    "dataclass": Point,
    "slots": Slotted,
    "pickle that leaves something out": Forgetful,
    "closure": function,
    "default": lambda x: function(0, x),
    "function attribute": with_attribute,
    "bound method": method_of,
    "method of a list": lambda x: [x].__contains__,
    "lru_cache": lambda x: functools.lru_cache(function(x)),
    "ndarray": lambda x: np.full(3, x),
    "ndarray in Fortran order": lambda x: np.asfortranarray([[1, 2], [3, x]]),
    "dtype": lambda x: np.zeros(2, dtype=f"f{4 * x}"),
    "structured array": lambda x: np.zeros(1, dtype=[("a" * x, "f8")]),
    "object array": lambda x: np.array([decimal.Decimal(x), None], dtype=object),
    "masked array": lambda x: np.ma.array([1, 2], mask=[x == 1, False]),
    "NumPy scalar": np.float32,
    "datetime64": lambda x: np.datetime64(x, "D"),
    "SeedSequence": np.random.SeedSequence,
    "Generator": np.random.default_rng,
    "RandomState": np.random.RandomState,
    "polynomial": lambda x: np.polynomial.Polynomial([1, x]),
    "ufunc": lambda x: np.sin if x == 1 else np.cos,
    "frozen distribution": lambda x: scipy.stats.norm(loc=x),
    "sparse matrix": lambda x: scipy.sparse.csr_array([[0, x]]),
    "pandas.Series": lambda x: pd.Series([x, 2.0]),
    "pandas index": lambda x: pd.Series([1.0], index=[x]),
    "pandas.DataFrame": lambda x: pd.DataFrame({"a": [x, 2.0]}),
    "pandas categories": lambda x: pd.Categorical(["a"], categories=["a", "b" * x]),
    "law": lambda x: MarchenkoPastur(0.5 * x),
}


@pytest.mark.parametrize("make", MADE.values(), ids=list(MADE))
def test_every_type_counts_by_its_value(make):
    assert digest(make(1)) == digest(make(1))
    assert digest(make(1)) != digest(make(2))
    assert digest(function(make(1))) != digest(function(make(2)))


def test_objects_that_refer_to_themselves():
    def knot(value):
        items = [value]
        items.append(items)
        point = Point(items)
        items.append({"point": point, "set": {Slotted(1)}})
        return items

    assert digest(knot(1)) == digest(knot(1)) != digest(knot(2))


@pytest.mark.thorough
def test_deep_nesting():
    def deep(value):
        for _ in range(50_000):
            value = [value]
        return value

    assert digest(deep(1)) == digest(deep(1)) != digest(deep(2))


def test_results_that_are_kept_for_the_next_call_do_not_count():
    law, kept = MarchenkoPastur(0.5), functools.lru_cache(function(1))
    before = digest(law), digest(kept)
    assert law.support
    law.cdf(np.linspace(0, 3, 7))
    kept(3)
    assert (digest(law), digest(kept)) == before


def test_words_of_a_claim_do_not_count():
    # A function may mention a claim by the name of an attribute; its words are in statements.toml.
    claim = find("dong.thm1.diagonal")
    other = dataclasses.replace(claim, statement="other words", note="a note", cause="a cause")
    assert digest(claim) == digest(other)
    assert digest(claim) != digest(dataclasses.replace(claim, sizes=claim.sizes[:-1]))


def test_what_cannot_be_pickled_counts_by_its_type(tmp_path):
    with open(tmp_path / "a", "w") as first, open(tmp_path / "b", "w") as second:
        assert digest(first) != digest(second)
    assert digest(iter(())) != digest(x for x in ())


def module(name, **values):
    made = types.ModuleType(name)
    vars(made).update(values)
    return made


def test_attributes_of_modules_count_where_they_are_used():
    space = {"helper": module("helper", scale=1.0, unused=0)}
    exec("def f(x): return helper.scale * x", space)
    before = digest(space["f"])
    space["helper"].unused = 1
    assert digest(space["f"]) == before
    space["helper"].scale = 2.0
    assert digest(space["f"]) != before


def test_a_patched_function_of_a_package_counts(monkeypatch):
    def f(x):
        return np.linalg.norm(x)

    before = digest(f)
    monkeypatch.setattr(np.linalg, "norm", lambda x: 0.0)
    assert digest(f) != before


@pytest.mark.thorough
def test_one_digest_in_every_process():
    text = (
        "from tests.runs.identity.test_live_values import MADE, digest\n"
        "print(digest([make(1) for name, make in MADE.items()]))"
    )

    def found(seed):
        command = [sys.executable, "-c", text]
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[3])}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    assert len(found("1")) == 65
    assert found("1") == found("2")
