"""Changes of the environment."""

import os
import sys

import numpy as np

from tests.runs.changes.base import CODE, INPUT, REPLAY, Change


def set_limit(resource):
    soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (7 if soft != 7 else 0, hard))


CHANGES = [
    *[
        Change(
            f"{name}, {where}",
            INPUT if where == "in the sampler" else CODE,
            value if where == "in the sampler" else "VALUE",
            top if where == "in the sampler" else f"{top}\nVALUE = float({value})",
            action=lambda folder, patch, module: patch.setenv("RMTSIM_TEST_VALUE", "7.0"),
        )
        for where in ("at import", "in the sampler")
        for name, value, top in (
            ("os.environ[...]", "os.environ['RMTSIM_TEST_VALUE']", ""),
            ("os.environ.get", "os.environ.get('RMTSIM_TEST_VALUE')", ""),
            ("os.getenv", "os.getenv('RMTSIM_TEST_VALUE')", ""),
            ("os.environb", "os.environb[b'RMTSIM_TEST_VALUE']", ""),
            ("os.path.expandvars", "os.path.expandvars('$RMTSIM_TEST_VALUE')", ""),
            ("a copy of the environment", "dict(os.environ)['RMTSIM_TEST_VALUE']", ""),
        )
    ],
    Change(
        "a variable that appears",
        INPUT,
        "'RMTSIM_TEST_OTHER' in os.environ",
        "",
        action=lambda folder, patch, module: patch.setenv("RMTSIM_TEST_OTHER", "7.0"),
    ),
    Change(
        "a variable that disappears",
        INPUT,
        "os.environ.get('RMTSIM_TEST_VALUE', 7.0)",
        "",
        action=lambda folder, patch, module: patch.delenv("RMTSIM_TEST_VALUE"),
    ),
    Change(
        "the home folder",
        INPUT,
        "len(str(Path.home()))",
        "",
        action=lambda folder, patch, module: patch.setenv("HOME", "/nowhere/at/all/that/long"),
    ),
    Change(
        "the working directory",
        REPLAY,
        "len(os.getcwd())",
        "",
        action=lambda folder, patch, module: patch.chdir("/"),
    ),
    Change(
        "the umask",
        REPLAY,
        "read()",
        "def read():\n    found = os.umask(0)\n    os.umask(found)\n    return found",
        action=lambda folder, patch, module: os.umask(0o77),
    ),
    Change(
        "a limit of the process",
        REPLAY,
        "resource.getrlimit(resource.RLIMIT_CORE)[0]",
        "import resource",
        action=lambda folder, patch, module: set_limit(module.resource),
    ),
    Change(
        "a setting of the interpreter",
        REPLAY,
        "sys.getrecursionlimit()",
        "",
        action=lambda folder, patch, module: sys.setrecursionlimit(sys.getrecursionlimit() + 6),
    ),
    Change(
        "NumPy's error state",
        REPLAY,
        "np.geterr()['over'] == 'ignore'",
        "",
        action=lambda folder, patch, module: np.seterr(over="ignore"),
    ),
]
