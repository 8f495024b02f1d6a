"""Context of a run: pool, store and handling of Ctrl-C, opened together and always closed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rmtsim.runs._identity.code_version import forget_versions
from rmtsim.runs._identity.inputs import watch
from rmtsim.runs._pools.pool import Pool
from rmtsim.runs._process import gentle_interrupts
from rmtsim.runs._replay import Check
from rmtsim.runs._runner import StoredRunner, Watcher

if TYPE_CHECKING:
    from rmtsim.runs._store.store import Store


@contextlib.contextmanager
def run_session(
    executor: Any = None,
    store: str | Path | Store | None = None,
    *,
    any_environment: bool = False,
    watcher: Watcher | None = None,
    command: str = "",
    check: Check | None = None,
) -> Iterator[StoredRunner]:
    """A runner for one run.

    ``executor`` as in :func:`rmtsim.runs._pools.pool.open_pool`; ``store`` is a path (opened and closed here), an
    open :class:`~rmtsim.runs._store.store.Store` (left open) or None. ``any_environment`` also reuses batches that
    were computed with other libraries or on another processor. ``command`` is what was typed, kept with results.
    ``check`` says how many stored batches are computed again before others are reused.

    >>> with run_session() as runner:
    ...     list(runner.run([]))
    []
    """
    forget_versions()
    watch()
    with contextlib.ExitStack() as stack:
        if store is not None:
            from rmtsim.runs._store.store import Store

            if isinstance(store, (str, Path)):
                store = stack.enter_context(Store(store))
            elif not isinstance(store, Store):
                raise TypeError(f"store={store!r}: expected a path, an open Store or None")
        pool = executor
        if not isinstance(pool, Pool):
            from rmtsim.runs._pools.pool import open_pool

            pool = stack.enter_context(contextlib.closing(open_pool(executor)))
        stack.enter_context(gentle_interrupts())
        yield StoredRunner(
            pool, store, any_environment=any_environment, watcher=watcher, command=command, check=check
        )
