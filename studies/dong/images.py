"""Images for `dong` Figure 1: a user's own CIFAR-100 (binary version), and synthetic fields with 1/f amplitude."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SIDE, CHANNELS = 32, 3
PIXELS = CHANNELS * SIDE**2
RECORD = 2 + PIXELS
"""Bytes of an image of cifar-100-binary: coarse label, fine label, then red, green and blue planes row by row."""


def read_cifar_100(path: Path) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """(images × 3072 bytes, fine labels 0 … 99) of a file train.bin or test.bin of cifar-100-binary.

    Only the binary version is read: the pickled one can run code when it is opened.
    """
    data = np.fromfile(path, dtype=np.uint8)
    if data.size == 0 or data.size % RECORD:
        raise ValueError(f"{path}: {data.size} bytes, expected a multiple of {RECORD} (cifar-100-binary)")
    records = data.reshape(-1, RECORD)
    if records[:, 0].max() > 19 or records[:, 1].max() > 99:
        raise ValueError(f"{path}: a label above 19 (coarse) or 99 (fine), expected cifar-100-binary")
    return records[:, 2:], records[:, 1]


def image_like(count: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Gaussian fields, 32 × 32 × 3, amplitude 1/f; four fifths of the variance shared by the three colours."""
    frequency = np.hypot(*np.meshgrid(np.fft.fftfreq(SIDE), np.fft.fftfreq(SIDE)))
    frequency[0, 0] = 1 / SIDE
    grey = rng.standard_normal((count, 1, SIDE, SIDE))
    colours = np.sqrt(0.8) * grey + np.sqrt(0.2) * rng.standard_normal((count, CHANNELS, SIDE, SIDE))
    return np.fft.ifft2(np.fft.fft2(colours) / frequency).real.reshape(count, PIXELS)


def standardised(images: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean zero and variance one over all pixels of all images together."""
    centred = images - images.mean()
    return np.asarray(centred / centred.std())
