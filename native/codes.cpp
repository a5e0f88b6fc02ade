// Tables indexed by category codes: tallies of them, and sums of log-probabilities looked up by them.
//
// Cells of a row lie `step` apart, rows `stride`. Column j owns the slots offsets[j] ... offsets[j + 1] - 1. A NaN or the code -1 is a missing cell. What is not a whole
// number, below -1, or too large for its column, is an error: the routine returns its position + 1.
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
index tally(const C* X, index n, index d, index stride, index step, const Members& members, const index* offsets, double* counts) {
    const index slots = offsets[d];
    std::memset(counts, 0, sizeof(double) * members.groups * slots);
    index refused = 0;
    members.each(n, [&](index i, index k, double w) {
        const C* x = X + i * stride;
        double* table = counts + k * slots;
        for (index j = 0; j < d; ++j) {
            const index code = code_of(x[j * step]);
            if (code == missing) continue;
            if (code < 0 || code >= offsets[j + 1] - offsets[j]) { if (!refused) refused = i * d + j + 1; continue; }
            table[offsets[j] + code] += w;
        }
    });
    if (refused) return refused;
    return OK;
}

// Sums of table rows [offsets[j] + code, first ... first + V lanes) for every row of X: in registers, over the columns.
template <index V, class C>
index lookup_lanes(const C* X, index n, index d, index stride, index step, index groups, index first, index width,
                   const index* offsets, const double* table, index open, double* out) {
    const index kept = groups - first < V * lanes ? groups - first : V * lanes;
    for (index i = 0; i < n; ++i) {
        const C* x = X + i * stride;
        vec even[V] = {}, odd[V] = {};             // two sums, so that neither waits for each addition of the other
        const auto add = [&](index j, vec* sum) __attribute__((always_inline)) {
            index code = code_of(x[j * step]);
            const index size = offsets[j + 1] - offsets[j];
            if (static_cast<std::uint64_t>(code) >= static_cast<std::uint64_t>(size)) {
                if (code == missing) return true;
                if (code < 0 || !open) return false;
                code = size - 1;
            }
            const double* row = table + (offsets[j] + code) * width + first;
            for (index v = 0; v < V; ++v) sum[v] += load(row + v * lanes);
            return true;
        };
        index j = 0;
        for (; j + 1 < d; j += 2) {
            if (!add(j, even)) return i * d + j + 1;
            if (!add(j + 1, odd)) return i * d + j + 2;
        }
        if (j < d && !add(j, even)) return i * d + j + 1;
        for (index v = 0; v < V; ++v) even[v] += odd[v];
        double lane[V * lanes];
        for (index v = 0; v < V; ++v) store(lane + v * lanes, even[v]);
        std::memcpy(out + i * groups + first, lane, sizeof(double) * kept);
    }
    return OK;
}

// out[i, k] = sum over j of table[offsets[j] + code, k]. With `open`, a column's last slot serves every larger code.
template <class C>
index lookup(const C* X, index n, index d, index stride, index step, index groups, const index* offsets,
             const double* table, index open, double* out) {
    const index slots = offsets[d], width = rounded_up(groups, lanes);
    Scratch<double> padded(slots * width);
    if (!padded) return NO_MEMORY;
    for (index s = 0; s < slots; ++s) std::memcpy(padded + s * width, table + s * groups, sizeof(double) * groups);
    for (index first = 0; first < groups;) {
        const index left = (width - first) / lanes;
        const auto lanes_of = left >= 4   ? lookup_lanes<4, C>
                              : left == 3 ? lookup_lanes<3, C>
                              : left == 2 ? lookup_lanes<2, C>
                                          : lookup_lanes<1, C>;
        const index refused = lanes_of(X, n, d, stride, step, groups, first, width, offsets, padded, open, out);
        if (refused) return refused;
        first += (left < 4 ? left : 4) * lanes;
    }
    return OK;
}

// Codes of whole numbers from `low` on, and how often each occurs: for labels, without sorting.
template <class Y>
index places(const Y* y, index n, index low, index size, index* counts, std::int32_t* codes) {
    Scratch<index> tables(4 * size);               // four, so that equal neighbours don't wait for each other's sum
    if (!tables) return NO_MEMORY;
    for (index i = 0; i < n; ++i) {
        const index place = y[i] - low;
        codes[i] = static_cast<std::int32_t>(place);
        ++tables[(i & 3) * size + place];
    }
    for (index s = 0; s < size; ++s) counts[s] = tables[s] + tables[size + s] + tables[2 * size + s] + tables[3 * size + s];
    return OK;
}

// Largest table of pairs that is counted in four copies, which together stay in the first cache.
constexpr index FEW_PAIRS = 1024;

// Counts of pairs; four copies of a small table, so that equal neighbours don't wait for each other's sum.
void count_pairs(const std::int32_t* state, const std::int32_t* code, index n, index states, index size,
                 std::uint32_t* copies, double* table) {
    std::memset(copies, 0, sizeof(std::uint32_t) * 4 * size);
    const std::int32_t wide = static_cast<std::int32_t>(states);
    index i = 0;
    for (; i + 4 <= n; i += 4) {
        ++copies[code[i] * wide + state[i]];
        ++copies[size + code[i + 1] * wide + state[i + 1]];
        ++copies[2 * size + code[i + 2] * wide + state[i + 2]];
        ++copies[3 * size + code[i + 3] * wide + state[i + 3]];
    }
    for (; i < n; ++i) ++copies[code[i] * wide + state[i]];
    for (index s = 0; s < size; ++s)
        table[s] = static_cast<double>(copies[s]) + copies[size + s] + copies[2 * size + s] + copies[3 * size + s];
}

// Weight of each pair of a state and a code, for several columns of codes: counts[offsets[c] + code * states + state].
index pairs(const std::int32_t* state, index n, index states, const std::int32_t* columns, const index* chosen,
            index count, const double* weights, const index* offsets, double* counts) {
    std::memset(counts, 0, sizeof(double) * offsets[count]);
    std::uint32_t copies[4 * FEW_PAIRS];
    for (index c = 0; c < count; ++c) {
        const std::int32_t* code = columns + chosen[c] * n;
        double* table = counts + offsets[c];
        const index size = offsets[c + 1] - offsets[c];
        if (weights)
            for (index i = 0; i < n; ++i) table[code[i] * states + state[i]] += weights[i];
        else if (size <= FEW_PAIRS && n < (index(1) << 32))
            count_pairs(state, code, n, states, size, copies, table);
        else
            for (index i = 0; i < n; ++i) table[code[i] * states + state[i]] += 1;
    }
    return OK;
}

}  // namespace
}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_pairs_i32(const std::int32_t* state, parzen::index n, parzen::index states,
                                             const std::int32_t* columns, const parzen::index* chosen,
                                             parzen::index count, const double* weights, const parzen::index* offsets,
                                             double* counts) {
    return parzen::pairs(state, n, states, columns, chosen, count, weights, offsets, counts);
}

#define PARZEN_PLACES(Y, suffix)                                                                                      \
    PARZEN_EXPORT parzen::index parzen_places_##suffix(const Y* y, parzen::index n, parzen::index low,                \
                                                       parzen::index size, parzen::index* counts,                     \
                                                       std::int32_t* codes) {                                         \
        return parzen::places(y, n, low, size, counts, codes);                                                        \
    }

PARZEN_PLACES(std::int32_t, i32)
PARZEN_PLACES(std::int64_t, i64)

#define PARZEN_CODES(C, suffix)                                                                                       \
    PARZEN_EXPORT parzen::index parzen_tally_##suffix(                                                                \
        const C* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index step,                       \
        const std::int32_t* codes, const double* weights, const double* dense, parzen::index groups,                  \
        const parzen::index* offsets, double* counts) {                                                               \
        return parzen::tally(X, n, d, stride, step, {codes, weights, dense, groups}, offsets, counts);                \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_lookup_##suffix(                                                               \
        const C* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index step,                       \
        parzen::index groups, const parzen::index* offsets, const double* table, parzen::index open, double* out) {   \
        return parzen::lookup(X, n, d, stride, step, groups, offsets, table, open, out);                              \
    }

PARZEN_CODES(std::uint8_t, u8)
PARZEN_CODES(std::int32_t, i32)
PARZEN_CODES(std::int64_t, i64)
PARZEN_CODES(float, f32)
PARZEN_CODES(double, f64)
