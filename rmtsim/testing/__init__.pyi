from rmtsim.testing._assertions import (
    ClaimFailedError as ClaimFailedError,
    InconclusiveWarning as InconclusiveWarning,
    assert_confirmed as assert_confirmed,
    assert_limit as assert_limit,
    assert_mean as assert_mean,
    assert_not_refuted as assert_not_refuted,
)
