"""Limiting spectral laws: frozen values with one protocol; imports nothing of the simulation side."""

from rmtsim.laws import self_energy
from rmtsim.laws.affine import AffineLaw
from rmtsim.laws.base import SpectralLaw
from rmtsim.laws.discrete import Discrete
from rmtsim.laws.dyson import MatrixDyson
from rmtsim.laws.edge_scaling import wigner_edge, wishart_edge
from rmtsim.laws.empirical import EmpiricalSpectrum, empirical
from rmtsim.laws.free import free_product, free_sum
from rmtsim.laws.generalized_marchenko_pastur import GeneralizedMarchenkoPastur
from rmtsim.laws.marchenko_pastur import MarchenkoPastur
from rmtsim.laws.semicircle import Semicircle
from rmtsim.laws.spiked_covariance import SpikedCovariance
from rmtsim.laws.tracy_widom import TracyWidom

__all__ = [
    "AffineLaw",
    "Discrete",
    "EmpiricalSpectrum",
    "GeneralizedMarchenkoPastur",
    "MarchenkoPastur",
    "MatrixDyson",
    "Semicircle",
    "SpectralLaw",
    "SpikedCovariance",
    "TracyWidom",
    "empirical",
    "free_product",
    "free_sum",
    "self_energy",
    "wigner_edge",
    "wishart_edge",
]
