"""Batches as messages: how a claim is named to another process, and what that process does with it.

Claims contain functions, which are not sent. A worker receives the claim's name, and for a claim from a user's file
that file, and finds the claim in its own registry; the code version shows whether it is the same. A claim that exists
only in memory (defined in a notebook) is sent by value, if cloudpickle is installed.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import os
import pickle
import sys
import threading
import traceback
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rmtsim._internal.docstrings import frozen
from rmtsim._internal.folders import fresh_folder
from rmtsim.claims import _registry as registry
from rmtsim.claims._files import load_file
from rmtsim.claims._model import Claim
from rmtsim.errors import CodeMismatchError, UnknownClaimError, UnshippableClaimError
from rmtsim.runs._identity.code_version import is_as_loaded, version_of
from rmtsim.runs._identity.environment import Environment, this_environment
from rmtsim.runs._identity.inputs import watch
from rmtsim.runs._process import without_collection
from rmtsim.runs._work import BatchKey, Measured, measured_batch


@frozen
class ClaimAddress:
    """What a worker needs to find the claim."""

    id: str
    code: str
    origin: str | None = None
    source: str | None = None
    modules: tuple[str, ...] = ()
    pickled: bytes | None = None


@frozen
class Order:
    """One batch to compute, as plain data."""

    address: ClaimAddress
    parameters: tuple[tuple[str, Any], ...]
    size: int
    batch: int
    replicates: int
    seed: int


@frozen
class Finished:
    """Batches computed by one worker for one message, and where."""

    outcomes: tuple[Measured | Exception, ...]
    environment: Environment


def _is_registered(claim: Claim) -> bool:
    """Whether a worker that finds the claim by name gets the same sampler."""
    known = _registered(claim)
    return known is not None and known.sample is claim.sample


def _registered(named: Claim | ClaimAddress) -> Claim | None:
    try:
        return registry.find(named.id)
    except UnknownClaimError:
        return None


_ADDRESSES: dict[tuple[int, str], tuple[Claim, ClaimAddress]] = {}


def orders(keys: Iterable[BatchKey]) -> list[Order]:
    """Messages for these batches."""
    return [
        Order(_address(key.claim), key.parameters, key.size, key.batch, key.replicates, key.seed)
        for key in keys
    ]


def _address(claim: Claim) -> ClaimAddress:
    key = (id(claim), version_of(claim).live)
    known = _ADDRESSES.get(key)
    if known is None:
        known = _ADDRESSES[key] = (claim, _new_address(claim))
    return known[1]


def _new_address(claim: Claim) -> ClaimAddress:
    version = version_of(claim)
    code, modules = version.text, version.defining
    if "__main__" not in modules and (is_as_loaded(claim) or importlib.util.find_spec("cloudpickle") is None):
        if claim.origin is not None and Path(claim.origin).is_file():
            origin = Path(claim.origin).absolute()
            return ClaimAddress(claim.id, code, str(origin), origin.read_text(encoding="utf-8"))
        if _is_registered(claim):
            return ClaimAddress(claim.id, code, modules=modules)
    try:
        import cloudpickle
    except ImportError:
        raise UnshippableClaimError(
            f"{claim.id} exists only in this process's memory, so workers cannot find it: put it in a file and "
            "load that (`rmtsim verify my_claims.py`), or install cloudpickle, or run without workers"
        ) from None
    try:
        with contextlib.ExitStack() as stack:
            for module in filter(None, map(sys.modules.get, version.modules)):
                if module.__name__ != "__main__":
                    cloudpickle.register_pickle_by_value(module)
                    stack.callback(cloudpickle.unregister_pickle_by_value, module)
            # By its fields: a claim of a paper is pickled by its id, which names the code on disk.
            fields = {**vars(claim), "correction": None}
            return ClaimAddress(claim.id, code, pickled=cloudpickle.dumps(fields))
    except Exception as error:
        raise UnshippableClaimError(
            f"{claim.id} exists only in this process's memory and cannot be handed to a worker ({error}): put "
            "it in a file and load that (`rmtsim verify my_claims.py`), or run without workers"
        ) from error


_RESOLVED: dict[ClaimAddress, Claim] = {}
_RESOLVING = threading.RLock()
"""A worker with several threads finds a claim once."""


def resolve(address: ClaimAddress) -> Claim:
    """The claim an address names, in this process; an error if its code is not the sender's."""
    with _RESOLVING:
        claim = _RESOLVED.get(address)
        if claim is None:
            with without_collection():
                claim = _RESOLVED[address] = _found(address)
    return claim


def _found(address: ClaimAddress) -> Claim:
    watch()
    if address.pickled is not None:
        return Claim(**pickle.loads(address.pickled))
    if address.origin is not None:
        loaded = load_file(_local_copy(address))
        claim = next((each for each in loaded if each.id == address.id), None)
    else:
        claim = _registered(address)
        if claim is None:
            for module in address.modules:  # a package of the user's that registers its claims when imported
                importlib.import_module(module)
            claim = registry.find(address.id)
    if claim is None or version_of(claim).text != address.code:
        raise CodeMismatchError(
            f"{address.id}: the worker on {os.uname().nodename} has other code for this claim than the process "
            "that asks (another version of rmtsim, or a file edited since the run began); install the same "
            "version everywhere, or start the run again"
        )
    return claim


def _local_copy(address: ClaimAddress) -> Path:
    """The user's file here, or a copy where this machine does not have it or has another text."""
    origin, source = Path(str(address.origin)), str(address.source)
    try:
        if origin.read_text(encoding="utf-8") == source:
            return origin
    except (OSError, UnicodeDecodeError):
        pass
    # In a private folder of this process, because the file will be executed.
    folder = fresh_folder() / "claims" / hashlib.sha256(source.encode()).hexdigest()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / origin.name
    copy.write_text(source, encoding="utf-8")
    return copy


def run_order(order: Order) -> Measured:
    """One batch, computed here."""
    claim = resolve(order.address)
    return measured_batch(
        BatchKey(claim, order.parameters, order.size, order.batch, order.replicates, order.seed)
    )


def run_orders(together: Sequence[Order]) -> Finished:
    """Several small batches in one message; what each returns does not depend on the grouping."""
    outcomes: list[Measured | Exception] = []
    for order in together:
        try:
            outcomes.append(run_order(order))
        except Exception as error:
            outcomes.append(portable(error))
    return Finished(tuple(outcomes), this_environment())


def portable(error: Exception) -> Exception:
    """``error`` with its traceback as a note, if it can be pickled; else an error with its text."""
    trace = traceback.format_exc()
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        error = RuntimeError(f"{type(error).__name__}: {error}")
    error.add_note(f"in a worker:\n{trace}")
    return error
