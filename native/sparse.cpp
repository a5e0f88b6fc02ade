// Rows in CSR form: grouped column sums, and products with a dense (columns, K) table.
//
// Returns 1 where a column index or a row pointer lies outside the matrix, before anything there is read.
#include "common.h"

namespace parzen {
namespace {

template <class I>
bool sound(const I* indices, const I* indptr, index n, index columns, index stored) {
    for (index i = 0; i < n; ++i)
        if (indptr[i] < 0 || indptr[i] > indptr[i + 1] || indptr[i + 1] > stored) return false;
    bool inside = true;
    for (index at = n ? indptr[0] : 0; at < (n ? indptr[n] : 0); ++at) inside &= indices[at] >= 0 && indices[at] < columns;
    return inside;
}

template <class T, class I>
index sums(const T* data, const I* indices, const I* indptr, index n, index columns, index stored,
           const Members& members, double* weight, double* totals) {
    if (!sound(indices, indptr, n, columns, stored)) return 1;
    Grouping grouping(members, n);
    if (!grouping) return NO_MEMORY;
    std::memset(totals, 0, sizeof(double) * members.groups * columns);
    for (index k = 0; k < members.groups; ++k) {          // a group at a time: its row of totals stays in cache
        double* total = totals + k * columns;
        const index m = grouping.gather(k);
        weight[k] = 0;
        for (index r = 0; r < m; ++r) {
            const index i = grouping.picked[r];
            const double w = grouping.weight[r];
            weight[k] += w;
            for (index at = indptr[i]; at < indptr[i + 1]; ++at) total[indices[at]] += w * data[at];
        }
    }
    return OK;
}

template <class T, class I>
index product(const T* data, const I* indices, const I* indptr, index n, index columns, index stored, index groups,
              const double* table, double* out) {
    if (!sound(indices, indptr, n, columns, stored)) return 1;
    for (index i = 0; i < n; ++i) {
        double* o = out + i * groups;
        for (index k = 0; k < groups; ++k) o[k] = 0;
        for (index at = indptr[i]; at < indptr[i + 1]; ++at) {
            const double value = data[at];
            const double* row = table + static_cast<index>(indices[at]) * groups;
#pragma omp simd
            for (index k = 0; k < groups; ++k) o[k] += value * row[k];
        }
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_SPARSE(T, I, suffix)                                                                                   \
    PARZEN_EXPORT parzen::index parzen_csr_sums_##suffix(                                                             \
        const T* data, const I* indices, const I* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, const std::int32_t* codes, const double* weights, const double* dense,                  \
        parzen::index groups, double* weight, double* totals) {                                                       \
        return parzen::sums(data, indices, indptr, n, columns, stored, {codes, weights, dense, groups}, weight,       \
                            totals);                                                                                  \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_csr_product_##suffix(                                                          \
        const T* data, const I* indices, const I* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, parzen::index groups, const double* table, double* out) {                               \
        return parzen::product(data, indices, indptr, n, columns, stored, groups, table, out);                        \
    }

#define PARZEN_SPARSE_OF(T, suffix)                  \
    PARZEN_SPARSE(T, std::int32_t, suffix##_i32)     \
    PARZEN_SPARSE(T, std::int64_t, suffix##_i64)

PARZEN_SPARSE_OF(std::uint8_t, u8)
PARZEN_SPARSE_OF(std::int64_t, i64)
PARZEN_SPARSE_OF(float, f32)
PARZEN_SPARSE_OF(double, f64)
