"""A claim whose truth is known, for tests of the engine."""

from rmtsim.claims._model import Claim, Tolerance


def synthetic(limit=1.0, *, predicted=1.0, exponent=1.0, amplitude=1.0, noise=0.1, **changes):
    def sample(parameters, size, rng, replicates):
        return limit + amplitude * size**-exponent + noise * rng.standard_normal(replicates)

    fields = {
        "id": "synthetic",
        "paper": "test",
        "equation": "none",
        "statement": "x → 1",
        "kind": "limit",
        "sample": sample,
        "predict": lambda parameters: predicted,
        "tolerance": Tolerance(absolute=0.02),
        "sizes": (10, 20, 40, 80, 160),
        "exponents": (0.5, 2 / 3, 1.0),
        "cost": lambda parameters, size: 1e-5 * size,
    }
    return Claim(**{**fields, **changes})
