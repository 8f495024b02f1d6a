"""Top eigenvectors of a dense matrix by block iteration with Rayleigh–Ritz, top eigenvalues by Lanczos; row spans."""

from __future__ import annotations

import numpy as np

from rmtsim._internal.jit import kernel


@kernel
def top_subspace(matrix, start, count, powers, tolerance, rounds):  # type: ignore[no-untyped-def]
    """(vectors, values in decreasing order, residual) of the ``count`` largest eigenvalues; residual max ‖Mv - λv‖/λ₁.

    ``start`` is a block with more columns than are wanted; a round multiplies it by the matrix ``powers`` times before
    it is made orthonormal, and once after. From the second round on the block's least Ritz value b bounds the
    unwanted eigenvalues, and a Chebyshev polynomial on [0, b], of the degree that the residual requires, replaces the
    power. Ends when the residual is at most ``tolerance``, or after that many ``rounds`` with the residual
    that was reached.
    """
    size = matrix.shape[0]
    basis = np.empty(start.shape)
    other = np.empty(start.shape)
    moved = start.copy()
    vectors = np.empty((size, count))
    values = np.zeros(count)
    residual = np.inf
    bound = 0.0
    for _ in range(rounds):
        degree = powers
        if bound > 1e-3 * values[count - 1]:
            # Factor by which a step amplifies the wanted part relative to the unwanted part.
            ratio = max(2.0 * values[count - 1] / bound - 1.0, 1.0)
            rate = np.log(ratio + np.sqrt(ratio * ratio - 1.0))
            degree = min(powers, 1 + int(np.log(residual / max(tolerance, 1e-300)) / max(rate, 0.1)))
            _chebyshev(matrix, moved, other, basis, degree, 2.0 / bound)
        else:
            for _power in range(powers):
                np.dot(matrix, moved, other)
                moved, other = other, moved
        orthonormal = np.linalg.qr(moved)[0]
        # Element by element: assigning an array to an array doubles the time to compile.
        for i in range(basis.shape[0]):
            for j in range(basis.shape[1]):
                basis[i, j] = orthonormal[i, j]
        np.dot(matrix, basis, moved)
        small, mixing = np.linalg.eigh(np.dot(basis.T, moved))
        kept = np.empty((small.size, count))
        for j in range(count):
            values[j] = small[small.size - 1 - j]
            for i in range(small.size):
                kept[i, j] = mixing[i, small.size - 1 - j]
        bound = small[0]
        np.dot(basis, kept, vectors)
        error = np.dot(moved, kept)
        largest = 0.0
        for j in range(count):
            square = 0.0
            for i in range(size):
                square += (error[i, j] - vectors[i, j] * values[j]) ** 2
            largest = max(largest, square)
        residual = np.sqrt(largest) / max(abs(values[0]), 1e-300)
        if residual <= tolerance:
            break
    return vectors, values, residual


@kernel
def _chebyshev(matrix, block, spare, before, degree, scale):  # type: ignore[no-untyped-def]
    """``block`` = T_degree(scale·M - I) block; ``spare`` and ``before`` are of its shape and overwritten."""
    flat, other, older = block.reshape(-1), spare.reshape(-1), before.reshape(-1)
    for step in range(degree):
        np.dot(matrix, block, spare)
        for i in range(flat.size):
            moved = scale * other[i] - flat[i]
            following = moved if step == 0 else 2.0 * moved - older[i]
            older[i] = flat[i]
            flat[i] = following


@kernel
def _tridiagonal(diagonal, beside):  # type: ignore[no-untyped-def]
    """Eigenvalues of a symmetric tridiagonal matrix and the last entries of its eigenvectors, by implicit QL steps.

    Only the last entries of the eigenvectors are rotated: k² operations, where whole eigenvectors take k³. If fifty
    steps are not enough for an eigenvalue (two or three usually are), the entries are infinite, and so are residuals.
    """
    size = diagonal.size
    values, off = diagonal.copy(), beside.copy()
    last = np.zeros(size)
    last[size - 1] = 1.0
    off[size - 1] = 0.0
    for low in range(size):
        settled = False
        for _ in range(50):
            high = low
            while high < size - 1:
                scale = abs(values[high]) + abs(values[high + 1])
                if abs(off[high]) <= 2.3e-16 * scale:
                    break
                high += 1
            if high == low:
                settled = True
                break
            shift = (values[low + 1] - values[low]) / (2.0 * off[low])
            length = np.sqrt(shift * shift + 1.0)
            shift = values[high] - values[low] + off[low] / (shift + (length if shift >= 0.0 else -length))
            sine, cosine, moved = 1.0, 1.0, 0.0
            i = high - 1
            while i >= low:
                across, along = sine * off[i], cosine * off[i]
                length = np.sqrt(across * across + shift * shift)
                off[i + 1] = length
                if length == 0.0:
                    # The matrix falls apart here.
                    values[i + 1] -= moved
                    off[high] = 0.0
                    break
                sine, cosine = across / length, shift / length
                shift = values[i + 1] - moved
                length = (values[i] - shift) * sine + 2.0 * cosine * along
                moved = sine * length
                values[i + 1] = shift + moved
                shift = cosine * length - along
                one, two = last[i], last[i + 1]
                last[i + 1] = sine * one + cosine * two
                last[i] = cosine * one - sine * two
                i -= 1
            if i < low:
                values[low] -= moved
                off[low] = shift
                off[high] = 0.0
        if not settled:
            last[:] = np.inf
            break
    return values, last


@kernel
def top_ritz_values(matrix, start, count, tolerance, steps):  # type: ignore[no-untyped-def]
    """(the ``count`` largest eigenvalues of a symmetric matrix in increasing order, their residual over the largest).

    Lanczos with full orthogonalisation, checked every eight steps; the residual is infinite if ``steps`` do not
    suffice for the ``tolerance`` or the vectors span an invariant space.
    """
    size = matrix.shape[0]
    vectors = np.empty((steps + 1, size))
    diagonal = np.empty(steps)
    beside = np.empty(steps)
    length = np.sqrt(np.dot(start, start))
    for i in range(size):
        vectors[0, i] = start[i] / length
    for k in range(steps):
        image = np.dot(matrix, vectors[k])
        diagonal[k] = np.dot(image, vectors[k])
        for _ in range(2):
            image -= np.dot(np.dot(vectors[: k + 1], image), vectors[: k + 1])
        beside[k] = np.sqrt(np.dot(image, image))
        if not beside[k] > 1e-14 * abs(diagonal[0]):
            break
        for i in range(size):
            vectors[k + 1, i] = image[i] / beside[k]
        taken = k + 1
        if taken % 8 == 0 and taken >= count + 8:
            values, last = _tridiagonal(diagonal[:taken], beside[:taken])
            top, residual = np.empty(count), 0.0
            for place in range(count - 1, -1, -1):
                largest = 0
                for i in range(taken):
                    largest = i if values[i] > values[largest] else largest
                top[place] = values[largest]
                values[largest] = -np.inf
                residual = max(residual, abs(last[largest]) * beside[k])
            if residual <= tolerance * abs(top[count - 1]):
                return top, residual / abs(top[count - 1])
    return np.zeros(count), np.inf


@kernel
def row_span(weights):  # type: ignore[no-untyped-def]
    """Orthonormal basis, as columns, of {Wᵀv : v ⊥ 1}, the span of the rows minus the last one."""
    classes, units = weights.shape
    columns = np.empty((units, classes - 1))
    for c in range(classes - 1):
        for i in range(units):
            columns[i, c] = weights[c, i] - weights[classes - 1, i]
    return np.linalg.qr(columns)[0]
