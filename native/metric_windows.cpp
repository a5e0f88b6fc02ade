// Sums of kernels of distances that are not Euclidean: log sum_j c_j K(distance(q, x_j) / h) at many queries q.
//
// Tiles are those of windows.h, their points in the user's units: differences are taken first, then multiplied by factors.
// Tiles beyond a distance at which all points together could add less than rtol of the sum (or atol) are left out. What
// lies within a compact kernel is decided in the user's units, as scikit-learn does: distance < h.
#include <limits>
#include <type_traits>
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

// Differences between points i, i + 1, ... of a tile and a query. With D columns there are no factors.
template <int D> struct Difference {
    const double *x, *q, *factors;
    index size;
    vec operator()(index j) const {
        const vec u = magnitude(load(x + j * size) - splat(q[j]));
        return D ? u : u * splat(factors[j]);
    }
};

// Distances (or their squares) of one tile's points from Q queries, those from one query after those from another; `close`:
// all chords are at most 1.
template <class Distance, int D, int Q, bool close>
void measure(const Points& all, const Distance& metric, const double* __restrict x, const double* __restrict q,
             double* __restrict far) {
    const index d = D ? D : all.d;
    for (index i = 0; i < all.size; i += lanes)
        for (int k = 0; k < Q; ++k) {
            const Difference<D> u{x + i, q + k * d, all.factors, all.size};
            vec found;
            if constexpr (close) found = Distance::near(Distance::template square<vec>(d, u));
            else found = metric.template of<vec>(d, u);
            store(far + k * all.size + i, found);
        }
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
// `nearness` holds the distances of the tiles' boxes, `distances(of, t)` gives those of a tile's points.
using Distances = const double*(const void*, index);
template <class Kernel, bool squared>
__attribute__((cold, noinline)) double far_sum(const Points& all, index own, double left, double* nearness,
                                               Distances distances, const void* of) {
    constexpr double none = -std::numeric_limits<double>::infinity();
    const index size = all.size;
    auto exponent = [&](vec far) {
        if constexpr (squared) return Kernel::exponent(far * splat(all.scale * all.scale));
        const vec r = far * splat(all.scale);
        return Kernel::unit == 1.0 ? -r : Kernel::exponent(r * r);
    };
    auto coefficient = [&](index t, index i) {
        vec c = load(all.coefficients + t * size + i);
        for (index s = 0; s < lanes; ++s)
            if (t * size + i + s == own) c[s] = left;
        return c;
    };
    double largest = none;
    auto look = [&](index t) {
        const double* far = distances(of, t);
        vec top = splat(none);
        for (index i = 0; i < size; i += lanes) {
            const vec there = coefficient(t, i) > vec{} ? exponent(load(far + i)) : splat(none);
            top = larger(top, there);
        }
        for (index s = 0; s < lanes; ++s) largest = std::max(largest, top[s]);
    };
    index nearest = 0;
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
        const double* far = distances(of, t);
        for (index i = 0; i < size; i += lanes)
            total += coefficient(t, i) * Kernel::raised(exponent(load(far + i)) - splat(largest));
    }
    return std::log(sum_of(total)) + largest * Kernel::unit;
}

// What depends on the kernel: its values at the distances, and what can be left out.
struct Window {
    void (*weigh)(const double*, const double*, index, index, double, double, double*);
    double (*beyond)(double) = nullptr;  // of kernels with tails
};

template <class Kernel, bool squared>
Window window() {
    Window made{weigh<Kernel, squared>};
    if constexpr (Kernel::tail) made.beyond = Kernel::beyond;
    return made;
}

template <bool squared>
Window window(index kernel) {
    switch (kernel) {
        case 0: return window<Gaussian, squared>();
        case 1: return window<Tophat, squared>();
        case 2: return window<Epanechnikov, squared>();
        case 3: return window<Triangular, squared>();
        case 4: return window<Biweight, squared>();
        case 5: return window<Triweight, squared>();
        case 6: return window<Cosine, squared>();
        default: return window<Exponential, squared>();
    }
}

template <class Distance> using Measure = void(const Points&, const Distance&, const double*, const double*, double*);

template <class Distance>
index sums(const Points& all, const Distance& metric, Measure<Distance>* one, Measure<Distance>* four,
           Measure<Distance>* chords, index kernel, const double* queries, index m, const index* own,
           const double* left, double total, double rtol, double atol, index group, double* out) {
    const index d = all.d, count = all.count, size = all.size;
    const Window window = parzen::window<Distance::squared>(kernel);
    const double scale = Distance::squared ? all.scale * all.scale : all.scale, limit = Distance::squared ? all.h * all.h : all.h;
    Scratch<double> distance(count), low(d), high(d), sum(group), altered(size), far(4 * size);
    Scratch<bool> lost(group);
    if (!distance || !low || !high || !sum || !altered || !far || !lost) return NO_MEMORY;
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
            for (; !mine && k + 4 <= many; k += 4) {
                (close ? chords : four)(all, metric, x, rows + k * d, far);
                window.weigh(far, c, size, 4, scale, limit, sum + k);
            }
            for (; k < many; ++k) {
                const double* weights = c;
                const index at = own ? own[begin + k] - t * size : -1;
                if (at >= 0 && at < size) {
                    std::copy(c, c + size, static_cast<double*>(altered));
                    altered[at] = left[begin + k];
                    weights = altered;
                }
                one(all, metric, x, rows + k * d, far);
                window.weigh(far, weights, size, 1, scale, limit, sum + k);
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
            if (!lost[k]) {
                out[begin + k] = sum[k] > 0 ? std::log(sum[k]) : -std::numeric_limits<double>::infinity();
                continue;
            }
            const struct { const Points& all; const Distance& metric; Measure<Distance>* one; const double* q; double* far; } row =
                {all, metric, one, rows + k * d, far};
            using Row = decltype(row);
            const auto distances = [](const void* of, index t) -> const double* {
                const Row& row = *static_cast<Row*>(of);
                row.one(row.all, row.metric, row.all.points + t * row.all.d * row.all.size, row.q, row.far);
                return row.far;
            };
            box_distances(all, metric, row.q, row.q, distance);
            const auto sum_of_far = kernel == 0 ? far_sum<Gaussian, Distance::squared> : far_sum<Exponential, Distance::squared>;
            out[begin + k] = sum_of_far(all, at, at >= 0 ? left[begin + k] : 0.0, distance, distances, &row);
        }
    }
    return OK;
}

}  // namespace

// metric: 0 manhattan, 1 chebyshev, 2 minkowski (p), whose factors may be left out where d is 2; 3 arcs, of unit vectors.
PARZEN_EXPORT index parzen_metric_sums_f64(index count, index size, index d, const double* points, const double* coefficients,
                                           const double* low, const double* high, const double* factors, const double* queries,
                                           index m, const index* own, const double* left, double total, double rtol, double atol,
                                           index group, index metric, double p, index kernel, double h, double scale, double slack,
                                           double* out) {
    const Points all{count, size, d, points, coefficients, low, high, factors, h, scale, slack};
    const bool plane = d == 2 && !factors;
    const auto run = [&](auto distance, auto across) {
        using Distance = decltype(distance);
        constexpr int D = decltype(across)::value;
        return sums<Distance>(all, distance, measure<Distance, D, 1, false>, measure<Distance, D, 4, false>,
                              measure<Distance, D, 4, Distance::squared>, kernel, queries, m, own,
                              left, total, rtol, atol, group, out);
    };
    const auto of = [&](auto distance) {
        return plane ? run(distance, std::integral_constant<int, 2>()) : run(distance, std::integral_constant<int, 0>());
    };
    switch (metric) {
        case 0: return of(Manhattan{p});
        case 1: return of(Chebyshev{p});
        case 2: return of(Minkowski{p});
        default: return run(Arc{p}, std::integral_constant<int, 3>());
    }
}

}  // namespace parzen
