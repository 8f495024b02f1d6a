"""One thread or all, by the time of the first calls, reviewed later."""

import numpy as np
import pytest

from rmtsim._internal.threads import NumpyThreads, ThreadChoice
from rmtsim.networks import fully_connected


class Library:
    """A library and a clock: a call takes ``cost[threads]`` seconds."""

    def __init__(self, cost, count=4):
        self.cost, self.count, self.now, self.used = cost, count, 0.0, []

    def get(self):
        return self.count

    def set(self, count):
        self.count = count

    def work(self):
        self.used.append(self.count)
        self.now += self.cost[self.count]
        return len(self.used)


def used(cost, calls=200, count=4):
    library = Library(cost, count)
    choice = ThreadChoice(library, clock=lambda: library.now)
    assert [choice.call("x", library.work) for _ in range(calls)] == list(range(1, calls + 1))
    assert library.count == count
    return library


@pytest.mark.parametrize(
    ("cost", "best"), [({1: 0.01, 4: 0.05}, 1), ({1: 0.01, 4: 0.004}, 4), ({1: 0.01, 4: 0.01}, 1)]
)
def test_the_faster_way_is_used(cost, best):
    library = used(cost)
    assert library.used.count(best) > 0.9 * 200
    assert library.now < 200 * min(cost.values()) * 1.3


def test_slow_calls_are_tried_once():
    assert used({1: 2.0, 4: 20.0}, calls=20).used.count(4) <= 2


def test_short_calls_stay_on_one_thread():
    assert set(used({1: 1e-5, 4: 1e-6}).used) == {1}


def test_the_choice_follows_a_machine_that_becomes_busy():
    library = Library({1: 0.01, 4: 0.004})
    choice = ThreadChoice(library, clock=lambda: library.now)
    for _ in range(30):
        choice.call("x", library.work)
    library.cost = {1: 0.01, 4: 0.1}
    for _ in range(1000):
        choice.call("x", library.work)
    assert library.used[-1] == 1


def test_a_library_held_to_one_thread_stays_there():
    assert set(used({1: 0.01}, count=1).used) == {1}


def test_the_number_is_restored_after_an_error():
    library = Library({})
    with pytest.raises(KeyError):
        ThreadChoice(library).call("x", library.work)
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
