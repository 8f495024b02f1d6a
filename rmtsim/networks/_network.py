"""A network: an architecture and its parameters, with exact outputs, derivatives and products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse.linalg import LinearOperator

from rmtsim._internal import validate
from rmtsim._internal.arrays import Array
from rmtsim._internal.docstrings import describes, frozen
from rmtsim.networks import _dense_hessian as dense_hessian
from rmtsim.networks import _products as products
from rmtsim.networks import _tangent_kernel as tangent_kernel
from rmtsim.networks._architecture import Architecture
from rmtsim.networks._passes import ForwardPass, Linearisation, forward

_described = describes(
    inputs="array_like\n    Samples, one per row.",
    targets="array_like, optional\n    Targets of the loss.",
)
"""Parameters that several functions of this module have."""

Group = int | tuple[int, int]


@contextmanager
def _finite(what: str) -> Iterator[None]:
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise"):
            yield
    except FloatingPointError as error:
        raise ValueError(f"{what}: {error}; {_TOO_LARGE}") from None


_TOO_LARGE = "the parameters or inputs are too large for double precision"


def representable(what: str, compute: Callable[[], Array]) -> Array:
    """Result of ``compute``; ValueError if it is not finite (BLAS does not report overflow)."""
    with np.errstate(over="ignore", invalid="ignore"):
        result = compute()
    if not np.isfinite(result).all():
        raise ValueError(f"{what}: overflow; {_TOO_LARGE}")
    return result


@frozen(eq=False)
class Network:
    """A neural network: an architecture with its parameters.

    Raises
    ------
    ValueError
        If the length of the parameter vector does not fit or an entry is not finite.

    See Also
    --------
    network_from_arrays : Network from weight matrices.
    from_torch : Network from a PyTorch module.
    fully_connected : Architecture of dense layers, to draw parameters for.

    Notes
    -----
    Inputs have one sample per row. The loss of a data set is the mean over samples of the architecture's loss.
    Methods raise ValueError where a result exceeds the range of doubles.

    Examples
    --------
    >>> import numpy as np
    >>> from rmtsim.networks import fully_connected
    >>> network = fully_connected((3, 4, 2), "tanh", loss="square").sample(np.random.default_rng(0))
    >>> network
    Network(dense 3→4 tanh, dense 4→2 identity; loss square; 20 parameters)
    >>> x, y = np.eye(3), np.zeros((3, 2))
    >>> network.output(x).shape, network.hessian(x, y).shape
    ((3, 2), (20, 20))
    >>> v = np.ones(20)
    >>> bool(np.allclose(network.hessian(x, y) @ v, network.hessian_product(x, y, v)))
    True
    """

    architecture: Architecture
    """Layers and loss."""
    parameters: Array
    """Parameter vector θ = (W₁, b₁, W₂, b₂, …), each part row-major."""

    def __post_init__(self) -> None:
        validate.instance("architecture", self.architecture, Architecture)
        vector = validate.real_array("parameters", self.parameters)
        if vector.shape != (self.architecture.parameters,):
            raise ValueError(
                f"parameters of shape {vector.shape}: expected ({self.architecture.parameters},)"
            )
        vector.flags.writeable = False
        object.__setattr__(self, "parameters", vector)

    def __repr__(self) -> str:
        layers = ", ".join(str(layer) for layer in self.architecture.layers)
        return f"Network({layers}; loss {self.architecture.loss}; {self.parameters.size} parameters)"

    def with_parameters(self, parameters: ArrayLike) -> Network:
        """The same architecture with other parameters.

        Parameters
        ----------
        parameters : array_like
            Vector of P numbers in the order of ``architecture.layout``.

        Returns
        -------
        Network
            A new network.
        """
        return replace(self, parameters=np.asarray(parameters))

    def with_loss(self, name: Any, *, factor: float = 1.0) -> Network:
        """The same network with another loss.

        Parameters
        ----------
        name : str or Loss
            Loss, as for :func:`loss`.
        factor : float, optional
            Factor of the square loss.

        Returns
        -------
        Network
            A new network.
        """
        return replace(self, architecture=self.architecture.with_loss(name, factor=factor))

    @property
    def weights(self) -> list[Array]:
        """W₁, W₂, … as views: shape (out, in), or (out, in, filter) for convolutions."""
        parts = self.architecture.layout.split(self.parameters)
        return [
            w.reshape(layer.weight_shape)
            for (w, _), layer in zip(parts, self.architecture.layers, strict=True)
        ]

    @property
    def biases(self) -> list[Array | None]:
        """b₁, b₂, …, None for a layer without bias."""
        return [b for _, b in self.architecture.layout.split(self.parameters)]

    # -- passes

    def _inputs(self, inputs: Any, name: str = "inputs") -> Array:
        rows = validate.real_array(name, inputs)
        layer = self.architecture.layers[0]
        if layer.filter and rows.ndim == 3 and rows.shape[1:] == (layer.inputs, self.architecture.positions):
            rows = rows.reshape(len(rows), -1)
        if rows.ndim != 2 or rows.shape[1] != self.architecture.inputs or not len(rows):
            shape = f"(samples, {self.architecture.inputs})"
            if layer.filter:
                shape += f" or (samples, {layer.inputs}, {self.architecture.positions})"
            raise ValueError(f"{name} of shape {rows.shape}: expected {shape}, one sample a row")
        return rows

    def forward(self, inputs: ArrayLike) -> ForwardPass:
        """Forward pass.

        Parameters
        ----------
        inputs : array_like
            Samples, one per row; for convolutions also of shape (samples, channels, positions).

        Returns
        -------
        ForwardPass
            What each layer reads, its pre-activations, and the output.
        """
        rows = self._inputs(inputs)
        # Reads, pre-activations, two derivatives and two cotangents of every layer.
        numbers = sum(
            (self.architecture.positions if layer.filter else 1) * (layer.fan_in + 5 * layer.outputs)
            for layer in self.architecture.layers
        )
        validate.memory(8.0 * len(rows) * numbers, f"a pass over {len(rows)} inputs")
        with _finite("forward pass"):
            return forward(self.architecture, self.parameters, rows)

    @_described
    def linearise(self, inputs: ArrayLike, targets: Any = None) -> Linearisation:
        """Forward and backward pass, to be used for several products.

        Returns
        -------
        Linearisation
            Both passes at these inputs.
        """
        point = self._forward_alone(inputs, targets)
        with _finite("backward pass"):
            _ = point.deltas
        return point

    def _forward_alone(self, inputs: ArrayLike, targets: Any) -> Linearisation:
        """The same without the backward pass, which Gauss–Newton products do not need."""
        passed = self.forward(inputs)
        loss = self.architecture.loss
        wanted = loss.targets(targets, *passed.output.shape)
        with _finite("loss"):
            return Linearisation(
                passed,
                loss.gradient(passed.output, wanted) / passed.samples,
                loss.curvature(passed.output, wanted),
                1 / passed.samples,
            )

    # -- values and first derivatives

    @_described
    def output(self, inputs: ArrayLike) -> Array:
        """Output of the network.

        Returns
        -------
        ndarray
            f(x_n), of shape (samples, outputs).
        """
        return self.forward(inputs).output

    def loss(self, inputs: ArrayLike, targets: Any = None) -> float:
        """Mean loss over samples.

        Parameters
        ----------
        inputs : array_like
            Samples, one per row.
        targets : array_like, optional
            Targets: rows of numbers; class labels or rows of probabilities for cross-entropy; entries ±1 for hinge
            and logistic losses. Not needed for the loss "none".

        Returns
        -------
        float
            The mean.
        """
        output = self.output(inputs)
        loss = self.architecture.loss
        wanted = loss.targets(targets, *output.shape)
        return float(representable("loss", lambda: np.asarray(loss.values(output, wanted).mean())))

    @_described
    def kink_distance(self, inputs: ArrayLike, targets: Any = None) -> float:
        """Distance of the nearest pre-activation or output to a kink of its activation or of the loss.

        Derivatives are exact where it is positive.

        Returns
        -------
        float
            The distance; infinite for smooth activations and losses.

        Examples
        --------
        >>> from rmtsim.networks import network_from_arrays
        >>> network_from_arrays([[[1.0, -1.0]], [[2.0]]], activation="relu").kink_distance([[3.0, 1.0]], [[0.0]])
        2.0
        """
        passed = self.forward(inputs)
        loss = self.architecture.loss
        distance = loss.kink_distance(passed.output, loss.targets(targets, *passed.output.shape))
        return min(passed.kink_distance(), distance)

    @_described
    def gradient(self, inputs: ArrayLike, targets: Any = None) -> Array:
        """Gradient of the mean loss in the parameters.

        Returns
        -------
        ndarray
            ∂ℓ/∂θ, in the order of the parameters.
        """
        return representable("gradient", self.linearise(inputs, targets).gradient)

    @_described
    def jacobian(self, inputs: ArrayLike) -> Array:
        """Derivatives of the outputs in the parameters.

        Returns
        -------
        ndarray
            ∂f_k(x_n)/∂θ, of shape (samples, outputs, parameters).

        Examples
        --------
        >>> from rmtsim.networks import network_from_arrays
        >>> network_from_arrays([[[1.0, -1.0]], [[2.0]]], activation="identity").jacobian([[3.0, 1.0]])
        array([[[6., 2., 2.]]])
        """
        passed = self.forward(inputs)
        return representable("Jacobian", lambda: tangent_kernel.jacobian(passed))

    def tangent_kernel(self, inputs: ArrayLike, others: ArrayLike | None = None) -> Array:
        """Neural tangent kernel at the current parameters, without forming the Jacobian.

        Parameters
        ----------
        inputs : array_like
            Samples x, one per row.
        others : array_like, optional
            Samples x'; the same as ``inputs`` by default.

        Returns
        -------
        ndarray
            J(x) J(x')ᵀ of shape (samples·outputs, samples'·outputs). Rows and columns are ordered by sample, then
            by output.

        Examples
        --------
        >>> from rmtsim.networks import network_from_arrays
        >>> network = network_from_arrays([[[1.0, -1.0]], [[2.0]]], activation="identity")
        >>> network.tangent_kernel([[3.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
        array([[14.,  2.]])
        """
        second = None if others is None else self.forward(self._inputs(others, "others"))
        passed = self.forward(inputs)
        return representable("tangent kernel", lambda: tangent_kernel.tangent_kernel(passed, second))

    @_described
    def activation_gradients(self, inputs: ArrayLike) -> list[Array]:
        """Derivatives of the outputs in the activations of each layer.

        Returns
        -------
        list of ndarray
            ∂f_k(x_n)/∂a_l of shape (outputs, rows, units), one per layer, the output itself last. A row is a
            sample, or a sample at a position for convolutions (ordered by sample, then by position).

        Examples
        --------
        >>> from rmtsim.networks import fully_connected
        >>> network = fully_connected((3, 4, 2), "tanh").sample(np.random.default_rng(0))
        >>> bool((network.activation_gradients(np.eye(3))[0] == network.weights[1][:, None, :]).all())
        True
        """
        return tangent_kernel.activation_gradients(self.forward(inputs))

    # -- second derivatives

    def _directions(self, vector: ArrayLike) -> tuple[Array, bool]:
        directions = validate.real_array("vector", vector, copy=False)
        size = self.architecture.parameters
        if directions.ndim not in (1, 2) or directions.shape[0] != size:
            raise ValueError(f"vector of shape {directions.shape}: expected ({size},) or ({size}, columns)")
        if directions.ndim == 2:
            return np.ascontiguousarray(directions.T), True
        return directions, False

    def hessian_product(self, inputs: ArrayLike, targets: Any, vector: ArrayLike) -> Array:
        """Product of the Hessian with vectors, without forming the Hessian.

        Parameters
        ----------
        inputs : array_like
            Samples, one per row.
        targets : array_like or None
            Targets of the loss.
        vector : array_like
            A vector of P numbers, or a matrix of shape (P, k).

        Returns
        -------
        ndarray
            H v with the shape of ``vector``.

        See Also
        --------
        hessian_operator : Keeps the passes for many products, one after another.

        Notes
        -----
        Six matrix products per layer after one forward and one backward pass.

        Examples
        --------
        >>> from rmtsim.networks import network_from_arrays
        >>> network = network_from_arrays([[[1.0, -1.0]], [[2.0]]], activation="identity")
        >>> network.hessian_product([[3.0, 1.0]], [[0.0]], [1.0, 0.0, 0.0])
        array([72., 24., 48.])
        """
        directions, many = self._directions(vector)
        point = self.linearise(inputs, targets)
        result = representable("Hessian product", lambda: products.hessian_product(point, directions))
        return np.ascontiguousarray(result.T) if many else result

    def gauss_newton_product(self, inputs: ArrayLike, targets: Any, vector: ArrayLike) -> Array:
        """Product of the Gauss–Newton matrix with vectors.

        Parameters
        ----------
        inputs : array_like
            Samples, one per row.
        targets : array_like or None
            Targets of the loss.
        vector : array_like
            A vector of P numbers, or a matrix of shape (P, k).

        Returns
        -------
        ndarray
            Jᵀ L'' J v / N with the shape of ``vector``: the Hessian without second derivatives of the network
            itself.

        Examples
        --------
        >>> from rmtsim.networks import network_from_arrays
        >>> network = network_from_arrays([[[1.0, -1.0]], [[2.0]]], activation="identity")
        >>> network.gauss_newton_product([[3.0, 1.0]], [[4.0]], [1.0, 0.0, 0.0])    # 2 J (J·v); here f = y
        array([72., 24., 24.])
        """
        directions, many = self._directions(vector)
        point = self._forward_alone(inputs, targets)
        result = representable(
            "Gauss–Newton product", lambda: products.gauss_newton_product(point, directions)
        )
        return np.ascontiguousarray(result.T) if many else result

    @_described
    def hessian(self, inputs: ArrayLike, targets: Any = None) -> Array:
        """Hessian of the mean loss in the parameters.

        Returns
        -------
        ndarray
            ∂²ℓ/∂θ∂θᵀ of shape (P, P), in the order of the parameters.
        """
        point = self.linearise(inputs, targets)
        return representable("Hessian", lambda: dense_hessian.dense_hessian(point))

    def hessian_block(self, inputs: ArrayLike, targets: Any, rows: Group, columns: Group) -> Array:
        """A block of the Hessian.

        Parameters
        ----------
        inputs : array_like
            Samples, one per row.
        targets : array_like or None
            Targets of the loss.
        rows, columns : int or tuple of int
            A layer, or a neuron (layer, unit), counted from zero; a neuron has its weights and then its bias.

        Returns
        -------
        ndarray
            The block.

        Examples
        --------
        >>> from rmtsim.networks import fully_connected
        >>> network = fully_connected((3, 4, 2), loss="square").sample(np.random.default_rng(0))
        >>> network.hessian_block(np.eye(3), np.zeros((3, 2)), (0, 1), 1).shape
        (3, 8)
        """
        return self._block(
            self.linearise(inputs, targets), self._group("rows", rows), self._group("columns", columns)
        )

    def _block(
        self, point: Linearisation, rows: tuple[int, int | None], columns: tuple[int, int | None]
    ) -> Array:
        """The block of two groups (layer, unit), the unit None for a whole layer."""
        if rows[0] > columns[0]:
            return self._block(point, columns, rows).T
        layout = self.architecture.layout
        layer, unit = columns
        whole = layout.layer(layer)
        indices = np.arange(whole.start, whole.stop) if unit is None else layout.neuron(layer, unit)

        def neuron(index: int) -> Array:
            found = dense_hessian.neuron_rows(point, rows[0], index, layer)
            return np.asarray(found[:, indices - whole.start])

        if rows[1] is not None:
            chosen = rows[1]
            return representable("Hessian block", lambda: neuron(chosen))
        first = layout.layers[rows[0]]
        parts = [representable("Hessian block", lambda k=k: neuron(k)) for k in range(first.outputs)]  # type: ignore[misc]
        if not first.bias:
            return np.concatenate(parts)
        # A whole layer has all its weights before its biases.
        return np.concatenate([part[:-1] for part in parts] + [part[-1:] for part in parts])

    def _group(self, name: str, group: Group) -> tuple[int, int | None]:
        layers = self.architecture.layers
        if isinstance(group, tuple) and len(group) != 2:
            raise ValueError(
                f"{name}={validate.shown(group)}: expected a layer or a neuron (layer, unit), both counted from zero"
            )
        layer, unit = group if isinstance(group, tuple) else (group, None)
        layer = validate.integer(f"{name}: layer", layer, minimum=0, maximum=len(layers) - 1)
        if unit is None:
            return layer, None
        return layer, validate.integer(f"{name}: unit", unit, minimum=0, maximum=layers[layer].outputs - 1)

    @_described
    def hessian_operator(self, inputs: ArrayLike, targets: Any = None) -> LinearOperator:
        """Hessian as a linear operator; the passes are computed once.

        Returns
        -------
        scipy.sparse.linalg.LinearOperator
            Symmetric operator of shape (P, P).
        """
        point = self.linearise(inputs, targets)
        size = self.architecture.parameters

        def one(vector: Any) -> Array:
            return products.hessian_product(point, np.asarray(vector, dtype=np.float64).ravel())

        def many(vectors: Any) -> Array:
            return products.hessian_product(point, np.ascontiguousarray(vectors.T, dtype=np.float64)).T

        # H is symmetric: its adjoint is itself.
        return LinearOperator(
            (size, size), matvec=one, rmatvec=one, matmat=many, rmatmat=many, dtype=np.float64
        )
