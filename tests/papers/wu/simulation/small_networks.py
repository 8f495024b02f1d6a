"""Networks small enough that their Hessians are formed, input by input."""

import numpy as np

from rmtsim.papers.wu.simulation.relu_network import draw_inputs, draw_network, respond


def small(seed, units=7, classes=3, count=24, alpha=0.3, depth=2):
    rng = np.random.default_rng(seed)
    network = draw_network(units, alpha, classes, rng, depth=depth)
    return network, respond(network, draw_inputs(count, network.weights[0].shape[1], rng))


def curvatures(response):
    return [np.diag(p) - np.outer(p, p) for p in response.confidence]


def dense_layer(network, response):
    total = 0
    for x, on, a in zip(response.inputs.values, response.active[-1], curvatures(response), strict=True):
        d = np.diag(on)
        total = total + np.kron(d @ network.weights[-1].T @ a @ network.weights[-1] @ d, np.outer(x, x))
    return total / len(response.logits)
