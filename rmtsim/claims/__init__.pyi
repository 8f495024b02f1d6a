from rmtsim.claims._companions import with_companions as with_companions
from rmtsim.claims._declare import claim as claim
from rmtsim.claims._model import (
    Choice as Choice,
    Claim as Claim,
    Parameter as Parameter,
    Relative as Relative,
    Tolerance as Tolerance,
)
from rmtsim.claims._papers import Paper as Paper
from rmtsim.claims._parts import (
    Bound as Bound,
    Computed as Computed,
    Corrected as Corrected,
    Erratum as Erratum,
    Grid as Grid,
    Identity as Identity,
    Law as Law,
    Limit as Limit,
    Option as Option,
    Place as Place,
    Plan as Plan,
    Probability as Probability,
    Rate as Rate,
    Simulated as Simulated,
)
from rmtsim.claims._registry import all_claims as all_claims, find as find, predict as predict
from rmtsim.claims._samplers import kolmogorov_distance as kolmogorov_distance
