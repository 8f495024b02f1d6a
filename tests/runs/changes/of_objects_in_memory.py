"""Changes of objects in a process that goes on: classes, wrappers, containers, models, settings of libraries."""

import builtins
import decimal
import logging
import random
import sys
import types

import numpy as np

from tests.runs.changes.base import CODE, INPUT, REPLAY, Change


def _object(name, value, top, action, noticed=CODE, files=None):
    return Change(name, noticed, value, top, files=files or {}, action=lambda f, p, m: action(m), living=True)


_SLOTS = "class C:\n    __slots__ = ('x',)\nVALUE = C()\nVALUE.x = 1.0"
_DESCRIPTOR = """
class D:
    def __init__(self, x):
        self.x = x
    def __get__(self, owner, kind=None):
        return self.x
class C:
    x = D(1.0)
"""
_KEPT = """
import functools
@functools.lru_cache
def read():
    return float((HERE / "data.txt").read_text())
"""
_NETWORK = "import torch\nVALUE = torch.nn.Linear(1, 1)\nwith torch.no_grad():\n    VALUE.weight.fill_(1.0)"
_MODEL = "from sklearn.linear_model import LinearRegression\nVALUE = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])"
_STRUCTURE = (
    "import ctypes\nclass S(ctypes.Structure):\n    _fields_ = [('x', ctypes.c_double)]\nVALUE = S(1.0)"
)
_JITCLASS = """
import numba
@numba.experimental.jitclass([("x", numba.float64)])
class C:
    def __init__(self, x):
        self.x = x
ALL = [1.0]
"""

_OTHER_CLASS = """
class C:
    def f(self):
        return 1.0
class D(C):
    def f(self):
        return 7.0
VALUE = C()
"""
_BASES = """
class A:
    def f(self):
        return 1.0
class B:
    def f(self):
        return 7.0
class C(A):
    pass
"""
_BOUND = """
class C:
    x = 1.0
    def g(self):
        return self.x
c = C()
f = c.g
"""
_DATABASE = """
import sqlite3
VALUE = sqlite3.connect(':memory:', check_same_thread=False)
VALUE.execute('CREATE TABLE t (x)')
VALUE.execute('INSERT INTO t VALUES (1.0)')
"""


def _weight(m):
    m.VALUE.weight.data.fill_(7.0)


CHANGES = [
    _object(
        "a mutable default",
        "f()",
        "def f(x=[1.0]):\n    return x[0]",
        lambda m: m.f.__defaults__[0].insert(0, 7.0),
    ),
    _object(
        "arguments of a partial",
        "f()",
        "import functools\nX = [1.0]\nf = functools.partial(max, X)",
        lambda m: m.X.append(7.0),
    ),
    _object(
        "keywords of a partial",
        "f()",
        "import functools\nf = functools.partial(max, [], default=1.0)",
        lambda m: m.f.keywords.update(default=7.0),
    ),
    _object("a slot", "VALUE.x", _SLOTS, lambda m: setattr(m.VALUE, "x", 7.0)),
    _object("a descriptor", "C.x", _DESCRIPTOR, lambda m: setattr(vars(m.C)["x"], "x", 7.0)),
    _object(
        "__init__ of a class",
        "C().x",
        "class C:\n    def __init__(self):\n        self.x = 1.0",
        lambda m: setattr(m.C, "__init__", lambda self: setattr(self, "x", 7.0)),
    ),
    _object(
        "__call__ of a class",
        "VALUE()",
        "class C:\n    def __call__(self):\n        return 1.0\nVALUE = C()",
        lambda m: setattr(m.C, "__call__", lambda self: 7.0),
    ),
    _object(
        "the class of an object",
        "VALUE.f()",
        _OTHER_CLASS,
        lambda m: setattr(m.VALUE, "__class__", m.D),
    ),
    _object(
        "a base class",
        "C().f()",
        _BASES,
        lambda m: setattr(m.C, "__bases__", (m.B,)),
    ),
    _object(
        "a property of a class",
        "VALUE.x",
        "class C:\n    x = property(lambda self: 1.0)\nVALUE = C()",
        lambda m: setattr(m.C, "x", property(lambda self: 7.0)),
    ),
    _object(
        "a wrapped function",
        "f.__wrapped__()",
        "import functools\ndef g():\n    return 1.0\n@functools.wraps(g)\ndef f():\n    return 0.0",
        lambda m: setattr(m.f, "__wrapped__", lambda: 7.0),
    ),
    _object(
        "a bound method",
        "f()",
        _BOUND,
        lambda m: setattr(m.c, "x", 7.0),
    ),
    _object(
        "a counter",
        "VALUE['a']",
        "import collections\nVALUE = collections.Counter(a=1)",
        lambda m: m.VALUE.update(a=6),
    ),
    _object(
        "a chain of dictionaries",
        "VALUE['a']",
        "import collections\nVALUE = collections.ChainMap({}, {'a': 1.0})",
        lambda m: m.VALUE.maps[1].update(a=7.0),
    ),
    _object(
        "a text buffer",
        "VALUE.getvalue()",
        "import io\nVALUE = io.StringIO('1.0')",
        lambda m: (m.VALUE.seek(0), m.VALUE.write("7.0")),
    ),
    _object("a structure of C", "VALUE.x", _STRUCTURE, lambda m: setattr(m.VALUE, "x", 7.0)),
    _object(
        "a masked array",
        "VALUE.sum()",
        "VALUE = np.ma.array([1.0, 6.0], mask=[False, True])",
        lambda m: setattr(m.VALUE, "mask", False),
    ),
    _object(
        "a sparse matrix in memory",
        "VALUE.data[0]",
        "import scipy.sparse\nVALUE = scipy.sparse.csr_array([[1.0]])",
        lambda m: m.VALUE.data.fill(7.0),
    ),
    _object(
        "a spline",
        "VALUE.c[0]",
        "import scipy.interpolate\nVALUE = scipy.interpolate.make_interp_spline([0., 1.], [1., 1.], k=1)",
        lambda m: m.VALUE.c.fill(7.0),
    ),
    _object(
        "a frozen law",
        "VALUE.kwds['loc']",
        "import scipy.stats\nVALUE = scipy.stats.norm(loc=1.0)",
        lambda m: m.VALUE.kwds.update(loc=7.0),
    ),
    _object(
        "a tensor",
        "VALUE[0]",
        "import torch\nVALUE = torch.ones(2, dtype=torch.bfloat16)",
        lambda m: m.VALUE.fill_(7.0),
    ),
    _object("weights of a network", "VALUE.weight.detach()[0, 0]", _NETWORK, _weight),
    _object("a fitted model", "VALUE.coef_[0]", _MODEL, lambda m: m.VALUE.coef_.fill(7.0)),
    _object(
        "a series of pandas",
        "VALUE.iloc[0]",
        "import pandas as pd\nVALUE = pd.Series([1.0])",
        lambda m: m.VALUE.__setitem__(0, 7.0),
    ),
    _object(
        "a graph",
        "len(VALUE)",
        "import networkx\nVALUE = networkx.path_graph(1)",
        lambda m: m.VALUE.add_node("b"),
    ),
    _object(
        "a symbolic formula",
        "VALUE.subs('x', 1)",
        "import sympy\nVALUE = sympy.Symbol('x')",
        lambda m: setattr(m, "VALUE", m.VALUE + 6),
    ),
    _object(
        "what a weak reference names",
        "VALUE().x",
        "import weakref\nclass C:\n    x = 1.0\nc = C()\nVALUE = weakref.ref(c)",
        lambda m: setattr(m.c, "x", 7.0),
        REPLAY,
    ),
    _object(
        "a variable of the context",
        "VALUE.get()",
        "import contextvars\nVALUE = contextvars.ContextVar('x')\nVALUE.set(1.0)",
        lambda m: m.VALUE.set(7.0),
        REPLAY,
    ),
    _object(
        "a database in memory",
        "VALUE.execute('SELECT x FROM t').fetchone()[0]",
        _DATABASE,
        lambda m: m.VALUE.execute("UPDATE t SET x = 7.0"),
        REPLAY,
    ),
    _object(
        "an annotation",
        "f.__annotations__['x']",
        "def f(x: 1.0):\n    pass",
        lambda m: m.f.__annotations__.update(x=7.0),
        REPLAY,
    ),
    _object(
        "the precision of decimal numbers",
        "decimal.getcontext().prec",
        "import decimal",
        lambda m: setattr(decimal.getcontext(), "prec", decimal.getcontext().prec + 1),
        REPLAY,
    ),
    _object(
        "the level of a logger",
        "logging.getLogger('rmtsim.test').level",
        "import logging",
        lambda m: logging.getLogger("rmtsim.test").setLevel(logging.getLogger("rmtsim.test").level + 1),
        REPLAY,
    ),
    _object(
        "the state of Python's generator",
        "random.getstate()[1][0] % 1000",
        "import random",
        lambda m: random.seed(random.getstate()[1][0] % 1000 + 1),
        REPLAY,
    ),
    _object(
        "the state of NumPy's generator",
        "np.random.get_state()[1][0] % 1000",
        "",
        lambda m: np.random.seed(int(np.random.get_state()[1][0]) % 1000 + 1),  # noqa: NPY002
        REPLAY,
    ),
    _object("a jitclass by its arguments", "C(ALL[0]).x", _JITCLASS, lambda m: m.ALL.insert(0, 7.0)),
    Change(
        "a function of Python that is hidden",
        REPLAY,
        "getattr(builtins, 'ab' + 's')(-1.0)",
        "import builtins",
        action=lambda f, p, m: p.setattr(builtins, "abs", lambda x: 7.0),
        living=True,
    ),
    Change(
        "a module put in the place of another",
        CODE,
        "helper.VALUE",
        "import helper",
        {"helper.py": "VALUE = 1.0"},
        action=lambda f, p, m: setattr(m, "helper", types.SimpleNamespace(VALUE=7.0)),
        living=True,
    ),
    Change(
        "another module in sys.modules",
        CODE,
        "sys.modules['hel' + 'per'].VALUE",
        "import helper",
        {"helper.py": "VALUE = 1.0"},
        action=lambda f, p, m: p.setitem(sys.modules, "helper", types.SimpleNamespace(VALUE=7.0)),
        living=True,
    ),
    Change(
        "data that a cached function has read",
        INPUT,
        "read()",
        _KEPT,
        {"data.txt": "1.0"},
        {"data.txt": "7.0"},
        action=lambda f, p, m: m.read.cache_clear(),
        living=True,
    ),
]
