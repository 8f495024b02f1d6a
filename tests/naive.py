"""Slow loops that say what fast code must return; each is read off a definition, none is optimised."""

from __future__ import annotations

import math

import numpy as np


def softmax_row(logits):
    weights = [math.exp(value) for value in logits]
    return [weight / math.fsum(weights) for weight in weights]


def linear_block(inputs, weights, i, j):
    """Block (i, j) of `dong` eq. (5), sample by sample and entry by entry."""
    samples, dimension = inputs.shape
    result = np.zeros((dimension, dimension))
    for x in inputs:
        p = softmax_row([sum(v * c for v, c in zip(row, x, strict=True)) for row in weights])
        curvature = p[i] * (1 - p[i]) if i == j else -p[i] * p[j]
        for a in range(dimension):
            for b in range(dimension):
                result[a, b] += curvature * x[a] * x[b] / samples
    return result
