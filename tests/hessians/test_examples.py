"""Examples in docstrings that need PyTorch: ordinary doctests skip them, so they are run here."""

import doctest
import importlib

import pytest

pytest.importorskip("torch")

MODULES = [
    "rmtsim.hessians._decoupling",
    "rmtsim.hessians._sources",
    "rmtsim.hessians._widths",
    "rmtsim.networks._torch_import",
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_that_are_skipped_without_pytorch(name):
    run = 0
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    for found in doctest.DocTestFinder().find(importlib.import_module(name)):
        run += sum(bool(example.options.pop(doctest.SKIP, False)) for example in found.examples)
        assert runner.run(found).failed == 0
    assert run > 0, "no example is skipped: leave this module out of the list"
