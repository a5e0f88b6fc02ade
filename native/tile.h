// Rows side by side in vector lanes: a tile of them, transposed once, is compared with every component while it is in cache.
#pragma once
#include "power.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace parzen {

// Independent chains that hide the latency of an addition, as many as registers hold.
constexpr index chains = lanes == 8 ? 4 : 2;

template <class C> struct Wide {
    using V = typename Lane<C>::vector;
    static constexpr index count = Lane<C>::count;
    static constexpr index rows = chains * count;
};

typedef std::int32_t codes_of_doubles __attribute__((vector_size(lanes * sizeof(std::int32_t))));
template <class C> struct Codes { using V = wholef; };
template <> struct Codes<double> { using V = codes_of_doubles; };

template <class C> using Vector = typename Wide<C>::V;

template <class C> inline void write(C* p, Vector<C> v) { std::memcpy(p, &v, sizeof v); }

#if defined(__AVX512F__)
// out[c * step + r] = X[r, c] - origin[c] of eight rows and eight columns, in registers.
inline void lay_eight(const double* X, index stride, const double* origin, double* out, index step) {
    const whole low = {0, 8, 2, 10, 4, 12, 6, 14}, high = {1, 9, 3, 11, 5, 13, 7, 15};
    const whole even = {0, 1, 4, 5, 8, 9, 12, 13}, odd = {2, 3, 6, 7, 10, 11, 14, 15};
    const vec o = load(origin);
    vec row[8], pair[8], quad[8];
    for (int r = 0; r < 8; ++r) row[r] = load(X + r * stride) - o;
    for (int r = 0; r < 8; r += 2) {
        pair[r] = __builtin_shuffle(row[r], row[r + 1], low);
        pair[r + 1] = __builtin_shuffle(row[r], row[r + 1], high);
    }
    for (int r = 0; r < 8; r += 4)
        for (int s = 0; s < 2; ++s) {
            quad[r + s] = __builtin_shuffle(pair[r + s], pair[r + s + 2], even);
            quad[r + s + 2] = __builtin_shuffle(pair[r + s], pair[r + s + 2], odd);
        }
    for (int c = 0; c < 4; ++c) {
        store(out + c * step, __builtin_shuffle(quad[c], quad[c + 4], even));
        store(out + (c + 4) * step, __builtin_shuffle(quad[c], quad[c + 4], odd));
    }
}
#endif

// x[j * rows + r] = X[r, j] - origin[j], about a point among the data, so that no offset costs digits; rows beyond the last
// repeat it.
template <class C>
inline void lay(const C* X, index count, index d, index stride, const double* origin, C* x) {
    constexpr index rows = Wide<C>::rows;
#if defined(__AVX512F__)
    if constexpr (sizeof(C) == 8) {
        if (count == rows && d >= 8) {  // the last eight columns may repeat some of those before
            for (index j = 0; j < d; j += 8) {
                const index first = j + 8 <= d ? j : d - 8;
                for (index r = 0; r < rows; r += 8)
                    lay_eight(X + r * stride + first, stride, origin + first, x + first * rows + r, rows);
            }
            return;
        }
    }
#endif
    for (index r = 0; r < rows; ++r) {
        const C* row = X + (r < count ? r : count - 1) * stride;
        for (index j = 0; j < d; ++j) x[j * rows + r] = static_cast<C>(row[j] - origin[j]);
    }
}

// Weights of a tile's rows, zero beyond the last.
template <class C>
inline void lay_weights(const double* weights, index begin, index count, double* w) {
    for (index r = 0; r < Wide<C>::rows; ++r) w[r] = r >= count ? 0.0 : weights ? weights[begin + r] : 1.0;
}

// E affine functions of a tile of rows: sums[e][v] = offset[e] + sum of table[j * E + e] x[j], over the first columns.
template <class C, index E>
inline void affine(const C* x, const C* table, const C* offset, index columns, Vector<C> (&sums)[E][chains]) {
    using V = Vector<C>;
    for (index e = 0; e < E; ++e)
        for (index v = 0; v < chains; ++v) sums[e][v] = all<V>(offset[e]);
    for (index j = 0; j < columns; ++j) {
        V column[chains];
        for (index v = 0; v < chains; ++v) column[v] = read<V>(x + j * Wide<C>::rows + v * Wide<C>::count);
        for (index e = 0; e < E; ++e) {
            const V scale = all<V>(table[j * E + e]);
            for (index v = 0; v < chains; ++v) sums[e][v] += scale * column[v];
        }
    }
}

// Calls run(first, Number<E>) for functions in fours, and for those that are left.
template <index N> struct Number { static constexpr index value = N; };
template <class Run>
inline void in_fours(index count, Run run) {
    index first = 0;
    for (; first + 4 <= count; first += 4) run(first, Number<4>());
    switch (count - first) {
        case 1: run(first, Number<1>()); break;
        case 2: run(first, Number<2>()); break;
        case 3: run(first, Number<3>()); break;
        default: break;
    }
}

// sums[l] += lane l of v, in double precision whatever the lanes are.
template <class C>
inline void add_lanes(double* sums, Vector<C> v) {
    C lane[Wide<C>::count];
    write<C>(lane, v);
#pragma omp simd
    for (index l = 0; l < Wide<C>::count; ++l) sums[l] += lane[l];
}

template <class C>
inline double total_of(const double* sums) {
    double total = 0;
    for (index l = 0; l < Wide<C>::count; ++l) total += sums[l];
    return total;
}

#if defined(__AVX2__) && !defined(__AVX512F__)
// For each set of 32-bit lanes of a vector, the lanes in it, in order, a byte for each; the others follow as zeros.
struct Orders {
    std::uint64_t of[256] = {};
    constexpr Orders() {
        for (unsigned set = 0; set < 256; ++set)
            for (unsigned l = 0, filled = 0; l < 8; ++l)
                if (set >> l & 1) of[set] |= std::uint64_t{l} << (8 * filled++);
    }
};
inline constexpr Orders orders;
#endif

// Which lanes of a vector are above zero, and how to put those next to each other.
template <class C>
struct Chosen {
    index count = 0;
#if defined(__AVX512F__)
    unsigned mask;
    explicit Chosen(Vector<C> v) {
        if constexpr (sizeof(C) == 8) mask = _mm512_cmp_pd_mask((__m512d)v, _mm512_setzero_pd(), _CMP_GT_OQ);
        else mask = _mm512_cmp_ps_mask((__m512)v, _mm512_setzero_ps(), _CMP_GT_OQ);
        count = __builtin_popcount(mask);
    }
    // Writes a whole vector, of which the first `count` lanes are valid.
    void squeeze(Vector<C> v, C* out) const {
        if constexpr (sizeof(C) == 8)
            _mm512_storeu_pd(out, _mm512_maskz_compress_pd(static_cast<__mmask8>(mask), (__m512d)v));
        else _mm512_storeu_ps(out, _mm512_maskz_compress_ps(static_cast<__mmask16>(mask), (__m512)v));
    }
#elif defined(__AVX2__)
    __m256i order;
    explicit Chosen(Vector<C> v) {
        unsigned set;
        if constexpr (sizeof(C) == 8) {
            const __m256d above = _mm256_cmp_pd((__m256d)v, _mm256_setzero_pd(), _CMP_GT_OQ);
            set = _mm256_movemask_ps(_mm256_castpd_ps(above));
            count = __builtin_popcount(set) / 2;
        } else {
            set = _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_setzero_ps(), _CMP_GT_OQ));
            count = __builtin_popcount(set);
        }
        order = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(orders.of[set])));
    }
    // Writes a whole vector, of which the first `count` lanes are valid.
    void squeeze(Vector<C> v, C* out) const {
        const __m256 moved = _mm256_permutevar8x32_ps((__m256)v, order);
        std::memcpy(out, &moved, sizeof moved);
    }
#else
    index lane[Wide<C>::count];
    explicit Chosen(Vector<C> v) {
        for (index l = 0; l < Wide<C>::count; ++l) {
            lane[count] = l;
            count += v[l] > 0;
        }
    }
    void squeeze(Vector<C> v, C* out) const {
        C all_lanes[Wide<C>::count];
        write<C>(all_lanes, v);
        for (index i = 0; i < count; ++i) out[i] = all_lanes[lane[i]];
    }
#endif
};

template <class C>
inline Vector<C> square_root(Vector<C> v) {
    C lane[Wide<C>::count];
    write<C>(lane, v);
#pragma omp simd
    for (index l = 0; l < Wide<C>::count; ++l) lane[l] = std::sqrt(lane[l]);
    return read<Vector<C>>(lane);
}

}  // namespace parzen
