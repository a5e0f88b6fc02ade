// The likelihood of labels under a softmax of affine scores of rows in CSR form, and products with its curvature.
//
// One row at a time: its cells touch few rows of a table of shape (columns, F), one number for each class, and a row's
// scores, what becomes of them, and the sums of that times its cells are one visit. F is known where it is small.
#include "csr.h"
#include "exp.h"

namespace parzen {
namespace {

// to += value * from, F (or, where that is 0, K) numbers.
template <index F>
inline void add(index K, double value, const double* from, double* to) {
    if constexpr (F == 1) {
        to[0] += value * from[0];
    } else {
#pragma omp simd
        for (index k = 0; k < (F ? F : K); ++k) to[k] += value * from[k];
    }
}

template <class T>
struct Rows {
    const T* data;
    const std::int32_t* indices;
    const index* indptr;
    index n, columns, stored;

    // Calls score(i, s) with the scores of each row, which are then what its cells are multiplied by in the sums (out),
    // unless it returns false. The last row of sums is that of the offset.
    template <index F, class Score>
    index visit(index groups, const double* table, const double* offset, double* out, Score score) const {
        const index K = F ? F : groups;
        Scratch<double> scratch(rounded_up(K, lanes));
        if (!scratch) return NO_MEMORY;
        if (!sound(indptr, n, stored)) return 1;
        double* last = out + columns * K;
        std::memset(out, 0, sizeof(double) * (columns + 1) * K);
        double* s = scratch;
        for (index i = 0; i < n; ++i) {
            double held[F ? F : 1], *own = F ? held : s;  // in registers, where it is known how many there are
            for (index k = 0; k < K; ++k) own[k] = offset[k];
            for (index at = indptr[i]; at < indptr[i + 1]; ++at) {
                if (outside(indices[at], columns)) return 1;
                const double value = data[at];
                const double* row = table + static_cast<index>(indices[at]) * K;
                add<F>(K, value, row, own);
            }
            if (F) std::memcpy(s, held, sizeof held);
            if (!score(i, s)) continue;
            for (index k = 0; k < K; ++k) last[k] += s[k];
            if (F) std::memcpy(held, s, sizeof held);
            for (index at = indptr[i]; at < indptr[i + 1]; ++at) {
                const double value = data[at];
                double* row = out + static_cast<index>(indices[at]) * K;
                add<F>(K, value, own, row);
            }
        }
        return OK;
    }

    template <class Score>
    index each(index groups, const double* table, const double* offset, double* out, Score score) const {
        switch (groups) {
            case 1: return visit<1>(groups, table, offset, out, score);
            case 3: return visit<3>(groups, table, offset, out, score);
            case 4: return visit<4>(groups, table, offset, out, score);
            case 5: return visit<5>(groups, table, offset, out, score);
            case 6: return visit<6>(groups, table, offset, out, score);
            case 7: return visit<7>(groups, table, offset, out, score);
            case 8: return visit<8>(groups, table, offset, out, score);
            case 9: return visit<9>(groups, table, offset, out, score);
            case 10: return visit<10>(groups, table, offset, out, score);
            default: return visit<0>(groups, table, offset, out, score);
        }
    }
};

// Log-likelihood of labels (a negative one: none) and minus its derivatives; two classes have one score.
template <class T>
index csr_softmax(const Rows<T>& rows, const std::int32_t* codes, const double* weights, index groups,
                  const double* table, const double* offset, double* weight, double* likelihood, double* gradient,
                  double* slope) {
    const index columns = rows.columns;
    *weight = *likelihood = 0;
    const auto counts = [&](index i) { return codes[i] >= 0 && codes[i] < groups && (!weights || weights[i] != 0); };
    Scratch<double> out((columns + 1) * (groups == 2 ? 1 : groups)), beta(groups == 2 ? columns + 1 : 0);
    if (!out || !beta) return NO_MEMORY;
    index status;
    if (groups == 2) {
        for (index j = 0; j < columns; ++j) beta[j] = table[2 * j + 1] - table[2 * j];
        beta[columns] = offset[1] - offset[0];
        status = rows.each(1, beta, beta + columns, out, [&](index i, double* s) {
            if (!counts(i)) return false;
            const double w = weights ? weights[i] : 1.0, side = codes[i] == 1 ? 1.0 : -1.0, margin = side * s[0];
            const double e = std::exp(-std::fabs(margin));
            *weight += w;
            *likelihood -= w * (std::log1p(e) + (margin < 0 ? -margin : 0.0));
            s[0] = -side * w * (margin > 0 ? e : 1.0) / (1.0 + e);
            return true;
        });
    } else {
        status = rows.each(groups, table, offset, out, [&](index i, double* s) {
            if (!counts(i)) return false;
            const double w = weights ? weights[i] : 1.0;
            const index label = codes[i], padded = rounded_up(groups, lanes);
            double most = s[0], total = 0;
            for (index k = 1; k < groups; ++k) most = s[k] > most ? s[k] : most;
            const double own = s[label] - most;
            for (index k = 0; k < padded; ++k) s[k] = k < groups ? s[k] - most : -HUGE_VAL;
            for (index k = 0; k < padded; k += lanes) store(s + k, exponential(load(s + k)));
            for (index k = 0; k < groups; ++k) total += s[k];
            *weight += w;
            *likelihood += w * (own - std::log(total));
            for (index k = 0; k < groups; ++k) s[k] *= w / total;
            s[label] -= w;
            return true;
        });
    }
    if (status != OK) return status;
    if (groups != 2) {
        std::memcpy(gradient, out, sizeof(double) * columns * groups);
        std::memcpy(slope, out + columns * groups, sizeof(double) * groups);
        return OK;
    }
    for (index j = 0; j <= columns; ++j) {
        double* to = j < columns ? gradient + 2 * j : slope;
        to[0] = -out[j];
        to[1] = out[j];
    }
    return OK;
}

// The curvature at probabilities (n, F) times a direction (columns + 1, F), the intercept last: the sum of w y u', where
// u_k = p_k (s_k - sum of p_l s_l) and s are the scores of a row y = (x, 1) along the direction.
template <class T>
index csr_softmax_product(const Rows<T>& rows, index free, const double* shares, const double* weights,
                          const double* way, double* out) {
    return rows.each(free, way, way + rows.columns * free, out, [&](index i, double* s) {
        const double* p = shares + i * free;
        double mean = 0;
        for (index k = 0; k < free; ++k) mean += p[k] * s[k];
        for (index k = 0; k < free; ++k) s[k] = weights[i] * p[k] * (s[k] - mean);
        return true;
    });
}

}  // namespace
}  // namespace parzen

#define PARZEN_CSR_SOFTMAX(T, suffix)                                                                              \
    PARZEN_EXPORT parzen::index parzen_csr_softmax_##suffix(                                                          \
        const T* data, const std::int32_t* indices, const parzen::index* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, const std::int32_t* codes, const double* weights, parzen::index groups,                 \
        const double* table, const double* offset, double* weight, double* likelihood, double* gradient,              \
        double* slope) {                                                                                              \
        return parzen::csr_softmax(parzen::Rows<T>{data, indices, indptr, n, columns, stored}, codes, weights,     \
                                   groups, table, offset, weight, likelihood, gradient, slope);                       \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_csr_softmax_product_##suffix(                                                  \
        const T* data, const std::int32_t* indices, const parzen::index* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, parzen::index free, const double* shares, const double* weights, const double* way,     \
        double* out) {                                                                                                \
        return parzen::csr_softmax_product(parzen::Rows<T>{data, indices, indptr, n, columns, stored}, free,       \
                                           shares, weights, way, out);                                                \
    }

PARZEN_CSR_SOFTMAX(float, f32)
PARZEN_CSR_SOFTMAX(double, f64)
