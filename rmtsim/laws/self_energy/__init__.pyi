from rmtsim.laws.self_energy._base import SelfEnergy as SelfEnergy
from rmtsim.laws.self_energy._block import Block as Block
from rmtsim.laws.self_energy._function import FromFunction as FromFunction
from rmtsim.laws.self_energy._gaussian import FromSamples as FromSamples, GaussianSum as GaussianSum
from rmtsim.laws.self_energy._kronecker import Kronecker as Kronecker
from rmtsim.laws.self_energy._profile import VarianceProfile as VarianceProfile, Wigner as Wigner
