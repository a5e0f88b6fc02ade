// Weight, mean and centred scatter of each group: two passes over a block that stays in cache, so that an offset of
// 1e8 costs no digit; the second pass also corrects the rounding of the first (Chan, Golub & LeVeque 1983).
#include "scatter.h"

namespace parzen {
namespace {

// totals[k] += w x and weight[k] += w; with Missing, cell by cell, a NaN weighing nothing.
template <class T, bool Missing>
void sums(const T* X, index n, index d, index stride, const Members& members, double* weight, double* totals) {
    for (index i = 0; i < n; ++i) {
        const T* x = X + i * stride;
        members.each(i, [&](index k, double w) {
            double* total = totals + k * d;
            double* cells = weight + k * d;
            if constexpr (Missing) {
#pragma omp simd
                for (index j = 0; j < d; ++j) {
                    const double value = x[j];
                    total[j] += value == value ? w * value : 0.0;
                    cells[j] += value == value ? w : 0.0;
                }
            } else {
#pragma omp simd
                for (index j = 0; j < d; ++j) total[j] += w * x[j];
                cells[0] += w;
            }
        });
    }
    if constexpr (!Missing)
        for (index k = 0; k < members.groups; ++k)
            for (index j = 1; j < d; ++j) weight[k * d + j] = weight[k * d];
}

bool any_nan(const double* values, index n) {
    bool found = false;
    for (index i = 0; i < n; ++i) found |= values[i] != values[i];
    return found;
}

// Sums, taking the careful road only where a NaN has shown itself in the totals. Returns whether it did.
template <class T>
bool careful_sums(const T* X, index n, index d, index stride, const Members& members, double* weight, double* totals) {
    const std::size_t bytes = sizeof(double) * members.groups * d;
    std::memset(weight, 0, bytes);
    std::memset(totals, 0, bytes);
    sums<T, false>(X, n, d, stride, members, weight, totals);
    if (!any_nan(totals, members.groups * d)) return false;
    std::memset(weight, 0, bytes);
    std::memset(totals, 0, bytes);
    sums<T, true>(X, n, d, stride, members, weight, totals);
    return true;
}

void divide(double* totals, const double* weight, index cells) {
    for (index c = 0; c < cells; ++c) totals[c] = weight[c] != 0 ? totals[c] / weight[c] : 0.0;
}

template <class T, bool Missing>
void centred_squares(const T* X, index n, index d, index stride, const Members& members, const double* mean,
                     double* drift, double* scatter) {
    for (index i = 0; i < n; ++i) {
        const T* x = X + i * stride;
        members.each(i, [&](index k, double w) {
            const double* m = mean + k * d;
            double* first = drift + k * d;
            double* second = scatter + k * d;
#pragma omp simd
            for (index j = 0; j < d; ++j) {
                double u = x[j] - m[j];
                if constexpr (Missing) u = u == u ? u : 0.0;
                first[j] += w * u;
                second[j] += w * u * u;
            }
        });
    }
}

template <class T>
index diagonal(const T* X, index n, index d, index stride, const Members& members, double* weight, double* mean,
               double* scatter) {
    const index cells = members.groups * d;
    Scratch<double> drift(cells);
    if (!drift) return NO_MEMORY;
    const bool missing = careful_sums(X, n, d, stride, members, weight, mean);
    divide(mean, weight, cells);
    std::memset(scatter, 0, sizeof(double) * cells);
    if (missing) centred_squares<T, true>(X, n, d, stride, members, mean, drift, scatter);
    else centred_squares<T, false>(X, n, d, stride, members, mean, drift, scatter);
    for (index c = 0; c < cells; ++c) {
        if (weight[c] == 0) continue;
        const double step = drift[c] / weight[c];
        mean[c] += step;
        scatter[c] -= drift[c] * step;
    }
    return OK;
}

template <class T>
index full(const T* X, index n, index d, index stride, const Members& members, double* weight, double* mean,
           double* scatter) {
    const index cells = members.groups * d;
    Scratch<double> shift(cells), cell_weight(cells);
    Panel panel(d);
    Grouping grouping(members, n);
    if (!shift || !cell_weight || !panel || !grouping) return NO_MEMORY;
    sums<T, false>(X, n, d, stride, members, cell_weight, shift);
    divide(shift, cell_weight, cells);
    for (index k = 0; k < members.groups; ++k) {
        const double* s = shift + k * d;
        const index m = grouping.gather(k);
        for (index r = 0; r < m; ++r) {
            const T* x = X + grouping.picked[r] * stride;
            const double root = std::sqrt(grouping.weight[r]);
            double* row = panel.next();
#pragma omp simd
            for (index j = 0; j < d; ++j) row[j] = root * (x[j] - s[j]);
            row[d] = root;
        }
        panel.finish(s, weight + k, mean + k * d, scatter + k * d * d);
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_MOMENTS(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_moments_diagonal_##suffix(                                                     \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* mean,               \
        double* scatter) {                                                                                            \
        return parzen::diagonal(X, n, d, stride, {codes, weights, dense, groups}, weight, mean, scatter);             \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_moments_full_##suffix(                                                         \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* mean,               \
        double* scatter) {                                                                                            \
        return parzen::full(X, n, d, stride, {codes, weights, dense, groups}, weight, mean, scatter);                 \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_sums_##suffix(                                                                 \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* totals) {           \
        parzen::careful_sums(X, n, d, stride, {codes, weights, dense, groups}, weight, totals);                       \
        return parzen::OK;                                                                                            \
    }

PARZEN_MOMENTS(float, f32)
PARZEN_MOMENTS(double, f64)
