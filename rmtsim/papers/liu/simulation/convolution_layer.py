"""A convolutional layer (91) with filters of three pixels: shifted images, and its derivatives as matrices."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator

from rmtsim._internal.arrays import Array
from rmtsim.papers.liu.simulation.architectures import IMAGE, convolutional

FILTER, PIXELS, CENTRE = 3, 4, 1


def shifted(image: Array, k: int) -> Array:
    """α^[k]: pixel q holds α at q + k - (K+1)/2, zeros beyond the ends; k counts from zero here."""
    found = np.zeros_like(image)
    for q in range(image.shape[1]):
        if 0 <= q + k - CENTRE < image.shape[1]:
            found[:, q] = image[:, q + k - CENTRE]
    return found


def convolved(weights: Any, image: Any) -> Any:
    """Eq. (91) on arrays of any numbers, filters (K, m, m) and an image (m, Q); zeros beyond the ends."""
    total = 0 * image
    for k in range(FILTER):
        for q in range(PIXELS):
            if 0 <= q + k - CENTRE < PIXELS:
                total[:, q] = total[:, q] + weights[k].dot(image[:, q + k - CENTRE])
    return total


class DenseConvolution:
    """The second layer of a convolutional network as matrices: rows are (channel, pixel), no factor 1/√m."""

    def __init__(self, size: int, rng: Generator, activation: str):
        network = convolutional(size, rng, activation)
        passed = network.forward(rng.standard_normal(IMAGE.shape))
        layer, weight = network.architecture.layers[1], network.weights[1]
        image = network.architecture.layers[0].activation(passed.before[0]).T
        images = [shifted(image, k) for k in range(FILTER)]
        in_image = np.zeros((size, PIXELS, size, PIXELS))
        in_weights = np.zeros((size, PIXELS, size, size, FILTER))
        for k, moved in enumerate(images):
            for q in range(PIXELS):
                if 0 <= q + k - CENTRE < PIXELS:
                    in_image[:, q, :, q + k - CENTRE] += weight[:, :, k]
                in_weights[np.arange(size), q, np.arange(size), :, k] = moved[:, q]
        self.in_image = in_image.reshape(size * PIXELS, -1)
        self.in_weights = in_weights.reshape(size * PIXELS, -1)
        self.slopes, self.curvature = (
            layer.activation.derivative(passed.before[1].T.ravel(), order) for order in (1, 2)
        )
        self.filter_norms = float(sum(np.linalg.norm(weight[:, :, k], 2) for k in range(FILTER)))
        """Σ_k ‖W^[k]‖."""
        self.image_norms = float(sum(map(np.linalg.norm, images)))
        """Σ_k ‖α^[k]‖_F."""
