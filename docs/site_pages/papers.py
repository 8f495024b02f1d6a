"""One page per paper: its citation, what it claims, predictions beside recorded intervals, printed and corrected."""

from __future__ import annotations

import html
from collections import Counter
from pathlib import Path
from typing import Any

from rmtsim.claims import Claim, all_claims
from rmtsim.claims._coverage import coverage
from rmtsim.claims._papers import PAPERS, Paper
from rmtsim.claims._recipes import provisional, recipe
from rmtsim.verdicts._severity import recorded_severity, severity_words, why_weak
from site_pages.text import cell, escaped

__all__ = ["paper_pages", "recorded"]

DOCS = Path(__file__).resolve().parent.parent


def recorded(key: str) -> dict[str, dict[str, Any]]:
    """Verdicts of the last recorded run of a paper (``docs/record_verdicts.py``), by claim."""
    return PAPERS.records(key, "verdicts.json")


_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def _number(value: float, digits: int = 5) -> str:
    """A number for running text.

    >>> _number(-8.2026e-05), _number(0.25), _number(3e12)
    ('-8.2026·10⁻⁵', '0.25', '3·10¹²')
    """
    mantissa, e, exponent = f"{value:.{digits}g}".partition("e")
    return f"{mantissa}·10{str(int(exponent)).translate(_RAISED)}" if e else mantissa


_FOUND = {"bound": "values in", "identity": "difference in", "law": "distance in", "rate": "found"}
"""What the recorded interval is about, where it is not about the predicted number itself."""


def _predicted(claim: Claim, parameters: dict[str, Any]) -> str:
    """What the claim states at the recorded parameters: a number with its tolerance, a bound or an exponent."""
    if claim.kind in ("identity", "law"):
        return ""
    if claim.predict is None:
        return f"exponent {claim.exponent:.4g}" if claim.kind == "rate" and claim.exponent is not None else ""
    value = claim.prediction(parameters)
    if claim.kind == "bound":
        return f"bound {_number(value)}"
    width = claim.tolerance.width(value) if claim.tolerance is not None else 0.0
    return f"predicted {_number(value)}" + (f" ± {_number(width, 2)}" if width else "")


def _verdict(claim: Claim, found: dict[str, Any] | None) -> str:
    """The recorded verdict in its colour, with the prediction beside the interval and the parameters of the point."""
    if found is None:
        return "not recorded"
    parts = [f"**[{found['verdict']}]{{.{found['verdict']}}}**"]
    predicted = _predicted(claim, found["parameters"])
    if predicted:
        parts.append(escaped(predicted))
    interval = found["interval"]
    if interval is not None and None not in interval:
        parts.append(
            escaped(f"{_FOUND.get(claim.kind, 'found')} [{_number(interval[0])}, {_number(interval[1])}]")
        )
    severity = recorded_severity(claim, found)
    if severity is not None and severity_words(severity):
        grade = "UNTESTED: " if severity.untested else f"{severity.grade}: " if severity.grade else ""
        parts.append(escaped(f"{grade}{severity_words(severity)}"))
        reason = why_weak(severity, claim.weak)
        if reason:
            parts.append(escaped(f"weak because {reason}"))
    point = ", ".join(f"{name} = {value}" for name, value in found["parameters"].items())
    if point:
        parts.append(f"at {escaped(point)}")
    return "<br>".join(parts)


def _named(name: str) -> str:
    """Id of a claim as a link to its row on the page of its paper."""
    printed = name.removesuffix("/corrected")
    return f'<a href="#{html.escape(printed)}">`{name}`</a>'


def _row(claim: Claim, correction: Claim | None, verdicts: dict[str, dict[str, Any]], errata: bool) -> str:
    right = ""
    if correction is not None:
        right = f"{cell(correction.statement)}<br>{_verdict(correction, verdicts.get(correction.id))}"
        if errata:
            right += f"<br>[why](/papers/{claim.paper}/errata.md)"
    ours = " (ours, not in the paper)" if claim.form == "ours" else ""
    once = ", provisional" if provisional(claim) else ""
    standing = f"{claim.standing}{ours}, {claim.evidence}{once}"
    left = f'<span id="{html.escape(claim.id)}"></span>`{claim.id}`<br>{cell(claim.equation)}; {standing}'
    return f"| {left} | {cell(claim.statement)}<br>{_verdict(claim, verdicts.get(claim.id))} | {right} |"


def _found(claims: dict[str, Claim], verdicts: dict[str, dict[str, Any]]) -> list[str]:
    """What holds and what does not: statements by place, refutations by cause with the verdict on the correction."""
    by_verdict: dict[str, list[Claim]] = {}
    for claim in claims.values():
        if claim.form == "printed" and claim.id in verdicts:
            by_verdict.setdefault(verdicts[claim.id]["verdict"], []).append(claim)
    lines: list[str] = []
    for title, word in (("What holds", "CONFIRMED"), ("Not decided", "INCONCLUSIVE")):
        places: dict[str, list[str]] = {}
        for claim in by_verdict.get(word, ()):
            if claim.standing in _THEOREMS:
                places.setdefault(claim.equation, []).append(_named(claim.id))
        if places:
            lines += [f"## {title}", "", "Theorems, propositions, lemmas and corollaries as printed:", ""]
            lines += [f"- {cell(place)}: {', '.join(names)}" for place, names in places.items()] + [""]
    causes: dict[str, list[Claim]] = {}
    for claim in by_verdict.get("REFUTED", ()):
        causes.setdefault(claim.cause or "cause not known", []).append(claim)
    if causes:
        lines += ["## What does not hold", "", "By cause; one mistake may affect several statements.", ""]
    for cause, those in causes.items():
        corrected = [
            verdicts[name] for name in (f"{each.id}/corrected" for each in those) if name in verdicts
        ]
        holds = sum(each["verdict"] == "CONFIRMED" for each in corrected)
        words = f"; corrected: {holds} of {len(corrected)} CONFIRMED" if corrected else "; no correction"
        names = ", ".join(_named(each.id) for each in those)
        lines.append(f"- {escaped(cause)} ({names}){words}")
    return [*lines, ""]


def _links(paper: Paper) -> str:
    return f" [arXiv:{paper.arxiv}](https://arxiv.org/abs/{paper.arxiv})" if paper.arxiv else ""


_ABOUT = {
    "dong": (
        "The Hessian of a classifier is nearly block-diagonal, and the number of classes C makes it so: "
        "norms of the blocks of linear models and of networks with one hidden layer, for inputs, samples "
        "and then classes growing."
    ),
    "wu": (
        "The Hessian of a layer is close to a Kronecker product of two small matrices at initialisation, "
        "its leading eigenspace has a low rank and is spanned by rows of the weights, and bounds on "
        "generalisation follow."
    ),
    "li": (
        "The Hessian of a deep ReLU network with hinge loss is a correlated random matrix; its spectrum "
        "follows from the Matrix Dyson equation and is symmetric, which is said to make the loss benign."
    ),
    "l2l": (
        "A step size of gradient descent is learned by descending a meta-objective: when gradients of the "
        "meta-objective explode or vanish, and when training or validation data should define it."
    ),
    "liu": (
        "The norm of the Hessian of a wide network's output is small, of order width^-1/2, if the output "
        "layer is linear; the tangent kernel is then nearly constant."
    ),
    "sparse": (
        "A dictionary with too many atoms minimises the usual loss without recovering the true atoms; a "
        "loss on masked entries does recover them."
    ),
    "loglinear": (
        "When a language model that predicts words well is useful for another task: log-linear word models,"
        " with counterexamples and an assumption under which transfer is guaranteed."
    ),
    "textbook": (
        "Classical theorems: laws of eigenvalues, edges, spikes, gaps, free convolution. They test the laws"
        " and the engine."
    ),
}
"""What each paper is about, in a sentence."""

_THEOREMS = ("theorem", "proposition", "lemma", "corollary")


def _word(claim: Claim, found: dict[str, Any] | None) -> str:
    """Grade of a confirmed statement, else its verdict; empty without a record."""
    severity = recorded_severity(claim, found or {})
    if severity is not None and severity.untested:
        return "UNTESTED"
    if severity is not None and severity.grade is not None:
        return str(severity.grade)
    return str((found or {}).get("verdict", ""))


def _summary(printed: list[Claim], verdicts: dict[str, dict[str, Any]]) -> list[str]:
    """Counts of the printed statements by standing, verdict and grade."""
    columns = ("sharp", "weak", "CONFIRMED", "UNTESTED", "REFUTED", "INCONCLUSIVE")
    heads = ("sharp", "weak", "no grade", *columns[3:], "not recorded")
    rows = ["| statements | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for title, chosen in (
        (
            "theorems, propositions, lemmas, corollaries",
            [c for c in printed if c.standing in _THEOREMS and c.form == "printed"],
        ),
        (
            "equations, remarks, heuristics, figures",
            [c for c in printed if c.standing not in _THEOREMS and c.form == "printed"],
        ),
        ("statements of ours", [c for c in printed if c.form == "ours"]),
    ):
        if not chosen:
            continue
        counts = Counter(_word(claim, verdicts.get(claim.id)) for claim in chosen)
        rows.append(f"| {title} | " + " | ".join(str(counts[word]) for word in (*columns, "")) + " |")
    return rows


def _coverage(key: str) -> list[str]:
    """The inventory of a paper as a table, and nothing for a paper without one."""
    rows = coverage(key)
    if rows is None:
        return []
    tested = sum(bool(row.claims) for row in rows)
    lines = ["", "## Coverage", "", f"{len(rows)} sentences are listed, {tested} of them with claims.", ""]
    lines += ["```{rst-class} verdicts", "```", ""]
    lines += ["| place | statement | claims, or why there is none |", "|---|---|---|"]
    for row in rows:
        tests = "<br>".join(_named(name) for name in row.claims) or cell(row.reason)
        lines.append(f"| {cell(row.at)} | {cell(row.says)} | {tests} |")
    return lines


def _recipes(claims: list[Claim]) -> list[str]:
    """How the simulated quantities are measured, each recipe with its statements."""
    simulated = [claim for claim in claims if claim.evidence == "simulated"]
    sharing: dict[str, list[str]] = {}
    for claim in simulated:
        if recipe(claim):
            sharing.setdefault(recipe(claim), []).append(claim.id)
    repeated = sum(not provisional(claim) for claim in simulated)
    lines = [
        "",
        "## Recipes",
        "",
        f"{len(simulated)} statements are simulated, {sum(map(len, sharing.values()))} of them with a recipe that "
        "suffices to repeat them without the code. A second, plain implementation that follows the recipe agrees for "
        f"{repeated}; "
        "the others are provisional.",
    ]
    for text, names in sharing.items():
        lines += ["", f"- {', '.join(f'`{name}`' for name in names)}: {escaped(text)}"]
    return lines


def _page(paper: Paper) -> str:
    claims = {claim.id: claim for claim in all_claims(paper.key)}
    printed = [claim for name, claim in claims.items() if not name.endswith("/corrected")]
    verdicts = recorded(paper.key)
    lines = [
        f"# `{paper.key}`: {escaped(paper.title)}",
        "",
        escaped(paper.citation) + "." + _links(paper),
        "",
        escaped(_ABOUT.get(paper.key, "")),
        "",
        f"{len(printed)} statements are tested, {len(claims) - len(printed)} of them also in a corrected form. "
        "Terms: [what a verdict means](/what-a-verdict-means.md).",
        "",
    ]
    names = {page.stem for page in (DOCS / "papers" / paper.key).glob("*.md")}
    written = sorted(names, key=lambda name: (name == "errata", name != "index", name))
    if written:  # derivations, studies, errata
        lines += [
            "",
            "```{toctree}",
            ":maxdepth: 1",
            "",
            *(f"/papers/{paper.key}/{name}" for name in written),
            "```",
        ]
    if verdicts:
        lines += ["", *_found(claims, verdicts), "## Counts", "", *_summary(printed, verdicts), ""]
    lines += ["", "## Every statement", ""]
    if verdicts:
        lines += [
            "For each statement, the point of its parameters that decided the recorded run: what is stated, and the "
            "interval that was found. "
            f"`rmtsim/papers/{paper.key}/verdicts.json` has the seed and the nominal seconds; `rmtsim verify NAME` "
            "repeats it, `rmtsim verify NAME --explain` prints the reasoning.",
            "",
        ]
    lines += ["```{rst-class} verdicts", "```", ""]
    lines += ["| statement | as printed | corrected |", "|---|---|---|"]
    lines += [
        _row(claim, claims.get(f"{claim.id}/corrected"), verdicts, "errata" in names) for claim in printed
    ]
    lines += _recipes(list(claims.values()))
    lines += _coverage(paper.key)
    return "\n".join(lines) + "\n"


def paper_pages() -> dict[str, str]:
    """File names with their text."""
    listed = "\n".join(f"- [`{key}`]({key}.md): {escaped(paper.citation)}." for key, paper in PAPERS.items())
    toc = "\n".join(f"{key} <{key}>" for key in PAPERS)
    index = (
        "# Papers\n\nWhat each paper states and what was found; printed and corrected statements side by side.\n\n"
        f"{listed}\n\n```{{toctree}}\n:hidden:\n\n{toc}\n```\n"
    )
    return {f"papers/{key}.md": _page(paper) for key, paper in PAPERS.items()} | {"papers/index.md": index}
