"""The papers whose statements are tested: full citations, where their statements are declared, their quick sets.

A paper's package names its ``MODULES`` and, if it has them, two quick sets: ``QUICK`` for the paper alone (well under
a minute), and ``HEADLINES``, the part of it that the quick set of all papers together keeps, so that this one stays
under two minutes on two cores however many papers there are.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

__all__ = ["PAPERS", "Paper"]


@dataclass(frozen=True)
class Paper:
    """One paper: its key in claim ids, and how it is cited.

    >>> PAPERS["dong"].citation.startswith("Zhaorui Dong")
    True
    """

    key: str
    authors: str
    title: str
    year: str = ""
    """Date as printed in the paper; empty if our copy shows none."""
    venue: str = ""
    """Venue or identifier as printed in it."""

    @property
    def citation(self) -> str:
        """Authors, title, venue and date, as far as the paper's own text gives them."""
        printed = [part for part in (self.venue, self.year or "no date in our copy") if part]
        return f"{self.authors}: {self.title}. {', '.join(printed)}"

    @property
    def package(self) -> ModuleType:
        """The folder of its statements, imported without the modules in it."""
        return importlib.import_module(f"rmtsim.papers.{self.key}")

    @property
    def folder(self) -> Path:
        """The folder of the paper's package: statements, theory, simulation, errata and recorded verdicts."""
        return Path(str(self.package.__file__)).parent

    @property
    def quick(self) -> tuple[str, ...]:
        """Its own quick set: one representative of every argument, every refutation that seconds decide.

        >>> set(PAPERS["li"].headlines) <= set(PAPERS["li"].quick)
        True
        """
        found: tuple[str, ...] = getattr(self.package, "QUICK", ())
        return found

    @property
    def headlines(self) -> tuple[str, ...]:
        """What ``rmtsim verify --quick`` runs of it, among all papers."""
        found: tuple[str, ...] = getattr(self.package, "HEADLINES", ())
        return found

    def load(self) -> tuple[str, ...]:
        """Import the modules that declare the paper's statements; their names, in order."""
        names: tuple[str, ...] = self.package.MODULES
        modules = tuple(f"{self.package.__name__}.statements.{name}" for name in names)
        for module in modules:
            importlib.import_module(module)
        return modules


PAPERS: dict[str, Paper] = {
    paper.key: paper
    for paper in (
        Paper(
            "dong",
            "Zhaorui Dong, Yushun Zhang, Jianfeng Yao, Ruoyu Sun",
            "Towards Quantifying the Hessian Structure of Neural Networks",
            venue="Submitted to the IEEE for possible publication",
        ),
        Paper(
            "wu",
            "Yikai Wu, Xingyu Zhu, Chenwei Wu, Annie Wang, Rong Ge",
            "Dissecting Hessian: Understanding Common Structure of Hessian in Neural Networks",
            year="October 24, 2022",
        ),
        Paper(
            "li",
            "Shuai Li",
            "Neural Network as Complex Adaptive System and Its Emergent Benign Loss Landscape",
            venue="Preprint",
        ),
        Paper(
            "l2l",
            "Chenwei Wu",
            "Theoretical Understanding of Neural Network Optimization Landscape and Self-Supervised Representation "
            "Learning, chapter 5 and appendix D (joint work with Xiang Wang, Shuai Yuan, Rong Ge)",
            year="2023",
            venue="Dissertation, Duke University",
        ),
        Paper(
            "liu",
            "Chaoyue Liu, Libin Zhu, Mikhail Belkin",
            "On the linearity of large non-linear models: when and why the tangent kernel is constant",
            venue="no venue in our copy",
        ),
        Paper(
            "sparse",
            "Chenwei Wu",
            "Theoretical Understanding of Neural Network Optimization Landscape and Self-Supervised Representation "
            "Learning, chapter 2 and appendix A (joint work with Muthu Chidambaram, Yu Cheng, Rong Ge)",
            year="2023",
            venue="Dissertation, Duke University",
        ),
        Paper(
            "loglinear",
            "Chenwei Wu",
            "Theoretical Understanding of Neural Network Optimization Landscape and Self-Supervised Representation "
            "Learning, chapter 3 and appendix B (joint work with Holden Lee, Rong Ge)",
            year="2023",
            venue="Dissertation, Duke University",
        ),
        Paper(
            "textbook",
            "Wigner, Marchenko, Pastur, Tracy, Widom, Baik, Ben Arous, Péché, Gaudin, Mehta, Ginibre, Girko and others",
            "Classical theorems on random matrices",
            year="1955 to 2012",
            venue="no single paper, each statement names its own source",
        ),
    )
}
"""By key, in the order in which everything lists them. A paper's folder is ``rmtsim/papers/KEY``."""
