"""Every study measures and draws in its smallest form; what it writes is finite, and its CSV has every row."""

import argparse
import csv
import importlib
import json
import sys
from pathlib import Path

import pytest

from rmtsim.cli import main

STUDIES = Path(__file__).parents[2] / "studies"
SMALLEST = {
    "deconvolution": "--shapes 20x40 --draws 1 --searches 0",
    "dong_classes": "--classes 10",
    "dong_clusters": "--classes 10",
    "dong_figure8": "--size 20 --models 2 --classes 2 5",
    "dong_figure9": "--size 20 --networks 3 --hidden 4 --classes 2 4",
    "dong_images": "--images 8 --seeds 1",
    "dong_other_data": "--budget 0.05",
    "dong_ratio_decay": "--size 10 --models 2 --largest 8",
    "dong_spectra": "--size 30 --classes 3",
    "dong_training": "--classes 4 --steps 20",
    "dyson_ensembles": "--size 10",
    "dyson_split": "--size 10",
    "hessian_coverage": "--repetitions 2 --size 8",
    "hessian_digits": "--width 4 --steps 2 --samples 60",
    "hessian_vocabulary": "--vocabularies 6 8 --width 4 --steps 2 --texts 10 --classes 3",
    "l2l_map": "--resolution 2 --steps 3 --dimension 8 --tasks 2",
    "l2l_noise": "--dimension 12 --samples 6 --tasks 2 --tests 2 --steps 3 --noise 1 2 --curve 2",
    "l2l_quadratic": "--dimension 3 --iterations 5 --problems 1",
    "l2l_samples": "--dimension 12 --samples 6 20 --tasks 2 --tests 2 --steps 3 --curve 2",
    "li_dyson": "--width 3 --layers 2 --draws 4 --points 3",
    "li_initialisation": "--width 3 --steps 3 --networks 2",
    "li_paper_networks": (
        "--scale 32 --epochs 2 --vgg-epochs 2 --samples 20 --few 4 --lanczos 6 --steps 3 --networks 2"
    ),
    "li_symmetry": "--widths 3 4 --layers 2 3 --draws 3",
    "li_training": "--width 3 --epochs 2 --dimension 5 --small 3",
    "liu_bottleneck": "--width 20 --bottlenecks 3 5 --runs 1 --samples 9 --most 40",
    "liu_constant": "--widths 4 8 --networks 3",
    "liu_eigenvector": "--widths 4 8 --networks 2",
    "liu_kernels": "--widths 20 30 --runs 1 --samples 9 --path 20 --most 40",
    "liu_norms": "--widths 4 8 --networks 2",
    "loglinear_anchors": "--words 40 --dimension 3 --texts 10 --draws 1",
    "own_network": "--width 4 --steps 2",
    "own_spectrum": "--samples 60 --features 30",
    "real_networks": "--budget 1",
    "sparse_learned": "--dimension 8 --learned 16 20 --runs 2 --epochs 2",
    "sparse_noise": "--dimension 8 --levels 2 --runs 1 --epochs 2",
    "sparse_sizes": "--dimensions 6 8 --runs 1 --epochs 2",
    "wu_correspondence": "--width 4 --classes 3 --inputs 20 --show 4",
    "wu_digits": "--width 10 --steps 3 --show 10",
    "wu_models": "--width 4 --classes 3 --inputs 20 --pairs 2",
    "wu_pairs": "--width 6 --steps 2 --models 2 --show 12",
    "wu_pac_bayes": "--width 3 --steps 3 --draws 20 --seeds 1",
    "wu_spectrum": "--width 8 --classes 3 --inputs 20 --show 6",
    "wu_training": "--width 4 --steps 3 --seeds 1 --show 4",
    "wu_width": "--widths 8 16 --networks 2 --inputs 20 --classes 3 --layer-gap 8",
}
LONG = {
    "dong_clusters",
    "dong_figure9",
    "dong_other_data",
    "dong_training",
    "dyson_ensembles",
    "dyson_split",
    "real_networks",
    "wu_pairs",
}
"""Five to thirty seconds each even so."""


def test_every_study_is_here():
    names = {
        path.stem
        for path in STUDIES.rglob("*.py")
        if f'\nNAME = "{path.stem}"\n' in path.read_text(encoding="utf-8")
    }
    assert set(SMALLEST) == names == set(importlib.import_module("catalogue").STUDIES)


@pytest.mark.parametrize("name", sorted(SMALLEST))
def test_every_quick_form_is_understood(name):
    study = importlib.import_module(name)
    parser = argparse.ArgumentParser()
    study.options(parser)
    parser.parse_args(importlib.import_module("catalogue").STUDIES[name].quick.split())


def test_the_command_writes_figure_and_data_into_one_folder(tmp_path, capsys):
    assert main(["study", "wu_spectrum", "--out", str(tmp_path), "--", *SMALLEST["wu_spectrum"].split()]) == 0
    assert {path.suffix for path in tmp_path.iterdir()} >= {".json", ".png"}
    assert "wu_spectrum: " in capsys.readouterr().out
    assert main(["study", "wu_spectrum", "--out", str(tmp_path), "--", "--nonsense"]) == 2
    assert "-- --help" in capsys.readouterr().err.splitlines()[-1]


def test_a_missing_extra_is_one_line(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    monkeypatch.setitem(sys.modules, "sklearn.datasets", None)
    assert main(["study", "own_network", "--quick", "--out", str(tmp_path)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "pip install 'rmtsim[studies]'" in lines[0]


def test_the_list_of_studies_says_what_each_shows(capsys):
    assert main(["studies", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["study"] for row in rows] == sorted(SMALLEST)
    assert all(row["shows"] and row["time"] and row["quick_time"] for row in rows)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name in LONG else []) for name in sorted(SMALLEST)],
)
def test_smallest_run(name, tmp_path, capsys):
    if name in (
        "hessian_digits",
        "li_initialisation",
        "li_paper_networks",
        "li_training",
        "own_network",
        "real_networks",
        "wu_digits",
        "wu_pac_bayes",
        "wu_pairs",
        "wu_training",
    ):
        pytest.importorskip("sklearn")
    if name in ("hessian_digits", "hessian_vocabulary", "li_paper_networks"):
        pytest.importorskip("torch")
    harness, study = importlib.import_module("harness"), importlib.import_module(name)
    assert name == study.NAME
    words = ["--out", str(tmp_path), *SMALLEST[name].split()]
    harness.run(name, study.__doc__, study.measure, study.draw, study.options, ["measure", *words])
    assert not (tmp_path / f"{name}.png").exists()
    data = json.loads((tmp_path / f"{name}.json").read_text(), parse_constant=pytest.fail)
    assert data
    if data.get("rows"):
        with open(tmp_path / f"{name}.csv", newline="") as handle:
            assert len(list(csv.DictReader(handle))) == len(data["rows"])
    harness.run(name, study.__doc__, study.measure, study.draw, study.options, ["draw", *words])
    assert capsys.readouterr().out.rstrip().endswith(str(tmp_path / f"{name}.png"))
    assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_dictionary_runs_resume_where_they_stopped(tmp_path, capsys):
    runs = importlib.import_module("sparse_runs")
    point = {"dimension": 8, "atoms": 10, "sparsity": 1, "learned": 12, "noise": 0.1}
    chosen = {"samples": 20, "epochs": 1, "batch": 10, "rate": 1e-3, "runs": 2}
    settings = runs.grid([point], chosen, seed=1)
    first = runs.all_runs("some", settings, tmp_path)
    store = tmp_path / "some.runs.jsonl"
    lines = store.read_text().splitlines(keepends=True)
    assert len(lines) == len(settings) == 8
    store.write_text("".join(lines[:3]) + lines[3][:20])  # killed in the middle of a line
    capsys.readouterr()
    assert runs.all_runs("some", settings, tmp_path) == first
    assert len(capsys.readouterr().out.splitlines()) == 5
    assert runs.all_runs("some", settings, tmp_path) == first
    assert capsys.readouterr().out == ""
