"""Write and execute the example notebooks: ``python docs/notebooks/make.py`` (needs the extra "dev").

The cells are defined here as text, so that changes are easy to review; the committed notebooks are executed.
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
        "A result prints its verdict. It also has an explanation, a figure, a table for pandas, "
        "and a suggested next step.",
        "(result,) = results\nprint(result.explain()[:600])",
        'result.to_frame()[["gamma", "verdict", "predicted", "estimate", "low", "high"]]',
        "print(result.next_step)",
        "Where a printed statement is wrong, it is refuted, and a corrected one is declared with it:",
        'verify(["dong.introduction.output-ce", "dong.eq6", "dong.eq6/corrected"], quick=True)',
        "The predicted value of a statement:",
        'predict("dong.thm1.diagonal-limit", gamma=0.5)',
    ],
    "own-claim": [
        "# Your own claim\n\nA claim is a function of `(size, rng)` that returns a number, "
        "with a statement about that number.",
        'import numpy as np\n\nfrom rmtsim import claim, verify\n\n\n@claim(\n    "goe.edge",\n    limit=2.0,\n'
        "    tolerance=0.06,\n    sizes=(10, 20, 40, 80),\n    exponents=(2 / 3,),\n"
        '    because="edge fluctuations and their mean are of order n^-2/3",\n    cost=lambda n: 3e-7 * n**2,\n)\n'
        'def largest_eigenvalue(size, rng):\n    """The largest eigenvalue of a GOE matrix tends to 2."""\n'
        "    a = rng.standard_normal((size, size))\n    return np.linalg.eigvalsh((a + a.T) / np.sqrt(2 * size))[-1]",
        "A declared claim can be called like the function, which gives one value:",
        "largest_eigenvalue(40, np.random.default_rng(0))",
        "Claims typed in a notebook run on several worker processes too; the result is the same, byte for byte.",
        "here = verify(largest_eigenvalue, budget=8)\nthere = verify(largest_eigenvalue, budget=8, executor=2)\n"
        "here[0].digest == there[0].digest",
        "here",
        "The most common mistake, a whole spectrum in place of independent values, raises an error:",
        '@claim("goe.centre", limit=0.0, tolerance=0.01, sizes=(16, 32, 64))\ndef spectrum(size, rng):\n'
        "    a = rng.standard_normal((size, size))\n    return np.linalg.eigvalsh(a + a.T)\n\n\n"
        "try:\n    verify(spectrum)\nexcept ValueError as error:\n    print(error)",
    ],
}
"""Cells by name of the notebook."""


def is_text(cell: str) -> bool:
    """Whether a cell is Markdown: it begins like a sentence or a heading."""
    return cell[0] == "#" or cell.split()[0] in {"Where", "A", "Claims", "The"}


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
