// Rows in CSR form, columns of 32 bits and row pointers of 64: what every routine that reads them asks first.
#pragma once
#include "common.h"

namespace parzen {

inline bool sound(const index* indptr, index n, index stored) {
    for (index i = 0; i < n; ++i)
        if (indptr[i] < 0 || indptr[i] > indptr[i + 1] || indptr[i + 1] > stored) return false;
    return true;
}

inline bool outside(std::int32_t column, index columns) { return static_cast<std::uint64_t>(column) >= static_cast<std::uint64_t>(columns); }

}  // namespace parzen
