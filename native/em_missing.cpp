// E-step of a mixture of full Gaussians at rows with missing cells: by their conditional means (completed.h), or by rotated
// factors where that could lose digits. Of the latter, rows of one pattern that follow one another
// share each component's rotated factor (split.h): their observed cells are weighted as complete rows are, and the
// expectations of the missing ones are added once for all of them: with G = B T^-1,
//
//     sum of w y y'  =  [ S    S G'             ]
//                       [ G S  G S G' + w C C'  ],   S that of the observed cells.
#include "completed.h"
#include "completed_shared.h"
#include "split.h"

namespace parzen {
namespace {

inline bool same_pattern(const Rows& X, index a, index b) {
    for (index j = 0; j < X.d; ++j)
        if (std::isnan(X(a, j)) != std::isnan(X(b, j))) return false;
    return true;
}

// The sums of a run of rows over its observed cells, and the expected sums of the others.
void complete(const Split& split, const double* turned, const Scatters<double>& seen, index k, double* s, double* G,
              double* H, Sums& sums) {
    const index d = sums.d, o = split.observed, m = d - o, width = d + 1;
    const auto S = [&](index i, index j) { return i >= j ? seen.sum(k, i, j) : seen.sum(k, j, i); };
    const double w = S(o, o);
    if (w == 0) return;
    double *whole = sums.whole + k * width * width, *cells = sums.cells + k * 3 * d;
    const index* columns = split.columns.data;
    for (index i = 0; i <= o; ++i)
        for (index j = 0; j <= i; ++j) s[i * (o + 1) + j] = s[j * (o + 1) + i] = S(i, j);
    for (index i = 0; i < o; ++i) {
        cells[columns[i]] += w;
        cells[d + columns[i]] += s[o * (o + 1) + i];
        cells[2 * d + columns[i]] += s[i * (o + 1) + i];
    }
    const auto place = [&](index i) { return i < o ? columns[i] : d; };
    for (index i = 0; i <= o; ++i)
        for (index j = 0; j <= o; ++j) whole[place(i) * width + place(j)] += s[i * (o + 1) + j];
    if (!m) return;
    // G T = B, from the last column to the first; then H = G S, with the sums themselves in its last column.
    for (index r = 0; r < m; ++r) {
        double* g = G + r * o;
        for (index c = o - 1; c >= 0; --c) {
            double t = turned[c * d + o + r];
            for (index i = c + 1; i < o; ++i) t -= g[i] * turned[c * d + i];
            g[c] = t / turned[c * d + c];
        }
        double* h = H + r * (o + 1);
        for (index j = 0; j <= o; ++j) {
            double t = 0;
            for (index i = 0; i < o; ++i) t += g[i] * s[i * (o + 1) + j];
            h[j] = t;
        }
    }
    for (index r = 0; r < m; ++r) {
        const index row = columns[o + r];
        for (index j = 0; j <= o; ++j) {
            whole[row * width + place(j)] += H[r * (o + 1) + j];
            whole[place(j) * width + row] += H[r * (o + 1) + j];
        }
        for (index q = 0; q < m; ++q) {
            double t = 0;
            for (index j = 0; j < o; ++j) t += H[r * (o + 1) + j] * G[q * o + j];
            for (index c = o; c < d; ++c) t += w * turned[c * d + o + r] * turned[c * d + o + q];
            whole[row * width + columns[o + q]] += t;
        }
    }
}

index em_rotated(Rows& X, index n, const double* weights, index groups, index factors,
                 const double* mean, const double* factor, const double* log_weight, double* weight, double* means,
                 double* carry, double* scatter, double* cell_weight, double* cell_mean, double* cell_carry,
                 double* cell_scatter, double* likelihood) {
    constexpr index rows = Wide<double>::rows;
    const index d = X.d;
    static_assert(rows == Split::tile, "a tile of rows is the same everywhere");
    Scatters<double> seen(d, groups);
    Sums sums(d, groups);
    Scratch<double> x(d * rows), z(d * rows), scores(groups * rows), centre(groups * d), s((d + 1) * (d + 1)), G(d * d), H(d * (d + 1));
    Split shared(d);
    if (!seen || !sums || !x || !z || !scores || !centre || !s || !G || !H || !shared) return NO_MEMORY;
    Scratch<double> turned(factors * d * d), constants(factors);
    if (!turned || !constants) return NO_MEMORY;
    *likelihood = 0;
    double w[rows];
    for (index begin = 0; begin < n;) {
        index end = begin + 1;
        while (end < n && same_pattern(X, begin, end)) ++end;
        shared.pattern(X.row(begin));
        const index o = shared.observed;
        for (index k = 0; k < factors; ++k) {
            shared.factor(factor + k * d * d);
            std::memcpy(turned + k * d * d, shared.turned, sizeof(double) * d * d);
            constants[k] = -shared.log_determinant() - half_log_two_pi * o;
        }
        const auto own = [&](index k) { return k < factors ? k : 0; };
        seen.reset(o, groups);
        for (index k = 0; k < groups; ++k)
            for (index i = 0; i < o; ++i) centre[k * o + i] = mean[k * d + shared.columns[i]];
        for (index i = begin; i < end; i += rows) {
            const index count = end - i < rows ? end - i : rows;
            for (index c = 0; c < o; ++c)
                for (index r = 0; r < rows; ++r)
                    x[c * rows + r] = X(i + (r < count ? r : count - 1), shared.columns[c]);
            lay_weights<double>(weights, i, count, w);
            for (index k = 0; k < groups; ++k) {
                const double constant = (constants[own(k)] + log_weight[k]) / log_two;
                double* score = scores + k * rows;
                shared.whiten_tile(turned + own(k) * d * d, x, mean + k * d, z, score);
                for (index v = 0; v < rows; v += lanes) store(score + v, splat(constant) - splat(0.5 / log_two) * load(score + v));
            }
            const index odd = posteriors<double>(scores, groups, w, nullptr, likelihood);
            if (odd) return odd;
            for (index k = 0; k < groups; ++k) seen.add(x, scores + k * rows, k, centre + k * o);
        }
        for (index k = 0; k < groups; ++k) {
            seen.flush(k);
            complete(shared, turned + own(k) * d * d, seen, k, s, G, H, sums);
        }
        begin = end;
    }
    finish(sums, groups, mean, weight, means, carry, scatter, cell_weight, cell_mean, cell_carry, cell_scatter);
    return OK;
}

// Of each column's sum over the groups, every group's share by weight.
void share_out(index groups, index d, const double* weight, double* scatter) {
    for (index j = 0; j < d; ++j) {
        double total = 0, whole = 0;
        for (index k = 0; k < groups; ++k) {
            total += scatter[k * d + j];
            whole += weight[k * d + j];
        }
        for (index k = 0; k < groups; ++k) scatter[k * d + j] = whole > 0 ? total * (weight[k * d + j] / whole) : 0.0;
    }
}

// The scatter is that of each factor: with one for all, that within all components.
PARZEN_ONCE index em_missing(Rows& X, index n, const double* weights, index groups, index factors,
                 const double* mean, const double* factor, const double* log_weight, double* weight, double* means,
                 double* carry, double* scatter, double* cell_weight, double* cell_mean, double* cell_carry,
                 double* cell_scatter, double* likelihood) {
    const index d = X.d;
    if (factors == groups) {
        Completed completed(d, groups);
        Sums sums(d, groups);
        if (!completed || !sums) return NO_MEMORY;
        if (completed.prepare(mean, factor, log_weight)) {
            const index odd = completed.observe(X, n, weights, sums, likelihood);
            if (odd) return odd;
            finish(sums, groups, mean, weight, means, carry, scatter, cell_weight, cell_mean, cell_carry, cell_scatter);
            return OK;
        }
    }
    if (factors < groups) {
        CompletedShared completed(d, groups);
        if (!completed) return NO_MEMORY;
        if (completed.prepare(mean, factor, log_weight)) {
            const index odd = completed.observe(X, n, weights, likelihood);
            if (!odd) completed.finish(weight, means, carry, scatter, cell_weight, cell_mean, cell_carry, cell_scatter);
            return odd;
        }
    }
    Scratch<double> apart(groups * d * d);
    if (!apart) return NO_MEMORY;
    const index odd = em_rotated(X, n, weights, groups, factors, mean, factor, log_weight, weight, means, carry,
                                 apart, cell_weight, cell_mean, cell_carry, cell_scatter, likelihood);
    if (odd) return odd;
    std::memset(scatter, 0, sizeof(double) * factors * d * d);
    for (index k = 0; k < groups; ++k)
        for (index c = 0; c < d * d; ++c) scatter[(k < factors ? k : 0) * d * d + c] += apart[k * d * d + c];
    if (factors < groups) share_out(groups, d, cell_weight, cell_scatter);
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_EM_MISSING(T, suffix)                                                                                  \
    PARZEN_EXPORT parzen::index parzen_em_missing_##suffix(                                                           \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const double* weights,                    \
        parzen::index groups, parzen::index factors, const double* mean, const double* factor,                       \
        const double* log_weight, double* weight, double* means, double* carry, double* scatter,                      \
        double* cell_weight, double* cell_mean, double* cell_carry, double* cell_scatter, double* likelihood) {       \
        parzen::Rows rows(X, d, stride, parzen::Wide<double>::rows);                                                  \
        if (!rows) return parzen::NO_MEMORY;                                                                          \
        return parzen::em_missing(rows, n, weights, groups, factors, mean, factor, log_weight, weight, means, carry,  \
                                  scatter, cell_weight, cell_mean, cell_carry, cell_scatter, likelihood);             \
    }

PARZEN_EM_MISSING(float, f32)
PARZEN_EM_MISSING(double, f64)
