"""Twins of the statements of Section 3.3 and appendix B.1."""

import numpy as np

from tests.papers.twinning import twin


def teacher(size, rng, spread):
    return (spread / 2 * rng.normal(size=(3, 4))) @ rng.normal(size=(size, 4)).T


def softmax(logits):
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def lowered(size, rng, shift, spread):
    """log p*, log p, p⁻, Z/Z* of the contexts that are kept, and the word."""
    logits = teacher(size, rng, spread)
    p = softmax(logits)
    word = int(np.argmin(p[0, :3]))
    kept = logits[p[:, word] <= 0.5]
    student = kept.copy()
    student[:, word] -= shift
    one, two = softmax(kept), softmax(student)
    quotient = np.exp(student).sum(axis=1) / np.exp(kept).sum(axis=1)
    return np.log(one), np.log(two), one[:, word], quotient, word


POINTS = [(5, {"shift": 1.0, "spread": 1.0}), (8, {"shift": 3.0, "spread": 2.0})]


def divergence(one, two):
    return np.sum(np.exp(one) * (one - two), axis=1)


@twin("loglinear.thm3.3.1", POINTS, replicates=3000)
def bound(size, rng, shift, spread):
    one, two, rare, _, _ = lowered(size, rng, shift, spread)
    return np.max(divergence(one, two) / (2 * shift * rare))


@twin("loglinear.eqB.3", POINTS, replicates=3000)
def partition(size, rng, shift, spread):
    _, _, rare, quotient, _ = lowered(size, rng, shift, spread)
    return max(np.max((1 - rare) / quotient), np.max(quotient))


@twin(
    {"loglinear.eqB.8": {"corrected": False}, "loglinear.eqB.8/corrected": {"corrected": True}},
    POINTS,
    replicates=3000,
    accuracy=1e-12,
)
def expansion(size, rng, shift, spread, corrected):
    one, two, rare, quotient, _ = lowered(size, rng, shift, spread)
    log = np.log(quotient)
    stated = log + shift * rare if corrected else (1 - rare) * log + rare * shift * log
    return np.max(np.abs(divergence(one, two) - stated)) / (1 + shift)


@twin(
    {"loglinear.eqB.9": {"corrected": False}, "loglinear.eqB.9/corrected": {"corrected": True}},
    POINTS,
    replicates=3000,
)
def chain(size, rng, shift, spread, corrected):
    one, two, rare, _, _ = lowered(size, rng, shift, spread)
    stated = rare * (shift + np.exp(-shift) - 1) if corrected else -shift * rare * np.log(1 - rare)
    return np.max(divergence(one, two) / stated)


@twin("loglinear.eqB.5", POINTS, replicates=50, accuracy=1e-12)
def ratios(size, rng, shift, spread):
    one, two, _, quotient, word = lowered(size, rng, shift, spread)
    gap = one - two - np.log(quotient)[:, None] - shift * (np.arange(size) == word)
    return np.abs(gap).max() / (1 + shift)


@twin("loglinear.thm3.3.2", [(5, {"spread": 1.0}), (8, {"spread": 3.0})], replicates=50, accuracy=1e-12)
def useless(size, rng, spread):
    logits = teacher(size, rng, spread)
    weights, thresholds = rng.normal(size=(2, size))
    student = logits + thresholds.min() - logits.max() - 1e-3
    change = np.abs(np.log(softmax(student)) - np.log(softmax(logits))).max() / (1 + spread)
    return max(change, np.abs(np.maximum(student - thresholds, 0) @ weights).max())


@twin("loglinear.thm3.3.1.task", POINTS, replicates=50, accuracy=1e-12)
def task(size, rng, shift, spread):
    one, two, _, quotient, word = lowered(size, rng, shift, spread)
    weights = rng.normal(size=3)
    # logit - logit* = log(p/p*) + log(Z/Z*)
    change = ((two - one + np.log(quotient)[:, None])[:, :3] * weights).sum(axis=1)
    return np.abs(change + shift * weights[word]).max() / (1 + shift)


@twin("loglinear.eq3.7", [(5, {"spread": 1.0}), (8, {"spread": 3.0})], replicates=50, accuracy=1e-12)
def anchor_task(size, rng, spread):
    contexts, atoms = spread / 2 * rng.normal(size=(3, 4)), rng.normal(size=(size, 4))
    weights, thresholds = rng.normal(size=(2, size))
    anchor = rng.normal(size=4)
    logits = contexts @ atoms.T
    raised = thresholds.min() - logits.max() - 1e-3
    student = logits + raised
    inner = (contexts @ anchor)[:, None]
    one = np.maximum(logits - inner - thresholds, 0) @ weights
    two = np.maximum(student - inner - raised - thresholds, 0) @ weights
    return np.abs(one - two).max() / np.abs(weights).sum()


@twin(
    {
        "loglinear.sec3.3.1.threshold": {"corrected": False},
        "loglinear.sec3.3.1.threshold/corrected": {"corrected": True},
    },
    [(5, {}), (8, {})],
    replicates=5000,
)
def needed_shift(size, rng, corrected):
    while True:
        logits, weights = rng.normal(size=(2, size))
        word = rng.integers(size)
        shift = weights @ logits / weights[word]
        p = softmax(logits[None])[0]
        if p[word] <= 0.5 and abs(shift) < 50 and (shift > 0 or not corrected):
            break
    student = logits.copy()
    student[word] -= shift
    d = p @ np.log(p / softmax(student[None])[0])
    return (d - 2 * p[word] * shift) / (1 + abs(shift))
