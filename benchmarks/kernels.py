"""Compiled kernels against their NumPy twins, processor time of one thread: which wins where, what compiling costs.

python -m benchmarks.kernels [--cold]: --cold compiles every kernel into an empty cache and shows the time.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time

if __name__ == "__main__":  # the number of threads is read when the libraries load
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"


import numpy as np
import scipy.linalg
import scipy.sparse.linalg
import scipy.special

from benchmarks.common import machine
from rmtsim._internal.randomness import FastNormals, stream
from rmtsim.curvature._linear_batches import reduce_models
from rmtsim.curvature._linear_energies import sample_block_energies
from rmtsim.ensembles._tridiagonal import tridiagonal_form
from rmtsim.papers.dong.simulation.kernels.gates import gated_pair_sums
from rmtsim.papers.dong.simulation.kernels.one_hidden import (
    hidden_cross_entropy,
    hidden_square,
    output_cross_entropy,
)
from rmtsim.papers.dong.simulation.one_hidden_average import (
    _plain_energies,
    averaged_energies,
    hidden_kernel,
    output_kernel,
    sampled_energies,
)
from rmtsim.papers.dong.simulation.pre_activations import sample_pre_activations
from rmtsim.papers.wu.simulation.activation_pairs import pair_means
from rmtsim.papers.wu.simulation.kernels.activation_pairs import half_pair_sums
from rmtsim.papers.wu.simulation.kernels.energy_distances import rectified_sums
from rmtsim.papers.wu.simulation.kernels.softmax_curvature import curvature_rows, pair_energy, scale_blocks
from rmtsim.papers.wu.simulation.kernels.subspace import row_span, top_ritz_values, top_subspace
from rmtsim.papers.wu.simulation.kernels.two_layer_norms import (
    independent_energy,
    independent_hessians,
    output_energy,
    output_hessians,
    projections,
    sandwiches,
    unit_averages,
)
from rmtsim.papers.wu.simulation.kernels.two_layer_stack import curvatures as stacked_curvatures
from rmtsim.papers.wu.simulation.kernels.two_layer_stack import formula_sums
from rmtsim.papers.wu.simulation.output_hessian import (
    curvatures,
    independent_output_hessian,
    mean_curvature_of,
)
from rmtsim.papers.wu.simulation.relu_network import draw_response, draw_responses
from rmtsim.papers.wu.simulation.response_batches import draw_response_batches
from rmtsim.papers.wu.simulation.two_layer import draw_instance
from rmtsim.papers.wu.simulation.two_layer_stack import draw_networks
from rmtsim.papers.wu.simulation.weights import row_sum

REPLICATES = 16


def best(function, repeats=15):
    """Microseconds of processor time, the least of some repeats after one that is not counted."""
    function()
    times = []
    for _ in range(repeats):
        start = time.process_time_ns()
        function()
        times.append(time.process_time_ns() - start)
    return min(times) / 1e3


def linear_rows():
    for size, classes in (
        *((size, 10) for size in (40, 80, 160, 320)),
        *((size, 64) for size in (40, 80, 160)),
        *((size, 200) for size in (40, 160)),
    ):

        def compiled(size=size, classes=classes):
            rng = stream(1, "benchmark", {}, size, 0)
            drawn = rng.standard_normal((REPLICATES, size + classes, size))
            inputs, columns = drawn[:, :size], drawn[:, :size].transpose(0, 2, 1)
            out = np.empty((REPLICATES, 4))
            reduce_models(inputs @ columns, drawn[:, size:] / np.sqrt(size) @ columns, out)

        def plain(size=size, classes=classes):
            rng = stream(1, "benchmark", {}, size, 0)
            return [sample_block_energies(size, size, classes, rng) for _ in range(REPLICATES)]

        name = f"linear softmax, d = N = {size}, C = {classes}"
        yield name, best(compiled) / REPLICATES, best(plain) / REPLICATES


def batch_rows():
    """Whole batches of dong's one-hidden-layer networks, inputs averaged in closed form."""
    for hidden, classes, road in (
        (5, 5, ("hidden", "mse")),
        (5, 5, ("hidden", "ce")),
        (8, 20, ("hidden", "ce")),
    ):
        draws = max(1, min(32, 2000 // classes))
        options = {"layer": road[0], "loss": road[1], "draws": draws}

        def compiled(hidden=hidden, classes=classes, options=options):
            sampled_energies(400, 40, hidden, classes, np.random.default_rng(1), REPLICATES, **options)

        def plain(hidden=hidden, classes=classes, road=road, draws=draws):
            rng = np.random.default_rng(1)
            for _ in range(REPLICATES):
                _plain_energies(400, 40, hidden, classes, rng, *road, 32, draws)

        name = f"dong's networks, {road[0]}, {road[1]}, m = {hidden}, C = {classes}"
        yield name, best(compiled) / REPLICATES, best(plain) / REPLICATES


def hidden_rows():
    for neurons, classes in ((5, 5), (8, 20), (12, 50), (8, 200)):
        draws = max(1, min(32, 2000 // classes))
        drawn = sample_pre_activations(200, neurons, 32, np.random.default_rng(0))
        energies, sums = np.empty((neurons, neurons)), np.empty(2)
        roads = (
            ("hidden", "ce", hidden_cross_entropy, energies),
            ("hidden", "mse", hidden_square, energies),
            ("output", "ce", output_cross_entropy, sums),
        )
        for layer, loss, kernel, out in roads:
            form = (hidden_kernel if layer == "hidden" else output_kernel)(drawn, 400)

            def compiled(kernel=kernel, drawn=drawn, form=form, draws=draws, classes=classes, out=out):
                kernel(np.random.default_rng(1), drawn.values, form, draws, classes, out)

            def plain(drawn=drawn, form=form, draws=draws, classes=classes, layer=layer, loss=loss):
                shape = (draws, classes, drawn.values.shape[1])
                outputs = np.random.default_rng(1).standard_normal(shape) / np.sqrt(shape[2])
                return averaged_energies(drawn.values, form, outputs, layer, loss)

            yield (
                f"one hidden layer, {layer}, {loss}, m = {neurons}, C = {classes}",
                best(compiled),
                best(plain),
            )


def numpy_curvature_rows(jacobian, p, active):
    tails = np.cumsum(p[:, ::-1], axis=1)[:, ::-1]
    mean = np.broadcast_to(jacobian[-1], active.shape).copy()
    rows = np.empty((len(p), p.shape[1] - 1, active.shape[1]))
    for a in range(p.shape[1] - 2, -1, -1):
        share = p[:, a] / tails[:, a]
        difference = jacobian[a] - mean
        rows[:, a] = np.sqrt(share * tails[:, a + 1])[:, None] * difference * active
        mean += share[:, None] * difference
    return rows


def wu_rows():
    rng = np.random.default_rng(0)
    for classes in (4, 10):
        for units in (64, 256, 1000):
            jacobian, p = rng.standard_normal((classes, units)), rng.dirichlet(np.ones(classes), 64)
            active = (rng.random((64, units)) < 0.5).astype(float)
            out = np.empty((64 * (classes - 1), units))
            yield (
                f"curvature rows, N = 64, c = {classes}, n = {units}",
                best(lambda j=jacobian, p=p, a=active, o=out: curvature_rows(j, p, a, o)),
                best(lambda j=jacobian, p=p, a=active: numpy_curvature_rows(j, p, a)),
            )
    gram, inner, out = rng.standard_normal((192, 192)), rng.standard_normal((64, 64)), np.zeros(1)
    yield (
        "pair energy, N = 64, c = 4",
        best(lambda: pair_energy(gram, inner, 3, out)),
        best(lambda: np.sum(inner**2 * np.sum(gram.reshape(64, 3, 64, 3) ** 2, axis=(1, 3)))),
    )


def network_rows():
    """Two-layer networks drawn and passed forward, whole batches of them, and what is measured on one."""
    for width, count, networks in ((64, 96, 4), (256, 96, 4)):
        compiled, plain = (kind(np.random.PCG64DXSM(1)) for kind in (FastNormals, np.random.Generator))
        yield (
            f"two-layer networks, n = {width}, {count} inputs, {networks} networks",
            best(
                lambda w=width, c=count, k=networks, r=compiled: draw_responses(w, 0.3, 4, c, r, networks=k)
            ),
            best(lambda w=width, c=count, k=networks, r=plain: draw_responses(w, 0.3, 4, c, r, networks=k)),
        )
    for width, count in ((16, 32), (32, 48), (128, 48)):
        compiled, plain = (kind(np.random.PCG64DXSM(1)) for kind in (FastNormals, np.random.Generator))

        def whole(width=width, count=count, rng=compiled):
            return [part.confidence for part in draw_response_batches(width, 0.3, 4, count, rng, 64)]

        def one_by_one(width=width, count=count, rng=plain):
            return [draw_response(width, 0.3, 4, count, rng) for _ in range(64)]

        name = f"whole batches of them, n = {width}, {count} inputs"
        yield name, best(whole) / 64, best(one_by_one) / 64
    for width in (64, 256):
        yield from measured_rows(width)
    for size in (64, 128, 256):
        instance = draw_instance(size, 0.3, 4, 128, np.random.default_rng(0))
        matrix, start = instance.output[0], np.random.default_rng(0).standard_normal((size, 11))
        near = np.hstack([(instance.weights * instance.gates.mean(axis=0)).T, start[:, :2]])
        yield (
            f"top 3 eigenvectors, n = {size}, from a near start (NumPy: SciPy's dense solver)",
            best(lambda m=matrix, b=near: top_subspace(m, b, 3, 9, 1e-9, 12)),
            best(lambda m=matrix: scipy.linalg.eigh(m, subset_by_index=(len(m) - 3, len(m) - 1))),
        )
        yield (
            f"top 4 eigenvalues, n = {size} (NumPy: ARPACK)",
            best(lambda m=matrix, b=start: top_ritz_values(m, b[:, 0].copy(), 4, 1e-9, len(m) - 1)),
            best(lambda m=matrix: scipy.sparse.linalg.eigsh(m, 4, which="LA", tol=1e-9)),
        )


def measured_rows(width):
    """What is measured on one network, or on the four of a replicate."""
    name = f"n = {width}, c = 4, 96 inputs"
    instance = draw_instance(width, 0.3, 4, 96, np.random.default_rng(0))
    active, p, weights, means = (
        instance.gates,
        instance.response.confidence,
        instance.weights,
        instance.curvatures,
    )
    gates, confidences = (active[:48], active[48:]), (p[:48], p[48:])

    def plain_independent():
        return [independent_output_hessian(weights, *pair) for pair in zip(gates, means, strict=True)]

    def plain_output():
        rows = [
            numpy_curvature_rows(weights, *pair).reshape(144, -1)
            for pair in zip(confidences, gates, strict=True)
        ]
        return [each.T @ each / 48 for each in rows]

    def plain_projections():
        products = (weights[:, None] * weights).reshape(16, -1).T
        for half, own, mean in zip(gates, confidences, means, strict=True):
            folded = (half @ products).reshape(-1, 4, 4)
            np.einsum("xab,xbd->ad", folded, curvatures(own) @ folded)
            np.einsum("xab,xbd->ad", folded, mean @ folded)

    def both_projections():
        folded = sandwiches(weights, active)
        projections(folded, p, None, projected)
        projections(folded, p, means, projected)

    found, projected = np.empty((2, width, width)), np.empty((2, 4, 4))
    yield f"M, {name}", best(lambda: output_hessians(weights, active, p, found)), best(plain_output)
    compiled = best(lambda: independent_hessians(weights, active, means, found))
    yield f"M*, {name}", compiled, best(plain_independent)
    compiled = best(lambda: output_energy(weights, active, p))
    yield f"norm of M, {name}", compiled, best(lambda: np.vdot(*plain_output()))
    compiled = best(lambda: independent_energy(weights, active, means))
    yield f"norm of M*, {name}", compiled, best(lambda: np.vdot(*plain_independent()))
    yield f"projections of M and M*, {name}", best(both_projections), best(plain_projections)
    centred = (np.eye(4) - 0.25) @ weights
    compiled = best(lambda: row_span(weights))
    yield (
        f"row span of W, n = {width}",
        compiled,
        best(lambda: np.linalg.svd(centred.T, full_matrices=False)),
    )
    stack = draw_networks(width, 0.3, 4, 96, 4, np.random.default_rng(0))
    all_p, all_means = stack.responses.confidence, stack.curvatures
    compiled = best(lambda: stacked_curvatures(all_p))
    plain = best(lambda: [mean_curvature_of(all_p[:, :48]), mean_curvature_of(all_p[:, 48:])])
    yield "E[A] of four networks, 96 inputs", compiled, plain

    def plain_sums():
        first, second = np.einsum("kai,khai->hki", stack.weights, all_means @ stack.weights[:, None])
        return (first * second).sum(axis=1), (first * second * stack.active.sum(axis=1)).sum(axis=1)

    compiled = best(lambda: formula_sums(stack.weights, stack.active, all_means))
    yield f"diagonals of four networks, {name}", compiled, best(plain_sums)
    inputs = instance.response.inputs
    halves = inputs.part(slice(0, 48)), inputs.part(slice(48, 96))
    compiled = best(lambda: half_pair_sums(inputs.gram))
    yield "pairs of inputs, 96 inputs", compiled, best(lambda: pair_means(*halves))
    layer = instance.layers[0]
    gram, inner = layer.rows @ layer.rows.T, layer.input_gram
    compiled = best(lambda: scale_blocks(gram, inner, 3))
    by_four = gram.reshape(48, 3, 48, 3)
    yield (
        "Gram side of H, 48 inputs, c = 4",
        compiled,
        best(lambda: np.multiply(by_four, inner[:, None, :, None])),
    )
    hidden = np.ascontiguousarray(np.hstack(stack.responses.hidden)[:48])
    compiled = best(lambda: rectified_sums(hidden, 0.58))
    yield (
        f"energy distance of 4n units, 48 inputs, n = {width}",
        compiled,
        best(lambda: plain_distance(hidden)),
    )


def plain_distance(values):
    """The sums of an energy distance by masks, SciPy's error function and sorting."""
    away = values[values != 0]
    scaled = away / 0.58
    ordered = np.sort(np.ascontiguousarray(values.T), axis=1)
    return (
        away @ (2 * scipy.special.ndtr(scaled) - 1),
        np.exp(-0.5 * scaled**2).sum(),
        np.arange(len(values)) @ ordered.sum(axis=0),
    )


def weight_rows():
    """Sums of rows of weights; NumPy's side draws with NumPy's generator."""
    for width in (64, 512):
        compiled, plain = (kind(np.random.PCG64DXSM(1)) for kind in (FastNormals, np.random.Generator))
        yield (
            f"sums of 2048 rows of normal numbers, n = {width}",
            best(lambda w=width, r=compiled: row_sum(w, r, 2048)),
            best(lambda w=width, r=plain: row_sum(w, r, 2048)),
        )


def gate_rows():
    rng = np.random.default_rng(0)
    for samples, dimension in ((4, 1), (8, 2), (16, 5)):
        inputs, weights = (
            rng.standard_normal((512, samples, dimension)),
            rng.standard_normal((512, dimension, 2)),
        )
        out = np.empty(512)

        def plain(inputs=inputs, weights=weights):
            masked = inputs * np.all(inputs @ weights > 0, axis=2)[:, :, None]
            gram = np.square(masked @ masked.transpose(0, 2, 1))
            return gram.sum(axis=(1, 2)) - np.einsum("rnn->r", gram)

        compiled = best(lambda i=inputs, w=weights, o=out: gated_pair_sums(i, w, 2, o))
        yield f"gated pairs, 512 replicates, N = {samples}, d = {dimension}", compiled, best(plain)


def tridiagonal_rows():
    """The whole way from a matrix, its tridiagonal form included; the twin takes all eigenvalues."""
    z = 0.5 + 0.5j
    for size in (32, 64, 128, 256):
        drawn = np.random.default_rng(0).standard_normal((size, size))
        matrix = (drawn + drawn.T) / np.sqrt(2 * size)
        yield (
            f"trace of a resolvent, n = {size} (twin: all eigenvalues)",
            best(lambda m=matrix: tridiagonal_form(m).mean_resolvent(z)),
            best(lambda m=matrix: np.mean(1 / (np.linalg.eigvalsh(m) - z))),
        )
        yield (
            f"count of eigenvalues, n = {size} (twin: all of them)",
            best(lambda m=matrix: tridiagonal_form(m).count_at_most(0.5)),
            best(lambda m=matrix: (np.linalg.eigvalsh(m) <= 0.5).sum()),
        )


def cold():
    """Processor seconds until every kernel has run once, with an empty cache and again with what that left."""
    code = "import kernels; kernels.touch()"
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        for label in ("empty cache", "warm cache"):
            start = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-c", code], check=True, env=environment, cwd=os.path.dirname(__file__)
            )
            end = resource.getrusage(resource.RUSAGE_CHILDREN)
            taken = end.ru_utime + end.ru_stime - start.ru_utime - start.ru_stime
            print(f"all kernels once, {label}: {taken:.1f} s of processor time, imports included")


def touch():
    """Every kernel once at the smallest sizes."""
    rng = np.random.default_rng(0)
    reduce_models(np.ones((1, 2, 2)), np.ones((1, 2, 2)), np.empty((1, 4)))
    values, form = rng.standard_normal((3, 2)), np.eye(3)
    hidden_cross_entropy(rng, values, form, 1, 2, np.empty((2, 2)))
    hidden_square(rng, values, form, 1, 2, np.empty((2, 2)))
    output_cross_entropy(rng, values, form, 1, 2, np.empty(2))
    gated_pair_sums(np.ones((1, 2, 1)), np.ones((1, 1, 2)), 2, np.empty(1))
    curvature_rows(np.eye(2), np.full((1, 2), 0.5), np.ones((1, 2)), np.empty((1, 2)))
    pair_energy(np.eye(2), np.eye(2), 1, np.zeros(1))
    top_subspace(np.eye(4), np.eye(4)[:, :3], 1, 1, 1.0, 1)
    top_ritz_values(np.eye(4), np.ones(4), 1, 1.0, 2)
    fast = FastNormals(np.random.PCG64DXSM(0))
    for alpha in (0.0, 2.0):
        instance = draw_instance(4, alpha, 2, 4, fast)
        list(draw_response_batches(4, alpha, 2, 4, fast, 1))
    weights, active = instance.weights, instance.response.active[-1]
    unit_averages(weights, active, instance.response.logits)
    instance.layer_overlap()
    for name in ("output", "independent_energy", "independent", "projected_output", "projected_independent"):
        getattr(instance, name)
    stack = draw_networks(4, 2.0, 2, 4, 1, fast)
    for name in ("output_energy", "independent_energy", "projected_output", "projected_independent"):
        getattr(stack, name)
    stack.deviations()
    stack.formula_sums()
    rectified_sums(np.ones((2, 2)), 1.0)
    row_sum(4, fast, 2)
    form = tridiagonal_form(np.eye(3))
    form.count_at_most(0.5)
    form.mean_resolvent(1j)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cold", action="store_true")
    if parser.parse_args().cold:
        cold()
        return
    print(
        f"{machine()}; one thread, microseconds of processor time\n\n"
        "| what | compiled | NumPy | ratio |\n|---|---|---|---|"
    )
    for rows in (
        linear_rows,
        batch_rows,
        hidden_rows,
        wu_rows,
        network_rows,
        weight_rows,
        gate_rows,
        tridiagonal_rows,
    ):
        for name, compiled, plain in rows():
            print(f"| {name} | {compiled:.0f} | {plain:.0f} | {plain / compiled:.1f} |", flush=True)


if __name__ == "__main__":
    main()
