// Columns of numbers, stored apart as Arrow stores them, as the rows of a matrix.
//
// A column has the type of its format's letter, begins at its own offset, and may have a bitmap of the cells that are
// there; the others become NaN. Some rows are written at a time, so that each line of memory is completed in cache.
#include "common.h"

#include <limits>

namespace parzen {
namespace {

constexpr index tile_bytes = 1 << 14;

template <class C, class O>
void place(const C* cells, const std::uint8_t* valid, index first, index n, index d, O* out) {
    if (!valid) {
        for (index i = 0; i < n; ++i) out[i * d] = static_cast<O>(cells[first + i]);
        return;
    }
    for (index i = 0; i < n; ++i) {
        const index at = first + i;
        const bool there = valid[at >> 3] >> (at & 7) & 1;
        out[i * d] = there ? static_cast<O>(cells[at]) : std::numeric_limits<O>::quiet_NaN();
    }
}

template <class O>
bool place_column(char format, const void* cells, const std::uint8_t* valid, index first, index n, index d, O* out) {
    const auto as = [&](auto* typed) { place(typed, valid, first, n, d, out); return true; };
    switch (format) {
        case 'c': return as(static_cast<const std::int8_t*>(cells));
        case 'C': return as(static_cast<const std::uint8_t*>(cells));
        case 's': return as(static_cast<const std::int16_t*>(cells));
        case 'S': return as(static_cast<const std::uint16_t*>(cells));
        case 'i': return as(static_cast<const std::int32_t*>(cells));
        case 'I': return as(static_cast<const std::uint32_t*>(cells));
        case 'l': return as(static_cast<const std::int64_t*>(cells));
        case 'L': return as(static_cast<const std::uint64_t*>(cells));
        case 'f': return as(static_cast<const float*>(cells));
        case 'g': return as(static_cast<const double*>(cells));
        default: return false;
    }
}

// Row i of the result is cells firsts[j] + i of the columns j. Returns the position + 1 of a column of no such format.
template <class O>
index side_by_side(const char* formats, const void* const* cells, const std::uint8_t* const* valid,
                   const index* firsts, index n, index d, O* out) {
    const index fitting = tile_bytes / (d * static_cast<index>(sizeof(O)));
    const index rows = fitting < 16 ? 16 : fitting;
    for (index begin = 0; begin < n; begin += rows) {
        const index some = n - begin < rows ? n - begin : rows;
        for (index j = 0; j < d; ++j)
            if (!place_column(formats[j], cells[j], valid[j], firsts[j] + begin, some, d, out + begin * d + j))
                return j + 1;
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_COLUMNS(suffix, O)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_side_by_side_##suffix(                                                         \
        const char* formats, const void* const* cells, const std::uint8_t* const* valid, const parzen::index* firsts, \
        parzen::index n, parzen::index d, O* out) {                                                                   \
        return parzen::side_by_side(formats, cells, valid, firsts, n, d, out);                                        \
    }

PARZEN_COLUMNS(f32, float)
PARZEN_COLUMNS(f64, double)
