"""Write and execute the example notebooks: ``python docs/notebooks/make.py`` (needs the extra "dev").

Their cells stand here as text, so that a change is read as one; what is committed is executed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent

NOTEBOOKS = {
    "first-verdict": [
        "# A first verdict\n\nIs a printed statement true? Take Theorem 1 of `dong`: the limit of a diagonal block of "
        "the Hessian as the number of classes grows.",
        'from rmtsim import predict, verify\n\nresults = verify("dong.thm1.diagonal-limit")\nresults',
        "Every result shows itself. Its parts: the whole reasoning, a figure, a table for pandas, and what to do next.",
        "(result,) = results\nprint(result.explain()[:600])",
        'result.to_frame()[["gamma", "verdict", "predicted", "estimate", "low", "high"]]',
        "print(result.next_step)",
        "Where a paper is wrong, the printed statement is refuted and the corrected one stands beside it:",
        'verify(["dong.introduction.output-ce", "dong.eq6", "dong.eq6/corrected"], quick=True)',
        "What a statement predicts, as a number:",
        'predict("dong.thm1.diagonal-limit", gamma=0.5)',
    ],
    "own-claim": [
        "# Your own claim\n\nA function of `(size, rng)` that returns a number, and what should become of it.",
        'import numpy as np\n\nfrom rmtsim import claim, verify\n\n\n@claim(\n    "goe.edge",\n    limit=2.0,\n'
        "    tolerance=0.06,\n    sizes=(10, 20, 40, 80),\n    exponents=(2 / 3,),\n"
        '    because="edge fluctuations and their mean are of order n^-2/3",\n    cost=lambda n: 3e-7 * n**2,\n)\n'
        'def largest_eigenvalue(size, rng):\n    """The largest eigenvalue of a GOE matrix tends to 2."""\n'
        "    a = rng.standard_normal((size, size))\n    return np.linalg.eigvalsh((a + a.T) / np.sqrt(2 * size))[-1]",
        "A declared claim is still the function, so one value can be looked at:",
        "largest_eigenvalue(40, np.random.default_rng(0))",
        "Claims typed in a notebook run on several worker processes too; the result is the same, byte for byte.",
        "here = verify(largest_eigenvalue, budget=8)\nthere = verify(largest_eigenvalue, budget=8, executor=2)\n"
        "here[0].digest == there[0].digest",
        "here",
        "The commonest mistake, a whole spectrum in place of independent values, is refused:",
        '@claim("goe.centre", limit=0.0, tolerance=0.01, sizes=(16, 32, 64))\ndef spectrum(size, rng):\n'
        "    a = rng.standard_normal((size, size))\n    return np.linalg.eigvalsh(a + a.T)\n\n\n"
        "try:\n    verify(spectrum)\nexcept ValueError as error:\n    print(error)",
    ],
}
"""By name: cells, text where the first character is no code's."""


def is_text(cell: str) -> bool:
    """Whether a cell is Markdown: it begins like a sentence or a heading."""
    return cell[0] == "#" or cell.split()[0] in {"Every", "Where", "What", "A", "Claims", "The"}


def notebook(name: str) -> nbformat.NotebookNode:
    """A notebook without outputs."""
    make = nbformat.v4
    cells = [
        make.new_markdown_cell(cell) if is_text(cell) else make.new_code_cell(cell)
        for cell in NOTEBOOKS[name]
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return make.new_notebook(
        cells=cells,
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )


def executed(name: str, folder: Path = HERE) -> nbformat.NotebookNode:
    """The notebook with its outputs, run in a fresh Jupyter kernel."""
    book = notebook(name)
    client = NotebookClient(
        book,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(folder)}},
        record_timing=False,
    )
    client.execute()
    return book


if __name__ == "__main__":
    for each in sys.argv[1:] or NOTEBOOKS:
        nbformat.write(executed(each), HERE / f"{each}.ipynb")
