"""The papers whose statements are tested: full citations, and where their statements are declared."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

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

    def load(self) -> tuple[str, ...]:
        """Import the modules that declare the paper's statements; their names, in order."""
        package = f"rmtsim.claims.{self.key}"
        names: tuple[str, ...] = importlib.import_module(package).MODULES
        modules = tuple(f"{package}.{name}" for name in names)
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
    )
}
"""By key, in the order in which everything lists them. A paper's folder is ``rmtsim/claims/KEY``."""
