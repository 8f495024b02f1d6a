"""Forks coordinators on request, so that a test can kill -9 many without waiting for as many imports.

Reads one JSON line per coordinator from standard input, prints its process id, then how it ended.
"""

import hashlib
import json
import os
import sys

from rmtsim.runs._identity.environment import this_environment
from rmtsim.runs._session import run_session
from tests.runs.helpers import keys


def coordinate(order):
    """A run like any other, which writes a line for every batch it has been given (acknowledged)."""
    acknowledged = os.open(order["acknowledged"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    wanted = keys(batches=order["batches"], sizes=(8, 16), pause=order["pause"])
    with run_session(order["workers"], order["store"]) as runner:
        for index, values in enumerate(runner.run(wanted)):
            os.write(acknowledged, f"{index} {hashlib.sha256(values.tobytes()).hexdigest()}\n".encode())


def _say(number):
    sys.stdout.write(f"{number}\n")
    sys.stdout.flush()


def main():
    this_environment()
    for line in sys.stdin:
        order = json.loads(line)
        child = os.fork()
        if child == 0:
            code = 1
            try:
                coordinate(order)
                code = 0
            finally:
                os._exit(code)
        _say(child)
        _say(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
