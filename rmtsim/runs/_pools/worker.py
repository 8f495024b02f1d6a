"""A worker process: receives batches from a socket and returns the values of each when it is done.

Started by :mod:`rmtsim.runs._pools.spawned` as ``python -c``, never imported by the coordinator.
"""

from __future__ import annotations

import os
import queue
import signal
import threading
from multiprocessing.connection import Connection
from typing import Any

from rmtsim.runs._process import without_collection


def main(socket: int) -> None:
    """Serve until the coordinator closes the socket or dies.

    Messages in: ``(number, Order)``. Messages out: ``("ready", Environment)`` first, then for each batch
    ``("done", number, values, seconds, memory, inputs)`` or ``("failed", number, error)``.
    """
    # The coordinator handles Ctrl-C.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    connection = Connection(socket)
    waiting: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, waiting), daemon=True).start()
    # From now on messages are read, and the death of the coordinator is noticed.
    with without_collection():
        from rmtsim.runs._identity.environment import this_environment
        from rmtsim.runs._identity.inputs import watch
        from rmtsim.runs._pools.messages import portable, run_order
        from rmtsim.runs._process import keep_freed_memory, single_threaded_blas

    keep_freed_memory()
    watch()

    with single_threaded_blas():
        connection.send(("ready", this_environment()))
        while True:
            number, order = waiting.get()
            try:
                measured = run_order(order)
                answer: tuple[Any, ...] = (
                    "done", number, measured.values.tobytes(), measured.seconds, measured.memory, measured.inputs,
                )  # fmt: skip
            except Exception as error:
                answer = ("failed", number, portable(error))
            connection.send(answer)


def _receive(connection: Connection, waiting: queue.SimpleQueue[Any]) -> None:
    """Read messages as they arrive, so that neither side blocks on the other.

    Only the coordinator holds the other end of the socket: if it ends for any reason, this process ends too, even in
    the middle of a batch.
    """
    while True:
        try:
            waiting.put(connection.recv())
        except (EOFError, OSError):
            os._exit(1)
