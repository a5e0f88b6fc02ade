// Powers of two of vectors, in double and single precision: what Gaussian kernels are made of.
#pragma once
#include <type_traits>
#include "exp.h"

namespace parzen {

template <class V, class Real> inline V all(Real value) { return value - V{}; }
template <class V, class Real> inline V read(const Real* p) { V v; std::memcpy(&v, p, sizeof v); return v; }
template <class Real> inline void write(Real* p, typename Lane<Real>::vector v) { std::memcpy(p, &v, sizeof v); }

constexpr double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to a whole number
constexpr float magicf = 12582912.0f;         // 1.5 * 2^23

// Coefficients of the polynomials of least relative error to 2^r on [-1/2, 1/2] (Remez), highest first: 2.1e-16 and
// 1.9e-9. And what rounds to a whole number when it is added, and the largest t whose 2^-t is normal.
template <class Real> struct Coefficients;
template <> struct Coefficients<double> {
    static constexpr double values[] = {7.0372788467269008787e-9, 1.0208537929657404371e-7, 1.3215662835959239446e-6,
                                        1.5252658116409854484e-5, 1.5403529961127075703e-4, 1.3333558228561765893e-3,
                                        9.618129108034597006e-3,  5.5504108664458831363e-2, 2.402265069590876777e-1,
                                        6.931471805599497751e-1,  1.0};
    static constexpr double whole = magic, most = 1022;
};
template <> struct Coefficients<float> {
    static constexpr float values[] = {1.5345812e-4f, 1.3399931e-3f, 9.6184890e-3f, 5.5503288e-2f,
                                       2.4022647e-1f, 6.9314721e-1f, 1.0f};
    static constexpr float whole = magicf, most = 126;
};

template <class V> using Cell = std::remove_reference_t<decltype(V{}[0])>;

// 2^r.
template <class V>
inline V polynomial(V r) {
    constexpr auto& c = Coefficients<Cell<V>>::values;
    V p = all<V>(c[0]);
    for (index m = 1; m < static_cast<index>(sizeof c / sizeof c[0]); ++m) p = p * r + c[m];
    return p;
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

// The same in place for several vectors side by side: a coefficient is loaded once for all of them.
template <class V, int N>
inline void powers_near(V (&t)[N]) {
    constexpr auto& c = Coefficients<Cell<V>>::values;
    constexpr auto whole = Coefficients<Cell<V>>::whole;
    V shifted[N], p[N];
    for (int k = 0; k < N; ++k) {
        shifted[k] = whole - t[k];
        t[k] = (whole - shifted[k]) - t[k];
        p[k] = all<V>(c[0]);
    }
    for (index m = 1; m < static_cast<index>(sizeof c / sizeof c[0]); ++m)
        for (int k = 0; k < N; ++k) p[k] = p[k] * t[k] + c[m];
    for (int k = 0; k < N; ++k) t[k] = raised(p[k], shifted[k]);
}

}  // namespace parzen
