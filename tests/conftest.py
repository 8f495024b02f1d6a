"""One hypothesis profile for all tests: reproducible, without deadlines on noisy machines."""

import matplotlib as mpl
import pytest
import threadpoolctl
from hypothesis import settings

mpl.use("Agg")
settings.register_profile("rmtsim", derandomize=True, deadline=None, max_examples=30)
settings.load_profile("rmtsim")


@pytest.fixture(autouse=True, scope="session")
def _one_blas_thread():
    """Tests run in several processes, and the number of BLAS threads changes the last bits."""
    with threadpoolctl.threadpool_limits(limits=1):
        yield
