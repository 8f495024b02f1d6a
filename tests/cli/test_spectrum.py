"""``rmtsim spectrum`` from files: text, JSON, figure, page; errors in one line."""

import json

import numpy as np
import pytest

from rmtsim.cli import main


@pytest.fixture
def data(tmp_path):
    x = np.random.default_rng(0).standard_normal((90, 30))
    x[:, 0] *= 4
    np.save(tmp_path / "data.npy", x)
    np.save(tmp_path / "eigs.npy", np.linalg.eigvalsh(x.T @ x / 90))
    np.savetxt(tmp_path / "eigs.txt", np.linalg.eigvalsh(x.T @ x / 90))
    return tmp_path


def test_eigenvalues_matrix_and_text_agree(data, capsys):
    found = []
    for arguments in (["eigs.npy", "--samples", "90"], ["eigs.txt", "--samples", "90"], ["data.npy"]):
        assert main(["spectrum", str(data / arguments[0]), *arguments[1:], "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert all(result["rank"] == 1 for result in found)
    assert found[0]["sigma"] == pytest.approx(found[2]["sigma"])
    assert main(["spectrum", str(data / "data.npy"), "--plot", str(data / "s.png")]) == 0
    assert "outliers   1 at level 0.05" in capsys.readouterr().out
    assert (data / "s.png").stat().st_size > 1000


def test_a_file_with_one_symmetric_matrix_is_no_layer(tmp_path, capsys):
    torch = pytest.importorskip("torch", reason="PyTorch (extra `torch`) is not installed")
    half = torch.from_numpy(np.random.default_rng(0).standard_normal((40, 40)))
    for source, shown in ((half + half.T, "symmetric matrix of size 40"), (half, "1 layers")):
        torch.save(source, tmp_path / "h.pt")
        assert main(["spectrum", str(tmp_path / "h.pt")]) == 0
        assert shown in capsys.readouterr().out


def test_a_folder_is_a_model(data, capsys):
    (data / "eigs.npy").unlink()
    arguments = ["spectrum", str(data), "--html", str(data / "m.html"), "--figures", str(data / "figures")]
    assert main(arguments) == 0
    out = capsys.readouterr().out
    assert "data" in out
    assert "stable rank" in out
    assert "data:image/png" in (data / "m.html").read_text(encoding="utf-8")
    assert [file.name for file in (data / "figures").iterdir()] == ["000_data.png"]
    assert main([*arguments, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["layers"][0]["outliers"] == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.npy"], "no such file"),
        (["eigs.npy", "--kind", "covariance"], "samples=None"),
        (["eigs.npy", "--samples", "90", "--level", "0.9"], "level=0.9"),
        (["eigs.npy", "--samples", "90", "--population", "1,x"], "--population 1,x"),
        (["eigs.npy", "--samples", "90", "--plot", "s.gif"], "--plot s.gif"),
        ([".", "--samples", "90"], "--samples"),
        (["words.txt", "--samples", "90"], "not a table"),
        (["words.dat"], "expected a file that ends in"),
    ],
)
def test_bad_input_is_one_line(data, capsys, monkeypatch, arguments, message):
    monkeypatch.chdir(data)
    for name in ("words.txt", "words.dat"):
        (data / name).write_text("a b c\n", encoding="utf-8")
    assert main(["spectrum", *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_help_teaches(capsys):
    with pytest.raises(SystemExit):
        main(["spectrum", "--help"])
    text = capsys.readouterr().out
    for word in ("--samples", "rows are samples", "p-value", "spike", "examples:"):
        assert word in text
