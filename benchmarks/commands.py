"""Commands that people type, with empty caches (cold) and again (warm), by the clock.

Cold: an empty folder of compiled kernels and an empty store, as after installing; the bytecode of Python files exists.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

_SETUP = """
import torch
def setup():
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(20, 32), torch.nn.Tanh(), torch.nn.Linear(32, 5))
    return model, torch.nn.CrossEntropyLoss(), [(torch.randn(200, 20), torch.randint(5, (200,)))]
"""

COMMANDS = {
    "verify ID": ("verify", "dong.thm1.diagonal"),
    "verify --quick": ("verify", "--quick"),
    "spectrum FILE": ("spectrum", "data.npy"),
    "law mp": ("law", "mp", "--ratio", "0.5", "--table", "9"),
    "predict ID": ("predict", "dong.thm1.diagonal"),
    "hessian FILE": ("hessian", "setup.py"),
}


def timed(words: tuple[str, ...], folder: Path) -> float:
    """Seconds of a command whose caches and store are in a folder."""
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(folder / "cache"),
        "XDG_DATA_HOME": str(folder / "data"),
        "HOME": str(folder),
        "PYTHONPATH": str(Path(__file__).parents[1]),
    }
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "rmtsim", *words], cwd=folder, env=environment, capture_output=True, text=True
    )
    took = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"rmtsim {' '.join(words)}: {done.stderr[-300:]}")
    return took


def measure(name: str, repeats: int = 2) -> dict[str, object]:
    """Cold time, and the least of some warm ones."""
    with tempfile.TemporaryDirectory() as there:
        folder = Path(there)
        rng = np.random.default_rng(0)
        np.save(folder / "data.npy", rng.standard_normal((400, 200)))
        (folder / "setup.py").write_text(_SETUP)
        cold = timed(COMMANDS[name], folder)
        warm = min(timed(COMMANDS[name], folder) for _ in range(repeats if cold < 15 else 1))
    return {"name": name, "command": " ".join(("rmtsim", *COMMANDS[name])), "cold": cold, "warm": warm}
