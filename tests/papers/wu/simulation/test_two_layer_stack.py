"""Several networks measured at once against each of them measured alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rmtsim._internal.randomness import FastNormals
from rmtsim.papers.wu.simulation.halves import product
from rmtsim.papers.wu.simulation.known_averages import deviations
from rmtsim.papers.wu.simulation.two_layer import draw_instances
from rmtsim.papers.wu.simulation.two_layer_stack import QuieterStack, draw_networks

KERNELS = {
    "curvatures": "test_a_stack_measures_what_its_networks_measure",
    "output_energies": "test_a_stack_measures_what_its_networks_measure",
    "independent_energies": "test_a_stack_measures_what_its_networks_measure",
    "projected": "test_a_stack_measures_what_its_networks_measure",
    "averages": "test_a_stack_measures_what_its_networks_measure",
    "formula_sums": "test_a_stack_measures_what_its_networks_measure",
}


@pytest.mark.thorough
@settings(max_examples=30, deadline=None)
@given(
    st.integers(2, 40),
    st.sampled_from([0.3, 1.0]),
    st.integers(2, 5),
    st.integers(2, 20),
    st.integers(1, 3),
    st.booleans(),
    st.integers(0, 2**32),
)
def test_a_stack_measures_what_its_networks_measure(width, alpha, classes, inputs, networks, fast, seed):
    kind = FastNormals if fast else np.random.Generator
    streams = [kind(np.random.PCG64DXSM(seed)) for _ in range(2)]
    try:
        stack = draw_networks(width, alpha, classes, inputs, networks, streams[0])
    except np.linalg.LinAlgError:  # inputs of zeros only
        return
    alone = draw_instances(width, alpha, classes, inputs, networks, streams[1])
    assert streams[0].standard_normal() == streams[1].standard_normal()
    for index, instance in enumerate(alone):
        np.testing.assert_array_equal(stack.weights[index], instance.weights)
        np.testing.assert_array_equal(stack.active[index], instance.gates)
        np.testing.assert_allclose(stack.curvatures[index], instance.curvatures)
        for name in ("output_energy", "independent_energy"):
            assert getattr(stack, name)[index] == pytest.approx(getattr(instance, name), rel=1e-11, abs=1e-15)
        for name in ("projected_output", "projected_independent"):
            together = [half[index] for half in getattr(stack, name)]
            np.testing.assert_allclose(together, getattr(instance, name), rtol=1e-11, atol=1e-14)
        lifted = stack.lifted_energy(stack.curvature)[index]
        assert lifted == pytest.approx(instance.lifted_energy(instance.curvature), rel=1e-11, abs=1e-15)
        np.testing.assert_allclose(stack.deviations()[index], deviations(instance), rtol=1e-11, atol=1e-14)
        cores = [instance.weights.T @ matrix @ instance.weights for matrix in instance.curvature]
        both = np.diag(cores[0]) * np.diag(cores[1])
        middle = inputs // 2
        rates = instance.gates[: 2 * middle].sum(axis=0) / middle
        np.testing.assert_allclose(
            stack.formula_sums()[index], [both.sum(), both @ rates], rtol=1e-10, atol=1e-15
        )
    assert stack.autocorrelation() == pytest.approx(
        (alone[0].autocorrelation_top(), alone[0].autocorrelation_energy())
    )


def test_companions_take_their_deviations_off():
    stack = draw_networks(30, 0.3, 3, 16, 3, np.random.default_rng(0))
    slopes = (1.0, -2.0, 0.5, 3.0)
    quieter = QuieterStack(lambda each: each.output_energy, slopes)(stack)
    np.testing.assert_allclose(quieter, stack.output_energy - stack.deviations() @ slopes)
    instance = draw_instances(30, 0.3, 3, 16, 3, np.random.default_rng(0))[1]
    assert stack.output_energy[1] == pytest.approx(product(instance.output), rel=1e-12)
