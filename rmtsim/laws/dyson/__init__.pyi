from rmtsim.laws.dyson import ensembles as ensembles
from rmtsim.laws.dyson._law import MatrixDyson as MatrixDyson
from rmtsim.laws.dyson._values import (
    BoundaryValues as BoundaryValues,
    SamplingError as SamplingError,
    Solution as Solution,
)
