"""rmtsim doctor."""

import json

import pytest

from rmtsim.cli import _doctor, main


def test_description(capsys):
    assert main(["doctor", "--no-self-test"]) == 0
    out = capsys.readouterr().out
    for word in (
        "versions",
        "numpy",
        "blas",
        "threads",
        "cores",
        "cache",
        "store",
        "runs.sqlite",
        "papers",
        "dong",
        "torch",
    ):
        assert word in out
    assert out.endswith("the installation works\n")


def test_self_test_as_json(capsys):
    assert main(["doctor", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["works"]
    assert [test["name"] for test in found["self_test"]] == list(_doctor._TESTS)
    assert all(test["passed"] for test in found["self_test"])


def test_what_fails_is_named(capsys, monkeypatch):
    def broken():
        raise RuntimeError("a compiled kernel differs from NumPy")

    monkeypatch.setattr(_doctor, "_TESTS", {"compiled kernels": broken})
    monkeypatch.setattr(_doctor, "_REQUIRED", ("numpy", "no-such-package"))
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "FAILED: RuntimeError: a compiled kernel differs from NumPy" in out
    assert "missing: no-such-package" in out
    assert "does not work" in out


def test_bad_usage(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["doctor", "--what"])
    assert ended.value.code == 2
