// Distances that are not Euclidean, between points (vectors of them) and between boxes of points.
//
// A distance is made of the differences u(j) >= 0 along d columns; along a column it grows with each of them, so that the
// gaps between two boxes give a bound on the distances of their points.
#pragma once
#include <algorithm>
#include "exp.h"
#include "windows.h"

namespace parzen {

inline double magnitude(double u) { return std::fabs(u); }
inline vec magnitude(vec u) { return u < vec{} ? -u : u; }
inline double larger(double a, double b) { return a > b ? a : b; }
inline vec larger(vec a, vec b) { return a > b ? a : b; }
inline double root_of(double t) { return std::sqrt(t); }
inline vec root_of(vec t) { return root(t); }

// log of normal numbers above zero, as in exp.h, by operations that vectors have at every level: exponents are shifted so
// that none is negative, and become numbers as the last bits of 2^52.
inline vec log_above_zero(vec x) {
    whole bits;
    std::memcpy(&bits, &x, sizeof bits);
    typedef std::uint64_t positive_whole __attribute__((vector_size(lanes * sizeof(std::uint64_t))));
    const positive_whole raised = reinterpret_cast<positive_whole>(bits + ((1024LL << 52) - 0x3fe6a09e667f3bcdLL)) >> 52;
    bits -= reinterpret_cast<whole>((raised - 1024) << 52);
    vec m, k;
    std::memcpy(&m, &bits, sizeof m);
    const positive_whole number = raised | 0x4330000000000000ULL;
    std::memcpy(&k, &number, sizeof k);
    k -= splat(4503599627370496.0 + 1024.0);
    const vec s = (m - splat(1.0)) / (m + splat(1.0)), s2 = s * s, s4 = s2 * s2, s8 = s4 * s4;
    const vec p = (splat(1.0 / 3) + s2 * splat(1.0 / 5)) + s4 * (splat(1.0 / 7) + s2 * splat(1.0 / 9)) +
                  s8 * ((splat(1.0 / 11) + s2 * splat(1.0 / 13)) + s4 * (splat(1.0 / 15) + s2 * splat(1.0 / 17)) +
                        s8 * (splat(1.0 / 19) + s2 * splat(1.0 / 21)));
    return k * splat(6.93147180559945309417e-01) + (s + s + (s + s) * s2 * p);
}

// ratio^p for ratios from 0 to 1, a small whole p by products; and sum^(1 / p) for sums from 1 to the number of columns.
constexpr double most_products = 8;
inline double share(double ratio, double p) { return ratio > 0 ? std::pow(ratio, p) : 0.0; }
inline vec share(vec ratio, double p) {
    if (p <= most_products && p == std::floor(p)) {
        vec power = ratio;
        for (int k = 1; k < static_cast<int>(p); ++k) power *= ratio;
        return power;
    }
    const vec small = splat(1e-300);
    return ratio > small ? exponential(splat(p) * log_above_zero(ratio > small ? ratio : small)) : vec{};
}
inline double whole_root(double sum, double p) { return std::pow(sum, 1 / p); }
inline vec whole_root(vec sum, double p) {
    const vec e = log_above_zero(sum) * splat(1 / p), most = splat(700.0);
    return exponential(e < most ? e : most);
}

struct Manhattan {
    static constexpr bool squared = false;  // whether `of` gives the square of the distance
    double p;
    template <class V, class Difference> V of(index d, Difference u) const {
        V sum = u(0);
        for (index j = 1; j < d; ++j) sum += u(j);
        return sum;
    }
};

struct Chebyshev {
    static constexpr bool squared = false;
    double p;
    template <class V, class Difference> V of(index d, Difference u) const {
        V most = u(0);
        for (index j = 1; j < d; ++j) most = larger(most, u(j));
        return most;
    }
};

struct Minkowski {  // relative to the largest difference: no power is too large or too small to be a number
    static constexpr bool squared = false;
    static constexpr index terms = 30;
    double p, series[terms];
    explicit Minkowski(double power) : p(power) {
        // (1.5 + v)^(1 / p) = 1.5^(1 / p) sum_k binomial(1 / p, k) (v / 1.5)^k; |v| <= 1/2, so that 30 terms are enough.
        series[0] = std::pow(1.5, 1 / p);
        for (index k = 1; k < terms; ++k) series[k] = series[k - 1] * (1 / p - (k - 1)) / (1.5 * k);
    }
    template <class V, class Difference> V of(index d, Difference u) const {
        const V one = 1.0 - V{};
        V most = u(0);
        if (d == 2) {
            const V second = u(1), least = most < second ? most : second;
            most = larger(most, second);
            const V v = share(least / (most > V{} ? most : one), p) - 0.5;
            const V v2 = v * v, v3 = v2 * v;  // three sums at once, none of which waits for another
            V part[3] = {series[terms - 3] - V{}, series[terms - 2] - V{}, series[terms - 1] - V{}};
            for (index k = terms - 6; k >= 0; k -= 3)
                for (index i = 0; i < 3; ++i) part[i] = part[i] * v3 + (series[k + i] - V{});
            return least > V{} ? most * (part[0] + v * part[1] + v2 * part[2]) : most;
        }
        for (index j = 1; j < d; ++j) most = larger(most, u(j));
        const V unit = most > V{} ? most : one;
        V sum{};
        for (index j = 0; j < d; ++j) sum += share(u(j) / unit, p);
        return most * whole_root(larger(sum, one), p);
    }
};

// Great circles on the sphere of radius 1, of points in space: chords c are arcs of 2 arcsin(c / 2).
struct Arc {
    static constexpr bool squared = true;
    double p;
    // arc^2 / c^2 for c^2 = t up to 1, by the polynomial of least error there (5e-17).
    template <class V> static V ratio(V t) {
        constexpr double terms[] = {5.6646355736547160912e-9, -1.1607432524559478092e-8, 5.5142838800405279129e-8,
                                    7.1381890058680520679e-8, 5.3605974578243126832e-7,  2.4135234625463078678e-6,
                                    1.1897991861419876025e-5, 6.0123864333378876336e-5,  3.1746049569506481544e-4,
                                    1.7857142699690193123e-3, 1.1111111111831321494e-2,  8.3333333333320428654e-2,
                                    1.0000000000000000382};
        V value = terms[0] - V{};
        for (index k = 1; k < 13; ++k) value = value * t + (terms[k] - V{});
        return value;
    }
    template <class V> static V near(V t) { return t * ratio(t); }
    template <class V, class Difference> V of(index d, Difference u) const {
        const V t = square<V>(d, u), one = 1.0 - V{};
        // For t > 1 from the other side: arcsin x = pi / 2 - 2 arcsin sqrt((1 - x) / 2), x = c / 2.
        const V rest = larger(2.0 - root_of(t), V{});
        const V found = near(t > one ? rest : t);
        const V arc = 3.14159265358979323846 - 2.0 * root_of(found);
        return t > one ? arc * arc : found;
    }
    template <class V, class Difference> static V square(index d, Difference u) {
        V t{};
        for (index j = 0; j < d; ++j) t += u(j) * u(j);
        return t;
    }
};

}  // namespace parzen
