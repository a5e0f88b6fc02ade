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

template <class O> constexpr char own_format = sizeof(O) == 4 ? 'f' : 'g';

// Whether four columns have the type of the result, and no cell is missing.
template <class O>
bool same_and_whole(const char* formats, const std::uint8_t* const* valid) {
    for (index j = 0; j < 4; ++j)
        if (formats[j] != own_format<O> || valid[j]) return false;
    return true;
}

// Four columns, four rows at a time: vectors of a column's cells are turned into vectors of a row's in registers.
template <class O>
void place_four(const void* const* cells, const index* firsts, index begin, index n, index d, O* out) {
    typedef O four __attribute__((vector_size(4 * sizeof(O))));
    const O* from[4];
    for (index j = 0; j < 4; ++j) from[j] = static_cast<const O*>(cells[j]) + firsts[j] + begin;
    index i = 0;
    for (; i + 4 <= n; i += 4) {
        four a, b, c, e;
        std::memcpy(&a, from[0] + i, sizeof a);
        std::memcpy(&b, from[1] + i, sizeof b);
        std::memcpy(&c, from[2] + i, sizeof c);
        std::memcpy(&e, from[3] + i, sizeof e);
        const four low = shuffled<0, 4, 1, 5>(a, b), high = shuffled<2, 6, 3, 7>(a, b);
        const four below = shuffled<0, 4, 1, 5>(c, e), above = shuffled<2, 6, 3, 7>(c, e);
        const four row[4] = {shuffled<0, 1, 4, 5>(low, below), shuffled<2, 3, 6, 7>(low, below),
                             shuffled<0, 1, 4, 5>(high, above), shuffled<2, 3, 6, 7>(high, above)};
        for (index s = 0; s < 4; ++s) std::memcpy(out + (i + s) * d, &row[s], sizeof row[s]);
    }
    for (; i < n; ++i)
        for (index j = 0; j < 4; ++j) out[i * d + j] = from[j][i];
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
        for (index j = 0; j < d;) {
            O* to = out + begin * d + j;
            if (d - j >= 4 && same_and_whole<O>(formats + j, valid + j)) {
                place_four(cells + j, firsts + j, begin, some, d, to);
                j += 4;
                continue;
            }
            if (!place_column(formats[j], cells[j], valid[j], firsts[j] + begin, some, d, to)) return j + 1;
            ++j;
        }
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
