// What sums over tiles of points share: the kernel functions of the squared distance, and the tiles.
//
// Points come in tiles of `size` (parzen/compute/tiles.py lays them out): coordinate j of tile t begins at
// points[(t * d + j) * size], relative to the tile's centre and in units of the bandwidth; its coefficients (weights;
// zero where a tile is not full) begin at coefficients[t * size]. Queries, centres and boxes are in the user's units,
// and differences are taken before they are scaled: far from the origin no digit is lost. Units are such that the
// Gaussian kernel is 2^-t, t the squared distance.
//
// A compact kernel has a border, at which rounding must not decide: its tiles are relative to zero, its units are powers
// of two, a point lies within where t < limit (parzen/compute/window_border.py), and products are rounded before they
// are added, at every instruction-set level.
#pragma once
#include <algorithm>
#include <limits>
#include "power.h"

namespace parzen {

// Each kernel function: its value at squared distance t, 1 at t = 0, and the least t beyond which it is below `level`.
struct Gaussian {
    static constexpr bool tail = true;  // positive everywhere: far from all points its logarithm is finite
    template <class V> static V at(V t) { return power_of_two(-t); }
    template <class V> static V near(V t) { return power_near(t); }
    static double beyond(double level) { return level > 0 ? std::max(0.0, -std::log2(level)) : 1e4; }
    // Far away: the exponent in units of log 2, and the same of a sum of 2^(exponent - largest).
    static vec exponent(vec t) { return -t; }
    static double exponent(double t) { return -t; }
    static vec raised(vec e) { return power_of_two(e); }
    static constexpr double unit = 6.93147180559945309417e-01;
};
struct Exponential {
    static constexpr bool tail = true;
    static vec at(vec t) { return exponential(-root(t)); }
    static vec near(vec t) { return at(t); }
    static double beyond(double level) {
        const double r = level > 0 ? std::max(0.0, -std::log(level)) : 750.0;
        return r * r;
    }
    static vec exponent(vec t) { return -root(t); }
    static double exponent(double t) { return -std::sqrt(t); }
    static vec raised(vec e) { return exponential(e); }
    static constexpr double unit = 1.0;
};
struct Compact {  // values at squared distances t up to 1; what lies within is decided before
    static constexpr bool tail = false, factored = false;
    static vec exponent(vec t) { return -t; }
    static double exponent(double t) { return -t; }
    static vec raised(vec e) { return e; }
    static constexpr double unit = 1.0;
};
inline vec positive(vec v) { return v > vec{} ? v : vec{}; }
inline vec margin(vec t) { return positive(splat(1.0) - t); }
struct Tophat : Compact {
    static vec at(vec) { return splat(1.0); }
};
struct Epanechnikov : Compact {
    static vec at(vec t) { return margin(t); }
};
struct Triangular : Compact {
    static vec at(vec t) { return positive(splat(1.0) - root(t)); }
};
struct Biweight : Compact {
    static vec at(vec t) { const vec m = margin(t); return m * m; }
};
struct Triweight : Compact {
    static vec at(vec t) { const vec m = margin(t); return m * m * m; }
};
struct Cosine : Compact {  // cos(pi r / 2) as a power series in r^2
    static vec at(vec t) {
        constexpr double a = 2.4674011002723396547;  // (pi / 2)^2
        vec p = splat(1.0);
        for (index k = 11; k > 0; --k) p = splat(1.0) - t * splat(a / ((2.0 * k - 1) * (2.0 * k))) * p;
        return positive(p);
    }
};

struct Tiles {
    index count, size, d;
    const double* coefficients;  // (count, size)
    const double* shrink;        // (count, size): squared inverse scales of points, or none
    const double* low;           // (d, count): corners of the tiles' boxes
    const double* high;
    const double* least;         // (count): least of `shrink` in a tile
    const double* centres;       // (count, d)
    const double* inverse;       // (d): bandwidths in a unit of length
    const double* factors;       // (d): of differences, or none
    const double* norms;         // (count, size): squared lengths of the points, or none
    const double* widest;        // (count): the largest of them in a tile
    double shorten, limit;       // 1 / h^2 of a compact kernel, and the least squared distance that is not within
    double slack;                // log of the total over the least coefficient, in units of the kernel's exponent
    // Coordinate j of a point, relative to tile t.
    double relative(double x, index t, index j) const { return (x - centres[t * d + j]) * inverse[j]; }
    // Squared distance of a tile's box up to which its points may lie within a compact kernel's window.
    double reach() const { return limit * (1 + 1e-9); }
};

// A compact kernel whose columns have different bandwidths: differences are multiplied by factors.
struct Factored : Compact {
    static constexpr bool factored = true;
};

// Adds the square of a difference along column j to t. Of a compact kernel the product is rounded first.
template <class Kernel, class V>
inline void add_square(V& t, V u, const double* factors, index j) {
    if constexpr (Kernel::tail) {
        t += u * u;
    } else {
        if constexpr (Kernel::factored) u *= splat(factors[j]);
        t += apart(u * u);
    }
}

// The kernel function at squared distances t in the tiles' units.
template <class Kernel>
inline vec kernel_at(const Tiles& tiles, vec t) {
    if constexpr (Kernel::tail) return Kernel::at(t);
    else return t < splat(tiles.limit) ? Kernel::at(t * splat(tiles.shorten)) : vec{};
}

// Kernel functions of r, a distance in the kernel's units, or of its square.
template <class Kernel> inline vec at_distance(vec r) { return Kernel::at(r * r); }
template <> inline vec at_distance<Exponential>(vec r) { return exponential(-r); }
template <> inline vec at_distance<Triangular>(vec r) { return positive(splat(1.0) - r); }

// Adds to the sums of some queries: coefficients of a tile's points, times the kernel function at their distances (or the
// squares of these), those from one query after those from another. Of a compact kernel what lies within is below the limit.
template <class Kernel, bool squared>
void weigh(const double* __restrict far, const double* __restrict c, index size, index many, double scale, double limit,
           double* __restrict sums) {
    for (index k = 0; k < many; ++k) {
        vec total = {};
        for (index i = 0; i < size; i += lanes) {
            const vec t = load(far + k * size + i);
            vec value;
            if constexpr (squared) value = Kernel::at(t * splat(scale));
            else value = at_distance<Kernel>(t * splat(scale));
            if constexpr (!Kernel::tail) value = t < splat(limit) ? value : vec{};
            total += load(c + i) * value;
        }
        sums[k] += sum_of(total);
    }
}

// Squared distances of the tiles' boxes from the box of some points, in the kernel's units.
inline void box_distances(const Tiles& tiles, const double* low, const double* high, double* out) {
    for (index t = 0; t < tiles.count; ++t) out[t] = 0;
    for (index j = 0; j < tiles.d; ++j) {
        const double *lo = tiles.low + j * tiles.count, *hi = tiles.high + j * tiles.count, a = low[j], b = high[j];
        const double inverse = tiles.inverse[j] * (tiles.factors ? tiles.factors[j] : 1.0);
        for (index t = 0; t < tiles.count; ++t) {
            const double gap = inverse * std::max(std::max(lo[t] - b, a - hi[t]), 0.0);
            out[t] += gap * gap;
        }
    }
}

// The bounding box of some points: minimum and maximum of each coordinate.
inline void box_of(const double* rows, index many, index d, double* low, double* high) {
    for (index j = 0; j < d; ++j) {
        low[j] = high[j] = rows[j];
        for (index k = 1; k < many; ++k) {
            low[j] = std::min(low[j], rows[k * d + j]);
            high[j] = std::max(high[j], rows[k * d + j]);
        }
    }
}

}  // namespace parzen
