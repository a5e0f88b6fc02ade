// Cells of a row in vectors, and which of them are missing.
#pragma once
#include "common.h"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace parzen {

// The next cells of a row, of which there are `left`; zeros after the last.
template <class T>
inline vec cells_at(const T* x, index left) {
    vec v = {};
    if (left >= lanes) {
        typedef T own __attribute__((vector_size(lanes * sizeof(T))));
        own read;
        std::memcpy(&read, x, sizeof read);
        return __builtin_convertvector(read, vec);
    }
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 8) return (vec)_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << left) - 1), x);
#endif
    for (index j = 0; j < left; ++j) v[j] = x[j];
    return v;
}

// Writes the first lanes of a vector, as many as there are `left`.
inline void put(double* x, vec v, index left) {
    if (left >= lanes) return store(x, v);
#if defined(__AVX512F__)
    _mm512_mask_storeu_pd(x, static_cast<__mmask8>((1u << left) - 1), (__m512d)v);
#else
    for (index j = 0; j < left; ++j) x[j] = v[j];
#endif
}

// A bit for each lane that is NaN.
inline std::uint64_t bits_of_holes(vec v) {
#if defined(__AVX512F__)
    return _mm512_cmp_pd_mask((__m512d)v, (__m512d)v, _CMP_UNORD_Q);
#elif defined(__AVX__)
    return static_cast<unsigned>(_mm256_movemask_pd(_mm256_cmp_pd((__m256d)v, (__m256d)v, _CMP_UNORD_Q)));
#else
    std::uint64_t bits = 0;
    for (index l = 0; l < lanes; ++l) bits |= static_cast<std::uint64_t>(v[l] != v[l]) << l;
    return bits;
#endif
}

// Which cells of a row are missing, as bits (of rows of more than 64 columns, whether any is); visit(j, cells) sees the
// vectors of its cells.
template <class T, class Visit>
inline std::uint64_t holes(const T* x, index d, Visit visit) {
    std::uint64_t key = 0;
    for (index j = 0; j < d; j += lanes) {
        const vec cells = cells_at(x + j, d - j);
        key |= bits_of_holes(cells) << (j & 63);
        visit(j, cells);
    }
    return key;
}

// Rows by how many cells they miss, at most `most`, those of equal numbers in the order in which they come. Returns how many
// miss none; `ranks` has room for most + 2.
inline index by_holes(const index* missing, index count, index most, index* ranks, index* order) {
    std::memset(ranks, 0, sizeof(index) * (most + 2));
    for (index r = 0; r < count; ++r) ++ranks[missing[r] + 1];
    const index none = ranks[1];
    for (index m = 1; m <= most; ++m) ranks[m] += ranks[m - 1];
    for (index r = 0; r < count; ++r) order[ranks[missing[r]]++] = r;
    return none;
}

// The sum of each of the vectors, in the lane of its number.
inline vec sums_of(const vec (&v)[lanes]) {
#if defined(__AVX512F__)
    vec pair[4], quad[2];
    for (int p = 0; p < 4; ++p)
        pair[p] = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(v[2 * p], v[2 * p + 1]) + shuffled<1, 9, 3, 11, 5, 13, 7, 15>(v[2 * p], v[2 * p + 1]);
    for (int q = 0; q < 2; ++q)
        quad[q] = shuffled<0, 1, 8, 9, 4, 5, 12, 13>(pair[2 * q], pair[2 * q + 1]) +
                  shuffled<2, 3, 10, 11, 6, 7, 14, 15>(pair[2 * q], pair[2 * q + 1]);
    return shuffled<0, 1, 2, 3, 8, 9, 10, 11>(quad[0], quad[1]) + shuffled<4, 5, 6, 7, 12, 13, 14, 15>(quad[0], quad[1]);
#elif defined(__AVX__)
    const vec a = shuffled<0, 4, 2, 6>(v[0], v[1]) + shuffled<1, 5, 3, 7>(v[0], v[1]);
    const vec b = shuffled<0, 4, 2, 6>(v[2], v[3]) + shuffled<1, 5, 3, 7>(v[2], v[3]);
    return shuffled<0, 1, 4, 5>(a, b) + shuffled<2, 3, 6, 7>(a, b);
#else
    return shuffled<0, 2>(v[0], v[1]) + shuffled<1, 3>(v[0], v[1]);
#endif
}

// from[at[l]] in lane l.
inline vec gather(const double* from, const index* at) {
    vec v;
    for (index l = 0; l < lanes; ++l) v[l] = from[at[l]];
    return v;
}

}  // namespace parzen
