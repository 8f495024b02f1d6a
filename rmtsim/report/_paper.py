"""Results as parts of a paper: a sentence to quote, tables in LaTeX, Markdown and CSV, BibTeX, JUnit, a badge."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata
from collections.abc import Sequence
from xml.etree import ElementTree

import rmtsim
from rmtsim._internal import validate
from rmtsim._internal.docstrings import describes
from rmtsim.claims._model import value_words
from rmtsim.claims._papers import PAPERS
from rmtsim.verdicts._results import ClaimResult, PointResult, Verdict
from rmtsim.verdicts._words.numbers import estimate_words, parameter_words, predicted_words

_described = describes(
    results="sequence of ClaimResult\n    The results.",
)
"""Parameters that several functions of this module have."""

OWN = "user"
"""Key of claims that belong to no paper."""


def given_results(results: Sequence[ClaimResult]) -> list[ClaimResult]:
    """``results`` as a list, if that is what they are."""
    found = validate.sequence("results", results, meaning="results of rmtsim.verify")
    return [
        validate.instance("results", result, ClaimResult, meaning="results of rmtsim.verify")
        for result in found
    ]


def whose(result: ClaimResult) -> str:
    """Where a statement is from: "own claim", or the key of its paper and the place in it."""
    key, _, place = result.source.partition(" ")
    return "own claim" if key == OWN else f"{key}, {place}" if place else key


def sentence(result: ClaimResult) -> str:
    """One sentence about a result that can be quoted in a paper.

    Parameters
    ----------
    result : ClaimResult
        The result.

    Returns
    -------
    str
        Verdict, estimate and interval, stated value and tolerance, level, sizes, and what was assumed.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import sentence
    >>> print(sentence(verify("dong.thm1.diagonal-limit")[0]))
    The statement of dong, Theorem 1, eq. (24) is confirmed: the computed limit is 14.59140914 in ...
    """
    validate.instance("result", result, ClaimResult, meaning="result of one claim")
    point = result.deciding
    words = {
        Verdict.CONFIRMED: "is confirmed",
        Verdict.REFUTED: "is refuted",
        Verdict.INCONCLUSIVE: "remains undecided",
        Verdict.UNTESTED: "could not have been refuted at the tested points",
    }[point.verdict]
    form = {"corrected": "corrected statement", "ours": "statement of ours beside that"}.get(
        result.form, "statement"
    )
    whom = f"own {form} “{result.claim}”" if whose(result) == "own claim" else f"{form} of {whose(result)}"
    start = (
        f"The {whom} {words}"
        if result.evidence == "computed"
        else f"At level {result.family_level:g}{_family(result)} the {whom} {words}"
    )
    found = estimate_words(point)
    if point.quantity == "relative error":
        body = f"the relative error is {found} where {point.tolerance:.2g} is allowed"
    elif point.quantity == "extreme value":
        body = f"the most extreme value is {found}, the bound is {value_words(point.predicted)}"
    else:
        stated = predicted_words(point)
        body = f"the {result.evidence} {point.quantity} is {found}"
        body += f", stated is {stated}" if stated else ""
    sizes = f"{result.size_name} = {', '.join(map(str, point.sizes))}"
    count = f" and {sum(point.replicates)} replicates" if result.evidence == "simulated" else ""
    where = f" at {parameter_words(point.parameters)}" if point.parameters else ""
    return f"{start}: {body}{where}, from {sizes}{count} (rmtsim {result.version}, seed {result.seed}{_rests(result)})."


def _family(result: ClaimResult) -> str:
    return f" for {result.family_size} claims together" if result.family_size > 1 else ""


def _rests(result: ClaimResult) -> str:
    exponents = result.declared.get("exponents") or []
    if result.kind in ("identity", "bound") or not exponents:
        return ""
    return f"; admitted corrections {result.size_name}^-p with p = {', '.join(f'{p:.3g}' for p in exponents)}"


_CSV = (
    "claim", "from", "form", "evidence", "verdict", "grade", "parameters", "predicted", "tolerance", "quantity",
    "estimate", "low", "high", "level", "seed", "size", "replicates", "value", "error",
)  # fmt: skip
_COLUMNS = ("claim", "from", "statement", "verdict", "predicted", "estimate", "level", "sizes", "parameters")


def _cells(result: ClaimResult, point: PointResult) -> list[str]:
    return [
        result.claim,
        whose(result),
        result.statement,
        str(point.verdict),
        predicted_words(point),
        estimate_words(point),
        f"{point.level:.3g}" if result.evidence == "simulated" else "none (computed)",
        ", ".join(map(str, point.sizes)),
        parameter_words(point.parameters),
    ]


def _rows(results: Sequence[ClaimResult]) -> list[list[str]]:
    return [_cells(result, point) for result in results for point in result.points]


@_described
def markdown_table(results: Sequence[ClaimResult]) -> str:
    r"""Results as a Markdown table, followed by sentences to quote.

    Returns
    -------
    str
        One row per claim and parameter point.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import markdown_table
    >>> print(markdown_table(verify("dong.thm1.diagonal-limit")).splitlines()[0])
    | claim | from | statement | verdict | predicted | estimate | level | sizes | parameters |
    """
    results = given_results(results)

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(' '.join(cell.split()).replace('|', chr(92) + '|') for cell in cells)} |"

    lines = [line(_COLUMNS), "|" + "---|" * len(_COLUMNS), *(line(row) for row in _rows(results)), ""]
    return "\n".join([*lines, *(f"- {sentence(result)}" for result in results)]) + "\n"


@_described
def csv_table(results: Sequence[ClaimResult]) -> str:
    """Results as CSV with one row per claim, parameter point and size.

    Returns
    -------
    str
        A header and rows; numbers have all digits, an open end of an interval is empty.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import csv_table
    >>> csv_table(verify("dong.thm1.diagonal-limit")).splitlines()[0][:40]
    'claim,from,form,evidence,verdict,grade,p'
    """
    results = given_results(results)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_CSV)
    for result in results:
        for point in result.points:
            numbers = point.as_json(result.evidence)
            low, high = numbers["interval"]
            head = [
                result.claim, whose(result), result.form, result.evidence, str(point.verdict),
                "" if point.severity is None or not point.severity.grade else str(point.severity.grade),
                parameter_words(point.parameters), numbers["predicted"], point.tolerance, point.quantity,
                numbers["estimate"], low, high, numbers["level"], result.seed,
            ]  # fmt: skip
            for size, count, value, error in zip(
                point.sizes, point.replicates, point.values, point.errors, strict=True
            ):
                writer.writerow([*head, size, count, repr(float(value)), repr(float(error))])
    return out.getvalue()


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    **{each: each for each in "–—‘’“”"},
}  # fmt: skip
_SYMBOLS = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta", "η": r"\eta",
    "θ": r"\theta", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi", "π": r"\pi", "ρ": r"\rho",
    "σ": r"\sigma", "τ": r"\tau", "φ": r"\varphi", "χ": r"\chi", "ψ": r"\psi", "ω": r"\omega", "Γ": r"\Gamma",
    "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega",
    "→": r"\to", "∞": r"\infty", "≤": r"\le", "≥": r"\ge", "≈": r"\approx", "≠": r"\ne", "±": r"\pm", "·": r"\cdot",
    "×": r"\times", "√": r"\surd", "‖": r"\Vert", "∑": r"\sum", "∫": r"\int", "∈": r"\in", "∂": r"\partial",
    "∇": r"\nabla", "⟨": r"\langle", "⟩": r"\rangle", "≪": r"\ll", "≫": r"\gg", "∼": r"\sim", "∝": r"\propto",
    "⊗": r"\otimes", "∘": r"\circ", "…": r"\ldots", "−": "-", "½": "1/2", "ℓ": r"\ell", "∣": r"\mid",
    "⊤": r"\top", "ᵀ": r"^{\top}", "⁻": r"^{-}", "₋": r"_{-}", "⊥": r"\perp", "Π": r"\Pi", "∏": r"\prod",
    "⋯": r"\cdots", "⌊": r"\lfloor", "⌋": r"\rfloor", "⪯": r"\preceq", "⪰": r"\succeq", "∪": r"\cup", "∩": r"\cap",
    "⇒": r"\Rightarrow", "⇔": r"\Leftrightarrow", "≡": r"\equiv", "Ξ": r"\Xi", "Υ": r"\Upsilon", "ι": r"\iota",
    "υ": r"\upsilon", "ϕ": r"\phi", "ϵ": r"\epsilon", "ϑ": r"\vartheta", "∀": r"\forall", "∃": r"\exists",
    "⊂": r"\subset", "∖": r"\setminus", "⊕": r"\oplus", "←": r"\leftarrow", "↔": r"\leftrightarrow", "µ": r"\mu",
    "°": r"^{\circ}", "÷": r"\div", "¬": r"\neg", "¼": "1/4", "¾": "3/4",
}  # fmt: skip
_ACCENTS = {
    "\u0302": r"\hat", "\u0303": r"\tilde", "\u0304": r"\bar", "\u0307": r"\dot", "\u0308": r"\ddot",
    "\u030c": r"\check",
}  # fmt: skip
"""Combining characters, which follow their letter."""
_LETTERS = re.compile("[\x20-\x7e]|[A-Za-z][\u0300-\u0304\u0306-\u0308\u030a-\u030c\u0327]|[ßæœøłÆŒØŁ§]")
"""Decomposed letters that LaTeX has in every text font."""
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))


def latex_text(text: str) -> str:
    r"""Plain text with Unicode mathematics as LaTeX.

    >>> latex_text("γ² ≤ 5% of x_i")
    '$\\gamma$$^{2}$ $\\le$ 5\\% of x\\_i'
    >>> latex_text("λ̂ and Erdős")
    '$\\hat{\\lambda}$ and Erdős'
    """
    found = []
    letters = unicodedata.normalize("NFC", " ".join(text.split()))
    for letter, following in zip(letters, f"{letters[1:]} ", strict=False):
        if letter in _ACCENTS:
            continue  # written with its letter
        if following in _ACCENTS and (letter in _SYMBOLS or re.fullmatch("[A-Za-z]", letter)):
            found.append(f"${_ACCENTS[following]}{{{_SYMBOLS.get(letter, letter)}}}$")
        elif letter in _LATEX:
            found.append(_LATEX[letter])
        elif letter in _SYMBOLS:
            found.append(f"${_SYMBOLS[letter]}$")
        elif letter in _RAISED:
            found.append(f"$^{{{_RAISED[letter]}}}$")
        elif letter in _LOWERED:
            found.append(f"$_{{{_LOWERED[letter]}}}$")
        elif ord(letter) < 0x180 and _LETTERS.fullmatch(unicodedata.normalize("NFD", letter)):
            found.append(letter)
        else:  # a form of plain letters, as in ᵢ and ⅔, or a sign that LaTeX does not know
            plain = unicodedata.normalize("NFKD", letter).replace("\N{FRACTION SLASH}", "/")
            found.append("".join(_LATEX.get(each, each) for each in plain if " " <= each <= "~") or "?")
    return "".join(found)


@_described
def latex_table(results: Sequence[ClaimResult]) -> str:
    r"""Results as a LaTeX table (packages ``array``, ``booktabs``), with the sentences to quote as comments.

    Returns
    -------
    str
        A ``table`` environment for ``\input``, as wide as a line; beyond 30 rows a ``longtable``, which breaks over
        pages (package ``longtable``).

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import latex_table
    >>> print(latex_table(verify("dong.thm1.diagonal-limit")).splitlines()[5])
    claim & statement & verdict & predicted & estimate & sizes \\
    """
    results = given_results(results)
    rows = []
    for result in results:
        for point in result.points:
            place = f"{whose(result)}{'' if result.form == 'printed' else f' ({result.form})'}"
            at = parameter_words(point.parameters)
            cells = [
                f"{result.claim}{f' ({at})' if at else ''}",
                _cited(result, place),
                str(point.verdict).lower(),
                predicted_words(point),
                estimate_words(point),
                "–".join(str(size) for size in dict.fromkeys((*point.sizes[:1], *point.sizes[-1:]))),
            ]
            texts = [cell if k == 1 else _breakable(latex_text(cell)) for k, cell in enumerate(cells)]
            texts[4] = re.sub(r"(-?)\binf\b", r"$\1\\infty$", texts[4])
            rows.append(" & ".join(texts) + r" \\")
    level = next((f"{r.family_level:g}" for r in results if r.evidence == "simulated"), "")
    caption = f"Verdicts of rmtsim {rmtsim.__version__}" + (
        f" at {'a false discovery rate of' if any(r.fdr for r in results) else 'family-wise level'} {level}."
        if level
        else "."
    )
    caption += " Intervals cover all admitted finite-size corrections."
    head = [r"\toprule", r"claim & statement & verdict & predicted & estimate & sizes \\", r"\midrule"]
    columns = "".join(rf"{_COLUMN}p{{{share}\linewidth}}" for share in _SHARES)
    style = r"\footnotesize\setlength{\tabcolsep}{3pt}"
    if len(rows) > _LONG:
        lines = [
            f"{{{style}",
            rf"\begin{{longtable}}{{{columns}}}",
            rf"\caption{{{caption}}}\\",
            *head,
            r"\endhead",
            *rows,
            r"\bottomrule",
            r"\end{longtable}}",
        ]
    else:
        lines = [
            r"\begin{table}",
            rf"\caption{{{caption}}}",
            style,
            rf"\begin{{tabular}}{{{columns}}}",
            *head,
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    return "\n".join([*lines, *(f"% {' '.join(sentence(result).split())}" for result in results)]) + "\n"


_SHARES = (0.21, 0.17, 0.13, 0.12, 0.17, 0.08)
"""Widths of the columns of the LaTeX table, as shares of a line."""
_COLUMN = r">{\raggedright\arraybackslash}"
_LONG = 30
"""Rows beyond which a LaTeX table breaks over pages."""


def _breakable(text: str) -> str:
    """Text of a cell, with places where a long name may be broken."""
    text = text.replace("–", r"--\allowbreak{}")
    return re.sub(r"(?<=[a-z0-9$])([./])(?=[a-z$])", r"\1\\allowbreak{}", text)


def _cited(result: ClaimResult, place: str) -> str:
    key, _, rest = place.partition(", ")
    if key in PAPERS:
        note = _breakable(latex_text(rest))
        note = f"{{{{{note}}}}}" if "]" in note else note  # two pairs: some versions of LaTeX remove one
        return rf"\cite[{note}]{{{key}}}" if note else rf"\cite{{{key}}}"
    return latex_text(place)


@_described
def bibtex(results: Sequence[ClaimResult]) -> str:
    """BibTeX entries of the papers whose statements were tested, and of rmtsim.

    Returns
    -------
    str
        One entry per paper under its key, which the LaTeX table cites, and ``rmtsim``.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import bibtex
    >>> print(bibtex(verify("dong.thm1.diagonal-limit")).splitlines()[0])
    @misc{dong,
    """
    results = given_results(results)
    keys = dict.fromkeys(result.source.partition(" ")[0] for result in results)
    entries = []
    for key in keys:
        paper = PAPERS.usable(key) if key in PAPERS else None
        if paper is None or not paper.title:
            continue
        year = re.search(r"\d{4}", paper.year)
        fields = {
            "author": latex_text(" and ".join(re.split(r",\s*(?:and\s+)?|\s+and\s+", paper.authors))),
            "title": f"{{{latex_text(paper.title)}}}",
            "year": year[0] if year else "",
            "howpublished": latex_text(paper.venue),
            "eprint": paper.arxiv,
            "archiveprefix": "arXiv" if paper.arxiv else "",
        }
        entries.append(_entry("misc", key, fields))
    fields = {
        "title": "{rmtsim}",
        "version": rmtsim.__version__,
        "note": "Software; verdicts on random-matrix statements",
    }
    entries.append(_entry("software", "rmtsim", fields))
    return "\n".join(entries)


def _entry(kind: str, key: str, fields: dict[str, str]) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@{kind}{{{key},", *lines, "}", ""])


def junit(results: Sequence[ClaimResult], *, fail_open: bool = False) -> str:
    """Results as JUnit XML for continuous integration.

    Parameters
    ----------
    results : sequence of ClaimResult
        The results.
    fail_open : bool, optional
        Whether an undecided claim is a failure; otherwise it is skipped.

    Returns
    -------
    str
        One test case per claim: a refuted claim is a failure with its reasoning, a failed sampler an error.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import junit
    >>> 'failures="0"' in junit(verify("dong.thm1.diagonal-limit"))
    True
    """
    results = given_results(results)
    wanted = {Verdict.REFUTED, Verdict.INCONCLUSIVE, Verdict.UNTESTED} if fail_open else {Verdict.REFUTED}
    errors = [result for result in results if result.failed]
    failures = [result for result in results if not result.failed and result.verdict in wanted]
    skipped = [
        result
        for result in results
        if not result.failed and result.verdict in _SKIPPED and result not in failures
    ]
    suite = ElementTree.Element(
        "testsuite", name="rmtsim", tests=str(len(results)), failures=str(len(failures)), errors=str(len(errors)),
        skipped=str(len(skipped)), time=f"{sum(result.seconds for result in results):.3f}",
    )  # fmt: skip
    for result in results:
        case = ElementTree.SubElement(
            suite,
            "testcase",
            classname=result.source.partition(" ")[0],
            name=result.claim,
            time=f"{result.seconds:.3f}",
        )
        if result.failed:
            ElementTree.SubElement(case, "error", message=_xml(result.failed))
        elif result in failures:
            inner = ElementTree.SubElement(case, "failure", message=_xml(str(result.verdict)))
            inner.text = _xml(result.explain())
        elif result in skipped:
            ElementTree.SubElement(case, "skipped", message=_xml(_skipped(result)))
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(sentence(result))
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Without control characters, which XML cannot hold."""
    return re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "?", text)


_SKIPPED = (Verdict.INCONCLUSIVE, Verdict.UNTESTED)


def _skipped(result: ClaimResult) -> str:
    """Why a claim is neither confirmed nor refuted."""
    point = result.deciding
    return f"{point.verdict}: {point.reason if point.verdict is Verdict.UNTESTED else point.needs}"


@_described
def badge_json(results: Sequence[ClaimResult]) -> str:
    """Counts of verdicts as a badge file: the JSON of an endpoint badge.

    Returns
    -------
    str
        JSON: green if all claims are confirmed, red if one is refuted, yellow otherwise.

    Examples
    --------
    >>> from rmtsim import verify
    >>> from rmtsim.report import badge_json
    >>> print(badge_json(verify("dong.thm1.diagonal-limit")).strip())
    {"schemaVersion": 1, "label": "claims", "message": "1 confirmed, 0 refuted, 0 inconclusive", "color": "green"}
    """
    results = given_results(results)
    counts = [
        sum(not result.failed and result.verdict is verdict for result in results)
        for verdict in (Verdict.CONFIRMED, Verdict.REFUTED, Verdict.INCONCLUSIVE)
    ]
    failed = sum(bool(result.failed) for result in results)
    words = ", ".join(
        f"{count} {name}"
        for count, name in zip(counts, ("confirmed", "refuted", "inconclusive"), strict=True)
    )
    untested = sum(result.verdict is Verdict.UNTESTED for result in results)
    words += f", {untested} untested" if untested else ""
    words += f", {failed} failed" if failed else ""
    colour = "red" if counts[1] or failed else "yellow" if counts[2] or untested else "green"
    shown = {"schemaVersion": 1, "label": "claims", "message": words, "color": colour}
    return json.dumps(shown) + "\n"
