// Powers of two of vectors, in double and single precision: what Gaussian kernels are made of.
#pragma once
#include "exp.h"

namespace parzen {

typedef float vecf __attribute__((vector_size(2 * lanes * sizeof(float))));
typedef std::int32_t wholef __attribute__((vector_size(2 * lanes * sizeof(std::int32_t))));

template <class Real> struct Lane;
template <> struct Lane<double> {
    using vector = vec;
    static constexpr index count = lanes;
};
template <> struct Lane<float> {
    using vector = vecf;
    static constexpr index count = 2 * lanes;
};
template <class V, class Real> inline V all(Real value) { return value - V{}; }
template <class V, class Real> inline V read(const Real* p) { V v; std::memcpy(&v, p, sizeof v); return v; }

// 2^r by the polynomials of least relative error on [-1/2, 1/2] (Remez): 2.1e-16 and 1.9e-9.
inline vec polynomial(vec r) {
    vec p = splat(7.0372788467269008787e-9);
    p = p * r + splat(1.0208537929657404371e-7);
    p = p * r + splat(1.3215662835959239446e-6);
    p = p * r + splat(1.5252658116409854484e-5);
    p = p * r + splat(1.5403529961127075703e-4);
    p = p * r + splat(1.3333558228561765893e-3);
    p = p * r + splat(9.618129108034597006e-3);
    p = p * r + splat(5.5504108664458831363e-2);
    p = p * r + splat(2.402265069590876777e-1);
    p = p * r + splat(6.931471805599497751e-1);
    return p * r + splat(1.0);
}
inline vecf polynomial(vecf r) {
    vecf p = all<vecf>(1.5345812e-4f);
    p = p * r + 1.3399931e-3f;
    p = p * r + 9.6184890e-3f;
    p = p * r + 5.5503288e-2f;
    p = p * r + 2.4022647e-1f;
    p = p * r + 6.9314721e-1f;
    return p * r + 1.0f;
}

// p 2^k, where the low bits of `shifted` are k.
inline vec raised(vec p, vec shifted) {
    whole bits, exponent;
    std::memcpy(&bits, &p, sizeof bits);
    std::memcpy(&exponent, &shifted, sizeof exponent);
    bits += exponent << 52;
    std::memcpy(&p, &bits, sizeof p);
    return p;
}
inline vecf raised(vecf p, vecf shifted) {
    wholef bits, exponent;
    std::memcpy(&bits, &p, sizeof bits);
    std::memcpy(&exponent, &shifted, sizeof exponent);
    bits += exponent << 23;
    std::memcpy(&p, &bits, sizeof p);
    return p;
}

constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
constexpr float magicf = 12582912.0f;         // 1.5 * 2^23

// 2^x for x <= 0; what is too small to be a normal number becomes the least of them.
inline vec power_of_two(vec x) {
    x = x < splat(-1022.0) ? splat(-1022.0) : x;
    const vec shifted = x + splat(magic);
    return raised(polynomial(x - (shifted - splat(magic))), shifted);
}
inline vecf power_of_two(vecf x) {
    x = x < all<vecf>(-126.0f) ? all<vecf>(-126.0f) : x;
    const vecf shifted = x + magicf;
    return raised(polynomial(x - (shifted - magicf)), shifted);
}

// 2^-t for t < 1000 (100 in single precision), which needs no care for what is too small.
inline vec power_near(vec t) {
    const vec shifted = splat(magic) - t;
    return raised(polynomial((splat(magic) - shifted) - t), shifted);
}
inline vecf power_near(vecf t) {
    const vecf shifted = magicf - t;
    return raised(polynomial((magicf - shifted) - t), shifted);
}

}  // namespace parzen
