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

// from[at[l]] in lane l.
inline vec gather(const double* from, const index* at) {
    vec v;
    for (index l = 0; l < lanes; ++l) v[l] = from[at[l]];
    return v;
}

}  // namespace parzen
