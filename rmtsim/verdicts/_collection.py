"""What :func:`rmtsim.verify` returns: a list of results that shows itself, at a prompt and in a notebook."""

from __future__ import annotations

from typing import Any

from rmtsim.verdicts._results import ClaimResult


class Results(list[ClaimResult]):
    """Results of a run in the order of the claims: a list that displays itself.

    Parameters
    ----------
    iterable : iterable of ClaimResult, optional
        The results.

    Attributes
    ----------
    next_step : str
        What to do next, one line per suggestion.

    Examples
    --------
    >>> from rmtsim import verify
    >>> results = verify("dong.thm1.diagonal-limit")
    >>> print(str(results).splitlines()[0])
    CONFIRMED     dong.thm1.diagonal-limit  theorem (printed), computed
    >>> results.next_step
    'the reasoning: rmtsim verify dong.thm1.diagonal-limit --explain'
    """

    # Words and figures are imported where they are used: they load rich and matplotlib, which a run does not need.

    def __str__(self) -> str:
        """The table and the summary that the command line prints."""
        from rmtsim.verdicts._words.summary import summary
        from rmtsim.verdicts._words.table import verdict_table

        return f"{verdict_table(self, 100).plain}\n\n{summary(self)}" if self else "no results"

    def _repr_html_(self) -> str:
        from rmtsim.verdicts._words.html import result_html, results_html

        return result_html(self[0]) if len(self) == 1 else results_html(self)

    def explain(self) -> str:
        """Full reasoning of every result.

        Returns
        -------
        str
            Several paragraphs of text.
        """
        return "\n\n".join(result.explain() for result in self)

    def to_frame(self) -> Any:
        """Table of all claims and parameter points as a pandas DataFrame.

        Returns
        -------
        pandas.DataFrame
            One row per claim and parameter point.

        Raises
        ------
        ImportError
            If pandas is not installed (extra ``notebook``).
        """
        return frame([row for result in self for row in result.rows()])

    @property
    def next_step(self) -> str:
        """What a reader would do next, one line each."""
        from rmtsim.verdicts._words.summary import next_lines

        return "\n".join(next_lines(self))


def frame(rows: list[dict[str, Any]]) -> Any:
    """Rows as a pandas DataFrame; an ImportError that says what to install where there is no pandas."""
    try:
        import pandas
    except ImportError:
        raise ImportError(
            "to_frame needs pandas, which is not installed: pip install 'rmtsim[notebook]'"
        ) from None
    return pandas.DataFrame(rows)
