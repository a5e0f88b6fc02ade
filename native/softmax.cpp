// Affine functions of rows, and the log-likelihood of labels under their softmax: the inner loop of logistic regression.
//
// The table has shape (columns, K), the offset (K): score k of a row x is offset[k] + sum of x[j] table[j, k].
#include <type_traits>
#include "logit.h"

namespace parzen {
namespace {

constexpr index vectors = Curvature::vectors, tile = Curvature::tile;

// x[j * tile + r] = X[r, j] - origin[j]; rows beyond the last are zero.
template <class T>
inline void transpose(const T* X, index rows, index d, index stride, const double* origin, double* x) {
    if (rows < tile) std::memset(x, 0, sizeof(double) * d * tile);
    for (index r = 0; r < rows; ++r)
        for (index j = 0; j < d; ++j) {
            const double value = static_cast<double>(X[r * stride + j]);
            x[j * tile + r] = origin ? value - origin[j] : value;
        }
}

// scores[k * tile + r] of a tile of rows.
inline void score(const double* x, index d, index groups, const double* table, const double* offset, double* scores) {
    for (index k = 0; k < groups; ++k) {
        vec sum[vectors];
        for (index v = 0; v < vectors; ++v) sum[v] = splat(offset[k]);
        for (index j = 0; j < d; ++j) {
            const vec weight = splat(table[j * groups + k]);
            for (index v = 0; v < vectors; ++v) sum[v] += weight * load(x + j * tile + v * lanes);
        }
        for (index v = 0; v < vectors; ++v) store(scores + k * tile + v * lanes, sum[v]);
    }
}

// Scores first ... first + V lanes of each row, four rows at a time: the table's row is read once for all of them.
template <index V, class T>
void linear_lanes(const T* X, index n, index d, index stride, index groups, index first, index width,
                  const double* origin, const double* table, const double* offset, double* out) {
    const index kept = groups - first < V * lanes ? groups - first : V * lanes;
    const auto some = [&](index i, auto rows) __attribute__((always_inline)) {
        constexpr index R = decltype(rows)::value;
        vec sum[R][V];
        for (index r = 0; r < R; ++r)
            for (index v = 0; v < V; ++v) sum[r][v] = load(offset + first + v * lanes);
        for (index j = 0; j < d; ++j) {
            const double* row = table + j * width + first;
            const double o = origin ? origin[j] : 0.0;
            vec weight[V];
            for (index v = 0; v < V; ++v) weight[v] = load(row + v * lanes);
            for (index r = 0; r < R; ++r) {
                const vec x = splat(static_cast<double>(X[(i + r) * stride + j]) - o);
                for (index v = 0; v < V; ++v) sum[r][v] += x * weight[v];
            }
        }
        for (index r = 0; r < R; ++r) {
            double lane[V * lanes];
            for (index v = 0; v < V; ++v) store(lane + v * lanes, sum[r][v]);
            std::memcpy(out + (i + r) * groups + first, lane, sizeof(double) * kept);
        }
    };
    index i = 0;
    for (; i + 4 <= n; i += 4) some(i, std::integral_constant<index, 4>{});
    for (; i < n; ++i) some(i, std::integral_constant<index, 1>{});
}

template <class T>
index linear(const T* X, index n, index d, index stride, index groups, const double* origin, const double* table,
             const double* offset, double* out) {
    if (groups == 1 && d >= lanes) {  // one score: lanes are columns
        Logit model(d, origin, 1);
        if (!model) return NO_MEMORY;
        std::memcpy(model.beta, table, sizeof(double) * d);
        model.beta[d] = offset[0];
        InPlace(model).scores(X, n, stride, out);
        return OK;
    }
    const index width = rounded_up(groups, lanes);
    Scratch<double> padded(d * width), offsets(width);
    if (!padded || !offsets) return NO_MEMORY;
    std::memcpy(offsets, offset, sizeof(double) * groups);
    for (index j = 0; j < d; ++j) std::memcpy(padded + j * width, table + j * groups, sizeof(double) * groups);
    for (index first = 0; first < groups;) {
        const index left = (width - first) / lanes;
        const auto part = left >= 3 ? linear_lanes<3, T> : left == 2 ? linear_lanes<2, T> : linear_lanes<1, T>;
        part(X, n, d, stride, groups, first, width, origin, padded, offsets, out);
        first += (left < 3 ? left : 3) * lanes;
    }
    return OK;
}

// Turns scores of a tile into w p; adds the weights and the log-likelihood.
inline void expected(double* scores, index groups, const index* label, const double* w, vec& weight, vec& likelihood) {
    double own[tile];
    for (index r = 0; r < tile; ++r) own[r] = scores[(label[r] < 0 ? 0 : label[r]) * tile + r];
    vec most[vectors], total[vectors] = {};
    for (index v = 0; v < vectors; ++v) most[v] = load(scores + v * lanes);
    for (index k = 1; k < groups; ++k)
        for (index v = 0; v < vectors; ++v) {
            const vec s = load(scores + k * tile + v * lanes);
            most[v] = s > most[v] ? s : most[v];
        }
    for (index k = 0; k < groups; ++k)
        for (index v = 0; v < vectors; ++v) {
            double* at = scores + k * tile + v * lanes;
            const vec e = exponential(load(at) - most[v]);
            total[v] += e;
            store(at, e);
        }
    for (index v = 0; v < vectors; ++v) {
        const vec rows = load(w + v * lanes);
        weight += rows;
        likelihood += rows * (load(own + v * lanes) - most[v] - logarithm(total[v]));
        total[v] = rows / total[v];
    }
    for (index k = 0; k < groups; ++k)
        for (index v = 0; v < vectors; ++v) {
            double* at = scores + k * tile + v * lanes;
            store(at, total[v] * load(at));
        }
}

template <class T>
index softmax(const T* X, index n, index d, index stride, const std::int32_t* codes, const double* weights,
              index groups, const double* origin, const double* table, const double* offset, double* weight,
              double* likelihood, double* gradient, double* slope, double least, double* curvature) {
    if (groups == 2)
        return logit(X, n, d, stride, codes, weights, origin, table, offset, weight, likelihood, gradient, slope, least,
                     curvature);
    Scratch<double> x(d * tile), scores(groups * tile), sums(groups * (d + 1) * lanes);
    Curvature second(curvature ? d : 0, curvature ? groups : 0, least);
    if (!x || !scores || !sums || !second) return NO_MEMORY;
    vec heavy = {}, likely = {};
    for (index i = 0; i < n; i += tile) {
        const index rows = n - i < tile ? n - i : tile;
        index label[tile];
        double w[tile];
        for (index r = 0; r < tile; ++r) {
            label[r] = r < rows ? codes[i + r] : -1;
            const bool counts = label[r] >= 0 && label[r] < groups;
            w[r] = !counts ? 0.0 : weights ? weights[i + r] : 1.0;
        }
        transpose(X + i * stride, rows, d, stride, origin, x);
        score(x, d, groups, table, offset, scores);
        expected(scores, groups, label, w, heavy, likely);
        if (curvature) second.take(X + i * stride, rows, stride, origin, scores, w);
        for (index r = 0; r < tile; ++r) if (w[r] != 0) scores[label[r] * tile + r] -= w[r];
        for (index k = 0; k < groups; ++k) {
            vec r[vectors];
            for (index v = 0; v < vectors; ++v) r[v] = load(scores + k * tile + v * lanes);
            double* own = sums + k * (d + 1) * lanes;
            for (index j = 0; j < d; ++j) {
                vec s = load(own + j * lanes);
                for (index v = 0; v < vectors; ++v) s += r[v] * load(x + j * tile + v * lanes);
                store(own + j * lanes, s);
            }
            vec s = load(own + d * lanes);
            for (index v = 0; v < vectors; ++v) s += r[v];
            store(own + d * lanes, s);
        }
    }
    *weight = sum_of(heavy);
    *likelihood = sum_of(likely);
    for (index k = 0; k < groups; ++k) {
        const double* own = sums + k * (d + 1) * lanes;
        for (index j = 0; j < d; ++j) gradient[j * groups + k] = sum_of(load(own + j * lanes));
        slope[k] = sum_of(load(own + d * lanes));
    }
    if (curvature) second.finish(curvature);
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_SOFTMAX(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_softmax_##suffix(                                                              \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, parzen::index groups, const double* origin, const double* table, const double* offset, \
        double* weight, double* likelihood, double* gradient, double* slope, double least, double* curvature) {       \
        return parzen::softmax(X, n, d, stride, codes, weights, groups, origin, table, offset, weight, likelihood,    \
                               gradient, slope, least, curvature);                                                    \
    }

PARZEN_SOFTMAX(float, f32)
PARZEN_SOFTMAX(double, f64)

// Of few classes, no faster with AVX-512: at v4 these are called from the library of v3.
#if !defined(__AVX512F__)
#define PARZEN_LINEAR(T, suffix)                                                                                      \
    PARZEN_EXPORT parzen::index parzen_linear_##suffix(                                                               \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups,                     \
        const double* origin, const double* table, const double* offset, double* out) {                               \
        return parzen::linear(X, n, d, stride, groups, origin, table, offset, out);                                   \
    }

PARZEN_LINEAR(float, f32)
PARZEN_LINEAR(double, f64)
#endif
