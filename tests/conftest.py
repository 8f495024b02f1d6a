"""One hypothesis profile for all tests: reproducible, without deadlines on noisy machines."""

import sys

import matplotlib as mpl
import pytest
import threadpoolctl
from hypothesis import settings

mpl.use("Agg")
settings.register_profile("rmtsim", derandomize=True, deadline=None, max_examples=30)
settings.load_profile("rmtsim")


@pytest.fixture(autouse=True, scope="session")
def _store_of_its_own(tmp_path_factory):
    """Commands that keep results by default keep them here, not in the developer's home."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        patch.setenv("RMTSIM_PLAN", "declared")  # results that do not depend on the clock
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_blas_thread():
    """Tests run in several processes, and the number of BLAS threads changes the last bits."""
    with threadpoolctl.threadpool_limits(limits=1):
        yield


@pytest.fixture(autouse=True)
def _no_helper_of_another_test():
    """Files of claims that tests write import a module ``helper`` beside them, each its own."""
    sys.modules.pop("helper", None)
    if "rmtsim.claims._files" in sys.modules:
        sys.modules["rmtsim.claims._files"]._LOADED.clear()
    yield
    sys.modules.pop("helper", None)
    if "rmtsim.runs._identity.inputs" in sys.modules:
        # What a sampler of this test read is no input of the same claim in another one.
        sys.modules["rmtsim.runs._identity.inputs"]._SAMPLED.clear()


def pytest_collection_modifyitems(items):
    """The type checker first: half a minute of one core that should not be what the other core waits for."""
    items.sort(key=lambda item: "test_tools_pass" not in item.nodeid)
