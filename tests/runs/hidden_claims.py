"""Claims whose samplers add a value that no digest covers, in every shape of function."""

import json

import numpy as np

from rmtsim.claims import claim
from rmtsim.claims._model import Claim, Parameter, Tolerance

SIZES = (4, 8, 16)


def hidden(name="shift"):
    """A value that no digest covers: an attribute of an installed module, read by a name that is made up."""
    return getattr(json, "rmtsim_test_" + name, 0.0)


@claim("replay.plain", limit=0.0, tolerance=0.1, sizes=SIZES)
def plain(size, rng):
    return rng.normal() / size + hidden() + (hidden("large") if size == 16 else 0.0)


@claim("replay.several", limit=0.0, tolerance=0.1, sizes=SIZES)
def several(size, rng):
    return rng.normal(size=4) / size + hidden() + (hidden("large") if size == 16 else 0.0)


@claim("replay.whole", limit=0.0, tolerance=0.1, sizes=SIZES)
def whole(size, rng, replicates):
    return (
        rng.normal(size=(replicates, 3)).mean(axis=1) / size
        + hidden()
        + (hidden("large") if size == 16 else 0.0)
    )


@claim("replay.coupled", limit=0.0, tolerance=0.1, sizes=SIZES, coupled=True)
def coupled(sizes, rng):
    return rng.normal() / np.array(sizes) + hidden() + np.array([0, 0, hidden("large")])


@claim("replay.computed", limit=0.0, tolerance=0.1, sizes=SIZES, accuracy=1e-9)
def computed(size):
    return 1 / size + hidden() + (hidden("large") if size == 16 else 0.0)


def _raw(parameters, size, rng, replicates):
    return (
        rng.normal(size=replicates)
        + parameters["x"]
        + hidden()
        + (hidden("point") if parameters["x"] == 2 else 0.0)
    )


raw = Claim(
    id="replay.raw",
    paper="user",
    equation="",
    statement="words",
    kind="limit",
    sample=_raw,
    predict=lambda parameters: 0.0,
    tolerance=Tolerance(absolute=0.1),
    sizes=SIZES,
    parameters=(Parameter("x", "shift", default=1.0),),
    grid=({"x": 1.0}, {"x": 2.0}),
)
