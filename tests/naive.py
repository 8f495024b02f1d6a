"""Slow reference loops for fast code; each follows a definition, none is optimised."""

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


def network_blocks(inputs, hidden, output, targets, loss):
    """(H_ww, H_vv, H_wv) of a one-hidden-layer ReLU network, sample by sample, from the chain rule on scalars."""
    samples, dimension = inputs.shape
    m, classes = hidden.shape[0], output.shape[0]
    ww = np.zeros((m, m, dimension, dimension))
    vv = np.zeros((classes, classes, m, m))
    wv = np.zeros((m, classes, dimension, m))
    for x, y in zip(inputs, targets, strict=True):
        before = [sum(a * b for a, b in zip(row, x, strict=True)) for row in hidden]
        gate = [1.0 if value > 0 else 0.0 for value in before]
        f = [max(value, 0.0) for value in before]
        logits = [sum(a * b for a, b in zip(row, f, strict=True)) for row in output]
        if loss == "mse":
            first = [2 * (a - b) for a, b in zip(logits, y, strict=True)]
            second = [[2.0 if a == b else 0.0 for b in range(classes)] for a in range(classes)]
        else:
            p = softmax_row(logits)
            first = [a - b for a, b in zip(p, y, strict=True)]
            second = [[p[a] * ((a == b) - p[b]) for b in range(classes)] for a in range(classes)]
        for i in range(m):
            for j in range(m):
                curvature = sum(
                    output[a, i] * second[a][b] * output[b, j] for a in range(classes) for b in range(classes)
                )
                ww[i, j] += gate[i] * gate[j] * curvature * np.outer(x, x) / samples
        for a in range(classes):
            for b in range(classes):
                vv[a, b] += second[a][b] * np.outer(f, f) / samples
        for i in range(m):
            for c in range(classes):
                mixed = sum(second[c][b] * output[b, i] for b in range(classes))
                row = [mixed * value for value in f]
                row[i] += first[c]
                wv[i, c] += gate[i] * np.outer(x, row) / samples
    return ww, vv, wv
