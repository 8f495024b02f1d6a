"""Arrays from files: tables with a header, archives, and weights by PyTorch, read without running code."""

import io
import os
import pickle
import zipfile
from collections import OrderedDict

import numpy as np
import pytest

from rmtsim.spectra import model_spectrum, spectrum
from rmtsim.spectra._checkpoint import read_checkpoint
from rmtsim.spectra._files import read_file

DATA = np.random.default_rng(0).standard_normal((30, 12))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "x,y\n1,2\n3,4\n"),
        ("b.csv", '"x";"y"\n1;2\n3;4\n'),
        ("c.tsv", "x\ty\n1\t2\n3\t4\n"),
        ("d.txt", "# comment\n1 2\n3   4\n\n"),
        ("e.csv", "\ufeffx, y\n1, 2\n3, 4\n"),
        ("f.csv", "1,2\r\n3,4\r\n"),
    ],
)
def test_tables(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert read_file(tmp_path / name).tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x,y\n1,2\n3,\n", "1 of 4 entries are missing.*1 of 2 are complete"),
        ("x,kind\n1,red\n3,blue\n", "'kind': text"),
        ("x,y\n1,2\n3\n", "row 2 has 1 entries"),
        ("x,y\n", "header without rows"),
        ("\n", "no numbers"),
        ("x,y\n1,inf\n3,4\n", "'y': text or infinite"),
    ],
)
def test_tables_that_are_none(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        read_file(tmp_path / "t.csv")


def test_one_column_is_a_list(tmp_path):
    (tmp_path / "t.csv").write_text("eigenvalue\n1\n-2\n3\n", encoding="utf-8")
    assert spectrum(tmp_path / "t.csv").kind == "wigner"


def test_archives(tmp_path):
    np.savez_compressed(tmp_path / "one.npz", data=DATA)
    np.savez(tmp_path / "two.npz", first=DATA, second=DATA + 1)
    assert spectrum(tmp_path / "one.npz").to_dict() == spectrum(DATA).to_dict()
    with pytest.raises(ValueError, match=r"2 arrays \(first, second\)"):
        spectrum(str(tmp_path / "two.npz"))
    assert [layer.name for layer in model_spectrum(tmp_path / "two.npz").layers] == ["first", "second"]
    np.savez(tmp_path / "objects.npz", data=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="not an array of numbers"):
        spectrum(tmp_path / "objects.npz")
    (tmp_path / "broken.npz").write_bytes((tmp_path / "one.npz").read_bytes()[:-40])
    with pytest.raises(ValueError, match=r"not an \.npz file"):
        spectrum(tmp_path / "broken.npz")


class Call:
    """Pickles to a call of any function."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


class _Storage:
    def __init__(self, kind, key):
        self.kind, self.key = kind, key


def checkpoint(path, value, storages, compression=zipfile.ZIP_STORED):
    """A file like those of ``torch.save``; ``value`` may hold ("tensor", kind, key, offset, shape, stride)."""

    class Pickler(pickle._Pickler):
        def persistent_id(self, item):
            return (
                ("storage", Name("torch", item.kind), item.key, "cpu", 0)
                if isinstance(item, _Storage)
                else None
            )

        def save(self, item, save_persistent_id=True):
            if isinstance(item, Name):
                self.write(f"c{item.module}\n{item.name}\n".encode())
                return
            if isinstance(item, tuple) and item[:1] == ("tensor",):
                _, kind, key, offset, shape, stride = item
                self.save(Name("torch._utils", "_rebuild_tensor_v2"))
                self.save((_Storage(kind, key), offset, shape, stride, False, OrderedDict()))
                self.write(pickle.REDUCE)
                return
            super().save(item, save_persistent_id)

    stream = io.BytesIO()
    Pickler(stream, protocol=2).dump(value)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("m/data.pkl", stream.getvalue())
        for key, raw in storages.items():
            archive.writestr(f"m/data/{key}", raw)


class Name:
    def __init__(self, module, name):
        self.module, self.name = module, name


WEIGHTS = np.arange(6, dtype="<f4")


def test_checkpoint_without_torch(tmp_path):
    tensor = ("tensor", "FloatStorage", "0", 0, (2, 3), (3, 1))
    turned = ("tensor", "FloatStorage", "0", 1, (2, 2), (1, 3))
    half = ("tensor", "BFloat16Storage", "1", 0, (2,), (1,))
    value = {"model": OrderedDict(w=tensor, t=turned), "half": half, "epoch": 3, "names": ["a"]}
    raw = {"0": WEIGHTS.tobytes(), "1": np.array([0x3F80, 0xC000], dtype="<u2").tobytes()}
    checkpoint(tmp_path / "m.pt", value, raw)
    found = dict(read_checkpoint(tmp_path / "m.pt"))
    assert list(found) == ["model.w", "model.t", "half"]
    assert found["model.w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found["model.t"].tolist() == [[1, 4], [2, 5]]
    assert found["half"].tolist() == [1.0, -2.0]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (("tensor", "FloatStorage", "0", 0, (2, 4), (4, 1)), "beyond its storage"),
        (("tensor", "FloatStorage", "0", 0, (10**6, 10**6), (0, 0)), "repeats its storage"),
        (("tensor", "FloatStorage", "0", -1, (2,), (1,)), "no valid storage"),
        (("tensor", "FloatStorage", "9", 0, (2,), (1,)), "cannot be read"),
        (("tensor", "OddStorage", "0", 0, (2,), (1,)), "torch.OddStorage"),
        (Call(os.mkdir, "marker"), "mkdir"),
        (Call(eval, "open('marker', 'w')"), "eval"),
        (Call(print, "x"), "state_dict"),
    ],
)
def test_checkpoints_that_are_none(tmp_path, monkeypatch, value, message):
    monkeypatch.chdir(tmp_path)
    checkpoint(tmp_path / "m.pt", {"x": value}, {"0": WEIGHTS.tobytes()})
    with pytest.raises(ValueError, match=message):
        list(read_checkpoint(tmp_path / "m.pt"))
    assert not (tmp_path / "marker").exists()


def test_damaged_checkpoints(tmp_path):
    path = tmp_path / "m.pt"
    path.write_bytes(b"\x80\x02}q\x00.")
    with pytest.raises(ValueError, match=r"no zip archive.*PyTorch 1\.6"):
        list(read_checkpoint(path))
    checkpoint(path, {"x": 1}, {"0": bytes(10**6)}, zipfile.ZIP_DEFLATED)
    with pytest.raises(ValueError, match="more than twice its size"):
        list(read_checkpoint(path))


def test_checkpoint_by_torch(tmp_path):
    torch = pytest.importorskip("torch")
    model = torch.nn.Sequential(
        torch.nn.Linear(20, 30), torch.nn.BatchNorm1d(30), torch.nn.Linear(30, 16).double()
    )
    torch.save(model.state_dict(), tmp_path / "m.pt")
    found = dict(read_checkpoint(tmp_path / "m.pt"))
    for name, tensor in model.state_dict().items():
        np.testing.assert_array_equal(found[name], tensor.numpy())
    torch.save(
        {"a": torch.nn.Parameter(torch.ones(3, 4).T), "b": torch.ones(2).bfloat16()}, tmp_path / "p.pt"
    )
    found = dict(read_checkpoint(tmp_path / "p.pt"))
    assert found["a"].shape == (4, 3)
    torch.save(model, tmp_path / "whole.pt")
    with pytest.raises(ValueError, match="state_dict"):
        model_spectrum(tmp_path / "whole.pt")
