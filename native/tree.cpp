// Sums of compact kernels over the sorted points of one column, exact, in a number of steps that does not depend on the
// bandwidth: a binary tree of runs of points, each with its moments about its own centre.
//
// A run that lies within the window, no wider than it is far from the window's edge, is summed by its moments: there the
// terms of the expansion are of the size of their sum, so that no digit is lost. Others are divided; the smallest are
// summed point by point.
#include <algorithm>
#include "exp.h"

namespace parzen {
namespace {

constexpr index moments = 7;     // of the powers 0 to 6; of a cosine, the sums of cos and sin
constexpr double quarter = 1.57079632679489661923;

enum Kernel { tophat = 1, epanechnikov, triangular, biweight, triweight, cosine };

// Points that are not within |q - x| < h are left out before.
inline double at(Kernel kernel, double u) {
    const double r = std::min(std::fabs(u), 1.0), m = 1 - r * r;
    switch (kernel) {
        case tophat: return 1;
        case epanechnikov: return m;
        case triangular: return 1 - r;
        case biweight: return m * m;
        case triweight: return m * m * m;
        default: return std::cos(quarter * r);
    }
}

// The sum over a run with moments M about its centre, u = query - centre.
inline double by_moments(Kernel kernel, double u, const double* M) {
    const double s = 1 - u * u, v = 2 * u;  // 1 - (u - y)^2 = s + v y - y^2
    switch (kernel) {
        case tophat: return M[0];
        case epanechnikov: return s * M[0] + v * M[1] - M[2];
        case triangular: return u < 0 ? (1 + u) * M[0] - M[1] : (1 - u) * M[0] + M[1];
        case biweight: return s * s * M[0] + 2 * s * v * M[1] + (v * v - 2 * s) * M[2] - 2 * v * M[3] + M[4];
        case triweight:
            return s * s * s * M[0] + 3 * s * s * v * M[1] + 3 * s * (v * v - s) * M[2] + v * (v * v - 6 * s) * M[3] +
                   3 * (s - v * v) * M[4] + 3 * v * M[5] - M[6];
        default: return std::cos(quarter * u) * M[0] + std::sin(quarter * u) * M[1];
    }
}

inline index begin_of(index node, index level, index n) { return std::min(n, node << level); }

}  // namespace

// Points x are in the user's units, in which they are compared with the bandwidth; differences are scaled by it.
//
// Moments of every run of `leaf` points, and of every two neighbouring runs, level by level; level l begins at
// starts[l], its runs have leaf << l points. `leaf` is a power of two.
PARZEN_EXPORT index parzen_tree_moments_f64(const double* x, const double* w, double unit, index n, index leaf_bits,
                                            index levels, const index* starts, index kernel, double* centres, double* out) {
    const double inverse = 1 / unit;
    for (index l = 0; l < levels; ++l) {
        const index bits = leaf_bits + l;
        for (index node = 0; begin_of(node, bits, n) < n; ++node) {
            const index first = begin_of(node, bits, n), last = begin_of(node + 1, bits, n);
            const double c = x[first] + 0.5 * (x[last - 1] - x[first]);
            double M[moments] = {};
            if (x[last - 1] - x[first] < unit)  // wider ones are never used: a window is two wide, and they lie within
                for (index i = first; i < last; ++i) {
                    const double y = (x[i] - c) * inverse, weight = w ? w[i] : 1.0;
                    if (kernel == cosine) {
                        M[0] += weight * std::cos(quarter * y);
                        M[1] += weight * std::sin(quarter * y);
                    } else {
                        double power = weight;
                        for (index k = 0; k < moments; ++k) { M[k] += power; power *= y; }
                    }
                }
            centres[starts[l] + node] = c;
            std::copy(M, M + moments, out + (starts[l] + node) * moments);
        }
    }
    return OK;
}

PARZEN_EXPORT index parzen_tree_values_f64(const double* x, const double* w, double unit, index n, index leaf_bits,
                                           index levels, const index* starts, index kernel, const double* centres, const double* M,
                                           const double* queries, index m, double* out) {
    const Kernel K = static_cast<Kernel>(kernel);
    const double inverse = 1 / unit;
    struct Run { index level, node; };
    for (index i = 0; i < m; ++i) {
        const double q = queries[i];
        Run stack[128];
        index depth = 0;
        stack[depth++] = {levels - 1, 0};
        double total = 0;
        while (depth) {
            const Run run = stack[--depth];
            const index bits = leaf_bits + run.level, first = begin_of(run.node, bits, n), last = begin_of(run.node + 1, bits, n);
            if (first >= last) continue;
            const double lowest = x[first] - q, highest = x[last - 1] - q;
            if (!(highest > -unit && lowest < unit)) continue;
            const double width = x[last - 1] - x[first], farthest = std::max(-lowest, highest);
            const bool cut = K == triangular && lowest < 0 && highest > 0;
            if (farthest < unit && width < unit && (K == tophat || 0.5 * width <= unit - farthest) && !cut) {
                const index at_node = starts[run.level] + run.node;
                total += by_moments(K, (q - centres[at_node]) * inverse, M + at_node * moments);
            } else if (run.level == 0) {
                for (index j = first; j < last; ++j)
                    if (std::fabs(q - x[j]) < unit) total += (w ? w[j] : 1.0) * at(K, (q - x[j]) * inverse);
            } else {
                stack[depth++] = {run.level - 1, 2 * run.node};
                stack[depth++] = {run.level - 1, 2 * run.node + 1};
            }
        }
        out[i] = total;
    }
    return OK;
}

}  // namespace parzen
