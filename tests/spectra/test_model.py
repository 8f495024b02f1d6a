"""Models: modules, mappings, files and folders give one table; hostile files one line."""

import contextlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rmtsim
from rmtsim.spectra import power_tail
from rmtsim.spectra._safetensors import read_safetensors


def weights(rows, columns, sigma=0.05, strength=0.0, seed=0):
    rng = np.random.default_rng(seed)
    noise = sigma * rng.standard_normal((rows, columns))
    if strength:
        left, right = rng.standard_normal(rows), rng.standard_normal(columns)
        noise += strength * np.outer(left / np.linalg.norm(left), right / np.linalg.norm(right))
    return noise


def safetensors(tensors, dtype="F32", code="<f4"):
    header, data = {}, b""
    for name, array in tensors.items():
        raw = array.astype(code).tobytes()
        header[name] = {
            "dtype": dtype,
            "shape": list(array.shape),
            "data_offsets": [len(data), len(data) + len(raw)],
        }
        data += raw
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


MODEL = {
    "first": weights(80, 40),
    "second": weights(40, 300, strength=3.0),
    "bias": np.zeros(40),
    "tiny": np.ones((5, 4)),
}


def test_every_door_gives_the_same_table(tmp_path):
    (tmp_path / "npy").mkdir()
    for name, array in MODEL.items():
        np.save(tmp_path / "npy" / f"{name}.npy", array)
    (tmp_path / "model.safetensors").write_bytes(safetensors(MODEL, "F64", "<f8"))
    tables = [
        rmtsim.model_spectrum(source, name="m").to_dict()
        for source in (MODEL, tmp_path / "npy", tmp_path / "model.safetensors")
    ]
    for table in tables:
        table["layers"].sort(key=lambda row: row["layer"])
        table["skipped"].sort(key=lambda row: row["layer"])
    assert tables[0] == tables[1] == tables[2]
    first, second = tables[0]["layers"]
    assert (first["outliers"], second["outliers"]) == (0, 1)
    assert first["sigma"] == pytest.approx(0.05, rel=0.05)
    assert [row["layer"] for row in tables[0]["skipped"]] == ["bias", "tiny"]
    assert first["stable_rank"] == pytest.approx(
        np.linalg.norm(MODEL["first"]) ** 2 / np.linalg.norm(MODEL["first"], 2) ** 2
    )


def test_long_matrices_go_through_their_gram_matrix():
    matrix = weights(600, 40, strength=2.0)
    (layer,) = rmtsim.model_spectrum({"long": matrix}).layers
    direct = rmtsim.spectrum(matrix)
    assert layer.spectrum.sigma == pytest.approx(direct.sigma, rel=1e-10)
    assert layer.spectrum.p_value == pytest.approx(direct.p_value, rel=1e-6)


def test_square_symmetric_weights_are_still_weights():
    """A symmetric weight matrix is a layer like others, not a Hessian."""
    rows = weights(40, 40)
    (layer,) = rmtsim.model_spectrum({"symmetric": rows + rows.T}).layers
    assert layer.spectrum.kind == "covariance"


def test_torch_module():
    torch = pytest.importorskip("torch")
    module = torch.nn.Sequential(torch.nn.Conv2d(12, 30, 3), torch.nn.Linear(64, 32).to(torch.bfloat16))
    model = rmtsim.model_spectrum(module)
    assert [(layer.name, layer.shape) for layer in model.layers] == [
        ("0.weight", (30, 12, 3, 3)),
        ("1.weight", (32, 64)),
    ]
    # PyTorch draws uniform(±1/√fan_in): deviation 1/√(3·fan_in).
    assert model.layers[0].spectrum.sigma == pytest.approx(1 / np.sqrt(3 * 108), rel=0.05)
    assert rmtsim.spectrum(module[1].weight).sigma == pytest.approx(model.layers[1].spectrum.sigma, rel=1e-9)


def test_bad_layers_are_left_out_and_named():
    layers = {
        "nan": np.full((20, 20), np.nan),
        "zero": np.zeros((20, 20)),
        "int": np.ones((20, 20), dtype=int),
    }
    model = rmtsim.model_spectrum({**layers, "good": weights(30, 20)})
    assert [layer.name for layer in model.layers] == ["good"]
    assert dict(model.skipped) == {
        "nan": "has NaN or infinite entries",
        "zero": "all zero",
        "int": "int64 numbers",
    }


def test_page_is_escaped_and_whole(tmp_path):
    seen = []
    name = "<script>alert(1)</script>$x_{"
    model = rmtsim.model_spectrum(
        {name: weights(40, 30), "misfit": weights(90, 60) * np.linspace(0.2, 3, 60)}, progress=seen.append
    )
    assert seen == [name, "misfit"]
    model.save_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert text.count("data:image/png;base64,") == 2
    assert "http:" not in text
    assert "https:" not in text
    assert "NO FIT" in text
    model.save_html(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    report = model.report()
    assert "NO FIT" in report
    assert "tail exponent" in report


def test_bfloat16_and_half(tmp_path):
    values = np.array([[1.0, -2.5], [0.15625, 3.0]])
    file = tmp_path / "a.safetensors"
    file.write_bytes(safetensors({"w": values}, "F16", "<f2"))
    np.testing.assert_array_equal(dict(read_safetensors(file))["w"], values)
    bits = (values.astype("<f4").view("<u4") >> 16).astype("<u2")
    header = json.dumps({"w": {"dtype": "BF16", "shape": [2, 2], "data_offsets": [0, 8]}}).encode()
    file.write_bytes(struct.pack("<Q", len(header)) + header + bits.tobytes())
    np.testing.assert_array_equal(dict(read_safetensors(file))["w"], values)


def _file(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


GOOD = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1234567",
        _file({"w": GOOD}, b"\0" * 8, length=2**63),
        _file({"w": GOOD}, b"\0" * 7),
        _file(b"[1, 2]"),
        _file(b"[" * 100_000),
        _file(b'{"w": 1}'),
        _file(b'{"w": {}, "w": {}}'),
        _file(b"\xff\xfe{}"),
        _file({"w": {**GOOD, "dtype": "Q9"}}, b"\0" * 8),
        _file({"w": {**GOOD, "dtype": 3}}, b"\0" * 8),
        _file({"w": {**GOOD, "shape": [3]}}, b"\0" * 8),
        _file({"w": {**GOOD, "shape": [-2]}}, b"\0" * 8),
        _file({"w": {**GOOD, "shape": [True, True]}}, b"\0" * 8),
        _file({"w": {**GOOD, "shape": [2**40, 2**40]}}, b"\0" * 8),
        _file({"w": {**GOOD, "data_offsets": [8, 0]}}, b"\0" * 8),
        _file({"w": {**GOOD, "data_offsets": [0, 800]}}, b"\0" * 8),
        _file({"w": GOOD, "v": {**GOOD, "data_offsets": [4, 12]}}, b"\0" * 12),
    ],
)
def test_hostile_safetensors_are_one_line(tmp_path, content):
    file = tmp_path / "bad.safetensors"
    file.write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.safetensors: not a safetensors file") as error:
        list(read_safetensors(file))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


@settings(deadline=None, max_examples=60)
@given(place=st.integers(0, 400), value=st.integers(0, 255))
def test_any_changed_byte_is_read_or_refused(tmp_path_factory, place, value):
    content = bytearray(safetensors({"w": weights(12, 4)}))
    content[place % len(content)] = value
    file = tmp_path_factory.getbasetemp() / "flip.safetensors"
    file.write_bytes(content)
    with contextlib.suppress(ValueError):  # anything else is a failure
        assert all(array.size <= 48 for _, array in read_safetensors(file))


@pytest.mark.parametrize(
    "content", [b"", b"not numpy", b"\x93NUMPY\x01\x00\xff\xff", b"\x93NUMPY" + b"\0" * 200]
)
def test_hostile_npy_is_one_line(tmp_path, content):
    (tmp_path / "bad.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"bad\.npy: not an \.npy file") as error:
        rmtsim.model_spectrum(tmp_path)
    assert "\n" not in str(error.value)


def test_pickles_are_refused(tmp_path):
    np.save(tmp_path / "bad.npy", np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="npy file of numbers"):
        rmtsim.model_spectrum(tmp_path)


def test_doors_that_are_none(tmp_path):
    with pytest.raises(ValueError, match="no such file"):
        rmtsim.model_spectrum(tmp_path / "nothing")
    with pytest.raises(ValueError, match=r"no \.npy, \.npz, \.safetensors"):
        rmtsim.model_spectrum(tmp_path)
    with pytest.raises(TypeError, match="source=int"):
        rmtsim.model_spectrum(3)
    with pytest.raises(ValueError, match="level=2"):
        rmtsim.model_spectrum(MODEL, level=2)


def test_power_tail_error_covers_the_truth():
    """200 samples of 300 independent Pareto values: the exponent within two of its errors in 90 to 99 %, cut fixed."""
    rng, inside = np.random.default_rng(0), 0
    for _ in range(200):
        tail = power_tail(rng.pareto(1.5, 300) + 1)
        inside += abs(tail.exponent - 2.5) < 2 * tail.error
    assert 0.85 < inside / 200 <= 1
    assert power_tail(np.ones(12)) is None
