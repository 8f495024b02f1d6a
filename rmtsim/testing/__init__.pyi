from rmtsim.testing._assertions import (
    ClaimFailedError as ClaimFailedError,
    InconclusiveWarning as InconclusiveWarning,
    assert_confirmed as assert_confirmed,
    assert_limit as assert_limit,
    assert_mean as assert_mean,
    assert_not_refuted as assert_not_refuted,
)
from rmtsim.testing._check_hessian import (
    HessianCase as HessianCase,
    check_hessian_product as check_hessian_product,
)
from rmtsim.testing._check_law import check_law as check_law
from rmtsim.testing._check_operators import (
    check_spectrum_estimator as check_spectrum_estimator,
    check_trace_estimator as check_trace_estimator,
)
from rmtsim.testing._check_rank import check_rank_test as check_rank_test
from rmtsim.testing._conformance import Check as Check, Conformance as Conformance
