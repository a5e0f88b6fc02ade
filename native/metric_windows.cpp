// Sums of kernels of distances that are not Euclidean: log sum_j c_j K(distance(q, x_j) / h) at many queries q.
//
// Tiles are those of windows.h, their points in the user's units: differences are taken first, then multiplied by factors.
// Tiles beyond a distance at which all points together could add less than rtol of the sum (or atol) are left out. What
// lies within a compact kernel is decided in the user's units, as scikit-learn does: distance < h.
#include <limits>
#include "metrics.h"

namespace parzen {
namespace {

struct Points {
    index count, size, d;
    const double *points, *coefficients;  // (count, d, size), (count, size)
    const double *low, *high;             // (d, count): corners of the tiles' boxes
    const double* factors;                // (d): of differences, or none
    double h, scale;                      // the bandwidth; the kernel's unit of length in a unit of distance
    double slack;                         // log2 of the total over the least coefficient
};

// Kernel functions of r, a distance in the kernel's units, or of its square.
template <class Kernel> inline vec at_distance(vec r) { return Kernel::at(r * r); }
template <> inline vec at_distance<Exponential>(vec r) { return exponential(-r); }
template <> inline vec at_distance<Triangular>(vec r) { return positive(splat(1.0) - r); }

template <class Distance, class Kernel> inline vec value(const Points& all, vec distance) {
    vec k;
    if constexpr (Distance::squared) k = Kernel::at(distance * splat(all.scale * all.scale));
    else k = at_distance<Kernel>(distance * splat(all.scale));
    if constexpr (Kernel::tail) return k;
    return distance < splat(Distance::squared ? all.h * all.h : all.h) ? k : vec{};
}

// Differences between points i, i + 1, ... of a tile and a query. With D columns there are no factors.
template <int D> struct Difference {
    const double *x, *q, *factors;
    index size;
    vec operator()(index j) const {
        const vec u = magnitude(load(x + j * size) - splat(q[j]));
        return D ? u : u * splat(factors[j]);
    }
};

// Sums over one tile for Q queries at once; `close`: all chords are at most 1.
template <class Distance, class Kernel, int D, int Q, bool close>
void add_tile(const Points& all, const Distance& metric, const double* x, const double* c, const double* q, double* sums) {
    const index d = D ? D : all.d;
    vec total[Q] = {};
    for (index i = 0; i < all.size; i += lanes) {
        const vec weight = load(c + i);
        for (int k = 0; k < Q; ++k) {
            const Difference<D> u{x + i, q + k * d, all.factors, all.size};
            vec far;
            if constexpr (close) far = Distance::near(Distance::template square<vec>(d, u));
            else far = metric.template of<vec>(d, u);
            total[k] += weight * value<Distance, Kernel>(all, far);
        }
    }
    for (int k = 0; k < Q; ++k) sums[k] += sum_of(total[k]);
}

// Bounds on the distances between the points of a box and those of tile t (V: of tiles t, t + 1, ...): the least, or the
// largest that they can be.
template <class V, class Distance>
V box_distance(const Points& all, const Distance& metric, index t, const double* low, const double* high, bool largest) {
    const V found = metric.template of<V>(all.d, [&](index j) -> V {
        const V lo = read<V>(all.low + j * all.count + t), hi = read<V>(all.high + j * all.count + t);
        const V below = largest ? hi - low[j] : lo - high[j], above = largest ? high[j] - lo : low[j] - hi;
        const V gap = larger(larger(below, above), V{});
        return all.factors ? gap * all.factors[j] : gap;
    });
    if constexpr (Distance::squared) return root_of(found);
    else return found;
}

template <class Distance>
void box_distances(const Points& all, const Distance& metric, const double* low, const double* high, double* out) {
    index t = 0;
    for (; t + lanes <= all.count; t += lanes) store(out + t, box_distance<vec>(all, metric, t, low, high, false));
    for (; t < all.count; ++t) out[t] = box_distance<double>(all, metric, t, low, high, false);
}

// The logarithm of a sum whose terms all underflow: relative to the largest of them. So rare that its size counts most.
template <class Distance, class Kernel, int D>
__attribute__((cold)) double far_sum(const Points& all, const Distance& metric, const double* q, index own, double left, double* nearness) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const index d = D ? D : all.d, size = all.size;
    auto exponent = [&](index t, index i) {
        const vec far = metric.template of<vec>(d, Difference<D>{all.points + t * d * size + i, q, all.factors, size});
        vec r2;
        if constexpr (Distance::squared) r2 = far * splat(all.scale * all.scale);
        else r2 = far * splat(all.scale) * (far * splat(all.scale));
        if constexpr (!Distance::squared && Kernel::unit == 1.0) return -far * splat(all.scale);
        return Kernel::exponent(r2);
    };
    auto coefficient = [&](index t, index i) {
        vec c = load(all.coefficients + t * size + i);
        for (index s = 0; s < lanes; ++s)
            if (t * size + i + s == own) c[s] = left;
        return c;
    };
    double largest = none;
    auto look = [&](index t) {
        vec top = splat(none);
        for (index i = 0; i < size; i += lanes) {
            const vec there = coefficient(t, i) > vec{} ? exponent(t, i) : splat(none);
            top = larger(top, there);
        }
        for (index s = 0; s < lanes; ++s) largest = std::max(largest, top[s]);
    };
    index nearest = 0;
    box_distances(all, metric, q, q, nearness);
    for (index t = 0; t < all.count; ++t) {
        const double r = all.scale * nearness[t];
        nearness[t] = Kernel::unit == 1.0 ? -r : -r * r;
        if (nearness[t] > nearness[nearest]) nearest = t;
    }
    look(nearest);
    for (index t = 0; t < all.count; ++t)
        if (nearness[t] > largest) look(t);
    if (!(largest > none)) return largest;
    vec total{};
    for (index t = 0; t < all.count; ++t) {
        if (nearness[t] < largest - 100.0 - all.slack) continue;  // all of them together are less than rounding
        for (index i = 0; i < size; i += lanes)
            total += coefficient(t, i) * Kernel::raised(exponent(t, i) - splat(largest));
    }
    return std::log(sum_of(total)) + largest * Kernel::unit;
}

// What depends on the kernel: loops over the points of one tile, and what can be left out. The loop over tiles is compiled
// for all kernels of a distance at once.
template <class Distance> struct Window {
    using Tile = void(const Points&, const Distance&, const double*, const double*, const double*, double*);
    Tile *four, *close, *one;
    double (*beyond)(double) = nullptr;  // of kernels with tails
    double (*far)(const Points&, const Distance&, const double*, index, double, double*) = nullptr;
};

template <class Distance, class Kernel, int D>
Window<Distance> window() {
    Window<Distance> made{add_tile<Distance, Kernel, D, 4, false>, add_tile<Distance, Kernel, D, 4, Distance::squared>,
                          add_tile<Distance, Kernel, D, 1, false>};
    if constexpr (Kernel::tail) {
        made.beyond = Kernel::beyond;
        made.far = far_sum<Distance, Kernel, D>;
    }
    return made;
}

template <class Distance>
index sums(const Points& all, const Distance& metric, const Window<Distance>& window, const double* queries, index m,
           const index* own, const double* left, double total, double rtol, double atol, index group, double* out) {
    const index d = all.d, count = all.count, size = all.size;
    Scratch<double> distance(count), low(d), high(d), sum(group), altered(size);
    Scratch<bool> lost(group);
    if (!distance || !low || !high || !sum || !altered || !lost) return NO_MEMORY;
    const double tiny = total * 1e-290;  // far from all points the sum underflows: recomputed relative to its largest term
    const bool tail = window.beyond;
    for (index begin = 0; begin < m; begin += group) {
        const index many = std::min(group, m - begin);
        const double* rows = queries + begin * d;
        box_of(rows, many, d, low, high);
        box_distances<Distance>(all, metric, low, high, distance);
        for (index k = 0; k < many; ++k) sum[k] = 0;

        auto add = [&](index t) {
            const double *x = all.points + t * d * size, *c = all.coefficients + t * size;
            bool mine = false, close = false;
            for (index k = 0; own && k < many; ++k) mine |= own[begin + k] >= 0 && own[begin + k] / size == t;
            if constexpr (Distance::squared) close = box_distance<double>(all, metric, t, low, high, true) < 1;  // and the chords
            index k = 0;
            const auto four = close ? window.close : window.four;
            for (; !mine && k + 4 <= many; k += 4) four(all, metric, x, c, rows + k * d, sum + k);
            for (; k < many; ++k) {
                const double* weights = c;
                const index at = own ? own[begin + k] - t * size : -1;
                if (at >= 0 && at < size) {
                    std::copy(c, c + size, static_cast<double*>(altered));
                    altered[at] = left[begin + k];
                    weights = altered;
                }
                window.one(all, metric, x, weights, rows + k * d, sum + k);
            }
        };
        // Near tiles first; their sum bounds the distance beyond which tiles can be left out.
        const double nearest = *std::min_element(static_cast<double*>(distance), distance + count);
        const double inner = tail ? nearest + 0.5 / all.scale : all.h * (1 + 1e-9);
        for (index t = 0; t < count; ++t)
            if (distance[t] <= inner) add(t);
        if (tail) {
            double floor = std::numeric_limits<double>::infinity();
            for (index k = 0; k < many; ++k) {
                lost[k] = !(sum[k] > tiny);
                if (!lost[k]) floor = std::min(floor, sum[k]);
            }
            const double reach = std::sqrt(window.beyond((rtol * floor + atol) / total)) / all.scale;
            for (index t = 0; t < count; ++t)
                if (distance[t] > inner && distance[t] < reach) add(t);
        }
        for (index k = 0; k < many; ++k) {
            const index at = own ? own[begin + k] : -1;
            if (lost[k])
                out[begin + k] = window.far(all, metric, rows + k * d, at, at >= 0 ? left[begin + k] : 0.0, distance);
            else
                out[begin + k] = sum[k] > 0 ? std::log(sum[k]) : -std::numeric_limits<double>::infinity();
        }
    }
    return OK;
}

}  // namespace

#define PARZEN_RUN(Distance, Kernel, D) \
    return sums(all, Distance{p}, window<Distance, Kernel, D>(), queries, m, own, left, total, rtol, atol, group, out)
#define PARZEN_METRIC(Kernel)                                                                                          \
    switch (metric) {                                                                                                  \
        case 0:                                                                                                        \
            if (d == 2 && !factors) PARZEN_RUN(Manhattan, Kernel, 2);                                                  \
            PARZEN_RUN(Manhattan, Kernel, 0);                                                                          \
        case 1:                                                                                                        \
            if (d == 2 && !factors) PARZEN_RUN(Chebyshev, Kernel, 2);                                                  \
            PARZEN_RUN(Chebyshev, Kernel, 0);                                                                          \
        case 2:                                                                                                        \
            if (d == 2 && !factors) PARZEN_RUN(Minkowski, Kernel, 2);                                                  \
            PARZEN_RUN(Minkowski, Kernel, 0);                                                                          \
        default: PARZEN_RUN(Arc, Kernel, 3);                                                                           \
    }

// metric: 0 manhattan, 1 chebyshev, 2 minkowski (p), whose factors may be left out where d is 2; 3 arcs, of unit vectors.
PARZEN_EXPORT index parzen_metric_sums_f64(index count, index size, index d, const double* points, const double* coefficients,
                                           const double* low, const double* high, const double* factors, const double* queries,
                                           index m, const index* own, const double* left, double total, double rtol, double atol,
                                           index group, index metric, double p, index kernel, double h, double scale, double slack,
                                           double* out) {
    const Points all{count, size, d, points, coefficients, low, high, factors, h, scale, slack};
    switch (kernel) {
        case 0: PARZEN_METRIC(Gaussian)
        case 1: PARZEN_METRIC(Tophat)
        case 2: PARZEN_METRIC(Epanechnikov)
        case 3: PARZEN_METRIC(Triangular)
        case 4: PARZEN_METRIC(Biweight)
        case 5: PARZEN_METRIC(Triweight)
        case 6: PARZEN_METRIC(Cosine)
        default: PARZEN_METRIC(Exponential)
    }
}

}  // namespace parzen
