"""What ``rmtsim studies`` lists: for every study a quick form, how long both take on one core, and the extra it needs.

Times are those of one run on a machine shared with other work, rounded: seconds, or minutes.
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
    "dong_classes": Study("--classes 10 100", "3 s", "1 min"),
    "dong_clusters": Study("--classes 10", "10 s", "1 min"),
    "dong_figure8": Study("--size 100 --models 4", "5 s", "2 min"),
    "dong_figure9": Study("--size 40 --networks 8 --hidden 4 --classes 2 4 8", "20 s", "10 min"),
    "dong_other_data": Study("--budget 0.2", "40 s", "10 min"),
    "dong_ratio_decay": Study("--size 40 --models 4 --largest 64", "3 s", "2 min"),
    "dong_spectra": Study("--size 200 --classes 3", "5 s", "1 min"),
    "dong_training": Study("--classes 12 --steps 200", "10 s", "5 min"),
    "dyson_ensembles": Study("--size 60", "20 s", "2 min"),
    "dyson_split": Study("--size 60", "20 s", "2 min"),
    "l2l_map": Study("--resolution 6 --steps 3 40 --dimension 40 --tasks 8", "5 s", "5 min"),
    "l2l_noise": Study(
        "--dimension 30 --samples 15 --tasks 20 --tests 20 --steps 10 --noise 0.5 1 2 --curve 4",
        "5 s",
        "5 min",
    ),
    "l2l_quadratic": Study("--dimension 10 --iterations 100 --problems 4", "5 s", "5 min"),
    "l2l_samples": Study(
        "--dimension 30 --samples 15 60 --tasks 20 --tests 20 --steps 10 --curve 4", "5 s", "5 min"
    ),
    "li_dyson": Study("--width 4 --layers 2 --draws 40 --points 21", "5 s", "2 min"),
    "li_initialisation": Study("--width 8 --steps 50 --networks 5", "10 s", "1 min", "studies"),
    "li_training": Study("--width 8 --epochs 10 --dimension 12 --small 5", "20 s", "2 min", "studies"),
    "own_network": Study("--width 8 --steps 100", "5 s", "1 min", "studies"),
    "wu_correspondence": Study("--width 20 --classes 5 --inputs 100 --show 8", "3 s", "1 min"),
    "wu_digits": Study("--width 30 --steps 50 --show 20", "5 s", "1 min", "studies"),
    "wu_models": Study("--width 20 --classes 4 --inputs 100 --pairs 4", "3 s", "1 min"),
    "wu_pac_bayes": Study("--width 8 --steps 100 --draws 50 --seeds 1", "10 s", "20 min", "studies"),
    "wu_spectrum": Study("--width 40 --classes 5 --inputs 100 --show 10", "3 s", "1 min"),
    "wu_width": Study(
        "--widths 16 32 64 --networks 4 --inputs 100 --classes 5 --layer-gap 16", "5 s", "5 min"
    ),
}
