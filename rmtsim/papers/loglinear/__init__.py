"""Statements of `loglinear` (chapter 3 and appendix B of the thesis), one module per topic."""

from rmtsim.claims import Paper

HEADLINES = (
    "loglinear.eqB.8",
    "loglinear.eqB.8/corrected",
    "loglinear.eqB.9",
    "loglinear.thm3.3.2",
    "loglinear.eq3.37",
    "loglinear.eq3.14",
    "loglinear.lemma3.5.9",
)

PAPER = Paper(
    key="loglinear",
    package=__name__,
    authors="Chenwei Wu",
    title=(
        "Theoretical Understanding of Neural Network Optimization Landscape and Self-Supervised "
        "Representation Learning, chapter 3 and appendix B (joint work with Holden Lee, Rong Ge)"
    ),
    year="2023",
    venue="Dissertation, Duke University",
    also=(
        "Chenwei Wu, Holden Lee, Rong Ge: Connecting Pre-trained Language Model and Downstream "
        "Task via Properties of Representation. NeurIPS 2023"
    ),
    modules=("necessity", "anchors", "transfer", "theorem", "discussion"),
    quick=(
        *HEADLINES,
        "loglinear.thm3.3.1",
        "loglinear.eqB.9/corrected",
        "loglinear.sec3.4.3.spherical",
        "loglinear.sec3.5.5.obstacles/corrected",
        "loglinear.sec3.5.5.obstacles",
        "loglinear.lemma3.5.10.step",
        "loglinear.lemma3.5.10.step/corrected",
        "loglinear.eqB.48",
        "loglinear.eq3.37/corrected",
        "loglinear.eq3.14/corrected",
        "loglinear.eq3.20.cases",
        "loglinear.eq3.20.sinh",
        "loglinear.eq3.20.sinh/corrected",
    ),
    headlines=HEADLINES,
    aliases={
        "loglinear.thm3.5.7.adversarial": "loglinear.thm3.5.7",
        "loglinear.eq3.10.random": "loglinear.thm3.5.7",
    },
)
