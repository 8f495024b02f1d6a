"""Iterated limits: the size grows first, the parameter then."""

import numpy as np
import pytest

from rmtsim.claims._model import Parameter
from rmtsim.verdicts import verify
from tests.verdicts.synthetic import synthetic


@pytest.mark.parametrize(("predicted", "verdict"), [(1.0, "CONFIRMED"), (1.1, "REFUTED")])
def test_iterated_limits_take_the_size_first_and_the_parameter_then(predicted, verdict):
    """At fixed C the limit is 1 + 3/C; taking both to infinity together at C ~ size would hide that."""

    def sample(parameters, size, rng, replicates):
        classes = parameters["classes"]
        return 1 + 3 / classes + classes / size + 0.02 * rng.standard_normal(replicates)

    classes = Parameter("classes", "number of classes", default=2, integer=True, lowest=1)
    claim = synthetic(
        predicted=predicted,
        sample=sample,
        parameters=(classes,),
        outer=("classes", (10, 20, 40, 80)),
        exponents=(1.0,),
        sizes=(50, 100, 200, 400),
        cost=lambda parameters, size: 1e-4,
    )
    (result,) = verify(claim, budget=120)
    assert (str(result.verdict), result.deciding.quantity) == (verdict, "iterated limit")


def test_an_exact_iterated_limit():
    def sample(parameters, size, rng, replicates):
        return np.full(replicates, 1 + 3 / parameters["classes"] + parameters["classes"] / size)

    classes = Parameter("classes", "number of classes", default=2, integer=True, lowest=1)
    claim = synthetic(
        sample=sample,
        parameters=(classes,),
        outer=("classes", (10, 20, 40, 80)),
        accuracy=1e-14,
        exponents=(1.0,),
    )
    (result,) = verify(claim)
    assert str(result.verdict) == "CONFIRMED"
    assert abs(result.deciding.estimate - 1) < 1e-6
