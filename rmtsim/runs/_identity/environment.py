"""The environment of a batch: versions, libraries and processor, which determine the last bits of its values."""

from __future__ import annotations

import functools
import hashlib
import importlib
import json
import os
import platform
import sys
from dataclasses import asdict, replace
from importlib import metadata
from typing import Any

from rmtsim import __version__
from rmtsim._internal.docstrings import frozen
from rmtsim.runs._identity.inputs import Input


@frozen
class Environment:
    """Versions and processor of the process that computed a batch."""

    package: str
    python: str
    numpy: str
    scipy: str
    numba: str
    blas: str
    cpu: str
    features: str = ""
    """Instruction sets available to NumPy, which determine its loops; empty in old stores."""
    settings: str = ""
    """C library, and environment variables by which libraries choose other instructions."""
    inputs: tuple[Input, ...] = ()
    """What the claim's code had read in that process: files, environment variables, packages."""

    @functools.cached_property
    def text(self) -> str:
        """One canonical line, as stored."""
        known = {name: value for name, value in asdict(self).items() if value or name not in _OPTIONAL}
        return json.dumps(known, sort_keys=True, separators=(",", ":"))

    @functools.cached_property
    def numerics(self) -> str:
        """Digest of what can change a result's bits.

        The package's version is recorded but left out here: the code version in the batch's key covers what a claim
        computes.
        """
        parts = [self.numpy, self.scipy, self.numba, self.blas, self.cpu]
        if self.features:
            parts += [self.python, self.features, self.settings]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @classmethod
    def parse(cls, text: str) -> Environment:
        """The environment a stored line describes."""
        fields: dict[str, Any] = json.loads(text)
        inputs = tuple((kind, name, digest) for kind, name, digest in fields.pop("inputs", ()))
        return cls(**fields, inputs=inputs)


@functools.lru_cache(maxsize=256)
def with_inputs(environment: Environment, inputs: tuple[Input, ...]) -> Environment:
    """The environment with these inputs: the same object for the batches of a claim, so that it is described once."""
    return replace(environment, inputs=inputs)


_OPTIONAL = {"features", "settings", "inputs"}
"""Fields that descriptions in older stores lack."""


@functools.cache
def this_environment() -> Environment:
    """The environment of this process."""
    return Environment(
        package=__version__,
        python=platform.python_version(),
        numpy=_version("numpy"),
        scipy=_version("scipy"),
        numba=_version("numba"),
        blas=_blas(),
        cpu=_cpu(),
        features=_features(),
        settings=_settings(),
    )


def _version(package: str) -> str:
    """Version of the loaded package; another may have been installed since."""
    loaded = getattr(sys.modules.get(package), "__version__", None)
    if isinstance(loaded, str):
        return loaded
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


def _blas() -> str:
    """Libraries of NumPy and SciPy with version and the instruction set they chose."""
    import scipy.linalg  # noqa: F401  (loads SciPy's own BLAS, so that the answer does not depend on when)
    import threadpoolctl

    found = {
        f"{library['internal_api']} {library['version']} {library.get('architecture', '')}".strip()
        for library in threadpoolctl.threadpool_info()
        # Libraries of torch and other packages are ignored, so that the result does not depend on imports.
        if library["user_api"] == "blas" and "torch" not in library["filepath"]
    }
    return "; ".join(sorted(found)) or "unknown"


def _cpu() -> str:
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    model = line.split(":", 1)[1].strip()
                    break
    except OSError:
        pass
    return f"{platform.machine()} {model}"


def _features() -> str:
    """Instruction sets that NumPy found and that are not disabled (``NPY_DISABLE_CPU_FEATURES``)."""
    found: dict[str, bool] = getattr(
        importlib.import_module("numpy._core._multiarray_umath"), "__cpu_features__", {}
    )
    return " ".join(sorted(name for name, enabled in found.items() if enabled)) or "unknown"


_CHOOSING = {
    "NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES", "OPENBLAS_CORETYPE", "BLIS_ARCH_TYPE", "GLIBC_TUNABLES",
    "LD_PRELOAD", "MKL_CBWR", "MKL_DEBUG_CPU_TYPE", "MKL_ENABLE_INSTRUCTIONS",
}  # fmt: skip
_NOT_CHOOSING = ("NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_DEBUG", "NUMBA_DUMP", "NUMBA_WARNINGS")


def _settings() -> str:
    """C library (its functions are those of ``math``), and variables that change what libraries compute with."""
    chosen = [
        f"{name}={value}"
        for name, value in sorted(os.environ.items())
        if name in _CHOOSING or (name.startswith("NUMBA_") and not name.startswith(_NOT_CHOOSING))
    ]
    return " ".join([*platform.libc_ver(), *chosen]).strip()
