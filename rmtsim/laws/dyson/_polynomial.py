"""Self-adjoint polynomials in random matrices as block problems: a general linearisation.

A word x₁…x_d is −uQ⁻¹v for the matrix [[0, u], [v, Q]] that has the letters on its antidiagonal and −1 next to it. A
word that is its own adjoint gives a Hermitian block of d − 1 further rows. Another word q and its adjoint give
[[0, u, v*], [u*, 0, Q*], [v, Q, 0]], whose Schur complement is q + q*. All words share the first row, where the law is.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rmtsim._internal import validate
from rmtsim._internal.docstrings import frozen
from rmtsim.laws.dyson._law import MatrixDyson
from rmtsim.laws.self_energy._block import Block

_LARGEST = 60
"""Rows of a linearisation; the solver works with its square."""


@frozen
class _Letter:
    """One random or deterministic matrix, or its adjoint."""

    kind: str
    name: str
    scale: float = 1.0
    rows: float = 1.0
    columns: float = 1.0
    values: tuple[float, ...] = ()
    shares: tuple[float, ...] = ()
    adjoint: bool = False

    @property
    def starred(self) -> _Letter:
        if self.kind != "gaussian":
            return self
        return replace(self, rows=self.columns, columns=self.rows, adjoint=not self.adjoint)

    @property
    def norm(self) -> float:
        """Norm of the matrix in the limit."""
        if self.kind == "diagonal":
            return max(map(abs, self.values))
        return (
            2 * self.scale
            if self.kind == "semicircular"
            else float(np.sqrt(self.rows) + np.sqrt(self.columns))
        )

    @property
    def plain(self) -> _Letter:
        return self.starred if self.adjoint else self


Word = tuple[_Letter, ...]


class Polynomial:
    """A polynomial in non-commuting matrices, made from :func:`semicircular`, :func:`gaussian` and :func:`diagonal`.

    Polynomials are added, subtracted, multiplied (``*`` or ``@``, in the order of matrix products), raised to powers
    ``**`` and combined with numbers, which stand for multiples of the identity.

    Attributes
    ----------
    H : Polynomial
        The adjoint.

    Examples
    --------
    >>> from rmtsim.laws.dyson import semicircular
    >>> x, y = semicircular("x"), semicircular("y")
    >>> x * y == y * x, (x * y).H == y * x, (x + y) ** 2 == x**2 + x * y + y * x + y**2
    (False, True, True)
    """

    def __init__(self, terms: dict[Word, complex]) -> None:
        self._terms = {word: value for word, value in terms.items() if value != 0}

    @property
    def H(self) -> Polynomial:  # noqa: N802 - NumPy's and SciPy's name of the adjoint
        """The adjoint."""
        return Polynomial(
            {
                tuple(letter.starred for letter in reversed(word)): complex(value).conjugate()
                for word, value in self._terms.items()
            }
        )

    def eigenvalue_density(self, z: ArrayLike) -> Any:
        """Density of the complex eigenvalues with respect to area, in the limit of large matrices.

        Parameters
        ----------
        z : complex or array_like
            Where the density is evaluated, one point or an array of them.

        Returns
        -------
        float or ndarray
            The density (of the Brown measure) of a square polynomial, zero outside the support.

        Raises
        ------
        ValueError
            If the polynomial is not square, contains no random matrix, or needs more than 30 rows.
        ConvergenceError
            If the equation has no certified solution at a point.

        See Also
        --------
        polynomial_law : Law of a self-adjoint polynomial.
        rmtsim.laws.DeformedCircular : A deterministic matrix plus one of independent entries.

        Notes
        -----
        The polynomial is linearised and the linearisation Hermitised [1]_. The density is extrapolated from three small
        imaginary parts, with relative errors of about 1e-8 inside the support and larger ones close to its boundary
        and to points where it is infinite. Eigenvalues of real Gaussian matrices have the same limit. Atoms, and
        eigenvalues on curves such as those of self-adjoint polynomials, have no density.

        References
        ----------
        .. [1] S. T. Belinschi, P. Śniady and R. Speicher, "Eigenvalues of non-Hermitian random matrices and Brown
           measure of non-normal operators", Linear Algebra Appl. 537 (2018).

        Examples
        --------
        The product of two matrices of independent entries has the density 1/(2π|z|) on the unit disc:

        >>> from rmtsim.laws.dyson import gaussian
        >>> a, b = gaussian("a"), gaussian("b")
        >>> (a * b).eigenvalue_density([0.5, 0.8j, 1.2]).round(5).tolist()
        [0.31831, 0.19894, 0.0]
        """
        from rmtsim.laws.dyson._planar_polynomial import density

        points = validate.complex_array("z", z, meaning="points of the plane")
        side = _checked_words(self)
        words = {word: value for word, value in self._terms.items() if word}
        if any(word[0].rows != side or word[-1].columns != side for word in words):
            raise ValueError("polynomial: expected a square one, all of its words with the same sides")
        unit = sum(abs(value) * float(np.prod([each.norm for each in word])) for word, value in words.items())

        def made(w: complex) -> tuple[MatrixDyson, list[int]]:
            found = _Linearisation(side)
            for word, value in self._terms.items():
                found.path(word, complex(value))
            found.numbers[0, 0] -= w
            return _law(found.hermitised(), spectral=False), list(range(_parts_of(found, side)))

        result = density(made, unit, points.ravel()).reshape(points.shape)
        return result if points.ndim else float(result)

    @staticmethod
    def _made(value: Any) -> Polynomial:
        if isinstance(value, Polynomial):
            return value
        number = validate.complex_array("number", value, meaning="a multiple of the identity")
        if number.ndim:
            raise TypeError("number: expected a polynomial or one number")
        return Polynomial({(): complex(number.item())})

    def __add__(self, other: Any) -> Polynomial:
        total: dict[Word, complex] = defaultdict(complex)
        for part in (self, self._made(other)):
            for word, value in part._terms.items():
                total[word] += value
        return Polynomial(total)

    __radd__ = __add__

    def __neg__(self) -> Polynomial:
        return Polynomial({word: -value for word, value in self._terms.items()})

    def __sub__(self, other: Any) -> Polynomial:
        return self + (-self._made(other))

    def __rsub__(self, other: Any) -> Polynomial:
        return self._made(other) + (-self)

    def __mul__(self, other: Any) -> Polynomial:
        total: dict[Word, complex] = defaultdict(complex)
        for left, a in self._terms.items():
            for right, b in self._made(other)._terms.items():
                if left and right and left[-1].columns != right[0].rows:
                    names, sides = (left[-1].name, right[0].name), (left[-1].columns, right[0].rows)
                    raise ValueError(
                        f"{names[0]}*{names[1]}: {sides[0]:g}·n columns against {sides[1]:g}·n rows"
                    )
                total[left + right] += a * b
        return Polynomial(total)

    __matmul__ = __mul__

    def __rmul__(self, other: Any) -> Polynomial:
        return self._made(other) * self

    def __truediv__(self, number: complex) -> Polynomial:
        return self * (1 / number)

    def __pow__(self, power: int) -> Polynomial:
        result = self._made(1.0)
        for _ in range(validate.integer("power", power, minimum=0, maximum=_LARGEST)):
            result = result * self
        return result

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Polynomial) and self._terms == other._terms

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        def spelled(word: Word) -> str:
            return "*".join(each.name + (".H" if each.adjoint else "") for each in word) or "1"

        return " + ".join(f"{_shown(value)}·{spelled(word)}" for word, value in self._terms.items()) or "0"


def _shown(value: complex) -> str:
    return f"{value:g}" if complex(value).imag else f"{complex(value).real:g}"


def semicircular(name: str, variance: float = 1.0) -> Polynomial:
    """A Wigner matrix as a variable of a polynomial; matrices of different names are independent.

    Parameters
    ----------
    name : str
        Name of the matrix.
    variance : float, optional
        n times the variance of its entries; its spectrum tends to the semicircle law of that variance.

    Returns
    -------
    Polynomial
        The variable.

    Examples
    --------
    >>> from rmtsim.laws.dyson import semicircular
    >>> semicircular("x")
    1·x
    """
    size = validate.positive_number("variance", variance, meaning="n times an entry's variance")
    return Polynomial({(_Letter("semicircular", _named(name), scale=float(np.sqrt(size))),): 1.0})


def gaussian(name: str, rows: float = 1.0, columns: float = 1.0) -> Polynomial:
    """A matrix of independent entries of variance 1/n as a variable of a polynomial.

    Parameters
    ----------
    name : str
        Name of the matrix.
    rows, columns : float, optional
        Numbers of rows and columns, divided by n.

    Returns
    -------
    Polynomial
        The variable; ``.H`` is its adjoint. For d/N = ratio the sample covariance matrix XXᵀ/N is
        ``ratio * g * g.H`` with ``g = gaussian("g", columns=1 / ratio)``.

    Examples
    --------
    >>> from rmtsim.laws.dyson import gaussian
    >>> g = gaussian("g", columns=2.0)
    >>> g * g.H == (g * g.H).H
    True
    """
    sides = [
        validate.positive_number(label, side, meaning="side of the matrix over n")
        for label, side in (("rows", rows), ("columns", columns))
    ]
    return Polynomial({(_Letter("gaussian", _named(name), rows=sides[0], columns=sides[1]),): 1.0})


def diagonal(
    name: str, values: ArrayLike, shares: ArrayLike | None = None, *, side: float = 1.0
) -> Polynomial:
    """A deterministic diagonal matrix with finitely many values as a variable of a polynomial.

    Parameters
    ----------
    name : str
        Name of the matrix.
    values : array_like
        Its values.
    shares : array_like, optional
        Fractions of the diagonal that have them; equal by default. Several diagonal matrices of one side in one
        polynomial need the same shares: they are functions of one partition, and commute.
    side : float, optional
        Side of the matrix, divided by n. Between ``g`` and ``g.H`` it makes a free compound Poisson variable, the
        generalised Marchenko–Pastur law.

    Returns
    -------
    Polynomial
        The variable.

    Raises
    ------
    ValueError
        If there are too many values, or the shares are not positive with sum one.

    Examples
    --------
    >>> from rmtsim.laws.dyson import diagonal
    >>> diagonal("d", [1.0, -1.0])
    1·d
    """
    levels = validate.real_array("values", values, meaning="values on the diagonal").ravel()
    if not 1 <= levels.size <= _LARGEST:
        raise ValueError(f"values: expected 1 to {_LARGEST} values, got {levels.size}")
    parts = (
        np.full(levels.size, 1 / levels.size)
        if shares is None
        else validate.real_array("shares", shares, meaning="fractions of the diagonal").ravel()
    )
    if parts.shape != levels.shape or parts.min() <= 0 or abs(parts.sum() - 1) > 1e-9:
        raise ValueError(
            f"shares={validate.shown(shares)}: expected {levels.size} numbers > 0 that add up to 1"
        )
    length = validate.positive_number("side", side, meaning="side of the matrix over n")
    letter = _Letter(
        "diagonal", _named(name), 1.0, length, length, tuple(levels.tolist()), tuple(parts.tolist())
    )
    return Polynomial({(letter,): 1.0})


def _named(name: str) -> str:
    if not isinstance(name, str) or not name:
        raise TypeError(f"name={validate.shown(name)}: expected a non-empty string")
    return name


class _Linearisation:
    """Entries of the block matrix: letters and numbers at pairs of rows, each row with its side."""

    def __init__(self, side: float) -> None:
        self.sides = [side]
        self.numbers: dict[tuple[int, int], complex] = defaultdict(complex)
        self.letters: dict[_Letter, dict[tuple[int, int], complex]] = defaultdict(
            lambda: defaultdict(complex)
        )

    def _put(self, row: int, column: int, letter: _Letter, value: complex) -> None:
        if letter.adjoint:
            row, column, value = column, row, value.conjugate()
        self.letters[letter.plain][row, column] += value * letter.scale

    def palindrome(self, word: Word, value: float) -> None:
        """A word that is its own adjoint."""
        d = len(word)
        sign, size = np.sign(value), abs(value) ** 0.5
        base = len(self.sides) - 1  # index i ≥ 1 of the word's block is row base + i
        self.sides += [word[i].rows for i in range(1, d)]
        place = [0, *(base + i for i in range(1, d))]
        for i, letter in enumerate(word):
            j = d - 1 - i
            if i > j and letter.kind == "gaussian":
                continue  # the adjoint of an entry that is there
            outer = 0 in (i, j)
            factor = value if d == 1 else size if outer else sign
            self._put(place[i], place[j], letter, complex(factor))
        for i in range(1, d):
            self.numbers[place[i], place[d - i]] -= sign

    def pair(self, word: Word, value: complex) -> None:
        """A word and its adjoint."""
        d = len(word)
        if d == 1:  # a square matrix of independent entries and its adjoint
            self._put(0, 0, word[0], value)
            return
        base = len(self.sides)
        # Columns of Q first, then its rows.
        self.sides += [word[d - j - 1].columns for j in range(1, d)] + [word[i].rows for i in range(1, d)]
        column = [0, *(base + j - 1 for j in range(1, d))]
        row = [0, *(base + d - 1 + i - 1 for i in range(1, d))]
        for i, letter in enumerate(word):
            entry = value if i == 0 else 1.0 + 0j
            self._put(row[i], column[d - 1 - i], letter, entry)
            if letter.kind != "gaussian":  # Hermitian coefficients need both entries
                self._put(column[d - 1 - i], row[i], letter, complex(entry).conjugate())
        for i in range(1, d):
            self.numbers[row[i], column[d - i]] -= 1
            self.numbers[column[d - i], row[i]] -= 1

    def path(self, word: Word, value: complex) -> None:
        """Any word, for a matrix that is not Hermitian: its entries are those of L, not of a Hermitian matrix."""
        if not word:
            self.numbers[0, 0] += value
            return
        base = len(self.sides)
        self.sides += [letter.rows for letter in word[1:]]
        place = [0, *range(base, len(self.sides)), 0]
        for i, letter in enumerate(word):
            self.letters[letter][place[i], place[i + 1]] += value if i == 0 else 1.0
        for i in place[1:-1]:
            self.numbers[i, i] -= 1

    def hermitised(self) -> _Linearisation:
        """[[0, L], [L*, 0]] of the entries of L."""
        size = len(self.sides)
        result = _Linearisation(self.sides[0])
        result.sides = [*self.sides, *self.sides]
        for (i, j), value in self.numbers.items():
            result.numbers[i, size + j] += value
            result.numbers[size + j, i] += value.conjugate()
        for letter, entries in self.letters.items():
            for (i, j), value in entries.items():
                result._put(i, size + j, letter, value)
                if letter.kind != "gaussian":
                    result._put(size + j, i, letter, value.conjugate())
        return result


def _checked_words(polynomial: Polynomial) -> float:
    """Side of the first word; a polynomial without a random matrix is refused."""
    words = [word for word in polynomial._terms if word]
    if not any(letter.kind != "diagonal" for word in words for letter in word):
        raise ValueError("polynomial: expected at least one random matrix")
    return words[0][0].rows


def _parts_of(found: _Linearisation, side: float) -> int:
    """Parts into which diagonal matrices of this side divide its rows."""
    return next(
        (len(each.shares) for each in found.letters if each.kind == "diagonal" and each.rows == side), 1
    )


def polynomial_law(polynomial: Polynomial) -> MatrixDyson:
    """Law of a self-adjoint polynomial in independent random and diagonal matrices.

    Parameters
    ----------
    polynomial : Polynomial
        Polynomial in the variables of :func:`semicircular`, :func:`gaussian` and :func:`diagonal`.

    Returns
    -------
    MatrixDyson
        The law, from a linearisation with as many rows as the sum of the degrees of its words, at most.

    Raises
    ------
    ValueError
        If the polynomial is not self-adjoint, contains no random matrix, has diagonal matrices of one side with
        different shares, or needs more than 60 rows.

    Notes
    -----
    In the limit of large matrices the variables are free. The law is that of the first block of the linearisation, by
    the operator-valued Dyson equation [1]_, with the certificates of :class:`rmtsim.laws.MatrixDyson`.

    References
    ----------
    .. [1] U. Haagerup and S. Thorbjørnsen, "A new application of random matrices: Ext(C*_red(F₂)) is not a group",
       Ann. Math. 162 (2005).

    Examples
    --------
    >>> from rmtsim.laws.dyson import polynomial_law, semicircular
    >>> x, y = semicircular("x"), semicircular("y")
    >>> commutator = polynomial_law(1j * (x * y - y * x))
    >>> round(commutator.density(1.0), 9) == round(polynomial_law(x * y + y * x).density(1.0), 9)
    True
    """
    if not isinstance(polynomial, Polynomial):
        raise TypeError(f"polynomial={validate.shown(polynomial)}: expected a Polynomial")
    adjoint = polynomial.H._terms
    scale = max((abs(value) for value in polynomial._terms.values()), default=0.0)
    if any(abs(value - adjoint.get(word, 0.0)) > 1e-12 * scale for word, value in polynomial._terms.items()):
        raise ValueError(
            "polynomial: expected a self-adjoint one, as p + p.H is; p.eigenvalue_density(z) is for others"
        )
    side = _checked_words(polynomial)
    found = _Linearisation(side)
    done: set[Word] = set()
    for word, value in polynomial._terms.items():
        mirror = tuple(letter.starred for letter in reversed(word))
        if word in done:
            continue
        done |= {word, mirror}
        if not word:
            found.numbers[0, 0] += value.real
        elif word == mirror:
            found.palindrome(word, complex(value).real)
        else:
            if word[0].rows != side or word[-1].columns != side:
                raise ValueError(f"polynomial: its words have {side:g}·n and {word[0].rows:g}·n rows")
            found.pair(word, complex(value))
    return _law(found)


def _law(found: _Linearisation, *, spectral: bool = True) -> MatrixDyson:
    """The block problem; unless ``spectral``, all blocks carry the spectral parameter, not the first alone."""
    shares: dict[float, tuple[float, ...]] = {}
    for letter in found.letters:
        if letter.kind == "diagonal" and shares.setdefault(letter.rows, letter.shares) != letter.shares:
            raise ValueError("polynomial: diagonal matrices of one side need the same shares")
    # Rows of the side of a diagonal matrix fall into one part for each of its values.
    parts = [shares.get(side, (1.0,)) for side in found.sides]
    split = [range(len(each)) for each in parts]
    index = {(i, a): k for k, (i, a) in enumerate((i, a) for i, each in enumerate(split) for a in each)}
    if len(index) > _LARGEST:
        raise ValueError(f"polynomial: its linearisation has {len(index)} rows, expected at most {_LARGEST}")
    weights = [side * part for side, each in zip(found.sides, parts, strict=True) for part in each]
    size = len(index)
    mean = np.zeros((size, size), dtype=np.complex128)
    for (i, j), value in found.numbers.items():
        for a in split[i]:
            mean[index[i, a], index[j, a]] += value
    hermitian: list[NDArray[Any]] = []
    general: list[NDArray[Any]] = []
    for letter, entries in found.letters.items():
        if letter.kind == "diagonal":
            for (i, j), value in entries.items():
                for a, level in enumerate(letter.values):
                    mean[index[i, a], index[j, a]] += value * level
            continue
        first, last = (split[side] for side in next(iter(entries)))
        for a in first:
            for b in last:
                if letter.kind == "semicircular" and a > b:
                    continue
                matrix = np.zeros((size, size), dtype=np.complex128)
                for (i, j), value in entries.items():
                    matrix[index[i, a], index[j, b]] += value
                (hermitian if letter.kind == "semicircular" and a == b else general).append(matrix)
    arrays = [mean, *hermitian, *general]
    if not any(np.any(each.imag) for each in arrays):
        mean, *rest = [np.ascontiguousarray(each.real) for each in arrays]
        hermitian, general = rest[: len(hermitian)], rest[len(hermitian) :]
    first_block = tuple(index[0, a] for a in split[0]) if spectral else None
    return MatrixDyson(
        mean, Block(hermitian=hermitian, general=general, weights=weights, spectral=first_block)
    )
