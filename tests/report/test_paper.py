"""Results as parts of a paper: sentences, tables, BibTeX, JUnit, badge, figures; own claims apart from papers'."""

import csv
import io
import json
import shutil
import subprocess
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from rmtsim import claim, report, verify
from rmtsim.claims import all_claims
from rmtsim.claims._papers import PAPERS
from rmtsim.cli import main
from rmtsim.plots._style import save
from rmtsim.plots._symbols import quantity_symbol
from rmtsim.plots._verdict import verdict_figure
from rmtsim.report._paper import latex_text

CLAIMS = '''
from rmtsim import claim


@claim("mine.mean", limit=0.5, tolerance=0.05, sizes=(8, 16, 32), exponents=(1.0,), because="exact", cost=1e-6,
       statement="m(n) → ½ & 100% of $x_i$.", size_name="n")
def mean(size, rng, replicates):
    return 1 / size + rng.random(replicates)


@claim("mine.bound", bound=1.0, tolerance=1e-9, sizes=(4, 8), cost=1e-5, statement="max u ≤ 1.")
def largest(size, rng):
    return rng.random(size).max()


@claim("mine.false", limit=0.8, tolerance=0.05, sizes=(8, 16, 32), exponents=(1.0,), because="exact", cost=1e-6)
def other(size, rng, replicates):
    """The mean tends to 0.8."""
    return 1 / size + rng.random(replicates)
'''


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("paper")
    (folder / "mine.py").write_text(CLAIMS)
    names = {
        name: folder / f"out.{name}" for name in ("latex", "bibtex", "csv", "markdown", "junit", "badge")
    }
    words = [word for name, path in names.items() for word in (f"--{name}", str(path))]
    formats = [word for ending in ("pdf", "svg") for word in ("--figure-format", ending)]
    targets = [f"{folder}/mine.py", "dong.thm1.diagonal-limit"]
    words += [
        "--figures",
        str(folder / "figures"),
        *formats,
        "--report",
        str(folder / "page.html"),
        "--quiet",
    ]
    assert main(["verify", *targets, "--budget", "4", "--no-store", *words]) == 0
    return folder, {name: path.read_text(encoding="utf-8") for name, path in names.items()}


def test_latex(run):
    _, texts = run
    assert r"mine.\allowbreak{}mean & own claim & confirmed" in texts["latex"]
    assert r"\cite[Theorem 1, eq. (24)]{dong}" in texts["latex"]
    rows = [line for line in texts["latex"].splitlines() if line.endswith(r"\\")]
    assert len({line.replace(r"\&", "").count("&") for line in rows}) == 1


def _compile(folder, text, bib=""):
    """Output of LaTeX, which must end without errors, for a document that contains ``text``."""
    packages = "".join(f"\\usepackage{{{name}}}" for name in ("array", "booktabs", "longtable"))
    references = r"\bibliographystyle{plain}\bibliography{made}" if bib else ""
    (folder / "made.bib").write_text(bib, encoding="utf-8")
    (folder / "made.tex").write_text(
        f"\\documentclass{{article}}{packages}\\begin{{document}}{text}{references}\\end{{document}}",
        encoding="utf-8",
    )
    latex = ["pdflatex", "-interaction=nonstopmode", "made.tex"]
    for command in [latex, ["bibtex", "made"], latex, latex] if bib else [latex]:
        made = subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return made.stdout.decode(errors="replace")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX")
@pytest.mark.parametrize("copies", [1, 40])
def test_latex_compiles_and_fits_the_line(run, tmp_path, copies):
    (result,) = verify("dong.thm1.diagonal-limit")
    strange = replace(
        result, claim="mine.a_long-name.of_a-statement/corrected", source="wu Lemma ⅔ (γ̂ᵢ → ∞), 5 % & more"
    )
    open_ended = replace(
        strange.points[0], interval=(-np.inf, np.inf), parameters={"activation": "tanh", "γ": 0.25}
    )
    results = [result, replace(strange, points=(open_ended,) * copies)]
    for text in (run[1]["latex"], report.latex_table(results)):
        assert "Overfull" not in _compile(tmp_path, text)


@pytest.mark.thorough
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX")
def test_every_place_of_every_paper_can_be_cited(tmp_path):
    (result,) = verify("dong.thm1.diagonal-limit")
    results = [
        replace(result, claim=each.id, source=each.source, points=result.points[:1]) for each in all_claims()
    ]
    printed = _compile(tmp_path, report.latex_table(results), report.bibtex(results))
    assert "undefined" not in printed
    assert "Overfull" not in printed


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX")
def test_letters_that_latex_does_not_have_are_replaced(tmp_path):
    letters = [chr(k) for k in range(0x20, 0x3000) if chr(k).isprintable()]
    _compile(tmp_path, "\n\n".join(f"{ord(each):x} {latex_text(f'a{each}')}" for each in letters))


def test_bibtex_names_every_paper(run):
    _, texts = run
    assert "@misc{dong," in texts["bibtex"]
    assert "eprint = {2505.02809v2}" in texts["bibtex"]
    assert "@software{rmtsim," in texts["bibtex"]
    for key in PAPERS:
        paper = PAPERS.usable(key)
        if paper.title:
            made = report.bibtex([replace(verify("dong.thm1.diagonal-limit")[0], source=f"{key} eq. (1)")])
            assert made.count("{") == made.count("}")
            assert f"{{{{{paper.title}}}}}" in made


def test_csv_has_every_size(run):
    _, texts = run
    rows = list(csv.DictReader(io.StringIO(texts["csv"])))
    mine = [row for row in rows if row["claim"] == "mine.mean"]
    assert [row["size"] for row in mine] == ["8", "16", "32"]
    assert all(abs(float(row["value"]) - 0.5 - 1 / int(row["size"])) < 0.05 for row in mine)


def test_sentences_say_level_interval_and_what_was_assumed(run):
    _, texts = run
    line = next(
        line for line in texts["markdown"].splitlines() if line.startswith("- ") and "mine.mean" in line
    )
    for part in (
        "At level 0.05 for 3 claims together",
        "is confirmed",
        "stated is 0.5 ± 0.05",
        "p = 1",
        "seed 0",
    ):
        assert part in line
    assert "own statement “mine.mean”" in line
    assert "The statement of dong, Theorem 1, eq. (24) is confirmed" in texts["markdown"]


def test_junit_and_badge(run):
    _, texts = run
    suite = ElementTree.fromstring(texts["junit"])
    assert suite.get("failures") == "1"
    (failure,) = suite.iter("failure")
    assert "Declared before the run:" in failure.text
    badge = json.loads(texts["badge"])
    assert badge["message"] == "3 confirmed, 1 refuted, 0 inconclusive"
    assert badge["color"] == "red"


def test_junit_of_undecided_and_failed_claims():
    @claim("mine.open", limit=0.5, tolerance=1e-7, sizes=(8, 16, 32), cost=1e-6)
    def open_claim(size, rng, replicates):
        return rng.random(replicates)

    results = verify(open_claim, budget=0.01)
    assert 'skipped="1"' in report.junit(results)
    assert 'failures="1"' in report.junit(results, fail_open=True)
    assert 'errors="1"' in report.junit([replace(results[0], failed="raised \x00 ValueError")])


def test_figures_of_every_kind_in_every_format(run):
    folder, _ = run
    names = {path.name for path in (folder / "figures").iterdir()}
    for claim_id in ("mine.mean", "mine.bound", "mine.false", "dong.thm1.diagonal-limit"):
        assert {f"{claim_id}.pdf", f"{claim_id}.svg"} <= names
    assert not any(name.endswith(".png") for name in names)


def test_figures_use_the_symbols_of_the_statement(tmp_path):
    (result,) = verify("dong.thm1.diagonal-limit")
    assert quantity_symbol(result) == "lim C² g_ii(γ, C)"
    figure = verdict_figure(result)
    assert figure.axes[0].get_ylabel() == "lim C² g_ii(γ, C)"
    assert figure.axes[0].get_xlabel() == "C"
    for ending in ("svg", "pdf", "png"):
        paths = [tmp_path / f"{k}.{ending}" for k in range(2)]
        for path in paths:
            save(verdict_figure(result), path)
        assert paths[0].read_bytes() == paths[1].read_bytes()


def test_own_claims_are_not_attributed_to_papers(run):
    folder, _ = run
    page = (folder / "page.html").read_text(encoding="utf-8")
    assert "1 that the papers hold to be true; 1 paper" in page
    assert "<b>3</b><span>own claims</span>" in page
    assert "1 paper" in page


def test_a_missing_folder_is_refused_before_any_work(capsys):
    assert main(["verify", "dong.thm1.diagonal-limit", "--latex", "no/such/folder.tex"]) == 2
    assert "the folder no/such does not exist" in capsys.readouterr().err
