// The vectors of an instruction set, and the few operations on them that compilers don't find by themselves. What depends
// on the processor, the compiler or the system is here, in level.cpp and in scratch.h, and nowhere else.
//
//     x86-64-v4   8 x f64, 16 x f32, 32 registers   AVX-512
//     x86-64-v3   4 x f64,  8 x f32, 16 registers   AVX2 with fused multiply-add
//     x86-64-v2   2 x f64,  4 x f32, 16 registers   SSE4.2
//     AArch64     2 x f64,  4 x f32, 32 registers   NEON with fused multiply-add
//     others      2 x f64,  4 x f32                 whatever the compiler makes of it
//
// Vectors are those of GCC and Clang (vector_size): arithmetic, comparisons and ?: are theirs.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#if defined(__AVX__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace parzen {

using index = std::int64_t;

#if defined(__AVX512F__)
constexpr index lanes = 8;
#elif defined(__AVX__)
constexpr index lanes = 4;
#else
constexpr index lanes = 2;
#endif

#if defined(__AVX512F__) || defined(__aarch64__)
constexpr index registers = 32;
#else
constexpr index registers = 16;
#endif

typedef double vec __attribute__((vector_size(lanes * sizeof(double))));
typedef float vecf __attribute__((vector_size(2 * lanes * sizeof(float))));
typedef std::int64_t whole __attribute__((vector_size(lanes * sizeof(std::int64_t))));
typedef std::int32_t wholef __attribute__((vector_size(2 * lanes * sizeof(std::int32_t))));

inline vec splat(double value) { return value - vec{}; }
inline vec load(const double* p) { vec v; std::memcpy(&v, p, sizeof v); return v; }
inline void store(double* p, vec v) { std::memcpy(p, &v, sizeof v); }

// out[i] = p[i * step] - origin for N numbers. Clang puts lanes in one by one where GCC gathers: each is slow at the other.
template <index N, class T>
inline void lay_spaced(const T* p, index step, double origin, double* out) {
#if defined(__clang__)
    for (index i = 0; i < N; i += lanes) {
        vec v;
        for (index l = 0; l < lanes; ++l) v[l] = p[(i + l) * step];
        store(out + i, v - splat(origin));
    }
#else
#pragma omp simd
    for (index i = 0; i < N; ++i) out[i] = p[i * step] - origin;
#endif
}

template <class Real> struct Lane;
template <> struct Lane<double> {
    using vector = vec;
    static constexpr index count = lanes;
};
template <> struct Lane<float> {
    using vector = vecf;
    static constexpr index count = 2 * lanes;
};

// The lanes of a, and then those of b, in this order.
template <int... Order, class V>
inline V shuffled(V a, V b) {
#if defined(__clang__) || __GNUC__ >= 12
    return __builtin_shufflevector(a, b, Order...);
#else
    typedef decltype(a < b) Whole;
    return __builtin_shuffle(a, b, Whole{Order...});
#endif
}

// The same value, as it is rounded: a product is not fused with an addition that follows.
inline vec apart(vec v) {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
    return __builtin_assoc_barrier(v);
#elif defined(__AVX512F__)
    __asm__("" : "+v"(v));
    return v;
#elif defined(__x86_64__)
    __asm__("" : "+x"(v));
    return v;
#elif defined(__aarch64__)
    __asm__("" : "+w"(v));
    return v;
#else
    __asm__("" : "+m"(v));
    return v;
#endif
}

// Square roots.
inline vec root(vec t) {
#if defined(__aarch64__)
    return (vec)vsqrtq_f64((float64x2_t)t);
#else
    vec r;
    for (index s = 0; s < lanes; ++s) r[s] = std::sqrt(t[s]);
    return r;
#endif
}
template <class C>
inline typename Lane<C>::vector square_root(typename Lane<C>::vector v) {
#if defined(__aarch64__)
    if constexpr (sizeof(C) == 8) return root(v);
    else return (vecf)vsqrtq_f32((float32x4_t)v);
#else
    C lane[Lane<C>::count];
    std::memcpy(lane, &v, sizeof v);
#pragma omp simd
    for (index l = 0; l < Lane<C>::count; ++l) lane[l] = std::sqrt(lane[l]);
    std::memcpy(&v, lane, sizeof v);
    return v;
#endif
}

// The lesser of two numbers, b where one is NaN, in one instruction where the compiler would take two.
#if defined(__AVX512F__)
inline vec lesser(vec a, vec b) { return (vec)_mm512_min_pd((__m512d)a, (__m512d)b); }
inline vecf lesser(vecf a, vecf b) { return (vecf)_mm512_min_ps((__m512)a, (__m512)b); }
#elif defined(__AVX__)
inline vec lesser(vec a, vec b) { return (vec)_mm256_min_pd((__m256d)a, (__m256d)b); }
inline vecf lesser(vecf a, vecf b) { return (vecf)_mm256_min_ps((__m256)a, (__m256)b); }
#else
template <class V> inline V lesser(V a, V b) { return a < b ? a : b; }
#endif

#if (defined(__AVX2__) && !defined(__AVX512F__)) || defined(__aarch64__)
// For each set of 32-bit lanes of a vector, the lanes in it, in order; a lane is `Bytes` bytes of an entry, those of 4 are
// places of bytes in the vector. What is left of an entry are zeros.
template <unsigned Lanes, unsigned Bytes>
struct Orders {
    std::uint8_t of[1 << Lanes][Lanes * Bytes] = {};
    constexpr Orders() {
        for (unsigned set = 0; set < 1 << Lanes; ++set)
            for (unsigned l = 0, filled = 0; l < Lanes; ++l)
                if (set >> l & 1)
                    for (unsigned b = 0; b < Bytes; ++b) of[set][filled++] = static_cast<std::uint8_t>(l * Bytes + b);
    }
};
#if defined(__aarch64__)
inline constexpr Orders<4, 4> orders;
#else
inline constexpr Orders<8, 1> orders;
#endif
#endif

// Which lanes of a vector are above zero, and how to put those next to each other.
template <class C>
struct Chosen {
    using V = typename Lane<C>::vector;
    index count = 0;
#if defined(__AVX512F__)
    unsigned mask;
    explicit Chosen(V v) {
        if constexpr (sizeof(C) == 8) mask = _mm512_cmp_pd_mask((__m512d)v, _mm512_setzero_pd(), _CMP_GT_OQ);
        else mask = _mm512_cmp_ps_mask((__m512)v, _mm512_setzero_ps(), _CMP_GT_OQ);
        count = __builtin_popcount(mask);
    }
    // Writes a whole vector, of which the first `count` lanes are valid.
    void squeeze(V v, C* out) const {
        if constexpr (sizeof(C) == 8)
            _mm512_storeu_pd(out, _mm512_maskz_compress_pd(static_cast<__mmask8>(mask), (__m512d)v));
        else _mm512_storeu_ps(out, _mm512_maskz_compress_ps(static_cast<__mmask16>(mask), (__m512)v));
    }
#elif defined(__AVX2__)
    __m256i order;
    explicit Chosen(V v) {
        unsigned set;
        if constexpr (sizeof(C) == 8) {
            const __m256d above = _mm256_cmp_pd((__m256d)v, _mm256_setzero_pd(), _CMP_GT_OQ);
            set = _mm256_movemask_ps(_mm256_castpd_ps(above));
            count = __builtin_popcount(set) / 2;
        } else {
            set = _mm256_movemask_ps(_mm256_cmp_ps((__m256)v, _mm256_setzero_ps(), _CMP_GT_OQ));
            count = __builtin_popcount(set);
        }
        order = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(orders.of[set])));
    }
    // Writes a whole vector, of which the first `count` lanes are valid.
    void squeeze(V v, C* out) const {
        const __m256 moved = _mm256_permutevar8x32_ps((__m256)v, order);
        std::memcpy(out, &moved, sizeof moved);
    }
#elif defined(__aarch64__)
    uint8x16_t order;
    explicit Chosen(V v) {
        static constexpr std::uint32_t bit[] = {1, 2, 4, 8};
        uint32x4_t above;
        if constexpr (sizeof(C) == 8) above = vreinterpretq_u32_u64(vcgtzq_f64((float64x2_t)v));
        else above = vcgtzq_f32((float32x4_t)v);
        const unsigned set = vaddvq_u32(vandq_u32(above, vld1q_u32(bit)));
        count = __builtin_popcount(set) / (sizeof(C) / 4);
        order = vld1q_u8(orders.of[set]);
    }
    // Writes a whole vector, of which the first `count` lanes are valid.
    void squeeze(V v, C* out) const {
        const uint8x16_t moved = vqtbl1q_u8((uint8x16_t)v, order);
        std::memcpy(out, &moved, sizeof moved);
    }
#else
    index lane[Lane<C>::count];
    explicit Chosen(V v) {
        for (index l = 0; l < Lane<C>::count; ++l) {
            lane[count] = l;
            count += v[l] > 0;
        }
    }
    void squeeze(V v, C* out) const {
        C all_lanes[Lane<C>::count];
        std::memcpy(all_lanes, &v, sizeof v);
        for (index i = 0; i < count; ++i) out[i] = all_lanes[lane[i]];
    }
#endif
};

}  // namespace parzen
