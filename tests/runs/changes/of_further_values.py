"""Changes of values and settings in a process that goes on, by less common means."""

import builtins
import warnings

import numpy as np

from tests.runs.changes.base import CODE, INPUT, REPLAY, Change


def _living(name, noticed, value, top, action):
    return Change(name, noticed, value, top, action=action, living=True)


_HOOKED = """
import torch
NET = torch.nn.Linear(1, 1, bias=False)
torch.nn.init.ones_(NET.weight)
def read():
    with torch.no_grad():
        return NET(torch.ones(1))
"""
_REPLAYED = """
def f():
    try:
        warnings.warn("x", BytesWarning)
    except BytesWarning:
        return 7.0
    return 1.0
"""
_IN_A_CLASS = """
import functools
class C:
    @functools.cached_property
    def x(self):
        return 1.0
VALUE = C()
VALUE.x
"""
_SUBCLASS = """
class A(np.ndarray):
    pass
VALUE = np.zeros(2).view(A)
VALUE.shift = 1.0
"""
_LOCAL = """
import threading
VALUE = threading.local()
VALUE.x = 1.0
"""
_WEAK = """
import weakref
class C:
    pass
KEPT = C()
KEPT.x = 1.0
VALUE = weakref.WeakValueDictionary(a=KEPT)
"""
_MADE = """
import types
f = types.FunctionType((lambda: shift).__code__, {"shift": 1.0})
"""
_CALLBACK = """
import ctypes
def inner():
    return SHIFT
SHIFT = 1.0
VALUE = ctypes.CFUNCTYPE(ctypes.c_double)(inner)
"""

CHANGES = [
    _living(
        "a builtin function",
        REPLAY,
        "sum([1.0])",
        "",
        lambda f, p, m: p.setattr(builtins, "sum", lambda values: 7.0),
    ),
    _living(
        "a name that hides a builtin function",
        CODE,
        "sum([1.0])",
        "",
        lambda f, p, m: setattr(m, "sum", lambda values: 7.0),
    ),
    _living("a kept property", REPLAY, "VALUE.x", _IN_A_CLASS, lambda f, p, m: vars(m.VALUE).update(x=7.0)),
    _living(
        "an attribute of an array",
        CODE,
        "VALUE.shift",
        _SUBCLASS,
        lambda f, p, m: setattr(m.VALUE, "shift", 7.0),
    ),
    _living("a value of a thread", REPLAY, "VALUE.x", _LOCAL, lambda f, p, m: setattr(m.VALUE, "x", 7.0)),
    _living(
        "a table of weak references", REPLAY, "VALUE['a'].x", _WEAK, lambda f, p, m: setattr(m.KEPT, "x", 7.0)
    ),
    _living(
        "globals of a function that is made by a call",
        CODE,
        "f()",
        _MADE,
        lambda f, p, m: m.f.__globals__.update(shift=7.0),
    ),
    _living(
        "a function behind a ufunc",
        REPLAY,
        "VALUE(0)",
        "SHIFT = 1.0\nVALUE = np.frompyfunc(lambda x: x + SHIFT, 1, 1)",
        lambda f, p, m: setattr(m, "SHIFT", 7.0),
    ),
    _living(
        "a function behind np.vectorize",
        CODE,
        "VALUE(0)",
        "SHIFT = 1.0\nVALUE = np.vectorize(lambda x: x + SHIFT)",
        lambda f, p, m: setattr(m, "SHIFT", 7.0),
    ),
    _living(
        "a function that C calls", REPLAY, "VALUE()", _CALLBACK, lambda f, p, m: setattr(m, "SHIFT", 7.0)
    ),
    _living(
        "a linear operator",
        CODE,
        "VALUE.matvec(np.ones(1))[0]",
        "import scipy.sparse.linalg\nSHIFT = 1.0\n"
        "VALUE = scipy.sparse.linalg.LinearOperator((1, 1), matvec=lambda x: SHIFT * x)",
        lambda f, p, m: setattr(m, "SHIFT", 7.0),
    ),
    _living(
        "a case that is registered later",
        CODE,
        "f(1)",
        "import functools\n@functools.singledispatch\ndef f(x):\n    return 1.0",
        lambda f, p, m: m.f.register(int, lambda x: 7.0),
    ),
    _living(
        "what is behind a read-only dictionary",
        CODE,
        "VALUE['a']",
        "import types\nBASE = {'a': 1.0}\nVALUE = types.MappingProxyType(BASE)",
        lambda f, p, m: m.BASE.update(a=7.0),
    ),
    _living(
        "an object in an array",
        CODE,
        "VALUE[0].x",
        "import types\nVALUE = np.array([types.SimpleNamespace(x=1.0)], dtype=object)",
        lambda f, p, m: setattr(m.VALUE[0], "x", 7.0),
    ),
    _living(
        "an array by a view of it",
        CODE,
        "VALUE[0]",
        "BASE = np.ones(3)\nVALUE = BASE[1:]",
        lambda f, p, m: m.BASE.fill(7.0),
    ),
    _living(
        "a hook of a network",
        CODE,
        "read()",
        _HOOKED,
        lambda f, p, m: m.NET.register_forward_hook(lambda module, inputs, output: output + 6),
    ),
    _living(
        "the default type of torch",
        REPLAY,
        "torch.ones(1).element_size()",
        "import torch",
        lambda f, p, m: m.torch.set_default_dtype(m.torch.float64),
    ),
    _living(
        "an option of pandas",
        REPLAY,
        "pd.get_option('display.precision')",
        "import pandas as pd",
        lambda f, p, m: m.pd.set_option("display.precision", 3),
    ),
    _living(
        "how arrays are printed",
        REPLAY,
        "len(str(np.ones(1) / 3))",
        "",
        lambda f, p, m: np.set_printoptions(precision=3),
    ),
    _living(
        "a filter of warnings",
        REPLAY,
        "f()",
        "import warnings" + _REPLAYED,
        lambda f, p, m: warnings.simplefilter("ignore", BytesWarning),
    ),
    _living(
        "the arguments of the process",
        REPLAY,
        "len(sys.argv)",
        "",
        lambda f, p, m: p.setattr("sys.argv", ["x"] * 77),
    ),
    _living("the search path", REPLAY, "len(sys.path)", "", lambda f, p, m: p.syspath_prepend(f / "nowhere")),
    _living(
        "a map that is written to",
        CODE,
        "VALUE[0]",
        "VALUE = np.memmap(HERE / 'm', dtype=float, mode='w+', shape=2)\nVALUE[:] = 1.0",
        lambda f, p, m: m.VALUE.fill(7.0),
    ),
    _living(
        "a file written through a map of another",
        INPUT,
        "np.fromfile(HERE / 'm')[0]",
        "OTHER = np.memmap(HERE / 'm', dtype=float, mode='w+', shape=2)\nOTHER[:] = 1.0\nOTHER.flush()\nOTHER[:] = 1.0",
        lambda f, p, m: m.OTHER.fill(7.0),
    ),
]
