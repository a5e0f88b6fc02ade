// Averages around queries: of values y, and for local lines of u, u u' and u y as well, u the points
// relative to the query. A point weighs coefficient times kernel times a factor of its tile's group and the query's cell:
// the kernels of categories. Averages are of weights that sum to one, however far away the points are.
//
// Tiles and kernels are those of windows.h; values of tile t and column c begin at values[(t * C + c) * size]. Queries of
// one cell lie together.
//
// Out come the logarithm of the sum of weights and, for each query, the averages: y (C); of first order then
// u (d), u_i u_j for i <= j, and u_i y_c (d, C).
#include <type_traits>
#include "windows.h"

namespace parzen {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Values {
    const double* y;            // (count, C, size)
    index C;
    bool lines;                 // whether to average u, u u' and u y
    const index* group;         // (count): of each tile
    const double* factors;      // (cells, groups)
    index groups;
    index numbers(index d) const { return 1 + C + (lines ? d + d * (d + 1) / 2 + d * C : 0); }
};

// Adds the square of a difference, which has been multiplied by its factor.
template <class Kernel>
inline void add_plain(vec& t, vec u) {
    if constexpr (Kernel::tail) t += u * u;
    else t += apart(u * u);
}

inline double dot(const double* a, const double* b, index size) {
    vec total{};
    for (index i = 0; i < size; i += lanes) total += load(a + i) * load(b + i);
    return sum_of(total);
}

// Adds the weights k and offsets u (d, size) of one tile, times a factor, to the sums of a query.
inline void add_moments(const Values& values, index t, index size, index d, const double* k, const double* u,
                        double* product, double factor, double* sums) {
    vec total{};
    for (index i = 0; i < size; i += lanes) total += load(k + i);
    double* at = sums;
    *at++ += factor * sum_of(total);
    const double* y = values.y + t * values.C * size;
    for (index c = 0; c < values.C; ++c) *at++ += factor * dot(k, y + c * size, size);
    if (!values.lines) return;
    double *first = at, *second = at + d, *mixed = second + d * (d + 1) / 2;
    for (index i = 0; i < d; ++i) {
        vec sum{};
        for (index s = 0; s < size; s += lanes) {
            const vec term = load(k + s) * load(u + i * size + s);
            store(product + s, term);
            sum += term;
        }
        *first++ += factor * sum_of(sum);
        for (index j = i; j < d; ++j) *second++ += factor * dot(product, u + j * size, size);
        for (index c = 0; c < values.C; ++c) *mixed++ += factor * dot(product, y + c * size, size);
    }
}

// One query against one tile, with the offsets kept.
template <class Kernel>
void add_lines(const Tiles& tiles, const Values& values, const double* x, const double* c, index t, index size, index d,
               const double* q, double* k, double* u, double* product, double factor, double* sums) {
    for (index i = 0; i < size; i += lanes) {
        vec far{};
        for (index j = 0; j < d; ++j) {
            vec off = load(x + j * size + i) - splat(q[j]);
            if constexpr (!Kernel::tail) {
                if (tiles.factors) off *= splat(tiles.factors[j]);
            }
            store(u + j * size + i, off);
            add_plain<Kernel>(far, off);
        }
        store(k + i, load(c + i) * kernel_at<Kernel>(tiles, far));
    }
    add_moments(values, t, size, d, k, u, product, factor, sums);
}

// Averages of Q queries over one tile: sums[k * (1 + C)].
template <class Kernel, int D, int Q, bool near>
void add_averages(const Tiles& tiles, const double* __restrict x, const double* __restrict c, const double* __restrict y, index C,
                  index size, index d, const double* __restrict q, double* __restrict k, double factor,
                  double* __restrict sums) {
    const index columns = D ? D : d;
    vec total[Q] = {}, first[Q] = {};
    for (index i = 0; i < size; i += lanes) {
        vec t[Q] = {};
        for (index j = 0; j < columns; ++j) {
            const vec at = load(x + j * size + i);
            for (int s = 0; s < Q; ++s) {
                vec u = at - splat(q[s * columns + j]);
                if constexpr (!Kernel::tail) {
                    if (tiles.factors) u *= splat(tiles.factors[j]);
                }
                add_plain<Kernel>(t[s], u);
            }
        }
        const vec weight = load(c + i), value = C ? load(y + i) : vec{};
        for (int s = 0; s < Q; ++s) {
            vec term;
            if constexpr (near && Kernel::tail) term = weight * Kernel::near(t[s]);
            else term = weight * kernel_at<Kernel>(tiles, t[s]);
            total[s] += term;
            first[s] += term * value;
            if (C > 1) store(k + s * size + i, term);
        }
    }
    for (int s = 0; s < Q; ++s) {
        double* at = sums + s * (1 + C);
        *at++ += factor * sum_of(total[s]);
        if (C) *at++ += factor * sum_of(first[s]);
        for (index b = 1; b < C; ++b) *at++ += factor * dot(k + s * size, y + b * size, size);
    }
}

// Sums at a query that is far from all points, relative to the largest term; of compact kernels, those of the nearest
// points alone. Returns the logarithm of what they are relative to.
//
// Squared distances t are compared with that of one point of the nearest tile: t - t0 = (x - x0)(x + x0 - 2 q) keeps its
// digits where t and t0 are the same number. So rare that its size counts most.
template <class Kernel>
__attribute__((cold)) double far_moments(const Tiles& tiles, const double* points, const Values& values, const double* q, const double* factor,
                   index own, double left, double* distance, double* k, double* u, double* product, double* sums) {
    const index d = tiles.d, size = tiles.size, count = tiles.count;
    box_distances(tiles, q, q, distance);
    index home = -1;
    for (index t = 0; t < count; ++t)
        if (factor[values.group[t]] > 0 && (home < 0 || distance[t] < distance[home])) home = t;
    if (home < 0) return -infinity;
    auto factor_of = [&](index j) { return tiles.factors ? tiles.factors[j] : 1.0; };
    double t0 = 0;
    for (index j = 0; j < d; ++j) {
        const double off = factor_of(j) * (points[(home * d + j) * size] - tiles.relative(q[j], home, j));
        t0 += off * off;
    }
    const double root0 = std::sqrt(t0);
    const bool comparable = t0 < 1e10;  // whether distances of boxes are known well enough to be compared
    auto offset = [&](index t) { return Kernel::tail ? std::log(factor[values.group[t]]) / Kernel::unit : 0.0; };
    auto worth = [&](index t, double least) {
        if (!(factor[values.group[t]] > 0)) return false;
        if (!comparable) return true;
        if (!Kernel::tail) return t0 - distance[t] >= least;
        return Kernel::exponent(distance[t]) - Kernel::exponent(t0) + offset(t) >= least;
    };
    // Exponents of the points of a tile less that of the one point, into k; offsets into u. Returns the largest.
    auto weigh = [&](index t) {
        vec top = splat(-infinity);
        for (index i = 0; i < size; i += lanes) {
            vec more{}, far{};
            for (index j = 0; j < d; ++j) {
                const double at = points[(home * d + j) * size], away = at - tiles.relative(q[j], home, j);
                const double shift = tiles.relative(tiles.centres[t * d + j], home, j) - at;
                const double f = factor_of(j);
                const vec x = load(points + (t * d + j) * size + i), step = splat(f) * (x + splat(shift));
                const vec off = step + splat(f * away);
                store(u + j * size + i, off);
                more += step * (step + splat(2 * f * away));
                far += off * off;
            }
            if (std::is_same_v<Kernel, Exponential>) more = more / (root(far) + splat(root0 > 0 ? root0 : 1.0));
            vec c = load(tiles.coefficients + t * size + i);
            for (index s = 0; s < lanes; ++s)
                if (t * size + i + s == own) c[s] = left;
            const vec e = c > vec{} ? splat(offset(t)) - more : splat(-infinity);
            store(k + i, e);
            top = e > top ? e : top;
        }
        double largest = -infinity;
        for (index s = 0; s < lanes; ++s) largest = std::max(largest, top[s]);
        return largest;
    };
    double largest = weigh(home);
    for (index t = 0; t < count; ++t)
        if (t != home && worth(t, largest)) largest = std::max(largest, weigh(t));
    if (!(largest > -infinity)) return largest;
    const double radius = std::sqrt(std::max(t0 - largest, 0.0));  // of the nearest points, which may be equally far
    const double least = largest - (Kernel::tail ? 100.0 + tiles.slack : 1e-12 * radius * std::min(radius, 1e3));
    for (index t = 0; t < count; ++t) {
        if (!worth(t, least) || !(weigh(t) >= least)) continue;
        for (index i = 0; i < size; ++i) {
            const double c = t * size + i == own ? left : tiles.coefficients[t * size + i];
            k[i] = !(k[i] >= least) ? 0.0 : Kernel::tail ? c * std::exp((k[i] - largest) * Kernel::unit) : c;
        }
        add_moments(values, t, size, d, k, u, product, Kernel::tail ? 1.0 : factor[values.group[t]], sums);
    }
    return Kernel::tail ? (Kernel::exponent(t0) + largest) * Kernel::unit : -infinity;
}

// What depends on the kernel: loops over the points of one tile, and what can be left out. The loop over tiles is compiled
// for all kernels at once.
struct Window {
    using Tile = void(const Tiles&, const double*, const double*, const double*, index, index, index, const double*, double*, double, double*);
    Tile *near, *four, *one;
    decltype(&add_lines<Gaussian>) lines;
    decltype(&far_moments<Gaussian>) far;
    double (*beyond)(double) = nullptr;  // of kernels with tails
};

template <class Kernel, int D>
Window window() {
    using Far = std::conditional_t<Kernel::tail, Kernel, Compact>;  // far away, compact kernels are the same
    Window made{add_averages<Kernel, D, 4, Kernel::tail>, add_averages<Kernel, D, 4, false>,
                add_averages<Kernel, D, 1, false>, add_lines<Kernel>, far_moments<Far>};
    if constexpr (Kernel::tail) made.beyond = Kernel::beyond;
    return made;
}

template <int D>
index averages(const Tiles& tiles, const Window& window, const double* points, const Values& values, const double* queries,
               index m, const index* cell, const index* own, const double* left, double total, double rtol, index group,
               double* log_sum, double* out) {
    const index d = D ? D : tiles.d, count = tiles.count, size = tiles.size, A = values.numbers(d), C = values.C;
    Scratch<double> distance(count), low(d), high(d), q(group * d), altered(size), sums(group * A);
    Scratch<double> k(4 * size), u(d * size), product(size);
    Scratch<bool> lost(group);
    if (!distance || !low || !high || !q || !altered || !sums || !k || !u || !product || !lost) return NO_MEMORY;
    const double tiny = total * 1e-290;
    const bool tail = window.beyond;
    for (index begin = 0, many = 0; begin < m; begin += many) {
        for (many = 1; many < group && begin + many < m && cell[begin + many] == cell[begin]; ++many) {}
        const double *rows = queries + begin * d, *factor = values.factors + cell[begin] * values.groups;
        box_of(rows, many, d, low, high);
        box_distances(tiles, low, high, distance);
        double nearest = infinity;
        for (index t = 0; t < count; ++t) {
            if (!(factor[values.group[t]] > 0)) distance[t] = infinity;
            nearest = std::min(nearest, distance[t]);
        }
        for (index a = 0; a < many * A; ++a) sums[a] = 0;

        auto add = [&](index t) {
            const double *x = points + t * d * size, *c = tiles.coefficients + t * size, *y = values.y + t * C * size;
            const double f = factor[values.group[t]];
            double farthest = 0;
            bool mine = false;
            for (index s = 0; s < many; ++s) {
                double square = 0;
                for (index j = 0; j < d; ++j) {
                    const double at = tiles.relative(rows[s * d + j], t, j);
                    q[s * d + j] = at;
                    square += at * at;
                }
                farthest = std::max(farthest, square);
                mine |= own && own[begin + s] >= 0 && own[begin + s] / size == t;
            }
            const auto four = tail && farthest + tiles.widest[t] < 450.0 ? window.near : window.four;
            index s = 0;
            if (!values.lines && !mine)
                for (; s + 4 <= many; s += 4) four(tiles, x, c, y, C, size, d, q + s * d, k, f, sums + s * A);
            for (; s < many; ++s) {
                const double* weights = c;
                const index at = own ? own[begin + s] - t * size : -1;
                if (own && own[begin + s] >= 0 && at >= 0 && at < size) {
                    std::copy(c, c + size, static_cast<double*>(altered));
                    altered[at] = left[begin + s];
                    weights = altered;
                }
                if (values.lines)
                    window.lines(tiles, values, x, weights, t, size, d, q + s * d, k, u, product, f, sums + s * A);
                else
                    window.one(tiles, x, weights, y, C, size, d, q + s * d, k, f, sums + s * A);
            }
        };
        // Near tiles first; their sum bounds the distance beyond which tiles can be left out.
        const double inner = tail ? nearest + 0.5 : tiles.reach();
        for (index t = 0; t < count; ++t)
            if (distance[t] <= inner) add(t);
        double floor = infinity;
        for (index s = 0; s < many; ++s) {
            lost[s] = tail && !(sums[s * A] > tiny);
            if (!lost[s]) floor = std::min(floor, sums[s * A]);
        }
        const double reach = tail ? window.beyond(rtol * floor / total) : inner;
        for (index t = 0; t < count; ++t)
            if (distance[t] > inner && distance[t] < reach) add(t);
        for (index s = 0; s < many; ++s) {
            double* sum = sums + s * A;
            const index i = begin + s;
            double log_scale = 0;
            if (lost[s] || !(sum[0] > 0)) {
                for (index a = 0; a < A; ++a) sum[a] = 0;
                log_scale = window.far(tiles, points, values, rows + s * d, factor, own ? own[i] : -1,
                                       own ? left[i] : 0.0, distance, k, u, product, sum);
            }
            log_sum[i] = std::log(sum[0]) + log_scale;
            for (index a = 1; a < A; ++a) out[i * (A - 1) + a - 1] = sum[a] / sum[0];
        }
    }
    return OK;
}

}  // namespace

#define PARZEN_RUN(Kernel, D)                                                                                          \
    return averages<D>(tiles, window<Kernel, D>(), points, values, queries, m, cell, own, left, total, rtol,           \
                       queries_at_once, log_sum, out)

PARZEN_EXPORT index parzen_local_averages_f64(
    index count, index size, index d, const double* points, const double* coefficients, const double* low,
    const double* high, const double* centres, const double* inverse, const double* scale, const double* widest,
    const double* y, index C,
    index lines, const index* group, const double* factors, index groups, const double* queries, index m,
    const index* cell, const index* own, const double* left, double total, double slack, double radius,
    double limit, double rtol,
    index queries_at_once, index kernel, double* log_sum, double* out) {
    const Tiles tiles{count, size, d, coefficients, nullptr, low, high, nullptr, centres,
                      inverse, scale, nullptr, widest, 1 / (radius * radius), limit, slack};
    const Values values{y, C, lines != 0, group, factors, groups};
    switch (kernel) {
        case 0:
            if (d == 1) PARZEN_RUN(Gaussian, 1);
            if (d == 2) PARZEN_RUN(Gaussian, 2);
            PARZEN_RUN(Gaussian, 0);
        case 1: PARZEN_RUN(Tophat, 0);
        case 2: PARZEN_RUN(Epanechnikov, 0);
        case 3: PARZEN_RUN(Triangular, 0);
        case 4: PARZEN_RUN(Biweight, 0);
        case 5: PARZEN_RUN(Triweight, 0);
        case 6: PARZEN_RUN(Cosine, 0);
        default: PARZEN_RUN(Exponential, 0);
    }
}

}  // namespace parzen
