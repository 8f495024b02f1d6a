"""scikit-learn's base classes, or placeholders that say what is missing."""

from __future__ import annotations

from typing import Any, Self

from rmtsim._internal.arrays import FloatArray

try:
    from sklearn.base import (
        BaseEstimator,
        ClassNamePrefixFeaturesOutMixin,
        TransformerMixin,
    )
    from sklearn.base import (
        OneToOneFeatureMixin as OneToOneFeatureMixin,
    )
    from sklearn.covariance import EmpiricalCovariance as EmpiricalCovariance
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

    class OneToOneFeatureMixin:  # type: ignore[no-redef]
        """Placeholder."""

    EmpiricalCovariance = BaseEstimator


class Fitting:
    """``fit``, which checks the data as scikit-learn does and leaves the rest to ``_fit``."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit the estimator to data.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Data.
        y : None
            Ignored.

        Returns
        -------
        self
            The estimator.
        """
        self._fit(validate_data(self, X, dtype="float64", ensure_min_samples=2))
        return self

    def _fit(self, data: FloatArray) -> None:
        """Set the fitted attributes."""
        raise NotImplementedError


class Estimator(Fitting, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A transformer of rows that keeps their number of features unless it says otherwise."""

    @property
    def _n_features_out(self) -> int:
        return int(self.n_features_in_)

    def transform(self, X: Any) -> Any:
        """Apply the fitted map to rows.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Rows; they need not be those of the fit.

        Returns
        -------
        ndarray of shape (n_samples, n_features_out)
            What the class description says of each row: coordinates, denoised or whitened features.
        """
        check_is_fitted(self)
        return self._transform(validate_data(self, X, dtype="float64", reset=False))

    def _transform(self, data: FloatArray) -> Any:
        """The map of checked rows."""
        raise NotImplementedError
