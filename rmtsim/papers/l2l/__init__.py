"""Statements of `l2l` (chapter 5 and appendix D of the thesis), one module per topic."""

from rmtsim.claims import Paper

PAPER = Paper(
    key="l2l",
    package=__name__,
    authors="Chenwei Wu",
    title=(
        "Theoretical Understanding of Neural Network Optimization Landscape and Self-Supervised "
        "Representation Learning, chapter 5 and appendix D (joint work with Xiang Wang, Shuai "
        "Yuan, Rong Ge)"
    ),
    year="2023",
    venue="Dissertation, Duke University",
    also=(
        "Xiang Wang, Shuai Yuan, Chenwei Wu, Rong Ge: Guarantees for Tuning the Step Size using "
        "a Learning-to-Learn Approach. ICML 2021, pages 10981-10990"
    ),
    modules=(
        "quadratic",
        "quadratic_in_floats",
        "quadratic_at_random",
        "prediction",
        "step_sizes",
        "spectrum",
        "truncation",
        "train_by_train",
        "train_by_validation",
        "many_samples",
        "nets",
        "stochastic",
        "stochastic_generalisation",
        "tools",
        "second_reading",
    ),
    quick=(
        "l2l.thm5.3.1.vanishing",
        "l2l.claim5.3.5",
        "l2l.eq5.1",
        "l2l.eq5.2",
        "l2l.footnote2.coordinates",
        "l2l.footnote2.coordinates/corrected",
        "l2l.thm5.4.1.train-limit",
        "l2l.truncation.cost",
        "l2l.lemmaD.2.14.constant",
        "l2l.lemmaD.2.14.constant/corrected",
        "l2l.lemmaD.3.1.decomposition",
        "l2l.lemmaD.4.3.step",
        "l2l.lemmaD.4.3.step/corrected",
        "l2l.lemmaD.4.9.constant",
        "l2l.lemmaD.4.9.constant/corrected",
        "l2l.thm5.1.2.optimal",
    ),
    aliases={
        "l2l.thm5.3.2.negative/corrected": "l2l.thm5.3.2.negative",
        "l2l.lemmaD.2.20/corrected": "l2l.lemmaD.2.20",
        "l2l.truncation.cost/corrected": "l2l.truncation.cost",
    },
)
