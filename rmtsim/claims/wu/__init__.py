"""Statements of `wu`, one module a topic."""

MODULES = (
    "weights",
    "fourth_moments",
    "hidden_units",
    "logits",
    "output_spaces",
    "output_norms",
    "proof_of_theorem_4_2",
    "layer_hessian",
    "kronecker",
    "identities",
    "moments",
    "deep",
    "logit_gradients",
    "two_models",
    "full_hessian",
)
"""Modules that declare statements, in the order of the listings."""

QUICK = (
    "wu.lemmaB.1",
    "wu.lemmaB.1/corrected",
    "wu.lemmaB.4",
    "wu.lemmaB.7",
    "wu.lemmaB.9",
    "wu.lemmaB.9/corrected",
    "wu.lemmaB.10",
    "wu.lemmaB.10/corrected",
    "wu.lemmaB.11",
    "wu.lemmaB.12",
    "wu.thm4.2.overlap",
    "wu.thm4.2.gap",
    "wu.thm4.2.rowspace",
    "wu.thm4.2.rowspace/corrected",
    "wu.eq8",
    "wu.eq8/corrected",
    "wu.lemmaB.14",
    "wu.lemmaB.16",
    "wu.eq224",
    "wu.thm4.1.overlap",
    "wu.corB.5",
    "wu.eq4",
    "wu.lemmaB.24",
    "wu.thm4.2.difference",
    "wu.eq86",
    "wu.eq86/corrected",
    "wu.eq159",
    "wu.eq159/corrected",
    "wu.eq249",
    "wu.eq249/corrected",
    "wu.eq264",
    "wu.eq271",
    "wu.eq271/corrected",
    "wu.eq273",
    "wu.eq273/corrected",
)
"""The paper's quick set: one representative of every argument, every refutation that seconds decide."""

HEADLINES = QUICK
"""Those that the quick set of all papers together keeps."""
