from rmtsim.testing.strategies._claims import KnownClaim as KnownClaim, claims as claims
from rmtsim.testing.strategies._laws import (
    laws as laws,
    near_cusps as near_cusps,
    self_energies as self_energies,
)
from rmtsim.testing.strategies._matrices import (
    Ensemble as Ensemble,
    SpikedData as SpikedData,
    ensembles as ensembles,
    spiked_data as spiked_data,
    symmetric_matrices as symmetric_matrices,
)
from rmtsim.testing.strategies._networks import (
    activations as activations,
    architectures as architectures,
    networks as networks,
    sampled_network as sampled_network,
)
from rmtsim.testing.strategies._numbers import (
    class_counts as class_counts,
    fractions as fractions,
    populations as populations,
    powers_of_ten as powers_of_ten,
    ratios as ratios,
    seeds as seeds,
    upper_points as upper_points,
    variances as variances,
)
