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
    return ratio > small ? exponential(splat(p) * logarithm(ratio > small ? ratio : small)) : vec{};
}
inline double whole_root(double sum, double p) { return std::pow(sum, 1 / p); }
inline vec whole_root(vec sum, double p) {
    const vec e = logarithm(sum) * splat(1 / p), most = splat(700.0);
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
    double p;
    template <class V, class Difference> V of(index d, Difference u) const {
        V most = u(0), sum{};
        const V one = 1.0 - V{};
        if (d == 2) {
            const V second = u(1), least = most < second ? most : second;
            most = larger(most, second);
            sum = one + share(least / (most > V{} ? most : one), p);
        } else {
            for (index j = 1; j < d; ++j) most = larger(most, u(j));
            const V unit = most > V{} ? most : one;
            for (index j = 0; j < d; ++j) sum += share(u(j) / unit, p);
        }
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
    template <class V> static V far(V t) {  // for t > 1 from the other side: arcsin x = pi / 2 - 2 arcsin sqrt((1 - x) / 2)
        const V rest = larger(0.5 - 0.25 * root_of(t), V{});
        const V arc = 3.14159265358979323846 - 4.0 * root_of(rest * ratio(4.0 * rest));
        return arc * arc;
    }
    template <class V, class Difference> V of(index d, Difference u) const {
        const V t = square<V>(d, u);
        return t > 1.0 - V{} ? far(t) : near(t < 1.0 - V{} ? t : 1.0 - V{});
    }
    template <class V, class Difference> static V square(index d, Difference u) {
        V t{};
        for (index j = 0; j < d; ++j) t += u(j) * u(j);
        return t;
    }
};

}  // namespace parzen
