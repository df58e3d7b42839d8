#!/usr/bin/env python3
"""Prints the coefficients of src/simd/vec_special_f32.h and vec_special_f64.h: Chebyshev interpolation, by mpmath.

Each line: what is approximated, in which variable, the largest error found, then the coefficients from x^0 on as doubles."""
from mpmath import mp, mpf, chebyfit, digamma, erfinv, besseli, exp, log, loggamma, polyval, sqrt, pi, inf

mp.dps = 60


def show(name, f, low, high, degree, relative=True):
    """f on [low, high]; with `relative` the error is measured against f."""
    coefficients = chebyfit(f, [mpf(low), mpf(high)], degree + 1)
    doubles = [mpf(float(c)) for c in coefficients]
    worst = mpf(0)
    for k in range(401):
        x = mpf(low) + (mpf(high) - mpf(low)) * (k + mpf("0.37")) / 402
        exact = f(x)
        error = abs(polyval(doubles, x) - exact)
        worst = max(worst, error / abs(exact) if relative else error)
    print(f"{name}, degree {degree}, error 2^{float(log(worst, 2)):.1f}")
    print("    " + ", ".join(float(c).hex() for c in reversed(coefficients)))


def from_log2(l):
    """erfinv(x) / x where l = -log2(1 - x^2)."""
    x = sqrt(1 - mpf(2) ** (-l)) if l > mpf("1e-30") else mpf("1e-15")
    return erfinv(x) / x


def scaled_i0(x):
    """sqrt(x) exp(-x) I0(x)"""
    return sqrt(x) * exp(-x) * besseli(0, x)


def lgamma_ratio(u):
    """(x + 1) lgamma(x) / ((x - 1) (x - 2)) where u = log(x)."""
    x = exp(u) + mpf("1e-25")  # past the zeros
    return (x + 1) * loggamma(x).real / ((x - 1) * (x - 2))


ROOT = mp.findroot(digamma, mpf("1.4616321449683623"))


def digamma_ratio(u):
    """(x + 1/2) digamma(x) / (x - ROOT) where u = log(x)."""
    x = exp(u) + mpf("1e-25")
    return (x + mpf("0.5")) * digamma(x).real / (x - ROOT)


def lgamma_rest(z):
    """x (lgamma(x) - (x - 1/2) log(x) + x - log(2 pi) / 2) where z = 1 / x^2."""
    if z < mpf("1e-12"):
        return mpf(1) / 12 - z / 360
    x = 1 / sqrt(z)
    return x * (loggamma(x).real - (x - mpf("0.5")) * log(x) + x - log(2 * pi) / 2)


def digamma_rest(z):
    """x^2 (log(x) - 1 / (2 x) - digamma(x)) where z = 1 / x^2."""
    if z < mpf("1e-12"):
        return mpf(1) / 12 - z / 120
    x = 1 / sqrt(z)
    return x * x * (log(x) - 1 / (2 * x) - digamma(x).real)


def pair(name, x):
    print(f"{name}\n    {float(x).hex()}, {float(x - mpf(float(x))).hex()}")


if __name__ == "__main__":
    show("erfinv(x) / x in l - 4, l = -log2(1 - x^2) in [0, 8]", lambda t: from_log2(t + 4), -4, 4, 14)
    show("erfinv(x) / x in sqrt(l) - 5, l in [8, 54]", lambda t: from_log2((t + 5) ** 2), -2.2, 2.36, 14)
    show("I0(x) in x^2 / 16 - 2, |x| <= 8, f32", lambda t: besseli(0, 4 * sqrt(t + 2)), -2, 2, 15)
    show("sqrt(x) exp(-x) I0(x) in 1 / x, x >= 8, f32", lambda t: scaled_i0(1 / max(t, mpf("1e-12"))), 0, 0.125, 7)
    show("I0(x) in x^2, |x| <= 2", lambda t: besseli(0, sqrt(t)), 0, 4, 12)
    show("exp(-x) I0(x) in x - 5, x in [2, 8]", lambda t: exp(-t - 5) * besseli(0, t + 5), -3, 3, 25)
    show("sqrt(x) exp(-x) I0(x) in 8 / x - 1/2, x >= 8", lambda t: scaled_i0(8 / max(t + mpf("0.5"), mpf("1e-12"))), -0.5, 0.5, 26)
    low, high = log(mpf("0.5")), log(mpf(8))
    middle = mpf("0.6875")
    for degree in (14, 25):
        show("lgamma ratio in log(x) - 0.6875, x in [1/2, 8]", lambda t: lgamma_ratio(t + middle), low - middle, high - middle, degree)
    for degree in (5, 10):
        show("lgamma rest in 1 / x^2, x >= 8", lgamma_rest, 0, mpf(1) / 64, degree)
    low, high, centre = log(mpf("0.5")), log(mpf(16)), mpf("1.0625")
    for degree in (17, 28):
        show("digamma ratio in log(x) - 1.0625, x in [1/2, 16]", lambda t: digamma_ratio(t + centre), low - centre, high - centre, degree)
    for degree in (3, 7):
        show("digamma rest in 1 / x^2, x >= 16", digamma_rest, 0, mpf(1) / 256, degree)
    pair("root of digamma", ROOT)
    pair("log(2 pi) / 2", log(2 * pi) / 2)
    pair("sqrt(pi) / 2", sqrt(pi) / 2)
