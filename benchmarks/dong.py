"""Block norms of one-hidden-layer networks: Gram matrices against naive blocks and against torch autodiff.

python benchmarks/dong.py [--size 600] [--classes 1000]: one table of ratios, in processor time; torch is optional.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from rmtsim.papers.dong.simulation.one_hidden import sample_one_hidden
from rmtsim.papers.dong.simulation.one_hidden_hessian import forward, hidden_block
from rmtsim.papers.dong.simulation.one_hidden_norms import hidden_energies


def best(function, repeats):
    """Processor time, the least of some repeats: wall time on a shared machine is mostly waiting."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def torch_energies(network):
    """All hidden-layer blocks by differentiating the loss twice, then their norms."""
    import torch

    x, w, v = (torch.from_numpy(a) for a in (network.inputs, network.hidden, network.output))
    labels = torch.from_numpy(network.targets.argmax(axis=1))
    m, d = w.shape

    def loss(flat):
        return torch.nn.functional.cross_entropy(torch.relu(x @ flat.reshape(m, d).T) @ v.T, labels)

    hessian = torch.autograd.functional.hessian(loss, w.reshape(-1), vectorize=False)
    return hessian.reshape(m, d, m, d).square().sum(dim=(1, 3)).numpy()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=600, help="N = d")
    parser.add_argument("--classes", type=int, default=1000)
    parser.add_argument("--hidden", type=int, default=8)
    parser.add_argument("--torch-size", type=int, default=40, help="N = d where torch is compared")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    network = sample_one_hidden(arguments.size, arguments.size, arguments.hidden, arguments.classes, rng)
    gram = best(lambda: hidden_energies(forward(network, "ce")), 8)
    draw = best(
        lambda: sample_one_hidden(
            arguments.size, arguments.size, arguments.hidden, arguments.classes, np.random.default_rng(1)
        ),
        5,
    )

    def naive():
        state = forward(network, "ce")
        pairs = range(arguments.hidden)
        return [np.square(hidden_block(state, i, j)).sum() for i in pairs for j in pairs if i <= j]

    blocks = best(naive, 2)
    print(
        f"N = d = {arguments.size}, m = {arguments.hidden}, C = {arguments.classes}, CE: all pairs and diagonals"
    )
    print(f"  Gram matrix        {1e3 * gram:9.1f} ms, and {1e3 * draw:.1f} ms to draw the network")
    print(f"  blocks one by one  {1e3 * blocks:9.1f} ms   {blocks / gram:7.1f} x")
    try:
        import torch  # noqa: F401
    except ImportError:
        print("  torch is not installed")
        return
    small = sample_one_hidden(
        arguments.torch_size, arguments.torch_size, arguments.hidden, arguments.classes, rng
    )
    mine = best(lambda: hidden_energies(forward(small, "ce")), 5)
    start = time.process_time()
    theirs = torch_energies(small)
    elapsed = time.process_time() - start
    agreement = np.abs(theirs / hidden_energies(forward(small, "ce")) - 1).max()
    print(f"N = d = {arguments.torch_size}: Gram {1e3 * mine:.1f} ms, torch autodiff {1e3 * elapsed:.0f} ms")
    print(f"  {elapsed / mine:.0f} x, largest relative difference {agreement:.1e}")


if __name__ == "__main__":
    main()
