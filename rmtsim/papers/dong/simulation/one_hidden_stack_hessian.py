"""Block norms of many small one-hidden-layer networks at once, as arrays over networks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.papers.dong.simulation.one_hidden_stack import NetworkStack


def hidden_square_energies(stack: NetworkStack) -> NDArray[np.float64]:
    """‖∂²ℓ/∂w_i∂w_jᵀ‖²_F of the square loss for all pairs, networks × hidden × hidden.

    As :func:`rmtsim.papers.dong.simulation.one_hidden_norms.hidden_energies` of each network: through the Gram
    matrix of its inputs.

    >>> from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
    >>> from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies
    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> from rmtsim.papers.dong.simulation.one_hidden_stack import draw_stacks
    >>> stack, = draw_stacks(3, 5, 2, 4, 1, np.random.default_rng(0))
    >>> single = sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0))
    >>> bool(np.allclose(hidden_square_energies(stack)[0], hidden_energies(forward(single, "mse"))))
    True
    """
    if not isinstance(stack, NetworkStack):
        raise TypeError(f"stack: expected a NetworkStack, not {type(stack).__name__}")
    gates = (stack.inputs @ stack.hidden.mT > 0).astype(np.float64)
    networks, samples, hidden = gates.shape
    first, second = np.triu_indices(hidden)
    both = gates[:, :, first] * gates[:, :, second]
    squared = stack.inputs @ stack.inputs.mT
    np.square(squared, out=squared)
    # Products of zeros and ones stay apart from the weights, which are the same for all samples: 2 Σ_c v_ci v_cj.
    sums = np.einsum("knp,knp->kp", both, squared @ both)
    weights = 2 * (stack.output.mT @ stack.output)[:, first, second]
    result = np.empty((networks, hidden, hidden))
    result[:, first, second] = np.square(weights) * sums / samples**2
    result[:, second, first] = result[:, first, second]
    return result
