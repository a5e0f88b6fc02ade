// exp of a vector, to the last bit or two: x = k log 2 + r, |r| <= log(2) / 2, exp x = 2^k (1 + r + r^2 / 2 + ...).
#pragma once
#include "common.h"

namespace parzen {

// For x <= 0, or a little above; below the logarithm of the least normal number (-708) it is zero. NaN stays NaN.
inline vec exponential(vec x) {
    constexpr double magic = 6755399441055744.0;               // 1.5 * 2^52: adding it rounds to a whole number
    const vec shifted = x * splat(1.4426950408889634074) + splat(magic);
    const vec k = shifted - splat(magic);
    const vec r = x - k * splat(6.93147180369123816490e-01) - k * splat(1.90821492927058770002e-10);
    const vec r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    // Taylor's coefficients, added in pairs so that no long chain of additions waits for itself.
    const vec p0 = splat(1.0) + r, p1 = splat(1.0 / 2) + r * splat(1.0 / 6);
    const vec p2 = splat(1.0 / 24) + r * splat(1.0 / 120), p3 = splat(1.0 / 720) + r * splat(1.0 / 5040);
    const vec p4 = splat(1.0 / 40320) + r * splat(1.0 / 362880), p5 = splat(1.0 / 3628800) + r * splat(1.0 / 39916800);
    const vec p6 = splat(1.0 / 479001600) + r * splat(1.0 / 6227020800.0);
    const vec p = (p0 + r2 * p1) + r4 * (p2 + r2 * p3) + r8 * ((p4 + r2 * p5) + r4 * p6);
    whole bits, exponent;
    std::memcpy(&bits, &p, sizeof bits);
    std::memcpy(&exponent, &shifted, sizeof exponent);
    bits += exponent << 52;                                     // the low bits of `shifted` are k
    vec scaled;
    std::memcpy(&scaled, &bits, sizeof scaled);
    return x < splat(-708.0) ? vec{} : (x == x ? scaled : x);
}

// log of a vector of normal numbers above zero: x = 2^k m, m about 1, log m = 2 atanh((m - 1) / (m + 1)).
constexpr double log_two = 0.69314718055994530942;

// x becomes m, between sqrt(1/2) and sqrt(2), where it was m * 2^k; returns k.
inline vec take_exponent(vec& x) {
    whole bits;
    std::memcpy(&bits, &x, sizeof bits);
    const whole k = (bits - 0x3fe6a09e667f3bcdLL) >> 52;
    bits -= k << 52;
    std::memcpy(&x, &bits, sizeof x);
    const whole biased = k + 0x4338000000000000LL;              // the bits of 1.5 * 2^52 + k: k as a number, exactly
    vec number;
    std::memcpy(&number, &biased, sizeof number);
    return number - splat(6755399441055744.0);
}
inline vec logarithm_near_one(vec m) {
    const vec s = (m - splat(1.0)) / (m + splat(1.0)), s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
    const vec p = (splat(1.0 / 3) + s2 * splat(1.0 / 5)) + s4 * (splat(1.0 / 7) + s2 * splat(1.0 / 9)) +
                  s8 * ((splat(1.0 / 11) + s2 * splat(1.0 / 13)) + s4 * (splat(1.0 / 15) + s2 * splat(1.0 / 17)) +
                        s8 * (splat(1.0 / 19) + s2 * splat(1.0 / 21)));
    return s + s + (s + s) * s2 * p;
}
inline vec logarithm(vec x) {
    const vec exponent = take_exponent(x);
    return exponent * splat(log_two) + logarithm_near_one(x);
}

// The sum of the lanes, by halves.
inline double sum_of(vec v) {
    typedef double pair __attribute__((vector_size(2 * sizeof(double))));
    pair part[lanes / 2];
    std::memcpy(part, &v, sizeof v);
    for (index n = lanes / 4; n > 0; n /= 2)
        for (index s = 0; s < n; ++s) part[s] += part[s + n];
    return part[0][0] + part[0][1];
}
// The same in double precision.
inline double sum_of(vecf v) {
    typedef float half __attribute__((vector_size(lanes * sizeof(float))));
    half part[2];
    std::memcpy(part, &v, sizeof v);
    return sum_of(__builtin_convertvector(part[0], vec) + __builtin_convertvector(part[1], vec));
}

}  // namespace parzen
