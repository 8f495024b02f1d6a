"""Parameters and random instances shared by the statements on the log-linear word model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rmtsim.claims import Parameter, Tolerance

if TYPE_CHECKING:
    from rmtsim.papers.loglinear.simulation.word_model import WordModel


"""A statement of the thesis."""

ROUNDING = Tolerance(absolute=1e-10)
"""Slack of inequalities and identities between sums of at most some hundred numbers of order one."""

SHIFT = Parameter(
    "shift", "s, by which the logit of one word is lowered", 1.0, open_below=True, highest=200.0,
    draw_range=(0.1, 10.0),
)  # fmt: skip
SPREAD = Parameter(
    "spread", "standard deviation of the teacher's logits", 1.0, highest=20.0, draw_range=(0.2, 4.0)
)
CONTEXTS = 3
"""Contexts of a random instance: constructions must serve all of them with one dictionary."""
DIMENSION = 4


def draw_teacher(size: int, rng: np.random.Generator, spread: float, contexts: int = CONTEXTS) -> WordModel:
    """Gaussian atoms and contexts; logits have the standard deviation ``spread``."""
    from rmtsim.papers.loglinear.simulation.word_model import word_model

    atoms = rng.standard_normal((size, DIMENSION))
    return word_model(atoms, spread / np.sqrt(DIMENSION) * rng.standard_normal((contexts, DIMENSION)))
