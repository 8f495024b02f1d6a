import json
import math
import subprocess
import sys

import pytest

from rmtsim.cli import main


def run(capsys, *arguments):
    try:
        code = main(arguments)
    except SystemExit as stop:  # argparse's own errors and --help
        code = stop.code
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_predict_json(capsys):
    code, out, _ = run(
        capsys, "predict", "dong.thm1.offdiagonal", "--set", "gamma=0.5", "--set", "classes=1000", "--json"
    )
    answer = json.loads(out)
    assert code == 0
    assert answer["claim"] == "dong.thm1.offdiagonal"
    assert answer["parameters"] == {"gamma": 0.5, "classes": 1000}
    assert math.isclose(answer["value"] * 1e12, 0.5 * math.e**2 + 1, rel_tol=0.05)


def test_predict_of_a_users_claim(capsys, tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(
        "from rmtsim import claim\n"
        "for name, limit in (('a', 2.0), ('b', 3.0)):\n"
        "    globals()[name] = claim(name, limit=limit, tolerance=0.1, sizes=(2, 4))(lambda size, rng: limit)\n"
    )
    assert run(capsys, "predict", f"{path}::b")[:2] == (0, "b  3.0\n")
    code, _, err = run(capsys, "predict", str(path))
    assert (code, "the file has a, b" in err) == (2, True)


@pytest.mark.parametrize("arguments", [["claims"], ["claims", "--json"]])
def test_a_reader_that_has_seen_enough_is_no_failure(arguments):
    command = [sys.executable, "-m", "rmtsim", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        process.stdout.readline()
        process.stdout.close()
        assert (process.wait(), process.stderr.read()) == (0, "")


def test_claims_json_lists_source_kind_and_statement(capsys):
    code, out, _ = run(capsys, "claims", "--paper", "dong", "--json")
    claims = {claim["claim"]: claim for claim in json.loads(out)}
    assert code == 0
    assert claims["dong.eq5"]["kind"] == "identity"
    assert "(22)" in claims["dong.thm1.diagonal"]["source"]
    assert all(claim["statement"] for claim in claims.values())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["predict", "dong.thm1.diagnal"], "did you mean dong.thm1.diagonal"),
        (["predict", "dong.thm1.diagonal", "--set", "gamma=0"], "gamma=0.0: expected a finite number > 0"),
        (["predict", "dong.thm1.diagonal", "--set", "gamma=nan"], "gamma=nan"),
        (["predict", "dong.thm1.diagonal", "--set", "gamma=x"], "gamma=x"),
        (["predict", "dong.thm1.diagonal", "--set", "classes=1"], "classes=1"),
        (["predict", "dong.thm1.diagonal", "--set", "classes=2.5"], "classes=2.5"),
        (["predict", "dong.thm1.diagonal", "--set", "classes=True"], "classes=True"),
        (["predict", "dong.thm1.diagonal", "--set", "width=3"], "width=3: no such parameter"),
        (["predict", "dong.thm1.diagonal", "--set", "gamma"], "expected NAME=VALUE"),
        (["predict", "dong.thm1.diagonal", "--set", "gamma=1", "--set", "gamma=2"], "was set already"),
        (["claims", "--paper", "nobody"], "paper='nobody': expected one of"),
        (["nonsense"], "invalid choice"),
        ([], "required"),
        (["verify", "dong.eq5", "--seed", "1.5"], "argument --seed: invalid int value: '1.5'"),
        (["verify", "dong.eq5", "--store", ""], "--store ''"),
        (["verify", "dong.eq5", "--budget", "0"], "budget=0.0"),
        (["verify", "dong.eq5", "--level", "1"], "level=1.0"),
        (["verify", "dong.eq5", "--workers", "0"], "--workers=0"),
        (["verify", "dong.eq5", "--figures", __file__], "expected a folder"),
        (["verify", "dong.thm1.diagonal", "--set", "gamma=-2"], "Theorem 1 assumes d/N → γ in (0, ∞)"),
    ],
)
def test_bad_usage_is_one_line_and_exit_code_two(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err
    assert out == ""
    assert len(err.splitlines()) == 1
    assert err.startswith("rmtsim: error: ")


def test_integers_may_be_written_with_an_exponent(capsys):
    code, out, _ = run(capsys, "predict", "dong.thm1.diagonal", "--set", "classes=1e3", "--json")
    assert (code, json.loads(out)["parameters"]["classes"]) == (0, 1000)


@pytest.mark.parametrize("command", [[], ["claims"], ["predict"], ["verify"], ["runs"], ["law"]])
def test_help_teaches_with_examples(capsys, command):
    code, out, _ = run(capsys, *command, "--help")
    assert code == 0
    assert "rmtsim " in out
    assert "example" in out or "start here" in out


def test_claims_and_results_say_alike_what_a_statement_is(capsys):
    _, out, _ = run(capsys, "claims", "dong.thm1.diagonal-limit", "dong.eq6", "--json")
    claims = json.loads(out)
    _, out, _ = run(capsys, "verify", "dong.thm1.diagonal-limit", "dong.eq6", "--quick", "--json")
    results = json.loads(out)
    fields = ("standing", "evidence", "form", "qualifier", "cause", "credit", "citation")
    for claim, result in zip(claims, results, strict=True):
        assert {name: claim[name] for name in fields} == {name: result[name] for name in fields}
    assert claims[0]["evidence"] == "computed"
    assert (claims[0]["cause"], claims[0]["qualifier"]) == (None, None)


def test_the_list_cites_papers_and_keeps_heuristics_apart(capsys):
    code, out, _ = run(capsys, "claims", "--paper", "dong")
    assert code == 0
    assert out.startswith("dong: Zhaorui Dong, Yushun Zhang, Jianfeng Yao, Ruoyu Sun: Towards Quantifying")
    assert out.index("dong.eq5 ") < out.index("Heuristics of dong") < out.index("dong.eq6 ")
    rows = [line.split() for line in out.splitlines()[-8:]]
    assert ["statements", "simulated", "computed"] in rows
    assert [row[0] for row in rows[-2:]] == ["heuristics", "corrections"]


def test_verify_ends_with_a_summary(capsys):
    _, out, _ = run(capsys, "verify", "dong.thm1.diagonal-limit")
    assert out.splitlines()[-2].split() == ["confirmed", "refuted", "open", "simulated", "computed"]
    assert out.splitlines()[-1].split() == ["theorems", "1", "0", "0", "0", "1"]
