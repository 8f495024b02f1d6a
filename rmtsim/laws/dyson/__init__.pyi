from rmtsim.laws.dyson import ensembles as ensembles
from rmtsim.laws.dyson._conditions import (
    comparability as comparability,
    covariance_norms as covariance_norms,
    mean_condition as mean_condition,
    support_bound as support_bound,
)
from rmtsim.laws.dyson._law import MatrixDyson as MatrixDyson
from rmtsim.laws.dyson._linearise import (
    anticommutator as anticommutator,
    random_features as random_features,
    weighted_wishart as weighted_wishart,
    wishart as wishart,
)
from rmtsim.laws.dyson._network_kernels import (
    conjugate_kernel as conjugate_kernel,
    tangent_kernel as tangent_kernel,
)
from rmtsim.laws.dyson._polynomial import (
    Polynomial as Polynomial,
    diagonal as diagonal,
    gaussian as gaussian,
    polynomial_law as polynomial_law,
    semicircular as semicircular,
)
