"""scikit-learn's base classes, or placeholders that say what is missing."""

from __future__ import annotations

from typing import Any

__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "EmpiricalCovariance",
    "TransformerMixin",
    "check",
]

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.covariance import EmpiricalCovariance
    from sklearn.utils.validation import check_is_fitted, validate_data
except ModuleNotFoundError:  # pragma: no cover

    class BaseEstimator:  # type: ignore[no-redef]
        """Placeholder: the estimators need scikit-learn."""

        def __init__(self, *_: Any, **__: Any) -> None:
            raise ModuleNotFoundError("rmtsim.estimators needs scikit-learn: pip install 'rmtsim[sklearn]'")

    class TransformerMixin:  # type: ignore[no-redef]
        """Placeholder."""

    class ClassNamePrefixFeaturesOutMixin:  # type: ignore[no-redef]
        """Placeholder."""

    EmpiricalCovariance = BaseEstimator


def check(estimator: Any, data: Any, *, fitting: bool) -> Any:
    """The data as doubles, after scikit-learn's own checks of shape, missing values and names of features."""
    if not fitting:
        check_is_fitted(estimator)
    return validate_data(
        estimator, data, dtype="float64", reset=fitting, ensure_min_samples=2 if fitting else 1
    )
