"""``rmtsim doctor``: description of the machine for a bug report, and a short test of the installation."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import time
from collections.abc import Callable
from importlib import metadata
from typing import Any

from rmtsim._internal import plain
from rmtsim.cli._common import FAILED, add_json, command, print_json

_REQUIRED = (
    "numpy", "scipy", "numba", "mpmath", "matplotlib", "rich", "threadpoolctl", "shtab", "cloudpickle",
)  # fmt: skip
_EXTRAS = {
    "dask": ("distributed",),
    "torch": ("torch",),
    "notebook": ("ipykernel", "pandas"),
    "testing": ("pytest", "hypothesis"),
    "studies": ("scikit-learn",),
}
_VARIABLES = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "NUMBA_CACHE_DIR",
    "NUMBA_DISABLE_JIT", "XDG_CACHE_HOME", "XDG_DATA_HOME", "EAGER_IMPORT",
)  # fmt: skip

_HELP = """\
describe this installation and test it in about ten seconds, for bug reports

Print versions, BLAS, threads, cache, store and optional packages, and run a short self-test.

examples:
  rmtsim doctor                  paste the output into a bug report
  rmtsim doctor --json           the same for a program
  rmtsim doctor --no-self-test   the description alone, in a second

exit codes: 0 the installation works, 1 a test failed or a required package is missing
"""


def add_parser(subparsers: Any) -> None:
    """Register the command."""
    parser = command(subparsers, "doctor", _HELP)
    add_json(parser)
    parser.add_argument("--no-self-test", action="store_true", help="describe only")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print the description and the outcome of the self-test."""
    found: dict[str, dict[str, Any]] = {
        "versions": _versions(),
        "extras": {extra: {name: _version(name) for name in names} for extra, names in _EXTRAS.items()},
        "blas": _blas(),
        "processor": _processor(),
        "environment": {name: os.environ[name] for name in _VARIABLES if name in os.environ},
        "cache": _cache(),
        "store": _store(),
        "papers": _papers(),
    }
    tests = [] if arguments.no_self_test else [_tried(name, test) for name, test in _TESTS.items()]
    missing = [name for name in _REQUIRED if found["versions"][name] is None]
    ok = not missing and all(test["passed"] for test in tests)
    if arguments.json:
        print_json({**found, "self_test": tests, "works": ok})
    else:
        _show(found, tests)
        if missing:
            print(f"missing: {', '.join(missing)}; install rmtsim again")
        print(
            "the installation works"
            if ok
            else "the installation does not work; the lines above say what fails"
        )
    return 0 if ok else FAILED


def _show(found: dict[str, Any], tests: list[dict[str, Any]]) -> None:
    for section, values in found.items():
        print(section)
        for name, value in values.items():
            words = value
            if isinstance(value, dict):
                words = ", ".join(f"{key} {version or 'not installed'}" for key, version in value.items())
            print(f"  {name:<20} {plain(str('not installed' if words is None else words))}")
    if tests:
        print("self-test")
    for test in tests:
        outcome = "ok" if test["passed"] else f"FAILED: {plain(test['reason'])}"
        print(f"  {test['name']:<20} {outcome} ({test['seconds']:.1f} s)")


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _versions() -> dict[str, str | None]:
    import rmtsim

    return {
        "rmtsim": rmtsim.__version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        **{name: _version(name) for name in _REQUIRED},
    }


def _blas() -> dict[str, str]:
    """BLAS and OpenMP libraries that NumPy, SciPy and numba load, with their threads."""
    try:
        import scipy.linalg  # noqa: F401  (loads SciPy's BLAS)
        import threadpoolctl

        libraries = threadpoolctl.threadpool_info()
    except Exception as error:  # a broken installation is what this command describes
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        f"{library['internal_api']} {number}": (
            f"{library['version']} {library.get('architecture', '')} {library['num_threads']} threads"
        )
        for number, library in enumerate(libraries)
    }


def _processor() -> dict[str, Any]:
    from rmtsim._internal.validate import available_memory
    from rmtsim.runs._pools.pool import available_cores

    memory = available_memory()
    return {
        "cores": available_cores(),
        "memory available": f"{memory / 2**30:.1f} GiB" if memory < 2**60 else "unknown",
    }


def _cache() -> dict[str, str]:
    from rmtsim._internal.folders import private_folder

    try:
        folder = private_folder()
    except OSError as error:
        return {"folder": f"none ({error}); kernels are compiled in every process"}
    return {"folder": str(folder)}


def _store() -> dict[str, str]:
    from rmtsim.errors import StoreError
    from rmtsim.runs._store.schema import default_path, filesystem, is_network

    try:
        path = default_path()
    except StoreError as error:
        return {"path": f"none: {error}"}
    kind = filesystem(path)
    size = f"{path.stat().st_size / 2**20:.1f} MiB" if path.exists() else "not there yet"
    return {
        "path": str(path),
        "size": size,
        "file system": f"{kind}{' (network)' if is_network(kind) else ''}",
    }


def _papers() -> dict[str, str]:
    from rmtsim.claims._papers import PAPERS

    return {"installed": ", ".join(PAPERS)}


def _tried(name: str, test: Callable[[], None]) -> dict[str, Any]:
    started = time.perf_counter()
    reason = ""
    try:
        test()
    except Exception as error:  # whatever fails is reported
        reason = f"{type(error).__name__}: {error}"
    return {"name": name, "passed": not reason, "reason": reason, "seconds": time.perf_counter() - started}


def _require(condition: bool, words: str) -> None:
    if not condition:
        raise RuntimeError(words)


def _laws() -> None:
    from rmtsim.laws import MarchenkoPastur, TracyWidom

    law = MarchenkoPastur(0.5)
    _require(abs(law.cdf(law.ppf(0.3)) - 0.3) < 1e-12, "quantiles of the Marchenko–Pastur law are wrong")
    _require(
        abs(law.expect(lambda x: 1 / x) - 2) < 1e-9, "an integral over the Marchenko–Pastur law is wrong"
    )
    _require(abs(TracyWidom(2).cdf(0.0) - 0.969372828355) < 1e-11, "the Tracy–Widom law is wrong")


def _linear_algebra() -> None:
    import numpy as np

    from rmtsim.ensembles import wishart
    from rmtsim.laws import MarchenkoPastur
    from rmtsim.spectra import empirical

    rng = np.random.default_rng(0)
    values = np.linalg.eigvalsh(wishart(200, 400, rng))
    distance = empirical(values).kolmogorov(MarchenkoPastur(0.5))
    _require(distance < 0.05, f"eigenvalues of a Wishart matrix are {distance:.3f} from their law")


def _kernels() -> None:
    import numpy as np

    from rmtsim.laws import MarchenkoPastur

    law = MarchenkoPastur(0.5)
    x = np.linspace(*law.support[0], 1001)
    plain_loop = np.array([law.pdf(float(each)) for each in x[::100]])
    _require(
        np.allclose(law.pdf(x)[::100], plain_loop, rtol=1e-13, atol=0), "a compiled kernel differs from NumPy"
    )


def _worker() -> None:
    """Test that a process can be started and can import the package."""
    import subprocess

    code = "import rmtsim.laws; print(rmtsim.laws.Semicircle().moment(4))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    _require(
        done.stdout.strip() == "2.0", f"a Python process ended with {done.returncode}: {done.stderr[-200:]}"
    )


def _verdict() -> None:
    from rmtsim.verdicts import Verdict, verify

    results = verify("dong.eq3/corrected", budget=1.0)
    _require(results[0].verdict is Verdict.CONFIRMED, f"dong.eq3/corrected is {results[0].verdict}")


_TESTS: dict[str, Callable[[], None]] = {
    "laws": _laws,
    "linear algebra": _linear_algebra,
    "compiled kernels": _kernels,
    "process": _worker,
    "verdict": _verdict,
}
