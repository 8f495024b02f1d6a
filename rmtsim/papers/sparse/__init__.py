"""Statements of `sparse` (chapter 2 and appendix A of the thesis), one module per topic."""

from rmtsim.claims import Paper

HEADLINES = (
    "sparse.cor2.3.4.distance",
    "sparse.thm2.3.2.distance",
    "sparse.thm2.3.2.distance/corrected",
    "sparse.eqA.15",
    "sparse.eqA.15/corrected",
    "sparse.eqA.23",
    "sparse.thmA.1.1",
    "sparse.thmA.1.1/corrected",
)

PAPER = Paper(
    key="sparse",
    package=__name__,
    authors="Chenwei Wu",
    title=(
        "Theoretical Understanding of Neural Network Optimization Landscape and Self-Supervised "
        "Representation Learning, chapter 2 and appendix A (joint work with Muthu Chidambaram, "
        "Yu Cheng, Rong Ge)"
    ),
    year="2023",
    venue="Dissertation, Duke University",
    also=(
        "Muthu Chidambaram, Chenwei Wu, Yu Cheng, Rong Ge: Hiding Data Helps: On the Benefits of "
        "Masking for Sparse Coding. ICML 2023"
    ),
    modules=("assumptions", "two_sparsities", "overfitting", "masking"),
    quick=(
        *HEADLINES,
        "sparse.sec2.2.3.gershgorin",
        "sparse.eqA.3",
        "sparse.eqA.6",
        "sparse.eqA.7",
        "sparse.lemmaA.1.2",
        "sparse.thm2.3.2.columns",
        "sparse.thm2.3.2.columns/corrected",
        "sparse.thm2.3.2.tail",
        "sparse.cor2.3.4.net",
        "sparse.cor2.3.4.net/corrected",
        "sparse.eqA.16",
        "sparse.eqA.16/corrected",
    ),
    headlines=HEADLINES,
)
