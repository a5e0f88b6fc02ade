// Rows in CSR form: grouped column sums, and products with a dense (columns, K) table.
//
// Returns 1 where a column index or a row pointer lies outside the matrix, before anything there is read; sums return 2
// where a cell that they counted is below zero.
#include "csr.h"

namespace parzen {
namespace {

// out = 1 where a number lies above the threshold, else 0. Returns how many are not finite.
template <class T>
index bits(const T* data, index n, double threshold, std::uint8_t* out) {
    constexpr bool single = sizeof(T) == 4;               // float32 is compared as such, as NumPy does
    const double limit = single ? static_cast<double>(static_cast<float>(threshold)) : threshold;
    index odd = 0;
#pragma omp simd reduction(+ : odd)
    for (index i = 0; i < n; ++i) {
        const double value = static_cast<double>(data[i]);
        odd += !(value - value == 0);
        out[i] = value > limit;
    }
    return odd;
}

// total += w * row; false where a column lies outside. Notes whether a cell is below zero, or NaN.
template <class T>
inline bool add_row(const T* data, const std::int32_t* indices, index begin, index end, index columns, double w, double* total,
                    bool& negative) {
    for (index at = begin; at < end; ++at) {
        if (outside(indices[at], columns)) return false;
        negative |= !(data[at] >= 0);
        total[indices[at]] += w * data[at];
    }
    return true;
}

inline void ask_for(const void* from, const void* to) {
    for (const char* line = static_cast<const char*>(from); line < to; line += 64) __builtin_prefetch(line);
}

template <class T>
index sums(const T* data, const std::int32_t* indices, const index* indptr, index n, index columns, index stored,
           const Members& members, double* weight, double* totals) {
    if (!sound(indptr, n, stored)) return 1;
    std::memset(totals, 0, sizeof(double) * members.groups * columns);
    for (index k = 0; k < members.groups; ++k) weight[k] = 0;
    bool negative = false;
    if (members.groups * columns <= index{1} << 17) {     // all totals fit in cache: rows as they come
        bool inside = true;
        members.each(n, [&](index i, index k, double w) __attribute__((always_inline)) {
            weight[k] += w;
            inside &= add_row(data, indices, indptr[i], indptr[i + 1], columns, w, totals + k * columns, negative);
        });
        return !inside ? 1 : negative ? 2 : OK;
    }
    Grouping grouping(members, n);
    if (!grouping) return NO_MEMORY;
    for (index k = 0; k < members.groups; ++k) {          // a group at a time: its row of totals stays in cache
        const index m = grouping.gather(k);
        for (index r = 0; r < m; ++r) {
            if (r + 3 < m) {                              // rows of one group lie apart: prefetch them
                const index next = grouping.picked[r + 3];
                ask_for(data + indptr[next], data + indptr[next + 1]);
                ask_for(indices + indptr[next], indices + indptr[next + 1]);
            }
            const index i = grouping.picked[r];
            weight[k] += grouping.weight[r];
            if (!add_row(data, indices, indptr[i], indptr[i + 1], columns, grouping.weight[r], totals + k * columns, negative))
                return 1;
        }
    }
    return negative ? 2 : OK;
}

// Columns first ... first + V - 1 of the product, in registers over a row's cells. Rows of the table that are needed soon
// are prefetched where it is too large to be in cache.
template <index V, bool Ahead, class T>
index product_of(const T* data, const std::int32_t* indices, const index* indptr, index n, index columns, index groups, index first,
                 const double* table, double* out) {
    constexpr index lanes_each = V < lanes ? V : lanes, parts = V / lanes_each;
    typedef double part __attribute__((vector_size(lanes_each * sizeof(double))));
    constexpr index ahead = 16;
    const index end = n ? indptr[n] : 0;
    for (index i = 0; i < n; ++i) {
        part even[parts] = {}, odd[parts] = {};
        const auto add = [&](index at, part (&sum)[parts]) __attribute__((always_inline)) {
            const double* row = table + static_cast<index>(indices[at]) * groups + first;
            const part x = static_cast<double>(data[at]) - part{};
            for (index p = 0; p < parts; ++p) {
                part values;
                std::memcpy(&values, row + p * lanes_each, sizeof values);
                sum[p] += x * values;
            }
            if (Ahead && at + ahead < end) {
                const char* next = reinterpret_cast<const char*>(table + static_cast<index>(indices[at + ahead]) * groups + first);
                __builtin_prefetch(next);
                if constexpr (V >= 8) __builtin_prefetch(next + 64);
                if constexpr (V >= 16) __builtin_prefetch(next + 128);
            }
        };
        index at = indptr[i];
        for (; at + 1 < indptr[i + 1]; at += 2) {
            if (outside(indices[at], columns) || outside(indices[at + 1], columns)) return 1;
            add(at, even);
            add(at + 1, odd);
        }
        if (at < indptr[i + 1]) {
            if (outside(indices[at], columns)) return 1;
            add(at, even);
        }
        for (index p = 0; p < parts; ++p) {
            even[p] += odd[p];
            std::memcpy(out + i * groups + first + p * lanes_each, even + p, sizeof(part));
        }
    }
    return OK;
}

template <bool Ahead, class T>
index products(const T* data, const std::int32_t* indices, const index* indptr, index n, index columns, index groups,
               const double* table, double* out) {
    for (index first = 0, width = 0; first < groups; first += width) {
        const index left = groups - first;
        width = left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
        const auto part = width == 16  ? product_of<16, Ahead, T>
                          : width == 8 ? product_of<8, Ahead, T>
                          : width == 4 ? product_of<4, Ahead, T>
                          : width == 2 ? product_of<2, Ahead, T>
                                       : product_of<1, Ahead, T>;
        const index status = part(data, indices, indptr, n, columns, groups, first, table, out);
        if (status) return status;
    }
    return OK;
}

template <class T>
index product(const T* data, const std::int32_t* indices, const index* indptr, index n, index columns, index stored, index groups,
              const double* table, double* out) {
    if (!sound(indptr, n, stored)) return 1;
    if (columns * groups > index{1} << 17) return products<true>(data, indices, indptr, n, columns, groups, table, out);
    return products<false>(data, indices, indptr, n, columns, groups, table, out);
}

}  // namespace
}  // namespace parzen

#define PARZEN_SPARSE(T, suffix)                                                                                   \
    PARZEN_EXPORT parzen::index parzen_csr_sums_##suffix(                                                             \
        const T* data, const std::int32_t* indices, const parzen::index* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, const std::int32_t* codes, const double* weights, const double* dense,                  \
        parzen::index groups, double* weight, double* totals) {                                                       \
        return parzen::sums(data, indices, indptr, n, columns, stored, {codes, weights, dense, groups}, weight,       \
                            totals);                                                                                  \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_csr_product_##suffix(                                                          \
        const T* data, const std::int32_t* indices, const parzen::index* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, parzen::index groups, const double* table, double* out) {                               \
        return parzen::product(data, indices, indptr, n, columns, stored, groups, table, out);                        \
    }

#define PARZEN_BITS(T, suffix)                                                                                        \
    PARZEN_EXPORT parzen::index parzen_bits_##suffix(const T* data, parzen::index n, double threshold,                \
                                                     std::uint8_t* out) {                                             \
        return parzen::bits(data, n, threshold, out);                                                                 \
    }

PARZEN_BITS(std::uint8_t, u8)
PARZEN_BITS(std::int64_t, i64)
PARZEN_BITS(float, f32)
PARZEN_BITS(double, f64)

PARZEN_SPARSE(std::uint8_t, u8)
PARZEN_SPARSE(std::int64_t, i64)
PARZEN_SPARSE(float, f32)
PARZEN_SPARSE(double, f64)
