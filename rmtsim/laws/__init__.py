"""Limiting spectral laws: frozen values with one protocol; imports nothing of the simulation side."""

from rmtsim.laws import self_energy
from rmtsim.laws.affine import AffineLaw
from rmtsim.laws.arcsine import Arcsine
from rmtsim.laws.base import SpectralLaw
from rmtsim.laws.discrete import Discrete
from rmtsim.laws.dyson import MatrixDyson
from rmtsim.laws.edge_scaling import wigner_edge, wishart_edge
from rmtsim.laws.empirical import EmpiricalSpectrum, empirical
from rmtsim.laws.free import free_compression, free_product, free_sum, r_transform, s_transform
from rmtsim.laws.free_poisson import free_poisson
from rmtsim.laws.generalized_marchenko_pastur import GeneralizedMarchenkoPastur
from rmtsim.laws.kesten_mckay import KestenMcKay
from rmtsim.laws.marchenko_pastur import MarchenkoPastur
from rmtsim.laws.planar import Circular, Elliptic, Ginibre, PlanarLaw
from rmtsim.laws.semicircle import Semicircle
from rmtsim.laws.spacings import GaudinMehta, SpacingLaw, WignerSurmise
from rmtsim.laws.spiked_covariance import SpikedCovariance
from rmtsim.laws.tracy_widom import TracyWidom
from rmtsim.laws.wachter import Wachter

__all__ = [
    "AffineLaw",
    "Arcsine",
    "Circular",
    "Discrete",
    "Elliptic",
    "EmpiricalSpectrum",
    "GaudinMehta",
    "GeneralizedMarchenkoPastur",
    "Ginibre",
    "KestenMcKay",
    "MarchenkoPastur",
    "MatrixDyson",
    "PlanarLaw",
    "Semicircle",
    "SpacingLaw",
    "SpectralLaw",
    "SpikedCovariance",
    "TracyWidom",
    "Wachter",
    "WignerSurmise",
    "empirical",
    "free_compression",
    "free_poisson",
    "free_product",
    "free_sum",
    "r_transform",
    "s_transform",
    "self_energy",
    "wigner_edge",
    "wishart_edge",
]
