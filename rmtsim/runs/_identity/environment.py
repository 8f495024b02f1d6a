"""Where a batch was computed: the things that decide the last bits of its values."""

from __future__ import annotations

import functools
import hashlib
import json
import platform
from dataclasses import asdict, dataclass
from importlib import metadata

from rmtsim import __version__

__all__ = ["Environment", "this_environment"]


@dataclass(frozen=True)
class Environment:
    """Versions and processor of the process that computed a batch."""

    package: str
    python: str
    numpy: str
    scipy: str
    numba: str
    blas: str
    cpu: str

    @property
    def text(self) -> str:
        """One canonical line, as stored."""
        return json.dumps(asdict(self), sort_keys=True, separators=(",", ":"))

    @functools.cached_property
    def numerics(self) -> str:
        """Digest of what can change a result's bits.

        The package's version and Python's are recorded but left out here: what a claim computes is
        covered by the code version in the batch's key, and Python itself does no arithmetic.
        """
        parts = [self.numpy, self.scipy, self.numba, self.blas, self.cpu]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]

    @classmethod
    def parse(cls, text: str) -> Environment:
        """The environment a stored line describes."""
        return cls(**json.loads(text))


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
    )


def _version(package: str) -> str:
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
        # torch and others bring libraries of their own, which would make the answer depend on imports.
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
