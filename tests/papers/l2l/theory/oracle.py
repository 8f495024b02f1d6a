"""50-digit values by a route of their own: density in the variable √λ, tanh-sinh between marks, plain powers."""

import itertools

import mpmath

DIGITS = 50


def law_integral(function, ratio, marks=()):
    """∫ function(λ) dμ over the non-zero part of the Marchenko–Pastur law; ``marks`` are values of λ to split at."""
    y = mpmath.mpf(ratio)
    low, high = (1 - mpmath.sqrt(y)) ** 2, (1 + mpmath.sqrt(y)) ** 2

    def density(x):
        return mpmath.sqrt(abs((x - low) * (high - x))) / (2 * mpmath.pi * y * x)

    cuts = sorted({low, high, *(mark for mark in marks if low < mark < high)})
    return mpmath.fsum(
        mpmath.quad(lambda s: 2 * s * density(s * s) * function(s * s), [mpmath.sqrt(a), mpmath.sqrt(b)])
        for a, b in itertools.pairwise(cuts)
    )


def marks(step, steps, ratio):
    """Where (1 - ηλ)^t bends: geometric distances from the edges and from 2/η."""
    y, eta = mpmath.mpf(ratio), mpmath.mpf(step)
    low, high = (1 - mpmath.sqrt(y)) ** 2, (1 + mpmath.sqrt(y)) ** 2
    scale = 1 / (eta * steps)
    near = [scale * 2**k for k in range(-8, 24)]
    return [
        2 / eta,
        *(low + gap for gap in near),
        *(high - gap for gap in near),
        *(2 / eta + sign * gap for gap in near for sign in (-1, 1)),
    ]


def expected_error(step, steps, noise, ratio):
    with mpmath.workdps(DIGITS + 10):
        y, eta, variance = mpmath.mpf(ratio), mpmath.mpf(step), mpmath.mpf(noise) ** 2

        def integrand(x):
            p = (1 - eta * x) ** steps
            return p * p + variance * y * (1 - p) ** 2 / x

        return law_integral(integrand, ratio, marks(step, steps, ratio)) + max(mpmath.mpf(0), 1 - 1 / y)


def training_excess(step, steps, noise, ratio):
    with mpmath.workdps(DIGITS + 10):
        y, eta, variance = mpmath.mpf(ratio), mpmath.mpf(step), mpmath.mpf(noise) ** 2
        return (
            law_integral(
                lambda x: (1 - eta * x) ** (2 * steps) * (x + variance * y), ratio, marks(step, steps, ratio)
            )
            / 2
        )


def train_slope(step, steps, noise, ratio):
    """Derivative of the train-by-train objective in η."""
    with mpmath.workdps(DIGITS + 10):
        y, eta, variance = mpmath.mpf(ratio), mpmath.mpf(step), mpmath.mpf(noise) ** 2
        return -steps * law_integral(
            lambda x: (1 - eta * x) ** (2 * steps - 1) * x * (x + variance * y),
            ratio,
            marks(step, steps, ratio),
        )


def error_slope(step, steps, noise, ratio):
    """Derivative of E‖w_t - w*‖² in η."""
    with mpmath.workdps(DIGITS + 10):
        y, eta, variance = mpmath.mpf(ratio), mpmath.mpf(step), mpmath.mpf(noise) ** 2

        def integrand(x):
            q = 1 - eta * x
            return 2 * steps * q ** (steps - 1) * (variance * y * (1 - q**steps) - x * q**steps)

        return law_integral(integrand, ratio, marks(step, steps, ratio))


def flow_error(time, noise, ratio):
    with mpmath.workdps(DIGITS + 10):
        y, tau, variance = mpmath.mpf(ratio), mpmath.mpf(time), mpmath.mpf(noise) ** 2

        def integrand(x):
            p = mpmath.exp(-tau * x)
            return p * p + variance * y * (1 - p) ** 2 / x

        return law_integral(integrand, ratio, marks(time, 1, ratio)) + max(mpmath.mpf(0), 1 - 1 / y)
