from rmtsim.laws import dyson as dyson, self_energy as self_energy
from rmtsim.laws._arcsine import Arcsine as Arcsine
from rmtsim.laws._base import SpectralLaw as SpectralLaw
from rmtsim.laws._condition_number import ConditionNumber as ConditionNumber
from rmtsim.laws._deformed_circular import DeformedCircular as DeformedCircular
from rmtsim.laws._discrete import Discrete as Discrete
from rmtsim.laws._edge_scaling import wigner_edge as wigner_edge, wishart_edge as wishart_edge
from rmtsim.laws._free_poisson import free_poisson as free_poisson
from rmtsim.laws._generalized_marchenko_pastur import GeneralizedMarchenkoPastur as GeneralizedMarchenkoPastur
from rmtsim.laws._law_array import LawArray as LawArray
from rmtsim.laws._hard_edge import HardEdge as HardEdge
from rmtsim.laws._kesten_mckay import KestenMcKay as KestenMcKay
from rmtsim.laws._marchenko_pastur import MarchenkoPastur as MarchenkoPastur
from rmtsim.laws._planar import (
    Circular as Circular,
    Elliptic as Elliptic,
    Ginibre as Ginibre,
)
from rmtsim.laws._noise.profile import ProfileNoise as ProfileNoise
from rmtsim.laws._noise.stationary import stationary_spectrum as stationary_spectrum
from rmtsim.laws._noise.structured import StructuredNoise as StructuredNoise
from rmtsim.laws._profile_circular import ProfileCircular as ProfileCircular
from rmtsim.laws._semicircle import Semicircle as Semicircle
from rmtsim.laws._single_ring import SingleRing as SingleRing
from rmtsim.laws._spacings import (
    GaudinMehta as GaudinMehta,
    WignerSurmise as WignerSurmise,
)
from rmtsim.laws._spiked_covariance import SpikedCovariance as SpikedCovariance
from rmtsim.laws._tracy_widom import TracyWidom as TracyWidom
from rmtsim.laws._wachter import Wachter as Wachter
from rmtsim.laws.dyson._law import MatrixDyson as MatrixDyson
from rmtsim.laws._free.compression import free_compression as free_compression
from rmtsim.laws._free.convolution import free_product as free_product, free_sum as free_sum
from rmtsim.laws._free.transforms import r_transform as r_transform, s_transform as s_transform
