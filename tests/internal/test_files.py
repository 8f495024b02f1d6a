"""Files given by users: regular files of bounded size are read, others are refused by name."""

import errno
import os
import re
import sys

import numpy as np
import pytest

from rmtsim._internal import files, plain
from rmtsim.cli import main
from rmtsim.spectra import model_spectrum, spectrum


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_pipe_is_refused_at_once(pipe):
    with (
        pytest.raises(ValueError, match=r"pipe: expected a regular file, and this is a pipe"),
        files.open_regular(pipe),
    ):
        pass


def test_a_device_behind_a_link_is_refused(tmp_path):
    (tmp_path / "endless.csv").symlink_to("/dev/zero")
    with (
        pytest.raises(ValueError, match=r"endless\.csv: expected a regular file"),
        files.open_regular(tmp_path / "endless.csv"),
    ):
        pass


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ValueError, match="this is a folder"), files.open_regular(tmp_path):
        pass


def test_the_limit_of_size_can_be_raised(tmp_path, monkeypatch):
    (tmp_path / "numbers.txt").write_text("1 2 3")
    monkeypatch.setenv("RMTSIM_LARGEST_FILE", "4")
    with pytest.raises(
        ValueError, match=r"numbers\.txt: .* set RMTSIM_LARGEST_FILE to a larger number of bytes"
    ):
        files.read_text(tmp_path / "numbers.txt")
    monkeypatch.setenv("RMTSIM_LARGEST_FILE", "5e3")
    assert files.read_text(tmp_path / "numbers.txt") == "1 2 3"


@pytest.mark.parametrize("text", ["much", "-1", "0", "nan", "inf", "1e40"])
def test_a_limit_that_is_no_number_is_refused(monkeypatch, text):
    monkeypatch.setenv("RMTSIM_LARGEST_FILE", text)
    with pytest.raises(ValueError, match=r"RMTSIM_LARGEST_FILE=.*expected a number of bytes"):
        files.largest_file()


def test_errors_have_the_name_of_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as raised:
        files.read_text(tmp_path / "missing")
    assert raised.value.filename == str(tmp_path / "missing")
    (tmp_path / "latin").write_bytes(b"caf\xe9")
    with pytest.raises(ValueError, match=r"latin: not text in UTF-8 \(unexpected end of data at byte 3\)"):
        files.read_text(tmp_path / "latin")
    (tmp_path / "there").write_text("x")
    with pytest.raises(OSError, match="there") as raised, files.open_regular(tmp_path / "there"):
        raise OSError(errno.EIO, "Input/output error")
    assert raised.value.filename == str(tmp_path / "there")


# ---- Commands ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["x.npy", "x.txt", "x.csv", "x.safetensors"])
@pytest.mark.parametrize("target", ["pipe", "/dev/zero"])
def test_spectrum_reads_regular_files_only(tmp_path, pipe, capsys, name, target):
    (tmp_path / name).symlink_to(target)
    assert main(["spectrum", str(tmp_path / name)]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1
    assert name in err


def test_variances_from_a_pipe_are_refused(pipe, capsys):
    assert main(["law", "dyson", "--variances", str(pipe)]) == 2
    assert "pipe" in capsys.readouterr().err


def test_names_of_tensors_are_escaped_everywhere(tmp_path, capsys):
    rng = np.random.default_rng(0)
    model = model_spectrum(
        {"a\x1b[2J‮b": rng.standard_normal((60, 30)), "\x07bias": np.ones(3)}, name="m\x1b]0;x\x07"
    )
    shown = model.report() + str(model.to_dict())
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f‪-‮]", shown)
    assert "a\\x1b[2J\\u202eb" in model.report()
    np.save(tmp_path / "x\x1b[1m.npy", rng.standard_normal((60, 30)))
    page = tmp_path / "page.html"
    assert main(["spectrum", str(tmp_path), "--html", str(page)]) == 0
    assert "\x1b" not in capsys.readouterr().out + page.read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="file names are bytes")
def test_a_file_name_that_is_not_utf_8(tmp_path, capsys):
    path = os.fsdecode(os.fsencode(tmp_path / "x") + b"\xff.npy")
    np.save(path, np.random.default_rng(0).standard_normal((60, 30)))
    figure = tmp_path / "figure.png"
    assert main(["spectrum", path, "--plot", str(figure)]) == 0
    assert figure.stat().st_size > 1000
    assert "\\udcff" in capsys.readouterr().out
    found = spectrum(np.load(path), name="\udcff")
    assert found.name == plain("\udcff") == "\\udcff"
