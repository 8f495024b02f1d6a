import json

import numpy as np
import pytest

from rmtsim.cli import main


@pytest.mark.parametrize(
    "options",
    [
        ["wigner"],
        ["two-block", "--across", "0.5"],
        ["deformed", "--separation", "2"],
        ["wishart"],
        ["rectangular"],
        ["banded", "--size", "12"],
    ],
)
def test_shapes(options, capsys):
    assert main(["law", "dyson", "--profile", *options, "--json", "--moments", "2"]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["law"] == "dyson"
    atoms = sum(atom["mass"] for atom in result["atoms"])
    assert sum(result["masses"]) + atoms == pytest.approx(1, abs=1e-6)


def test_file_and_plot(tmp_path, capsys):
    profile = tmp_path / "p.csv"
    np.savetxt(profile, np.ones((3, 3)) / 3, delimiter=",")
    picture = tmp_path / "p.png"
    assert (
        main(["law", "dyson", "--variances", str(profile), "--mean", "-2,0,2", "--plot", str(picture)]) == 0
    )
    assert picture.stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "exactly one"),
        (["--profile", "two-block", "--across", "-1"], "expected a finite number >= 0"),
        (["--profile", "separable", "--correlation", "1.5"], "correlation=1.5"),
        (["--profile", "wigner", "--variance", "-1"], "--variance=-1.0"),
        (["--profile", "wigner", "--mean", "1"], "--mean"),
        (["--variances", "/nowhere/x.npy"], "x.npy"),
    ],
)
def test_bad_usage(options, message, capsys):
    assert main(["law", "dyson", *options]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
