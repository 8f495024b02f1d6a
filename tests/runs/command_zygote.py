"""Forks processes that run a command as it is typed, so that a test can run many without waiting for as many imports.

Reads one JSON line per command from standard input (words, folder, variables, umask, file for its output), and prints
its exit code.
"""

import json
import os
import sys
import warnings

from rmtsim import cli


def run(order):
    """What the process that a shell starts does, after its imports."""
    os.umask(order["umask"])
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["variables"])
    for descriptor, name in ((0, os.devnull), (1, order["out"]), (2, order["errors"])):
        flags = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        os.dup2(os.open(name, flags, 0o600), descriptor)
    sys.argv = ["rmtsim", *order["words"]]
    return cli.main()


def main():
    from rmtsim.runs import _runner, _session  # noqa: F401
    from rmtsim.verdicts import verify  # noqa: F401

    warnings.simplefilter("ignore", ResourceWarning)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  (an empty buffer)
            code = 1
            try:
                code = run(json.loads(line))
                sys.stdout.flush()
            finally:
                os._exit(code)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
