"""Reading cifar-100-binary, on a small file of the same format, and the synthetic stand-in."""

import importlib

import numpy as np
import pytest


@pytest.fixture
def images():
    return importlib.import_module("images")


def test_a_small_file_of_the_format(images, tmp_path):
    rng = np.random.default_rng(0)
    pixels = rng.integers(256, size=(3, 3072)).astype(np.uint8)
    labels = np.array([[1, 7], [19, 99], [0, 0]], dtype=np.uint8)
    path = tmp_path / "train.bin"
    path.write_bytes(b"".join(bytes(a) + bytes(b) for a, b in zip(labels, pixels, strict=True)))
    found, fine = images.read_cifar_100(path)
    np.testing.assert_array_equal(found, pixels)
    assert fine.tolist() == [7, 99, 0]
    path.write_bytes(b"x" * 3073)
    with pytest.raises(ValueError, match="multiple of 3074"):
        images.read_cifar_100(path)
    path.write_bytes(b"\xff" * 3074)
    with pytest.raises(ValueError, match="label"):
        images.read_cifar_100(path)


def test_fields_have_amplitude_one_over_f(images):
    fields = images.image_like(400, np.random.default_rng(1)).reshape(400, 3, 32, 32)
    power = np.square(np.abs(np.fft.fft2(fields))).mean(axis=(0, 1))
    assert power[0, 2] / power[0, 8] == pytest.approx(16, rel=0.15)
    red, green = fields[:, 0].ravel(), fields[:, 1].ravel()
    assert np.corrcoef(red, green)[0, 1] == pytest.approx(0.8, abs=0.05)
    assert images.standardised(fields).std() == pytest.approx(1)
