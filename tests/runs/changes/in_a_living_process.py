"""Changes in a process that goes on."""

import importlib
import shutil
import types

import numpy as np

from tests.runs.changes.base import CODE, INPUT, REPLAY, Change

_READ = 'open(HERE / "data.txt").read()'


def reload(folder, patch, module, text):
    (folder / "helper.py").write_text(text)
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    patch.syspath_prepend(folder)
    importlib.invalidate_caches()
    importlib.reload(module.helper)


CHANGES = [
    *[
        Change(name, CODE, value, top, files=files, action=action, living=True)
        for name, value, top, files, action in (
            ("a global", "VALUE", "VALUE = 1.0", {}, lambda f, p, m: setattr(m, "VALUE", 7.0)),
            ("a list", "VALUE[0]", "VALUE = [1.0]", {}, lambda f, p, m: m.VALUE.insert(0, 7.0)),
            ("a dictionary", "VALUE['a']", "VALUE = {'a': 1.0}", {}, lambda f, p, m: m.VALUE.update(a=7.0)),
            ("an array in place", "VALUE[0]", "VALUE = np.ones(3)", {}, lambda f, p, m: m.VALUE.fill(7.0)),
            (
                "a table in place",
                "VALUE['x'][0]",
                "import pandas as pd\nVALUE = pd.DataFrame({'x': [1.0]})",
                {},
                lambda f, p, m: m.VALUE.__setitem__("x", [7.0]),
            ),
            (
                "an attribute of an object",
                "VALUE.x",
                "import types\nVALUE = types.SimpleNamespace(x=1.0)",
                {},
                lambda f, p, m: setattr(m.VALUE, "x", 7.0),
            ),
            (
                "an attribute of a class",
                "C.x",
                "class C:\n    x = 1.0",
                {},
                lambda f, p, m: setattr(m.C, "x", 7.0),
            ),
            (
                "a method of a class",
                "C().f()",
                "class C:\n    def f(self):\n        return 1.0",
                {},
                lambda f, p, m: setattr(m.C, "f", lambda self: 7.0),
            ),
            (
                "a closed-over variable",
                "f()",
                "def make():\n    x = 1.0\n    def f():\n        return x\n    def g(y):\n"
                "        nonlocal x\n        x = y\n    return f, g\nf, g = make()",
                {},
                lambda f, p, m: m.g(7.0),
            ),
            (
                "defaults",
                "f()",
                "def f(x=1.0):\n    return x",
                {},
                lambda f, p, m: setattr(m.f, "__defaults__", (7.0,)),
            ),
            (
                "keyword defaults",
                "f()",
                "def f(*, x=1.0):\n    return x",
                {},
                lambda f, p, m: m.f.__kwdefaults__.update(x=7.0),
            ),
            (
                "an attribute of a function",
                "f.x",
                "def f():\n    pass\nf.x = 1.0",
                {},
                lambda f, p, m: setattr(m.f, "x", 7.0),
            ),
            (
                "the code of a function",
                "f()",
                "def f():\n    return 1.0",
                {},
                lambda f, p, m: setattr(m.f, "__code__", (lambda: 7.0).__code__),
            ),
            (
                "a function",
                "f()",
                "def f():\n    return 1.0",
                {},
                lambda f, p, m: setattr(m, "f", lambda: 7.0),
            ),
            (
                "a function typed again",
                "f()",
                "def f():\n    return 1.0",
                {},
                lambda f, p, m: exec("def f():\n    return 7.0", vars(m)),
            ),
            (
                "a patched module",
                "helper.f()",
                "import helper",
                {"helper.py": "def f():\n    return 1.0\n"},
                lambda f, p, m: setattr(m.helper, "f", lambda: 7.0),
            ),
            (
                "a constant of a module",
                "helper.x",
                "import helper",
                {"helper.py": "x = 1.0\n"},
                lambda f, p, m: setattr(m.helper, "x", 7.0),
            ),
            (
                "a reloaded module",
                "helper.x",
                "import helper",
                {"helper.py": "x = 1.0\n"},
                lambda f, p, m: reload(f, p, m, "x = 7.0\n"),
            ),
            (
                "a patched function of NumPy",
                "np.hypot(1.0, 0.0)",
                "",
                {},
                lambda f, p, m: p.setattr(np, "hypot", lambda *_: 7.0),
            ),
            (
                "a patched function of Python",
                "colorsys.rgb_to_hsv(1, 1, 1)[2]",
                "import colorsys",
                {},
                lambda f, p, m: p.setattr(m.colorsys, "rgb_to_hsv", lambda *_: (0, 0, 7.0)),
            ),
            (
                "a deque",
                "VALUE[0]",
                "import collections\nVALUE = collections.deque([1.0])",
                {},
                lambda f, p, m: m.VALUE.appendleft(7.0),
            ),
            (
                "a bytearray",
                "VALUE[0]",
                "VALUE = bytearray([1])",
                {},
                lambda f, p, m: m.VALUE.__setitem__(0, 7),
            ),
            (
                "an iterator's state",
                "list(VALUE.__reduce__()[1])[0]",
                "import itertools\nVALUE = itertools.count(1)",
                {},
                lambda f, p, m: [next(m.VALUE) for _ in range(6)],
            ),
        )
    ],
    Change(
        "a method that is looked up by name",
        CODE,
        "getattr(C, 'f')()",
        "class C:\n    f = staticmethod(lambda: 1.0)",
        action=lambda f, p, m: setattr(m.C, "f", staticmethod(lambda: 7.0)),
        living=True,
    ),
    Change(
        "a name that is made up",
        REPLAY,
        "getattr(types, 'rmtsim_' + 'test', 1.0)",
        "import types",
        action=lambda f, p, m: p.setattr(types, "rmtsim_test", 7.0, raising=False),
        living=True,
    ),
    Change(
        "a variable set by the process",
        INPUT,
        "os.environ['RMTSIM_TEST_VALUE']",
        "",
        action=lambda f, p, m: p.setenv("RMTSIM_TEST_VALUE", "7.0"),
        living=True,
    ),
    Change(
        "data in a living process", INPUT, _READ, "", {"data.txt": "1.0"}, {"data.txt": "7.0"}, living=True
    ),
    Change(
        "a generator's state",
        REPLAY,
        "VALUE.gi_frame.f_locals['x']",
        "def make():\n    for x in (1.0, 7.0):\n        yield x\nVALUE = make()\nnext(VALUE)",
        action=lambda f, p, m: next(m.VALUE),
        living=True,
    ),
]
