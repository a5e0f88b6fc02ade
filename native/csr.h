// Rows in CSR form: what every routine that reads them asks first.
#pragma once
#include "common.h"

namespace parzen {

template <class I>
bool sound(const I* indptr, index n, index stored) {
    for (index i = 0; i < n; ++i)
        if (indptr[i] < 0 || indptr[i] > indptr[i + 1] || indptr[i + 1] > stored) return false;
    return true;
}

template <class I>
inline bool outside(I column, index columns) { return static_cast<std::uint64_t>(column) >= static_cast<std::uint64_t>(columns); }

}  // namespace parzen
