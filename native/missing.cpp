// Full Gaussians at rows with missing cells: distances, and moments that are expected given what is there.
#include <algorithm>
#include "rows.h"
#include "scatter.h"
#include "split.h"

namespace parzen {
namespace {

// Of rows of the same pattern, which follow one another in `order` (`begin` says where each of the patterns starts):
// squared distances and half log-determinants over the observed cells; or log-densities alone, where `constants` is null.
PARZEN_ONCE index log_density(Rows& X, index groups, index factors, const double* mean, const double* factor,
                  const index* order, const index* begin, index patterns, double* squares, double* constants) {
    constexpr index tile = Split::tile;
    const index d = X.d;
    Split split(d);
    Scratch<double> turned(factors * d * d), halves(factors), x(d * tile), z(d * tile), found(groups * tile);
    if (!split || !turned || !halves || !x || !z || !found) return NO_MEMORY;
    for (index p = 0; p < patterns; ++p) {
        split.pattern(X.row(order[begin[p]]));
        for (index k = 0; k < factors; ++k) {
            split.factor(factor + k * d * d);
            std::memcpy(turned + k * d * d, split.turned, sizeof(double) * d * d);
            halves[k] = split.log_determinant();
        }
        const double rest = half_log_two_pi * split.observed;
        for (index first = begin[p]; first < begin[p + 1]; first += tile) {
            const index* rows = order + first;
            const index count = std::min(tile, begin[p + 1] - first);
            for (index r = 0; r < tile; ++r) {  // filled up with the last row
                const double* row = X.row(rows[r < count ? r : count - 1]);
                for (index i = 0; i < split.observed; ++i) x[i * tile + r] = row[split.columns[i]];
            }
            for (index k = 0; k < groups; ++k)
                split.whiten_tile(turned + (k < factors ? k : 0) * d * d, x, mean + k * d, z, found + k * tile);
            for (index r = 0; r < count; ++r) {
                double *to = squares + rows[r] * groups, *constant = constants ? constants + rows[r] * groups : nullptr;
                for (index k = 0; k < groups; ++k) {
                    const double half = halves[k < factors ? k : 0], square = found[k * tile + r];
                    to[k] = constant ? square : -0.5 * square - half - rest;
                    if (constant) constant[k] = half;
                }
            }
        }
    }
    return OK;
}

// Expected moments of each group under the current Gaussians, and the log-likelihood of the memberships' rows.
PARZEN_ONCE index expected(Rows& X, index n, const Members& members, index factors, const double* mean,
               const double* factor, const index* order, const index* begin, index patterns, double* weight,
               double* means, double* carry, double* scatter, double* log_likelihood) {
    const index d = X.d;
    Split split(d);
    Panels panels(d, 1);
    Grouping grouping(members, n);
    Scratch<double> z(d), row_weight(n), extra(d * d);
    if (!split || !panels || !grouping || !z || !row_weight || !extra) return NO_MEMORY;
    for (index k = 0; k < members.groups; ++k) {
        const double* m = mean + k * d;
        const index rows = grouping.gather(k);
        for (index r = 0; r < rows; ++r) row_weight[grouping.picked[r]] = grouping.weight[r];
        double likelihood = 0;
        std::memset(extra, 0, sizeof(double) * d * d);
        for (index p = 0; p < patterns; ++p) {
            double pattern_weight = 0;
            for (index at = begin[p]; at < begin[p + 1]; ++at) pattern_weight += row_weight[order[at]];
            if (pattern_weight == 0) continue;
            split.pattern(X.row(order[begin[p]]));
            split.factor(factor + (k < factors ? k : 0) * d * d);
            const double constant = -split.log_determinant() - half_log_two_pi * split.observed;
            for (index at = begin[p]; at < begin[p + 1]; ++at) {
                const double w = row_weight[order[at]];
                if (w == 0) continue;
                const double* x = X.row(order[at]);
                likelihood += w * (constant - 0.5 * split.whiten(x, m, z));
                double* row = panels.next(0);
                split.complete(x, m, z, row, std::sqrt(w));
                row[d] = std::sqrt(w);
            }
            split.spread(pattern_weight, extra);
        }
        panels.at(0).finish(m, weight + k, means + k * d, carry + k * d, scatter + k * d * d);
        panels.filled[0] = 0;
        for (index c = 0; c < d * d; ++c) scatter[k * d * d + c] += extra[c];
        log_likelihood[k] = likelihood;
        for (index r = 0; r < rows; ++r) row_weight[grouping.picked[r]] = 0;
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_MISSING(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_missing_squares_##suffix(                                                      \
        const T* X, parzen::index d, parzen::index stride, parzen::index groups, parzen::index factors,               \
        const double* mean, const double* factor, const parzen::index* order, const parzen::index* begin,             \
        parzen::index patterns, double* squares, double* constants) {                                                 \
        parzen::Rows rows(X, d, stride, 1);                                                                           \
        if (!rows) return parzen::NO_MEMORY;                                                                          \
        return parzen::log_density(rows, groups, factors, mean, factor, order, begin, patterns, squares, constants);  \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_missing_expected_##suffix(                                                     \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, parzen::index factors, const double* mean,  \
        const double* factor, const parzen::index* order, const parzen::index* begin, parzen::index patterns,         \
        double* weight, double* means, double* carry, double* scatter, double* log_likelihood) {                      \
        parzen::Rows rows(X, d, stride, 1);                                                                           \
        if (!rows) return parzen::NO_MEMORY;                                                                          \
        return parzen::expected(rows, n, {codes, weights, dense, groups}, factors, mean, factor, order, begin,        \
                                patterns, weight, means, carry, scatter, log_likelihood);                             \
    }

PARZEN_MISSING(float, f32)
PARZEN_MISSING(double, f64)
