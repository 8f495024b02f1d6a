"""Leading eigenvalues of M, H and M ⊗ E[xxᵀ] at initialisation: c-1 outliers; and of H for centred inputs: none.

The law of the outliers over random weights at this width, to first order, is drawn beside one network's eigenvalues.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import harness
import numpy as np

from rmtsim._internal.randomness import stream
from rmtsim.papers.wu.simulation.eigenspaces import top_eigenspace
from rmtsim.papers.wu.simulation.layer_hessian import LayerHessian
from rmtsim.papers.wu.simulation.output_hessian import input_autocorrelation, output_hessian
from rmtsim.papers.wu.simulation.relu_network import draw_response
from rmtsim.papers.wu.theory.curvature import outlier_eigenvalues

NAME = "wu_spectrum"


def options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--width", type=harness.positive_integer, default=300)
    parser.add_argument("--alpha", type=float, default=0.3)
    parser.add_argument("--classes", type=harness.positive_integer, default=10)
    parser.add_argument("--inputs", type=harness.positive_integer, default=1500)
    parser.add_argument("--show", type=harness.positive_integer, default=30)
    parser.add_argument("--seed", type=int, default=0)


def measure(arguments: argparse.Namespace) -> Mapping[str, Any]:
    series: dict[str, list[float]] = {}
    theory: dict[str, dict[str, list[float]]] = {}
    for centred in (False, True):
        rng = stream(arguments.seed, NAME, {"centred": centred}, arguments.width, 0)
        (weights,), response = draw_response(
            arguments.width, arguments.alpha, arguments.classes, arguments.inputs, rng, centred=centred
        )
        layer = LayerHessian(weights, response).top(1, extra=arguments.show - 1, tolerance=1e-6).values
        if centred:
            series["H, centred inputs"] = layer.tolist()
            continue
        output = top_eigenspace(output_hessian(weights, response), arguments.show).values
        top, bulk = input_autocorrelation(response.inputs.dimension)
        # Every eigenvalue of M times the bulk of E[xxᵀ] comes d-1 times.
        products = np.concatenate([output * top, np.repeat(output * bulk, arguments.show)])
        limits = outlier_eigenvalues(arguments.classes, arguments.width)
        for name, factor in (("M", 1.0), ("H", top), ("M ⊗ E[xxᵀ]", top)):
            low, middle, high = factor * np.quantile(limits, (0.1, 0.5, 0.9), axis=0)
            theory[name] = {"low": low.tolist(), "median": middle.tolist(), "high": high.tolist()}
        series["M"] = output.tolist()
        series["H"] = layer.tolist()
        series["M ⊗ E[xxᵀ]"] = np.sort(products)[::-1][: arguments.show].tolist()
    return {"width": arguments.width, "series": series, "outliers": arguments.classes - 1, "theory": theory}


def draw(data: Mapping[str, Any], path: Path) -> None:
    from wu_figures import spectrum

    from rmtsim.plots._style import save

    save(spectrum(data["series"], data["outliers"], data["theory"]), path)


if __name__ == "__main__":
    harness.run(NAME, __doc__ or "", measure, draw, options)
