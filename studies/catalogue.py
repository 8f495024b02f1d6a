"""What ``rmtsim studies`` lists: for every study a quick form, how long both take on one core, and the extra it needs.

Times are processor seconds of one run on a machine shared with other work, rounded; "minutes" marks runs of more than
a minute of one core, which were not timed.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["STUDIES", "Study"]


@dataclass(frozen=True)
class Study:
    """How one study is run quickly, and what it costs."""

    quick: str
    """Options of the quick form."""
    quick_time: str
    time: str
    """Of the form that the docs show."""
    extra: str = ""
    """Optional dependency of rmtsim that it needs."""


STUDIES = {
    "deconvolution": Study("--shapes 60x180 --draws 4 --searches 1", "10 s", "minutes"),
    "dong_classes": Study("--classes 10 100", "2 s", "4 s"),
    "dong_clusters": Study("--classes 10", "3 s", "5 s"),
    "dong_figure8": Study("--size 100 --models 20", "3 s", "1 min"),
    "dong_figure9": Study("--size 40 --networks 8 --hidden 4 --classes 2 4 8", "9 s", "minutes"),
    "dong_images": Study("--images 32 --seeds 2", "3 s", "10 s"),
    "dong_other_data": Study("--budget 2", "a minute", "minutes"),
    "dong_ratio_decay": Study("--size 40 --models 4 --largest 64", "2 s", "minutes"),
    "dong_spectra": Study("--size 200 --classes 3", "3 s", "3 s"),
    "dong_training": Study("--classes 12 --steps 200", "5 s", "10 s"),
    "dyson_ensembles": Study("--size 60", "4 s", "minutes"),
    "dyson_split": Study("--size 60", "2 s", "3 s"),
    "hessian_coverage": Study("--repetitions 40 --size 20", "10 s", "minutes"),
    "hessian_digits": Study("--width 8 --steps 30 --samples 300", "20 s", "minutes", "torch,studies"),
    "hessian_vocabulary": Study(
        "--vocabularies 20 60 --width 8 --steps 30 --texts 40 --classes 6", "20 s", "minutes", "torch"
    ),
    "l2l_map": Study("--resolution 6 --steps 3 40 --dimension 40 --tasks 8", "4 s", "1 min"),
    "l2l_noise": Study(
        "--dimension 30 --samples 15 --tasks 20 --tests 20 --steps 10 --noise 0.5 1 2 --curve 4",
        "2 s",
        "minutes",
    ),
    "l2l_quadratic": Study("--dimension 10 --iterations 100 --problems 4", "3 s", "20 s"),
    "l2l_samples": Study(
        "--dimension 30 --samples 15 60 --tasks 20 --tests 20 --steps 10 --curve 4", "2 s", "minutes"
    ),
    "li_dyson": Study("--width 4 --layers 2 --draws 40 --points 21", "a minute", "minutes"),
    "li_initialisation": Study("--width 8 --steps 50 --networks 5", "10 s", "a minute", "studies"),
    "li_paper_networks": Study(
        "--scale 32 --epochs 2 --vgg-epochs 2 --samples 40 --few 6 --lanczos 12 --steps 5 --networks 2",
        "10 s",
        "an hour",
        "torch,studies",
    ),
    "li_symmetry": Study("--widths 4 8 --draws 6", "5 s", "a minute"),
    "li_training": Study("--width 8 --epochs 10 --dimension 12 --small 5", "20 s", "minutes", "studies"),
    "liu_bottleneck": Study(
        "--width 500 --bottlenecks 3 10 30 --runs 2", "a minute", "hours; minutes at --width 1000"
    ),
    "liu_constant": Study("--widths 16 64 256 --networks 300", "10 s", "3 minutes"),
    "liu_eigenvector": Study("--widths 16 32 64 128 --networks 10", "5 s", "minutes"),
    "liu_kernels": Study("--widths 100 1000 --runs 2 --path 1000", "10 s", "10 minutes"),
    "liu_norms": Study("--widths 16 32 64 128 --networks 4 --convolutions 64", "10 s", "minutes"),
    "loglinear_anchors": Study("--words 1000 --dimension 16 --texts 200 --draws 2", "3 s", "a minute"),
    "own_network": Study("--width 8 --steps 100", "8 s", "minutes", "studies"),
    "own_spectrum": Study("--samples 300 --features 100", "3 s", "3 s"),
    "real_networks": Study("--budget 13", "a minute", "25 minutes at --budget 1500", "studies"),
    "sparse_learned": Study(
        "--dimension 20 --learned 40 80 --runs 2 --epochs 20", "2 s", "2 minutes; 40 minutes with --full"
    ),
    "sparse_noise": Study(
        "--dimension 20 --levels 2 --runs 2 --epochs 20", "2 s", "3 minutes; 80 minutes with --full"
    ),
    "sparse_sizes": Study(
        "--dimensions 10 20 --runs 2 --epochs 20", "2 s", "a minute; 80 minutes with --full"
    ),
    "wu_correspondence": Study("--width 20 --classes 5 --inputs 100 --show 8", "3 s", "3 s"),
    "wu_digits": Study("--width 30 --steps 50 --show 20", "9 s", "minutes", "studies"),
    "wu_models": Study("--width 20 --classes 4 --inputs 100 --pairs 4", "3 s", "30 s"),
    "wu_pac_bayes": Study("--width 8 --steps 100 --draws 50 --seeds 1", "a minute", "minutes", "studies"),
    "wu_pairs": Study("--width 8 --steps 50 --models 2 --show 30", "10 s", "a minute", "studies"),
    "wu_spectrum": Study("--width 40 --classes 5 --inputs 100 --show 10", "2 s", "15 s"),
    "wu_training": Study("--width 8 --steps 30 --seeds 2 --show 20", "10 s", "a minute", "studies"),
    "wu_width": Study(
        "--widths 16 32 64 --networks 4 --inputs 100 --classes 5 --layer-gap 16", "2 s", "minutes"
    ),
}
