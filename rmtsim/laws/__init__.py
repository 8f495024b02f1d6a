"""Limiting spectral laws: frozen values with one protocol; imports nothing of the simulation side."""

from rmtsim.laws import self_energy
from rmtsim.laws._affine import AffineLaw
from rmtsim.laws._arcsine import Arcsine
from rmtsim.laws._base import SpectralLaw
from rmtsim.laws._discrete import Discrete
from rmtsim.laws._edge_scaling import wigner_edge, wishart_edge
from rmtsim.laws._empirical import EmpiricalSpectrum, empirical
from rmtsim.laws._free_poisson import free_poisson
from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur
from rmtsim.laws._kesten_mckay import KestenMcKay
from rmtsim.laws._marchenko_pastur import MarchenkoPastur
from rmtsim.laws._planar import Circular, Elliptic, Ginibre, PlanarLaw
from rmtsim.laws._semicircle import Semicircle
from rmtsim.laws._spacings import GaudinMehta, SpacingLaw, WignerSurmise
from rmtsim.laws._spiked_covariance import SpikedCovariance
from rmtsim.laws._tracy_widom import TracyWidom
from rmtsim.laws._wachter import Wachter
from rmtsim.laws.dyson import MatrixDyson
from rmtsim.laws.free import free_compression, free_product, free_sum, r_transform, s_transform

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
