"""One thread for small products, all for large ones, whatever the time they take."""

import numpy as np
import pytest

from rmtsim._internal.threads import LARGE, NumpyThreads, ThreadChoice, _blas_libraries, one_pool
from rmtsim.networks import fully_connected


class Library:
    """A library that records the number of threads of each call."""

    def __init__(self, count=4):
        self.count, self.used = count, []

    def get(self):
        return self.count

    def set(self, count):
        self.count = count

    def work(self):
        self.used.append(self.count)
        return len(self.used)


@pytest.mark.parametrize(
    ("work", "count", "expected"), [(10.0, 4, 1), (LARGE, 4, 4), (10.0, 1, 1), (LARGE, 1, 1)]
)
def test_the_choice_depends_on_the_work_alone(work, count, expected):
    library = Library(count)
    choice = ThreadChoice(library)
    assert [choice.call(work, library.work) for _ in range(5)] == [1, 2, 3, 4, 5]
    assert set(library.used) == {expected}
    assert library.count == count


def test_the_number_is_restored_after_an_error():
    library = Library()
    with pytest.raises(ZeroDivisionError):
        ThreadChoice(library).call(1.0, lambda: 1 / 0)
    assert library.count == 4


def test_products_restore_the_threads_of_numpy():
    """Tests hold BLAS to one thread; here two are allowed."""
    threads = NumpyThreads()
    threads.set(2)
    try:
        if threads.get() != 2:
            pytest.skip("this BLAS has one thread")
        rng = np.random.default_rng(0)
        network = fully_connected((6, 5, 3), "tanh", loss="cross_entropy").sample(rng)
        inputs, labels = rng.standard_normal((9, 6)), np.arange(9) % 3
        v = rng.standard_normal(network.parameters.size)
        np.testing.assert_allclose(
            network.hessian_product(inputs, labels, v),
            network.hessian(inputs, labels) @ v,
            rtol=1e-10,
            atol=1e-13,
        )
        assert threads.get() == 2
    finally:
        threads.set(1)


@pytest.mark.parametrize("numpy", [True, False])
def test_analyses_leave_threads_to_the_library_of_the_products(numpy):
    import scipy.linalg  # noqa: F401  (loads SciPy's BLAS)

    libraries = {
        name: [each for each in _blas_libraries() if f"{name}.libs" in each.filepath]
        for name in ("numpy", "scipy")
    }
    if not all(libraries.values()):
        pytest.skip("NumPy and SciPy do not bring a BLAS each")
    before = {name: [each.get_num_threads() for each in found] for name, found in libraries.items()}
    with one_pool(numpy=numpy):
        assert all(each.get_num_threads() == 1 for each in libraries["scipy"])
        if numpy:
            assert [each.get_num_threads() for each in libraries["numpy"]] == before["numpy"]
        else:
            assert all(each.get_num_threads() == 1 for each in libraries["numpy"])
    assert before == {name: [each.get_num_threads() for each in found] for name, found in libraries.items()}
