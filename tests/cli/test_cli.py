import json
import math
import re
import subprocess
import sys

import pytest

from rmtsim import cli
from rmtsim.claims import all_claims, find
from rmtsim.cli import main
from rmtsim.cli._options import selected


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


@pytest.mark.thorough
@pytest.mark.parametrize("arguments", [["claims"], ["claims", "--json"]])
def test_a_reader_that_closes_the_pipe_is_no_failure(arguments):
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
        (["claims", "--paper", "dogn"], "did you mean dong?"),
        (["verify", "textbok"], "did you mean textbook"),
        (["nonsense"], "invalid choice"),
        (["verfy"], "did you mean verify?"),
        (["verify", "--qick"], "did you mean --quick?"),
        (["verify", "dong.thm9.*"], "dong.thm9.*: no claim has a name like this"),
        (["verify", "--paper", "dong", "-k", "nonsense"], "-k nonsense: none of the"),
        (["verify", "--quick", "dong.eq5*", "--kind", "law"], "--kind law: none of the"),
        (["claims", "--kind", "nonsense"], "invalid choice"),
        (["study", "dong_figur8"], "did you mean dong_figure8"),
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


def test_the_list_cites_papers_and_keeps_heuristics_apart(capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, out, _ = run(capsys, "claims", "--paper", "dong")
    out = re.sub(r"\x1b\[[\d;]*m", "", out)
    assert code == 0
    assert out.startswith("dong: Zhaorui Dong, Yushun Zhang, Jianfeng Yao, Ruoyu Sun:")
    assert out.index("dong.eq5 ") < out.index("Heuristics of dong") < out.index("dong.eq6 ")
    rows = [line.split() for line in out.splitlines()[-9:]]
    assert ["statements", "simulated", "computed"] in rows
    assert [row[0] for row in rows[-3:]] == ["heuristics", "corrections", "statements"]  # of ours


def test_piped_claims_are_one_line_each(capsys):
    _, out, _ = run(capsys, "claims", "--paper", "dong")
    lines = [line.split("\t") for line in out.splitlines()]
    assert [line[0] for line in lines] == [claim.id for claim in all_claims("dong")]
    assert {len(line) for line in lines} == {5}
    assert all(line[4] for line in lines)


def _chosen(capsys, *arguments):
    code, out, _ = run(capsys, "claims", *arguments)
    assert code == 0
    return [line.split("\t")[0] for line in out.splitlines()]


def test_claims_are_chosen_by_pattern_word_kind_and_standing(capsys):
    everything = {claim.id: claim for claim in all_claims()}
    assert _chosen(capsys, "dong.thm1.*") == [name for name in everything if name.startswith("dong.thm1.")]
    found = _chosen(capsys, "-k", "SPECTRUM", "--kind", "law", "--paper", "dong")
    assert found
    assert all(everything[name].kind == "law" and name.startswith("dong.") for name in found)
    found = _chosen(capsys, "--standing", "heuristic")
    assert found == [name for name, claim in everything.items() if claim.standing == "heuristic"]


def test_quick_sets_by_what_is_chosen():
    def chosen(*words):
        return selected(cli._parser(["verify"]).parse_args(["verify", "--quick", *words]), quick=True)

    assert chosen() == [claim for claim in all_claims() if claim.quick]
    assert chosen("--paper", "dong") == [claim for claim in all_claims("dong") if claim.quick_in_paper]
    assert chosen("dong", "wu") == chosen("--paper", "dong", "--paper", "wu")  # a key selects its paper
    both = chosen("dong.thm1.*", "dong.eq5")
    assert both[-1].id == "dong.eq5"
    assert all(claim.quick_in_paper for claim in both[:-1])


LIMIT = "dong.thm1.diagonal-limit"
WRONG = "liu.thm3.1.count"
"""Refuted by one value."""


def test_claims_by_what_earlier_runs_found(capsys, tmp_path):
    store = ("--store", str(tmp_path / "runs.sqlite"))
    run(capsys, "verify", LIMIT, *store)
    run(capsys, "verify", WRONG, *store)
    assert _chosen(capsys, "--verdict", "confirmed", *store) == [LIMIT]
    assert _chosen(capsys, "--verdict", "refuted", *store) == [WRONG]
    assert len(_chosen(capsys, "--verdict", "new", *store)) == len(all_claims()) - 2


def test_verify_ends_with_a_summary_a_count_and_what_is_next(capsys):
    _, out, _ = run(capsys, "verify", LIMIT, "--no-store")
    lines = out.splitlines()
    assert lines[-4].split() == ["sharp", "weak", "refuted", "inconclusive", "simulated", "computed"]
    assert lines[-3].split() == ["theorems", "1", "0", "0", "0", "0", "1"]
    assert re.fullmatch(
        r"1 claim in [\d.]+ s: 1 confirmed, 0 refuted, 0 inconclusive; \d+ batches, 0 of them reused",
        lines[-2],
    )
    assert lines[-1] == f"next: the reasoning: rmtsim verify {LIMIT} --explain"


def test_reused_batches_say_so(capsys, tmp_path):
    store = ("--store", str(tmp_path / "runs.sqlite"))
    run(capsys, "verify", LIMIT, *store)
    _, out, _ = run(capsys, "verify", LIMIT, *store)
    number = re.search(r"(\d+) of (\d+) batches reused", out)
    assert number[1] == number[2]
    _, out, _ = run(capsys, "verify", LIMIT, "--json", *store)
    assert json.loads(out)[0]["batches"] == {"computed": 0, "reused": int(number[2])}


@pytest.mark.parametrize(
    ("words", "code"), [([], 0), (["--fail-on", "refuted"], 3), (["--fail-on", "inconclusive"], 0)]
)
def test_fail_on_is_for_ci(capsys, words, code):
    assert run(capsys, "verify", WRONG, "--no-store", *words)[0] == code


def test_every_point_is_visible_on_request(capsys):
    _, out, _ = run(capsys, "verify", LIMIT, "--no-store")
    _, more, _ = run(capsys, "verify", LIMIT, "--no-store", "--points")
    assert (out.count("CONFIRMED"), more.count("CONFIRMED")) == (1, 1 + len(find(LIMIT).grid))


def test_bare_rmtsim_greets_with_three_things_to_try(capsys):
    code, out, _ = run(capsys)
    assert (code, re.findall(r"^  rmtsim (\w+)", out, flags=re.M)) == (0, ["verify", "claims", "law"])


def test_the_prediction_of_a_refuted_statement_says_so(capsys):
    _, _, err = run(capsys, "predict", "dong.thm1.diagonal", "--set", "gamma=2")
    assert err.count("\n") == 1
    assert "is refuted (the norm lacks its square)" in err
    _, right, said = run(capsys, "predict", *err.partition("rmtsim predict ")[2].split())
    assert right.startswith("dong.thm1.diagonal/corrected  gamma=2.0  ")
    assert said == ""
    _, out, _ = run(capsys, "predict", "dong.thm1.diagonal", "--json")
    assert json.loads(out)["correction"] == "dong.thm1.diagonal/corrected"


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_knows_commands_and_claims(capsys, shell):
    code, out, _ = run(capsys, "completion", shell)
    assert code == 0
    assert "fail-on" in out
    if shell != "tcsh":
        assert all(claim.id in out for claim in all_claims())
    if shell == "bash":
        words = 'COMP_WORDS=(rmtsim verify dong.thm1.diagonal-l); COMP_CWORD=2; _shtab_rmtsim; echo "${COMPREPLY[@]}"'
        done = subprocess.run(["bash"], input=f"{out}\n{words}", capture_output=True, text=True, check=True)
        assert "dong.thm1.diagonal-limit" in done.stdout.split()
