"""Valid arguments of the functions of `liu`, for the fuzz trials of tests/hostile."""

import numpy as np

from tests.hostile.values import matrix, rng

_SMOOTH = {"activation": lambda: "tanh", "x": lambda: 1.0}
_AT = {"x": lambda: 0.7}
_SHALLOW = _AT | {"activation": lambda: "tanh", "output": lambda: "softplus"}
_BATCH = {"parameters": lambda: np.random.default_rng(3).standard_normal((4, 2, 6))}
WRITTEN = {
    "simulation.wide_convolutions.sample_convolutions": {
        "channels": lambda: (2, 5), "count": lambda: 2, "rng": rng, "image": lambda: np.ones((4, 2)),
        "sigma": lambda: "tanh", "filter_size": lambda: 3, "radius": lambda: 1.0,
    },
    "theory.bent_output.sine_kernel": {"inputs": lambda: np.array([0.8, 2.0])},
    "theory.bent_output.bent_kernel_change": {
        "bend": lambda: 0.5, "inputs": lambda: np.array([0.8, 2.0]), "targets": lambda: np.array([1.0, -1.0]),
        "steps": lambda: 3, "rate": lambda: 0.1, "nodes": lambda: 6,
    },
    **{
    f"theory.one_hidden_layer.{name}": _SMOOTH
    for name in (
        "criterion_constant", "hessian_constant", "hessian_deficit_rate", "kernel_limit", "output_variance",
    )
},
    "theory.activations.derivative": {
        "activation": lambda: "tanh", "z": lambda: [0.0, 1.0], "order": lambda: 1,
    },
    "theory.gaussian.expectation": {"function": lambda: np.cos, "variance": lambda: 1.0},
    "theory.one_hidden_layer.trained_hessian_exceedance": {**_SMOOTH, "level": lambda: 1.0},
    "theory.one_hidden_layer.trained_hessian_median": {**_SMOOTH, "log_width": lambda: 5.0},
    "theory.one_hidden_layer.trained_hessian_quantile": {
        **_SMOOTH, "log_width": lambda: 5.0, "probability": lambda: 0.3,
    },
    "theory.deep.logarithm_as_power": {"smallest": lambda: 16.0, "largest": lambda: 256.0},
    "simulation.tensor_norm.tensor_norm_221": {
        "tensor": lambda: np.random.default_rng(0).standard_normal((2, 3, 4)), "exact_up_to": lambda: 10,
    },
    **{
        f"theory.bottleneck.{name}": _AT
        for name in ("block_norm_mean", "bottleneck_norm_mean", "bottleneck_kernel_mean")
    },
    "theory.bottleneck.block_norm_cdf": _AT | {"values": lambda: [0.5, 1.0]},
    "theory.bottleneck.bottleneck_norm_cdf": _AT | {"values": lambda: [0.5, 1.0]},
    "theory.bottleneck.bottleneck_kernel_change": {"label": lambda: 1.0},
    "theory.bottleneck.survival_in_ball": {"radius": lambda: 0.5},
    "theory.bottleneck.shifted_sum_floor": {"radius": lambda: 0.5},
    **{
        f"theory.nonlinear_output.{name}": {key: _SHALLOW[key] for key in keys.split()}
        for name, keys in (
            ("output_variance", "activation x"),
            ("output_kernel_limit", "activation output x"),
            ("output_hessian_limit", "activation output x"),
        )
    },
    "theory.nonlinear_output.output_kernel_change": {
        "activation": lambda: "tanh", "x": lambda: 0.7, "label": lambda: 1.0,
    },
    "simulation.rank_one.rank_one_norms": {
        "diagonal": lambda: matrix(2, 4), "vector": lambda: matrix(2, 4), "weight": lambda: [0.5, -1.0],
    },
    "simulation.bottleneck.sample_bottlenecks": {"width": lambda: 6, "count": lambda: 2, "rng": rng},
    "simulation.bottleneck.bottleneck_gradients": _BATCH | _AT,
    "simulation.bottleneck.bottleneck_norms": _BATCH | _AT | {"blocks": lambda: 3},
    "simulation.bottleneck.stratified_bottlenecks": {
        "width": lambda: 6, "count": lambda: 2, "strata": lambda: 3, "rng": rng,
    },
    "simulation.bottleneck.distance_to_flat_point": _BATCH | _AT,
    "simulation.bottleneck.bottleneck_flow": _BATCH | {"label": lambda: 1.0},
    "simulation.wide_networks.in_portions": {"count": lambda: 3, "widths": lambda: (3, 5, 1)},
    "simulation.wide_networks.sample_wide": {
        "widths": lambda: (3, 5, 5, 1), "count": lambda: 2, "rng": rng, "x": lambda: np.ones(3),
        "sigma": lambda: "tanh", "skips": lambda: True,
    },
}  # fmt: skip
"""By the name of a function in the paper's package."""

CHECKED = (
    "bottleneck",
    "rank_one",
    "tensor_norm",
    "wide_convolutions",
    "wide_networks",
)
"""Modules of the simulation whose functions check their arguments; the others are parts of statements."""

EXCUSED = (
    "simulation.bottleneck.group_means",  # takes a function that measures
    "simulation.tensor_norm.random_tensor",  # parts of statements
    "simulation.wide_networks.of_many",
    "simulation.wide_networks.WideNetworks",
    "simulation.wide_convolutions.WideConvolutions",
)
"""Functions of checked modules whose callers check the arguments, or that have a test of their own."""
