"""The full Hessian of a one-hidden-layer network, by the network engine.

Parameters are ordered (w_1, …, w_m, v_1, …, v_C), each vector contiguous: m·d + C·m of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rmtsim.papers.dong.simulation.one_hidden_hessian import Pass, check_pass


def hidden_matrix(state: Pass) -> NDArray[np.float64]:
    """H_ww, (m·d) × (m·d): all hidden-layer blocks.

    >>> from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> hidden_matrix(forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce")).shape
    (6, 6)
    """
    check_pass(state)
    data = state.network
    return data.as_network(state.loss).hessian_block(data.inputs, data.targets, 0, 0)


def dense_hessian(state: Pass) -> NDArray[np.float64]:
    """The whole Hessian as a dense symmetric matrix.

    >>> from rmtsim.papers.dong.simulation.one_hidden_hessian import forward
    >>> from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
    >>> hessian = dense_hessian(forward(sample_one_hidden(3, 5, 2, 4, np.random.default_rng(0)), "ce"))
    >>> hessian.shape, bool(np.array_equal(hessian, hessian.T))
    ((14, 14), True)
    """
    check_pass(state)
    data = state.network
    return data.as_network(state.loss).hessian(data.inputs, data.targets)
