// Sums of kernels over points, pair by pair: log sum_j c_j K(|q - x_j|^2 v_j) at many queries q.
//
// Tiles beyond a distance at which all points together could add less than rtol of the sum (or atol) are left out.
#include <type_traits>
#include "windows.h"

namespace parzen {
namespace {

// Gaussian sums over one tile for four queries and two vectors of points at once, so that what is loaded serves several
// of them. `near` where no 2^-t is too small to be a normal number; else it becomes the least of them. `norms` and `squares` are the squared lengths of points and queries: then
// distances are |x|^2 + |q|^2 - 2 q x, which takes half the operations where cancellation costs no digit that matters,
// and q has been doubled. In single precision the mean of t under the kernel is computed as well: it bounds the rounding.
// Not inlined: among other code, compilers keep less of it in registers.
template <class Real, int D, bool products, bool near>
__attribute__((noinline)) void add_gaussians(const Real* __restrict x, const Real* __restrict c,
                                             const double* __restrict norms, index size, index d,
                                             const Real* __restrict q, const double* __restrict squares,
                                             double* __restrict sums, double* __restrict firsts) {
    using V = typename Lane<Real>::vector;
    constexpr index W = Lane<Real>::count;
    constexpr bool single = sizeof(Real) == 4;
    const index columns = D ? D : d, half = single ? columns / 2 : 0;
    V total[4] = {}, moment[4] = {};
    for (index i = 0; i < size; i += 2 * W) {
        V t[2][4] = {}, half_way[2][4] = {};
        if constexpr (products) {
            for (int u = 0; u < 2; ++u) {
                const V own = read<V>(norms + i + u * W);
                for (int k = 0; k < 4; ++k) t[u][k] = own + all<V>(squares[k]);
            }
        }
        auto add = [&](index begin, index end) {
            for (index j = begin; j < end; ++j) {
                const V one = read<V>(x + j * size + i), two = read<V>(x + j * size + i + W);
                for (int k = 0; k < 4; ++k) {
                    const V at = all<V>(q[k * columns + j]);
                    if constexpr (products) {
                        t[0][k] -= one * at;
                        t[1][k] -= two * at;
                    } else {
                        const V first = one - at, second = two - at;
                        t[0][k] += first * first;
                        t[1][k] += second * second;
                    }
                }
            }
        };
        if (single) {  // two sums of half the columns round half as much as one
            add(0, half);
            for (int u = 0; u < 2; ++u)
                for (int k = 0; k < 4; ++k) {
                    half_way[u][k] = t[u][k];
                    t[u][k] = V{};
                }
        }
        add(half, columns);
        for (int u = 0; u < 2; ++u) {
            const V weight = read<V>(c + i + u * W);
            V value[4];
            for (int k = 0; k < 4; ++k) {
                if (single) t[u][k] += half_way[u][k];
                value[k] = t[u][k];
            }
            if constexpr (!near) {
                const V most = all<V>(Coefficients<Real>::most);
                for (int k = 0; k < 4; ++k) value[k] = lesser(most, value[k]);
            }
            powers_near(value);
            for (int k = 0; k < 4; ++k) {
                const V term = weight * value[k];
                total[k] += term;
                if (single) moment[k] += term * t[u][k];
            }
        }
    }
    for (int k = 0; k < 4; ++k) {
        sums[k] += sum_of(total[k]);
        if (single) firsts[k] += sum_of(moment[k]);
    }
}

// Sums over one tile for `Q` queries at once, each a row of d coordinates; the sums are added to. `v`: squared inverse
// scales of points, or none.
template <class Kernel, class Real, int D, int Q>
void add_tile(const Tiles& tiles, const Real* __restrict x, const Real* __restrict c, const Real* __restrict v, index size, index d,
              const Real* __restrict q, double*, double* __restrict sums, double* __restrict firsts) {
    using V = typename Lane<Real>::vector;
    constexpr index W = Lane<Real>::count;
    const index columns = D ? D : d;
    // In single precision the mean of t under the kernel is computed as well: it bounds the rounding.
    constexpr bool single = sizeof(Real) == 4;
    V total[Q] = {}, moment[Q] = {};
    for (index i = 0; i < size; i += W) {
        V t[Q] = {}, even[Q] = {};
        index j = 0;
        for (; single && j + 2 <= columns; j += 2) {  // two chains round half as much as one
            const V at = read<V>(x + j * size + i), next = read<V>(x + (j + 1) * size + i);
            for (int k = 0; k < Q; ++k) {
                const V u = at - q[k * columns + j], v2 = next - q[k * columns + j + 1];
                t[k] += u * u;
                even[k] += v2 * v2;
            }
        }
        for (; j < columns; ++j) {
            const V at = read<V>(x + j * size + i);
            for (int k = 0; k < Q; ++k) {
                const V u = at - q[k * columns + j];
                add_square<Kernel>(t[k], u, tiles.factors, j);
            }
        }
        const V weight = read<V>(c + i);
        for (int k = 0; k < Q; ++k) {
            if (single) t[k] += even[k];
            if (D == 0 && v) t[k] *= read<V>(v + i);
            V value;
            if constexpr (Kernel::tail) value = Kernel::at(t[k]);
            else value = kernel_at<Kernel>(tiles, t[k]);
            const V term = weight * value;
            total[k] += term;
            if (single) moment[k] += term * t[k];
        }
    }
    for (int k = 0; k < Q; ++k) {
        sums[k] += sum_of(total[k]);
        if (single) firsts[k] += sum_of(moment[k]);
    }
}

// Queries relative to a tile.
template <class Real, int D>
void place(const Tiles& tiles, const double* rows, index many, index t, Real* q) {
    const index d = D ? D : tiles.d;
    for (index k = 0; k < many; ++k)
        for (index j = 0; j < d; ++j) q[k * d + j] = static_cast<Real>(tiles.relative(rows[k * d + j], t, j));
}

// Sums over one tile, of rarer kernels: squared distances first, by loops that are compiled for all of them.
template <class Kernel, int Q>
__attribute__((noinline)) void squares(const Tiles& tiles, const double* __restrict x, const double* __restrict v, index size,
                                       index d, const double* __restrict q, double* __restrict far) {
    for (index i = 0; i < size; i += lanes) {
        vec t[Q] = {};
        for (index j = 0; j < d; ++j) {
            const vec at = load(x + j * size + i);
            for (int k = 0; k < Q; ++k) add_square<Kernel>(t[k], at - splat(q[k * d + j]), tiles.factors, j);
        }
        for (int k = 0; k < Q; ++k) store(far + k * size + i, v ? t[k] * load(v + i) : t[k]);
    }
}
template <class Kernel, class Rule, int Q>
void add_squares(const Tiles& tiles, const double* x, const double* c, const double* v, index size, index d, const double* q,
                 double* far, double* sums, double*) {
    squares<Rule, Q>(tiles, x, v, size, d, q, far);
    weigh<Kernel, true>(far, c, size, Q, Kernel::tail ? 1.0 : tiles.shorten, tiles.limit, sums);
}

// The logarithm of a sum whose terms all underflow: relative to the largest of them. So rare that its size counts most.
template <class Kernel>
__attribute__((cold)) double far_sum(const Tiles& tiles, const double* points, const double* q, index own, double left, double* nearness) {
    const index d = tiles.d, size = tiles.size, count = tiles.count;
    // The largest that any term of a tile can be.
    index nearest = 0;
    box_distances(tiles, q, q, nearness);
    for (index t = 0; t < count; ++t) {
        nearness[t] = Kernel::exponent(tiles.shrink ? nearness[t] * tiles.least[t] : nearness[t]);
        if (nearness[t] > nearness[nearest]) nearest = t;
    }
    auto exponent = [&](index t, index i) {
        vec far{};
        for (index j = 0; j < d; ++j) {
            const vec u = load(points + (t * d + j) * size + i) - splat(tiles.relative(q[j], t, j));
            far += u * u;
        }
        if (tiles.shrink) far *= load(tiles.shrink + t * size + i);
        return Kernel::exponent(far);
    };
    auto coefficient = [&](index t, index i) {
        vec c = load(tiles.coefficients + t * size + i);
        for (index s = 0; s < lanes; ++s)
            if (t * size + i + s == own) c[s] = left;
        return c;
    };
    const vec least = splat(-std::numeric_limits<double>::infinity());
    double largest = -std::numeric_limits<double>::infinity();
    auto look = [&](index t) {
        vec top = least;
        for (index i = 0; i < size; i += lanes) {
            const vec e = exponent(t, i), there = coefficient(t, i) > vec{} ? e : least;
            top = there > top ? there : top;
        }
        for (index s = 0; s < lanes; ++s) largest = std::max(largest, top[s]);
    };
    look(nearest);
    for (index t = 0; t < count; ++t)
        if (nearness[t] > largest) look(t);
    if (!(largest > -std::numeric_limits<double>::infinity())) return largest;
    vec total{};
    for (index t = 0; t < count; ++t) {
        if (nearness[t] < largest - 100.0 - tiles.slack) continue;  // all of them together are less than rounding
        for (index i = 0; i < size; i += lanes)
            total += coefficient(t, i) * Kernel::raised(exponent(t, i) - splat(largest));
    }
    return std::log(sum_of(total)) + largest * Kernel::unit;
}

// What depends on the kernel: loops over the points of one tile, and what can be left out. The loop over tiles is compiled
// for all kernels at once.
template <class Real> struct Window {
    using Tile = void(const Tiles&, const Real*, const Real*, const Real*, index, index, const Real*, double*, double*, double*);
    using Pairs = void(const Real*, const Real*, const double*, index, index, const Real*, const double*, double*, double*);
    Tile *four, *one;
    void (*place)(const Tiles&, const double*, index, index, Real*) = nullptr;
    Pairs *products = nullptr, *near = nullptr, *any = nullptr;  // of Gaussian kernels
    double (*beyond)(double) = nullptr;                          // of kernels with tails
    double (*far)(const Tiles&, const double*, const double*, index, double, double*) = nullptr;
};

// `Rule` says how differences are squared.
template <class Kernel, class Real, int D, class Rule = Gaussian>
Window<Real> window() {
    // The tile of a left-out point alone takes one query at a time: of rarer kernels, whatever their columns are.
    Window<Real> made{};
    if constexpr (std::is_same_v<Kernel, Gaussian>) made = {add_tile<Kernel, Real, D, 4>, add_tile<Kernel, Real, D, 1>};
    else if constexpr (std::is_same_v<Rule, Compact>) made = {add_tile<Kernel, Real, D, 4>, add_squares<Kernel, Rule, 1>};
    else made = {add_squares<Kernel, Rule, 4>, add_squares<Kernel, Rule, 1>};
    made.place = place<Real, D>;
    if constexpr (Kernel::tail) made.beyond = Kernel::beyond;
    if constexpr (Kernel::tail && sizeof(Real) == 8) made.far = far_sum<Kernel>;
    if constexpr (std::is_same_v<Kernel, Gaussian>) {
        if constexpr (sizeof(Real) == 8 && (D == 0 || D > 3)) made.products = add_gaussians<Real, D, true, true>;
        made.near = add_gaussians<Real, D, false, true>;
        made.any = add_gaussians<Real, D, false, false>;
    }
    return made;
}

template <class Real>
index sums(const Tiles& tiles, const Window<Real>& window, const Real* points, const Real* coefficients, const Real* shrink,
           const double* queries, index m, const index* own, const double* left, double total, double rtol, double atol,
           index group, double* out, double* mean) {
    const index d = tiles.d, count = tiles.count, size = tiles.size;
    Scratch<double> distance(count), low(d), high(d), sum(group), first(group), square(group);
    Scratch<double> far(4 * size);
    Scratch<Real> q(group * d), altered(size);
    Scratch<bool> lost(group);
    if (!distance || !low || !high || !sum || !first || !square || !far || !q || !altered || !lost) return NO_MEMORY;
    // Far from all points the sum underflows: recomputed relative to its largest term.
    const double tiny = total * (sizeof(Real) == 8 ? 1e-290 : 1e-30);
    const bool tail = window.beyond, gaussian = window.any && !shrink;
    for (index begin = 0; begin < m; begin += group) {
        const index many = std::min(group, m - begin);
        const double* rows = queries + begin * d;
        box_of(rows, many, d, low, high);
        box_distances(tiles, low, high, distance);
        if (shrink)
            for (index t = 0; t < count; ++t) distance[t] *= tiles.least[t];
        double nearest = distance[0];
        for (index t = 1; t < count; ++t) nearest = std::min(nearest, distance[t]);
        for (index k = 0; k < many; ++k) sum[k] = first[k] = 0;

        auto add = [&](index t) {
            const Real *x = points + t * d * size, *c = coefficients + t * size, *v = shrink ? shrink + t * size : nullptr;
            window.place(tiles, rows, many, t, q);
            bool mine = false;
            for (index k = 0; own && k < many; ++k) mine |= own[begin + k] / size == t && own[begin + k] >= 0;
            index k = 0;
            if (gaussian) {
                double farthest = 0;
                for (index i = 0; i < many; ++i) {
                    square[i] = 0;
                    for (index j = 0; j < d; ++j) square[i] += static_cast<double>(q[i * d + j]) * q[i * d + j];
                    farthest = std::max(farthest, square[i]);
                }
                // |q - x|^2 <= 2 (|q|^2 + |x|^2)
                const bool close = farthest + tiles.widest[t] < (sizeof(Real) == 8 ? 500.0 : 50.0);
                const bool pairs = size % (2 * Lane<Real>::count) == 0;  // tiles that pairs of vectors fill
                const bool products = window.products && tiles.norms && close && !mine && pairs;
                for (index i = 0; products && i < many * d; ++i) q[i] *= 2;
                const double* norms = products ? tiles.norms + t * size : nullptr;
                const auto run = products ? window.products : close ? window.near : window.any;
                for (; pairs && !mine && k + 4 <= many; k += 4)
                    run(x, c, norms, size, d, q + k * d, square + k, sum + k, first + k);
                for (index i = k * d; products && i < many * d; ++i) q[i] *= 0.5;
            }
            for (; !mine && k + 4 <= many; k += 4)
                window.four(tiles, x, c, v, size, d, q + k * d, far, sum + k, first + k);
            for (; k < many; ++k) {
                const Real* weights = c;
                const index at = own ? own[begin + k] - t * size : -1;
                if (at >= 0 && at < size) {
                    std::copy(c, c + size, static_cast<Real*>(altered));
                    altered[at] = static_cast<Real>(left[begin + k]);
                    weights = altered;
                }
                window.one(tiles, x, weights, v, size, d, q + k * d, far, sum + k, first + k);
            }
        };
        // Near tiles first; their sum bounds the distance beyond which tiles can be left out.
        const double inner = tail ? nearest + 0.5 : tiles.reach();
        for (index t = 0; t < count; ++t)
            if (distance[t] <= inner) add(t);
        double floor = std::numeric_limits<double>::infinity();
        for (index k = 0; k < many; ++k) {
            lost[k] = tail && !(sum[k] > tiny);
            if (!lost[k]) floor = std::min(floor, sum[k]);
        }
        const double reach = tail ? window.beyond((rtol * floor + atol) / total) : inner;
        for (index t = 0; t < count; ++t)
            if (distance[t] > inner && distance[t] < reach) add(t);
        for (index k = 0; k < many; ++k) {
            const index at = own ? own[begin + k] : -1;
            if (lost[k] && window.far) {
                out[begin + k] = window.far(tiles, reinterpret_cast<const double*>(points), rows + k * d, at,
                                            at >= 0 ? left[begin + k] : 0.0, distance);
            } else {
                out[begin + k] = lost[k] || !(sum[k] > 0) ? -std::numeric_limits<double>::infinity() : std::log(sum[k]);
                // Of what is lost the nearest tiles tell nothing: it has to be summed in double precision.
                if (mean) mean[begin + k] = lost[k] ? std::numeric_limits<double>::quiet_NaN() : first[k] / sum[k];
            }
        }
    }
    return OK;
}

}  // namespace

#define PARZEN_ARGUMENTS(Real)                                                                                         \
    index count, index size, index d, const Real *points, const Real *coefficients, const Real *shrink,                \
        const double *low, const double *high, const double *least, const double *centres, const double *inverse,      \
        const double *factors, const double *norms, const double *widest, const double *queries, index m,              \
        const index *own, const double *left, double total, double rtol, double atol, index group, index kernel,       \
        double slack, double radius, double limit, double *out, double *mean

#define PARZEN_RUN(Real, ...)                                                                                          \
    return sums<Real>(tiles, window<__VA_ARGS__>(), points, coefficients, shrink, queries, m, own, left, total, rtol,  \
                      atol, group, out, mean)
#define PARZEN_COMPACT(Kernel)                                                                                         \
    if (factors) PARZEN_RUN(double, Kernel, double, 0, Factored);                                                      \
    if (!shrink && d == 1) PARZEN_RUN(double, Kernel, double, 1, Compact);                                             \
    if (!shrink && d == 2) PARZEN_RUN(double, Kernel, double, 2, Compact);                                             \
    if (!shrink && d == 3) PARZEN_RUN(double, Kernel, double, 3, Compact);                                             \
    PARZEN_RUN(double, Kernel, double, 0, Compact)

PARZEN_EXPORT index parzen_window_sums_f64(PARZEN_ARGUMENTS(double)) {
    const Tiles tiles{count, size, d, coefficients, shrink, low, high, least, centres,
                      inverse, factors, norms, widest, 1 / (radius * radius), limit, slack};
    switch (kernel) {
        case 0:
            if (shrink) PARZEN_RUN(double, Gaussian, double, 0);
            if (d == 1) PARZEN_RUN(double, Gaussian, double, 1);
            if (d == 2) PARZEN_RUN(double, Gaussian, double, 2);
            if (d == 3) PARZEN_RUN(double, Gaussian, double, 3);
            if (d == 8) PARZEN_RUN(double, Gaussian, double, 8);
            PARZEN_RUN(double, Gaussian, double, 0);
        case 1: PARZEN_COMPACT(Tophat);
        case 2: PARZEN_COMPACT(Epanechnikov);
        case 3: PARZEN_COMPACT(Triangular);
        case 4: PARZEN_COMPACT(Biweight);
        case 5: PARZEN_COMPACT(Triweight);
        case 6: PARZEN_COMPACT(Cosine);
        default: PARZEN_RUN(double, Exponential, double, 0);
    }
}

// Gaussian kernels in single precision, of points and queries relative to the centres of the tiles.
PARZEN_EXPORT index parzen_window_sums_f32(PARZEN_ARGUMENTS(float)) {
    (void)kernel;
    const Tiles tiles{count, size, d, nullptr, nullptr, low, high, least, centres,
                      inverse, factors, norms, widest, 1 / (radius * radius), limit, slack};
    if (!shrink && d == 8) PARZEN_RUN(float, Gaussian, float, 8);
    PARZEN_RUN(float, Gaussian, float, 0);
}

}  // namespace parzen
