"""Classical theorems on random matrices, one module per topic; they are known to be true and test the engine."""

from rmtsim.claims import Paper

HEADLINES = (
    "textbook.wigner",
    "textbook.bbp.above",
)

PAPER = Paper(
    key="textbook",
    package=__name__,
    authors=(
        "Wigner, Marchenko, Pastur, Tracy, Widom, Baik, Ben Arous, Péché, Gaudin, Mehta, "
        "Ginibre, Girko and others"
    ),
    title="Classical theorems on random matrices",
    year="1955 to 2012",
    venue="no single paper, each statement names its own source",
    modules=(
        "bulk",
        "edge",
        "spikes",
        "gaps",
        "plane",
    ),
    quick=(
        *HEADLINES,
        "textbook.wachter",
        "textbook.gaudin.cue",
    ),
    headlines=HEADLINES,
)
