// E-step of a mixture of Gaussians, in one pass over the rows: scores of a tile of rows under every component,
// responsibilities, and the moments weighted by them. Nothing of size n x K is stored, and no row is read twice.
//
// Scores are logs to base 2, up to a term of the row alone where all components share it. Rows are taken about an origin
// among the data, moments about the components' current means; responsibilities below 2^-66 of a row's largest are zero.
//
// Every routine returns the number of rows that it can't evaluate: with missing or infinite cells, or squares that
// overflow. The caller then evaluates the block otherwise.
#include "em.h"
#include "triangles.h"

#include <type_traits>

namespace parzen {
namespace {

// Means of the components about the origin, rounded to what the rows are compared with.
template <class C>
void relative(const double* mean, const double* origin, index groups, index d, double* exact, C* rounded) {
    for (index k = 0; k < groups; ++k)
        for (index j = 0; j < d; ++j) {
            const double m = mean[k * d + j] - origin[j];
            exact[k * d + j] = m;
            rounded[k * d + j] = static_cast<C>(m);
        }
}

// Every tile: lay, score, weigh, learn.
template <class C, class Score, class Learn>
index over_tiles(const C* X, index n, index d, index stride, const double* weights, const double* origin, index groups,
                 C* x, C* scores, double* likelihood, Score score, Learn learn) {
    constexpr index rows = Wide<C>::rows;
    double w[rows];
    *likelihood = 0;
    for (index i = 0; i < n; i += rows) {
        const index count = n - i < rows ? n - i : rows;
        lay(X + i * stride, count, d, stride, origin, x);
        lay_weights<C>(weights, i, count, w);
        const C* base = score();
        const index odd = posteriors(scores, groups, w, base, likelihood);
        if (odd) return odd;
        learn(w);
    }
    return OK;
}

// Full covariances: inverse[k] is the inverse of the factor of component k times sqrt(log2(e) / 2).
template <class C>
index em_full(const C* X, index n, index d, index stride, const double* weights, index groups, const double* origin,
              const double* mean, const double* inverse, const double* constant, double* weight, double* means,
              double* carry, double* scatter, double* likelihood) {
    Triangles<C> triangles(d, groups);
    Scatters<C> scatters(d, groups);
    Scratch<C> x(d * Wide<C>::rows), scores(groups * Wide<C>::rows), centre(groups * d);
    Scratch<double> exact(groups * d);
    if (!triangles || !scatters || !x || !scores || !centre || !exact) return NO_MEMORY;
    relative<C>(mean, origin, groups, d, exact, centre);
    triangles.pack(inverse, exact);
    const index odd = over_tiles(
        X, n, d, stride, weights, origin, groups, x.data, scores.data, likelihood,
        [&]() -> const C* {
            for (index k = 0; k < groups; ++k)
                triangles.score(x, k, static_cast<C>(constant[k]), scores + k * Wide<C>::rows);
            return nullptr;
        },
        [&](const double*) {
            for (index k = 0; k < groups; ++k) scatters.add(x, scores + k * Wide<C>::rows, k, centre + k * d);
        });
    if (odd) return odd;
    for (index k = 0; k < groups; ++k)
        scatters.finish(k, mean + k * d, weight + k, means + k * d, carry + k * d, scatter + k * d * d);
    return OK;
}

// Whether a cell of a tile is missing.
template <class C>
inline bool any_missing(const C* x, index d) {
    using V = Vector<C>;
    constexpr index count = Wide<C>::count;
    V sum = {};
    for (index c = 0; c < d * chains; ++c) {
        const V cell = read<V>(x + c * count);
        sum += cell - cell;  // NaN of an infinite one as well: it is then found by its score
    }
    C lane[count];
    write<C>(lane, sum);
    bool found = false;
    for (index l = 0; l < count; ++l) found |= lane[l] != lane[l];
    return found;
}

// Independent columns: inverse (K, d) is one over the deviation times sqrt(log2(e) / 2). With Missing a NaN is marginalised:
// neither its distance nor its column's normaliser counts, and it has no weight in its column's moments; `total` (or null)
// are the components' weights.
template <bool Missing, class C>
index em_diagonal(const C* X, index n, index d, index stride, const double* weights, index groups, const double* origin,
                  const double* mean, const double* inverse, const double* constant, double* weight, double* means,
                  double* carry, double* scatter, double* total, double* likelihood) {
    using V = Vector<C>;
    constexpr index count = Wide<C>::count, rows = Wide<C>::rows;
    Scratch<C> x(d * rows), scores(groups * rows), centre(groups * d), scale(groups * d), offset(groups * d), norm(groups * d);
    Scratch<double> exact(groups * d), whole(groups * count), part(groups * count), first(groups * d * count),
        second(groups * d * count), cells(Missing ? groups * d * count : 0);
    if (!x || !scores || !centre || !scale || !offset || !norm || !exact || !whole || !part || !first || !second || !cells)
        return NO_MEMORY;
    relative<C>(mean, origin, groups, d, exact, centre);
    for (index c = 0; c < groups * d; ++c) {
        scale[c] = static_cast<C>(inverse[c]);
        offset[c] = static_cast<C>(-exact[c] * inverse[c]);
        norm[c] = static_cast<C>((half_log_two_pi - 0.5 * std::log(2 * log_two) - std::log(inverse[c])) / log_two);
    }
    bool holes = false;
    const auto score = [&](index k, auto gaps) {
        V sum[chains];
        for (index v = 0; v < chains; ++v) sum[v] = all<V>(static_cast<C>(constant[k]));
        for (index j = 0; j < d; ++j) {
            const V s = all<V>(scale[k * d + j]), o = all<V>(offset[k * d + j]);
            for (index v = 0; v < chains; ++v) {
                const V z = read<V>(x + j * rows + v * count) * s + o, term = -z * z;
                if constexpr (decltype(gaps)::value) sum[v] += term == term ? term : all<V>(norm[k * d + j]);
                else sum[v] += term;
            }
        }
        for (index v = 0; v < chains; ++v) write<C>(scores + k * rows + v * count, sum[v]);
    };
    const auto learn = [&](index k, auto gaps) {
        V r[chains], sum = {};
        for (index v = 0; v < chains; ++v) sum += r[v] = read<V>(scores + k * rows + v * count);
        if (!Chosen<C>(sum).count) return;
        add_lanes<C>((decltype(gaps)::value ? part : whole) + k * count, sum);
        for (index j = 0; j < d; ++j) {
            const V m = all<V>(centre[k * d + j]);
            V a = {}, b = {}, c = {};
            for (index v = 0; v < chains; ++v) {
                V y = read<V>(x + j * rows + v * count) - m;
                if constexpr (decltype(gaps)::value) {
                    c += y == y ? r[v] : V{};
                    y = y == y ? y : V{};
                }
                const V t = r[v] * y;
                a += t;
                b += t * y;
            }
            add_lanes<C>(first + (k * d + j) * count, a);
            add_lanes<C>(second + (k * d + j) * count, b);
            if constexpr (decltype(gaps)::value) add_lanes<C>(cells + (k * d + j) * count, c);
        }
    };
    const auto each = [&](auto run) {
        for (index k = 0; k < groups; ++k) {
            if (Missing && holes) run(k, std::integral_constant<bool, Missing>());
            else run(k, std::false_type());
        }
    };
    const index odd = over_tiles(
        X, n, d, stride, weights, origin, groups, x.data, scores.data, likelihood,
        [&]() -> const C* {
            holes = Missing && any_missing(x.data, d);
            each(score);
            return nullptr;
        },
        [&](const double*) { each(learn); });
    if (odd) return odd;
    for (index k = 0; k < groups; ++k) {
        const double full = total_of<C>(whole + k * count);
        if (total) total[k] = full + total_of<C>(part + k * count);
        for (index c = k * d; c < (k + 1) * d; ++c) {
            const double w = Missing ? full + total_of<C>(cells + c * count) : full;
            const double drift = total_of<C>(first + c * count), step = w != 0 ? drift / w : 0.0;
            weight[c] = w;
            means[c] = w != 0 ? mean[c] + step : 0.0;
            carry[c] = w != 0 ? step - (means[c] - mean[c]) : 0.0;
            scatter[c] = total_of<C>(second + c * count) - drift * step;
        }
    }
    return OK;
}

// One covariance for all: scores are affine, (K, d) `slope` about the origin, up to the row's own square, which `inverse`
// (1, d, d) gives. The scatter within the components is what all rows have about the origin less what their means have.
template <class C>
index em_shared(const C* X, index n, index d, index stride, const double* weights, index groups, const double* origin,
                const double* slope, const double* inverse, const double* constant, double* weight, double* means,
                double* carry, double* scatter, double* likelihood) {
    using V = Vector<C>;
    constexpr index count = Wide<C>::count, rows = Wide<C>::rows;
    Triangles<C> triangle(d, 1);
    Scatters<C> whole(d, 1);
    Scratch<C> x(d * rows), scores(groups * rows), base(rows), w(rows), table(groups * d), offset(groups), zero(d);
    Scratch<double> exact(d), sums(groups * (d + 1) * count), drift(groups * d);
    if (!triangle || !whole || !x || !scores || !base || !w || !table || !offset || !zero || !exact || !sums || !drift)
        return NO_MEMORY;
    triangle.pack(inverse, exact);
    for (index k = 0; k < groups; ++k) offset[k] = static_cast<C>(constant[k]);
    in_fours(groups, [&](index first, auto number) {
        constexpr index E = decltype(number)::value;
        for (index j = 0; j < d; ++j)
            for (index e = 0; e < E; ++e) table[first * d + j * E + e] = static_cast<C>(slope[(first + e) * d + j]);
    });
    const index odd = over_tiles(
        X, n, d, stride, weights, origin, groups, x.data, scores.data, likelihood,
        [&]() -> const C* {
            triangle.score(x, 0, C(0), base);
            in_fours(groups, [&](index first, auto number) {
                constexpr index E = decltype(number)::value;
                V found[E][chains];
                affine<C, E>(x, table + first * d, offset + first, d, found);
                for (index e = 0; e < E; ++e)
                    for (index v = 0; v < chains; ++v) write<C>(scores + (first + e) * rows + v * count, found[e][v]);
            });
            return base.data;
        },
        [&](const double* row_weights) {
            for (index r = 0; r < rows; ++r) w[r] = static_cast<C>(row_weights[r]);
            whole.add(x, w, 0, zero);
            for (index k = 0; k < groups; ++k) {
                double* own = sums + k * (d + 1) * count;
                V r[chains], sum = {};
                for (index v = 0; v < chains; ++v) sum += r[v] = read<V>(scores + k * rows + v * count);
                if (!Chosen<C>(sum).count) continue;
                add_lanes<C>(own + d * count, sum);
                for (index j = 0; j < d; ++j) {
                    V total = {};
                    for (index v = 0; v < chains; ++v) total += r[v] * read<V>(x + j * rows + v * count);
                    add_lanes<C>(own + j * count, total);
                }
            }
        });
    if (odd) return odd;
    whole.flush(0);
    for (index i = 0; i < d; ++i)
        for (index j = 0; j <= i; ++j) scatter[i * d + j] = whole.sum(0, i, j);
    for (index k = 0; k < groups; ++k) {
        const double* own = sums + k * (d + 1) * count;
        const double total = total_of<C>(own + d * count);
        weight[k] = total;
        double* step = drift + k * d;
        for (index j = 0; j < d; ++j) {
            step[j] = total != 0 ? total_of<C>(own + j * count) / total : 0.0;
            means[k * d + j] = total != 0 ? origin[j] + step[j] : 0.0;
            carry[k * d + j] = total != 0 ? step[j] - (means[k * d + j] - origin[j]) : 0.0;
        }
        for (index i = 0; i < d; ++i)
            for (index j = 0; j <= i; ++j) scatter[i * d + j] -= total * step[i] * step[j];
    }
    for (index i = 0; i < d; ++i)
        for (index j = 0; j < i; ++j) scatter[j * d + i] = scatter[i * d + j];
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_EM(kernel, T, suffix)                                                                                  \
    PARZEN_EXPORT parzen::index parzen_em_##kernel##_##suffix(                                                        \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const double* weights,                    \
        parzen::index groups, const double* origin, const double* mean, const double* inverse,                       \
        const double* constant, double* weight, double* means, double* carry, double* scatter, double* likelihood) {  \
        return parzen::em_##kernel(X, n, d, stride, weights, groups, origin, mean, inverse, constant, weight, means,  \
                                   carry, scatter, likelihood);                                                       \
    }

PARZEN_EM(full, float, f32)
PARZEN_EM(full, double, f64)
PARZEN_EM(shared, float, f32)
PARZEN_EM(shared, double, f64)

#define PARZEN_EM_DIAGONAL(T, suffix)                                                                                 \
    PARZEN_EXPORT parzen::index parzen_em_diagonal_##suffix(                                                          \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const double* weights,                    \
        parzen::index groups, const double* origin, const double* mean, const double* inverse,                       \
        const double* constant, double* weight, double* means, double* carry, double* scatter, double* likelihood) {  \
        return parzen::em_diagonal<false>(X, n, d, stride, weights, groups, origin, mean, inverse, constant, weight,  \
                                          means, carry, scatter, nullptr, likelihood);                                \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_em_missing_diagonal_##suffix(                                                  \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const double* weights,                    \
        parzen::index groups, const double* origin, const double* mean, const double* inverse,                       \
        const double* constant, double* weight, double* means, double* carry, double* scatter, double* total,         \
        double* likelihood) {                                                                                         \
        return parzen::em_diagonal<true>(X, n, d, stride, weights, groups, origin, mean, inverse, constant, weight,   \
                                         means, carry, scatter, total, likelihood);                                   \
    }

PARZEN_EM_DIAGONAL(float, f32)
PARZEN_EM_DIAGONAL(double, f64)
