"""Hostile arguments for public functions: every input gives a number or an error that names the parameter.

``python -m tests.hostile.fuzz_functions --inputs 5000 --seed 0`` prints every failure; exit code 1 if there is one.
"""

import argparse
import collections
import math
import random
import resource
import signal
import sys
import warnings

import numpy as np

from rmtsim.errors import ConvergenceError, MemoryLimitError, RunError
from tests.hostile.public import calls

CORE_SECONDS = 25.0
MEMORY = 8 * 2**30
ACCEPTED = (ValueError, TypeError, MemoryLimitError, ConvergenceError, ArithmeticError, RunError)

SCALARS = [
    None, True, False, 0, 1, -1, 2, 3, 7, 10**6, 10**9, 10**12, 10**400, -(10**400), 0.0, -0.0, 0.5, 1.0, 1.5, -0.5,
    1e-300, 5e-324, 1e300, 1.7e308, math.nan, math.inf, -math.inf, 1j, 1 + 0j, "", "3", "nan", "gaussian", b"3", [], (),
    {}, [1], [[1.0]], object(), np.float64(0.3), np.float16(0.3), np.int8(3), np.uint8(200), np.bool_(True), np.nan,
    np.array(2.0), np.array([2]), "\x1b[2J", lambda: 3, range(3), np.datetime64("2020-01-01"),
]  # fmt: skip


def arrays(rng, like):
    """An array that is wrong in one way, near a valid one where there is one."""
    base = np.atleast_1d(np.asarray(like, dtype=float)) if like is not None else np.ones((3, 3))
    made = rng.choice(
        [
            lambda: base.astype(np.float16),
            lambda: base.astype(np.float32),
            lambda: (base * 10).astype(np.int8),
            lambda: np.abs(base * 10).astype(np.uint8),
            lambda: (base * 10).astype(np.int16),
            lambda: base.astype(complex) + 1j,
            lambda: base.astype(object),
            lambda: base.astype(str),
            lambda: base > 0,
            lambda: np.full(base.shape, np.nan),
            lambda: np.where(np.arange(base.size).reshape(base.shape) == 0, np.inf, base),
            lambda: np.where(np.arange(base.size).reshape(base.shape) == 0, np.nan, base),
            lambda: base[:0],
            lambda: base[None],
            lambda: base.ravel(),
            lambda: base[..., :-1] if base.ndim else base,
            lambda: base * 1e300,
            lambda: base * 1e-300,
            lambda: np.zeros(base.shape),
            lambda: -np.abs(base),
            lambda: np.asfortranarray(base),
            lambda: base[::-1],
            lambda: base.tolist(),
            lambda: [[1.0, 2.0], [3.0]],
            lambda: np.ma.masked_array(base, mask=base > 0),
            lambda: np.empty((0, 0)),
            lambda: np.ones((2, 3, 4)),
        ]
    )
    return made()


def has_nan(value, depth=0):
    """Whether a result holds a NaN anywhere a user would look."""
    if depth > 4 or value is None or isinstance(value, (str, bytes, bool, int)):
        return False
    if isinstance(value, (float, complex, np.generic)):
        return bool(np.isnan(value)) if np.asarray(value).dtype.kind in "fc" else False
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fc" and bool(np.isnan(value).any())
    if isinstance(value, dict):
        return any(has_nan(each, depth + 1) for each in value.values())
    if isinstance(value, (list, tuple)):
        return any(has_nan(each, depth + 1) for each in value[:1000])
    if hasattr(value, "__dict__"):
        return any(has_nan(each, depth + 1) for each in vars(value).values())
    return False


class TooLongError(BaseException):
    """The call has used all its core seconds."""


def _alarm(number, frame):
    raise TooLongError


def try_once(call, arguments, changed):
    """What is wrong with how ``call`` takes these arguments; None if nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        signal.setitimer(signal.ITIMER_PROF, CORE_SECONDS)
        try:
            result = call.function(**arguments)
            # A law has the value NaN at the point NaN, as in scipy.stats.
            return "silent NaN" if has_nan(result) and not has_nan(arguments) else None
        except ACCEPTED as error:
            words = str(error)
            # Where two arguments do not fit together, either may be named; activation(name) speaks of activation=.
            if not any(name in words for name in (*call.arguments, *call.name.rpartition(".")[2].split())):
                return f"names no parameter: {type(error).__name__}: {words[:120]}"
            if any(sign in words for sign in ("\x1b", "0x7f")):
                return f"unprintable message: {words[:120]!r}"
            return None
        except TooLongError:
            return "hang"
        except BaseException as error:
            return f"{type(error).__name__}: {str(error)[:120]}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def trial(number, seed):
    """One seeded input: a call of the table with one or two of its arguments replaced."""
    known, _ = calls()
    call = known[number % len(known)]
    # The arguments of one function do not depend on which other functions there are.
    rng = random.Random(f"{seed} {call.name} {number // len(known)}")
    arguments = {name: make() for name, make in call.arguments.items()}
    changed = rng.sample(list(arguments), min(len(arguments), rng.choice((1, 1, 1, 2))))
    for name in changed:
        valid = arguments[name]
        numeric = isinstance(valid, (np.ndarray, list, tuple)) and not isinstance(valid, str)
        try:
            arguments[name] = (
                arrays(rng, valid) if rng.random() < (0.7 if numeric else 0.15) else rng.choice(SCALARS)
            )
        except (TypeError, ValueError):
            arguments[name] = rng.choice(SCALARS)
    problem = try_once(call, arguments, changed)
    if problem is None:
        return None
    shown = {name: repr(arguments[name]).replace("\n", " ")[:100] for name in changed}
    return f"{call.name}({', '.join(f'{name}={text}' for name, text in shown.items())}): {problem}"


def run(inputs, seed=0, start=0):
    """All failures of ``inputs`` trials."""
    before = signal.signal(signal.SIGPROF, _alarm)
    # A call that reserves all memory must fail here, and not take the machine with it.
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, limits[1]))
    try:
        return [
            found for number in range(start, start + inputs) if (found := trial(number, seed)) is not None
        ]
    finally:
        signal.signal(signal.SIGPROF, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    known, uncovered = calls()
    failures = run(options.inputs, options.seed)
    worst = collections.Counter(failure.partition("(")[0] for failure in failures).most_common()
    lines = [
        *failures,
        str(worst),
        f"{options.inputs} inputs over {len(known)} calls, {len(failures)} failures; without entry: {uncovered}",
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return 1 if failures or uncovered else 0


if __name__ == "__main__":
    sys.exit(main())
