// Tables indexed by category codes: tallies of them, and sums of log-probabilities looked up by them.
//
// Column j owns the slots offsets[j] ... offsets[j + 1] - 1. A NaN or the code -1 is a missing cell. What is not a whole
// number, below -1, or too large for its column, is refused: the kernel returns its position + 1.
#include "common.h"

namespace parzen {
namespace {

constexpr index missing = -1, not_a_code = -2;

template <class C>
inline index code_of(C value) {
    if constexpr (static_cast<C>(0.5) != 0) {      // a floating type
        if (value != value) return missing;
        if (!(value >= -1 && value <= static_cast<C>(2147483647.0))) return not_a_code;
        const index code = static_cast<index>(value);
        return static_cast<C>(code) == value ? code : not_a_code;
    } else {
        const index code = static_cast<index>(value);
        return code >= missing ? code : not_a_code;
    }
}

template <class C>
index tally(const C* X, index n, index d, index stride, const Members& members, const index* offsets, double* counts) {
    const index slots = offsets[d];
    std::memset(counts, 0, sizeof(double) * members.groups * slots);
    index refused = 0;
    members.each(n, [&](index i, index k, double w) {
        const C* x = X + i * stride;
        double* table = counts + k * slots;
        for (index j = 0; j < d; ++j) {
            const index code = code_of(x[j]);
            if (code == missing) continue;
            if (code < 0 || code >= offsets[j + 1] - offsets[j]) { if (!refused) refused = i * d + j + 1; continue; }
            table[offsets[j] + code] += w;
        }
    });
    if (refused) return refused;
    return OK;
}

// out[i, k] = sum over j of table[offsets[j] + code, k]. With `open`, a column's last slot serves every larger code.
template <class C>
index lookup(const C* X, index n, index d, index stride, index groups, const index* offsets, const double* table,
             index open, double* out) {
    for (index i = 0; i < n; ++i) {
        const C* x = X + i * stride;
        double* o = out + i * groups;
        for (index k = 0; k < groups; ++k) o[k] = 0;
        for (index j = 0; j < d; ++j) {
            index code = code_of(x[j]);
            if (code == missing) continue;
            const index size = offsets[j + 1] - offsets[j];
            if (code >= size && open) code = size - 1;
            if (code < 0 || code >= size) return i * d + j + 1;
            const double* row = table + (offsets[j] + code) * groups;
#pragma omp simd
            for (index k = 0; k < groups; ++k) o[k] += row[k];
        }
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_CODES(C, suffix)                                                                                       \
    PARZEN_EXPORT parzen::index parzen_tally_##suffix(                                                                \
        const C* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, const parzen::index* offsets,               \
        double* counts) {                                                                                             \
        return parzen::tally(X, n, d, stride, {codes, weights, dense, groups}, offsets, counts);                      \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_lookup_##suffix(                                                               \
        const C* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups,                     \
        const parzen::index* offsets, const double* table, parzen::index open, double* out) {                         \
        return parzen::lookup(X, n, d, stride, groups, offsets, table, open, out);                                    \
    }

PARZEN_CODES(std::uint8_t, u8)
PARZEN_CODES(std::int32_t, i32)
PARZEN_CODES(std::int64_t, i64)
PARZEN_CODES(float, f32)
PARZEN_CODES(double, f64)
