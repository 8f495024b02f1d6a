from rmtsim import (
    claims as claims,
    curvature as curvature,
    ensembles as ensembles,
    errors as errors,
    laws as laws,
    matrix_free as matrix_free,
    networks as networks,
    spectra as spectra,
    testing as testing,
    verdicts as verdicts,
)
from rmtsim.claims import (
    Claim as Claim,
    Corrected as Corrected,
    Erratum as Erratum,
    Limit as Limit,
    Paper as Paper,
    Parameter as Parameter,
    Tolerance as Tolerance,
    all_claims as all_claims,
    claim as claim,
    find as find,
    predict as predict,
)
from rmtsim.curvature import block_energies as block_energies, sample_linear as sample_linear
from rmtsim.errors import ConvergenceError as ConvergenceError
from rmtsim.laws import (
    GeneralizedMarchenkoPastur as GeneralizedMarchenkoPastur,
    MarchenkoPastur as MarchenkoPastur,
    MatrixDyson as MatrixDyson,
    Semicircle as Semicircle,
    SpikedCovariance as SpikedCovariance,
)
from rmtsim.spectra import model_spectrum as model_spectrum, spectrum as spectrum
from rmtsim.verdicts import (
    ClaimResult as ClaimResult,
    PointResult as PointResult,
    Results as Results,
    Verdict as Verdict,
    verify as verify,
)

__version__: str
