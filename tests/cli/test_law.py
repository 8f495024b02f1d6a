import json

import numpy as np
import pytest

from rmtsim.cli import main
from rmtsim.laws import GeneralizedMarchenkoPastur


def test_json_of_the_generalized_law(capsys, tmp_path):
    figure = tmp_path / "g.png"
    command = ["law", "generalized-mp", "--ratio", "10", "--atoms", "1,3,7"]
    assert main([*command, "--plot", str(figure), "--json", "--table", "30"]) == 0
    result = json.loads(capsys.readouterr().out)
    law = GeneralizedMarchenkoPastur(10, [1, 3, 7])
    assert result["support"] == [list(ends) for ends in law.support]
    assert result["atoms"] == [{"location": 0.0, "mass": 0.9}]
    assert result["moments"]["2"] == law.moment(2)
    assert sum(result["masses"]) == pytest.approx(0.1)
    rows = result["table"]
    assert len(rows) == 30
    assert [row["density"] for row in rows] == law.density([row["x"] for row in rows]).tolist()
    assert (np.diff([row["cdf"] for row in rows]) > 0).all()
    assert figure.read_bytes().startswith(b"\x89PNG")


def test_negative_atoms_are_values_not_options(capsys):
    assert (
        main(["law", "generalized-mp", "--ratio", "0.5", "--atoms", "-1,0,2", "--weights", "0.25,0.5,0.25"])
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("interval")
    assert any(line.split() == ["moment", "1", "0.25"] for line in lines)


def test_text_of_the_other_laws(capsys, tmp_path):
    assert main(["law", "mp", "--ratio", "4", "--moments", "2"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "interval  [1, 9]  mass 0.25",
        "atom      at 0  mass 0.75",
        "moment     1  1",
        "moment     2  5",
    ]
    assert main(["law", "semicircle", "--variance", "4", "--moments", "0"]) == 0
    assert capsys.readouterr().out == "interval  [-4, 4]  mass 1\n"
    figure = tmp_path / "mp.pdf"
    assert main(["law", "mp", "--ratio", "1", "--plot", str(figure), "--sample", "50"]) == 0
    assert figure.stat().st_size > 1000


def test_figures_do_not_depend_on_the_run(tmp_path):
    command = ["law", "mp", "--ratio", "0.5", "--sample", "40", "--seed", "3", "--plot"]
    for name in ("a.png", "b.png"):
        assert main([*command, str(tmp_path / name)]) == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mp", "--ratio", "0"], "ratio=0.0: expected a finite number > 0"),
        (["mp", "--ratio", "nan"], "ratio=nan"),
        (["mp", "--ratio", "0.5", "--variance", "-1"], "variance=-1.0"),
        (["mp", "--ratio", "0.5", "--sample", "10"], "--sample 10: expected together with --plot"),
        (["mp", "--ratio", "0.5", "--moments", "-1"], "--moments=-1"),
        (["mp", "--ratio", "0.5", "--table", "0"], "--table=0"),
        (["mp", "--ratio", "0.5", "--plot", "x.foo"], "--plot x.foo"),
        (["mp", "--ratio", "0.5", "--plot", "no/such/folder/x.png"], "does not exist"),
        (["generalized-mp", "--ratio", "1", "--atoms", "1,x"], "--atoms 1,x: expected numbers"),
        (
            ["generalized-mp", "--ratio", "1", "--atoms", "1,2", "--weights", "0.5,0.4"],
            "sum to 0.9, off by -0.1",
        ),
        (["generalized-mp", "--ratio", "1", "--atoms", "1,inf"], "atoms=inf"),
        (["semicircle", "--variance", "0"], "variance=0.0"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(capsys, arguments, message):
    assert main(["law", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert message in captured.err
