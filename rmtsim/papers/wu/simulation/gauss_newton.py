"""The Gauss–Newton part of the full Hessian of a two-layer network with biases, and its approximation in appendix C.

With x̃ = (x, 1) and h̃ = (y, 1) the columns of its factor are (D WᵀQᵀ_a ⊗ x̃; Q_aᵀ ⊗ h̃)/√N, so it has a Gram
side like H^(1). Appendix C approximates its eigenvectors by w_i = (u_i^(1) ⊗ E x̃; u_i^(2) ⊗ E h̃), with u_i
the eigenvectors of the full output Hessian E[GᵀAG], G = (W D, I).
"""

from __future__ import annotations

import numpy as np

from rmtsim._internal.arrays import Array
from rmtsim.papers.wu.simulation.eigenspaces import top_eigenspace
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import curvature_rows
from rmtsim.papers.wu.simulation.relu_network import Response


def full_approximation(weights: Array, response: Response) -> tuple[float, float]:
    """Overlap of the top c-1 spaces of E[FᵀAF] and of span(w_i), and mean λ_i/(σ_i‖w_i‖²) (eqs. (261)–(263)).

    Expectations over the response's inputs on both sides; E x is taken from them too.
    """
    active, p, hidden = response.active[-1], response.confidence, response.hidden[-1]
    count, units = active.shape
    classes = weights.shape[0]
    top = classes - 1
    first = np.empty((count * top, units))
    curvature_rows(weights, p, active, first)
    second = np.empty((count * top, classes))
    curvature_rows(np.eye(classes), p, np.ones((count, classes)), second)
    inputs = response.inputs.inner(response.inputs) + 1
    outputs = hidden @ hidden.T + 1
    blocks = (count, top, count, top)
    gram = (first @ first.T).reshape(blocks) * inputs[:, None, :, None]
    gram += (second @ second.T).reshape(blocks) * outputs[:, None, :, None]
    size = count * top
    space = top_eigenspace(gram.reshape(size, size) / count, top)
    rows = np.hstack([first, second])
    output = top_eigenspace(rows.T @ rows / count, top)
    left, right = output.basis[:units], output.basis[units:]
    # E x̃·x̃' over the batch mean: every mean is itself an average of inner products.
    along_inputs, along_outputs = inputs.mean(axis=1), outputs.mean(axis=1)
    norm_inputs, norm_outputs = float(along_inputs.mean()), float(along_outputs.mean())
    metric = norm_inputs * left.T @ left + norm_outputs * right.T @ right
    scale = np.repeat(np.stack([along_inputs, along_outputs]), top, axis=1)
    # ⟨F e_{xa}, w_i⟩, then through the eigenvectors v = F r/√λ.
    columns = ((first @ left) * scale[0][:, None] + (second @ right) * scale[1][:, None]) / np.sqrt(count)
    inner = (space.basis / np.sqrt(space.values)).T @ columns
    overlap = float(np.trace(inner @ np.linalg.solve(metric, inner.T))) / top
    ratio = space.values / (output.values * np.diag(metric))
    return overlap, float(ratio.mean())
