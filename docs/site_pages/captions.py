"""Captions of the figures: what is drawn, at which sizes, how often; and commands that are not a study's name alone."""

from __future__ import annotations

__all__ = ["CAPTIONS", "COMMANDS"]

COMMANDS = {
    "dong_training": "rmtsim study dong_training -- --full --seeds 3",
    "dong_training_maps": "rmtsim study dong_training -- --full --seeds 3",
    "dong_training_energies": "rmtsim study dong_training -- --full --seeds 3",
    "dong_training_seeds": "rmtsim study dong_training -- --classes 100",
    "dong_training_seeds_maps": "rmtsim study dong_training -- --classes 100",
    "dong_digits_maps": "rmtsim study dong_training -- --data digits --steps 3000",
    "dong_digits_energies": "rmtsim study dong_training -- --data digits --steps 3000",
    "dong_clusters": "rmtsim study dong_clusters -- --full --seeds 3",
    "dong_clusters_shares": "rmtsim study dong_clusters -- --full --seeds 3",
    "dong_figure9": "rmtsim study dong_figure9 -- --networks 200",
    "dong_ratio_decay": "rmtsim study dong_ratio_decay -- --size 200 --largest 32768",
    "dong_other_data": "rmtsim study dong_other_data -- --budget 40",
    "real_networks": "rmtsim study real_networks -- --budget 1500",
    "benchmark_scaling": "python -m benchmarks && python -m benchmarks --page",
    "dyson_cost": "python benchmarks/dyson.py",
    "verdict_ratio": "rmtsim verify dong.thm1.ratio --figures out",
}
"""Commands of figures that are not drawn by the study of their name with its defaults."""

CAPTIONS = {
    "benchmark_scaling": (
        "Seconds against size with one thread (filled: rmtsim; dashed: an alternative; dotted: a lower limit) and with "
        "default threads (open circles). The legends give fitted exponents with their errors, titles those of theory."
    ),
    "deconvolution": (
        "Population spectra estimated from the eigenvalues of one draw of each population: bands at all places at "
        "once, the best population, and the truth. Titles give the sizes."
    ),
    "dong_classes": (
        "Linear model, C = 10, 100, 1000 (columns), d = 64, N = C, one model each: |H| of the first ten "
        "classes under (a–c) square loss, (d–f) cross-entropy. Over each map: energy off the diagonal blocks, "
        "of all C² blocks. Colour: log₁₀ of the entry over the largest one of the map; a pixel is the largest "
        "entry it covers."
    ),
    "dong_classes_hidden": (
        "One hidden layer, m = 8, C = 10, 100, 1000 (columns), d = 64, N = C, one network each: hidden and "
        "output layer under (a–f) square loss, (g–l) cross-entropy; the output layer's first ten classes. "
        "Shares and colours as for the linear model."
    ),
    "dong_clusters": (
        "K clusters of unit length with noise 0.05 an entry, d = 64, m = 8, at most 2500 inputs, one "
        "network a map; the paper's two classes or five hundred, (a–h) square loss, (i–p) cross-entropy. Over each "
        "map: energy off the diagonal blocks of both layers."
    ),
    "dong_clusters_shares": (
        "The paper's C = 2 and 500 and its numbers K of clusters, d = 64, m = 8, at most 2500 inputs; a point is "
        "one of three seeds."
    ),
    "dong_digits_energies": (
        "600 digits, ten classes, m = 8, 3000 Adam steps at 3e-3: loss, absolute energies (squared Frobenius norms) of "
        "six parts of the Hessian, and shares; lines: seed 0, bands: range of three seeds."
    ),
    "dong_digits_maps": (
        "600 digits, ten classes, m = 8: |H| at the start, after a tenth and at the end of 3000 steps, seed 0; "
        "(a–c) square loss, (d–f) cross-entropy. Colour: log₁₀|H|, one scale a loss."
    ),
    "dong_figure8": (
        "Blocks H₁₁, H₁₂ of 1000 linear models for each C, N = d = 200 (γ = 1). Bars: mean ± two standard "
        "errors; band: 5–95 % of single models."
    ),
    "dong_figure9": (
        "200 networks for each C, N = d = 300, m = 8. Bars: mean ± two standard errors; band: 5–95 % of "
        "single networks."
    ),
    "dong_images": (
        "128 images of 32 × 32 × 3, m = 8, at initialisation: noise, and Gaussian fields with 1/f amplitude. "
        "A point is one of eight seeds."
    ),
    "dong_other_data": (
        "Intervals of the verdicts (level 0.05 each) for inputs that are not Gaussian: m = 8, C = 20, γ = 1, "
        "sizes 25 to 200, forty nominal seconds a point. Thick: CONFIRMED; dotted: INCONCLUSIVE; grey: what counts as "
        "no difference."
    ),
    "dong_ratio_decay": (
        "Mean off-diagonal over mean diagonal energy of the linear model, all blocks, N = d = 200, four "
        "models for each C = 2, 4, …, 32 768; bars: ± two standard errors."
    ),
    "dong_spectra": (
        "Eigenvalues of one block of one linear model and of one network (m = 5, its own V): d = 400, N = "
        "2000, C = 5."
    ),
    "dong_training": (
        "One hidden layer, m = 8, d = C = 500, N = 5000, random labels, Adam at 1e-4 with cosine annealing "
        "over 20 000 steps, seed 0: |H| at six stages, (a–f) square loss, (g–l) cross-entropy. Colour: "
        "log₁₀|H|, one scale a loss."
    ),
    "dong_training_energies": (
        "The same networks: loss, absolute energies (squared Frobenius norms) of six parts of the Hessian, and shares; "
        "lines: seed 0, bands: range of three seeds."
    ),
    "dong_training_maps": "The same at the start, a tenth and the end of the steps.",
    "dong_training_seeds": (
        "d = C = 100, m = 8, N = 1000, random labels, 6000 Adam steps from a rate of 3e-3: loss, absolute "
        "energies (squared Frobenius norms) of six parts of the Hessian, and shares; lines: seed 0, bands: "
        "range of three seeds."
    ),
    "dong_training_seeds_maps": (
        "The same networks, seed 0: |H| at the start, a tenth and the end of the steps, (a–c) square loss, "
        "(d–f) cross-entropy. Colour: log₁₀|H|, one scale a loss."
    ),
    "dyson_cost": "Core seconds for one point of a density against the size n.",
    "dyson_ensembles": (
        "Nine ensembles, one matrix of about 1000 rows each, beside the solved density; D_n: distance of the "
        "two distribution functions, and the largest of 19 fresh draws (the 5 % level)."
    ),
    "dyson_split": (
        "(a) Density of A + W, A with eigenvalues ± a; (b) edges of the support against a, and eigenvalues of "
        "one draw of 800 rows for each a."
    ),
    "l2l_map": (
        "log₁₀ of the quotient of errors on new tasks after t steps, from the limit law on 25 × 25 points; "
        "discs: 40 simulated tasks with d = 200."
    ),
    "l2l_noise": (
        "Errors against the noise: d = 1000, n = 500, 300 training tasks; bands: range of the simulated runs."
    ),
    "l2l_quadratic": (
        "The learned step size of one of five quadratic problems, d = 20, t = 80, η₀ = 0.1, 1000 "
        "meta-iterations."
    ),
    "l2l_samples": (
        "Errors against the number of samples: d = 1000, σ = 1, 100 training tasks; bands: range of the "
        "simulated runs."
    ),
    "li_dyson": (
        "Networks of width 5, 150 independent draws of the data, beside their Matrix Dyson law; both densities "
        "smoothed alike. N: number of weights."
    ),
    "li_initialisation": (
        "Depth 8, width 24: spectra, gradient norms over twenty networks (bars: two standard errors), losses "
        "and step sizes over 200 steps of one network each."
    ),
    "li_symmetry": (
        "Distance of the spectrum to its mirror image, 24 draws a point; bars: two standard errors."
    ),
    "li_training": (
        "A network on digits and one on a teacher's labels, width 16, 60 epochs, one run each: spectra, loss "
        "and accuracy, correlations of entries over 157 batches at two epochs, exponents of their counts (means of "
        "three submatrices, shaded: one deviation)."
    ),
    "liu_bottleneck": (
        "Largest relative change of the kernel in training against the bottleneck's width, 3 to 500, other layers 10⁴ "
        "wide, ten runs a point; bars: range of the runs; slopes ± two standard errors."
    ),
    "liu_constant": (
        "1000 networks a width and depth: (a) mean and 5–95 % of √m‖H‖, (b) its distribution with two hidden "
        "layers."
    ),
    "liu_eigenvector": (
        "Mean share of the top eigenvector in every layer and 10–90 % of thirty networks a width, one to three hidden "
        "layers."
    ),
    "liu_kernels": (
        "(a) Largest relative change of the kernel against the width, 30 to 10⁵, ten runs a width; bars: their range; "
        "slopes ± two standard errors. (b) Its course in one run at width 10⁴."
    ),
    "liu_norms": (
        "Means and 10–90 % of ten networks a width of seven architectures; slopes of the upper half of the widths ± "
        "two standard errors."
    ),
    "loglinear_anchors": (
        "10 000 words, d = 32, 500 contexts: mean and range of five dictionaries of each kind."
    ),
    "own_network": (
        "A 64–16–10 ReLU network on 1437 digits before and after 400 steps, one seed: norms of blocks, "
        "eigenvalues by layer."
    ),
    "own_spectrum": "300 features of 900 samples with three spikes (9, 3.5, 2.2): bulk, law, outliers.",
    "real_networks": (
        "Networks on scikit-learn's digits at initialisation and after training: energy of off-diagonal over diagonal "
        "output blocks, distance and overlap with the Kronecker product, change of the tangent kernel, skewness of the "
        "Hessian's eigenvalues, excess of a step size tuned on training losses. Means with two standard errors."
    ),
    "sparse_learned": (
        "Recovery error against the number p' of learned atoms, d = 40, p = 80; mean and one standard "
        "deviation over runs."
    ),
    "sparse_noise": (
        "Recovery error against the noise, d = 40, p = 80, p' = 400; mean and one standard deviation over "
        "runs."
    ),
    "sparse_sizes": "Recovery error with p = 2d, p' = 4d; mean and one standard deviation over runs.",
    "verdict_ratio": (
        "The figure behind a verdict, `dong.thm1.ratio` at two points (γ, C): sizes 40, 80, 160, 320 with 768, 640, "
        "640 and about 200 models; means with two standard errors, all admissible finite-size models, the interval "
        "for the limit, and prediction ± tolerance."
    ),
    "wu_correspondence": (
        "Correspondence matrices of Definition F.1, one network: n = 20, c = 5, 300 inputs; the first twenty "
        "eigenvectors."
    ),
    "wu_digits": "One hidden layer of 24 units on 1437 digits, seed 0, at the start and after 600 steps.",
    "wu_models": (
        "Twelve pairs of networks, n = 24, α = 0.8, c = 10, 500 inputs; bands: two standard errors of the "
        "mean."
    ),
    "wu_pac_bayes": (
        "Bounds for three seeds, a network with 20 hidden units on 1437 digits, 6000 steps; posterior "
        "deviations of the first seed."
    ),
    "wu_pairs": (
        "Five networks with two hidden layers of 20 units on digits, ten pairs: mean and range of the "
        "overlap, layer by layer, untrained (a–c) and trained (d–f)."
    ),
    "wu_pairs_labels": (
        "Second layer of the same networks, five each: mean and range of the leading eigenvalues, (a) "
        "untrained, (b) trained on true, (c) on random labels."
    ),
    "wu_spectrum": (
        "One network, n = 300, α = 0.3, c = 10, 1500 inputs; black: median and 10–90 % of the law of the c-1 "
        "outliers over weights."
    ),
    "wu_training": (
        "Two hidden layers of 20 units on 1437 digits, 600 steps: means of five seeds, bands from the least "
        "to the largest."
    ),
    "wu_training_ends": "The same networks at both ends: first layer above, second below; dotted: c-1 = 9.",
    "wu_width": (
        "α = 0.3, c = 4 and 10, several networks a width (8 to 16), 400 inputs; (a) means, (b, c) medians and "
        "10–90 % bands."
    ),
    "hessian_coverage": (
        "Intervals for the population's Hessian at level 0.95, 1000 repetitions a task: shares that cover; right: "
        "ten data sets of one task."
    ),
    "hessian_digits": (
        "Block ratios between the ten output classes of a perceptron and a convolutional network on digits, at "
        "initialisation and trained; above: off-diagonal over diagonal energy for the population, 95 % interval."
    ),
    "hessian_vocabulary": (
        "A small transformer on generated text: off-diagonal over diagonal energy of the output layer and of attention "
        "heads against the vocabulary, at initialisation and trained."
    ),
}
"""One sentence or two for every figure of docs/figures."""
