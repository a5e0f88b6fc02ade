// Rows side by side in vector lanes: a tile of them, transposed once, is compared with every component while it is in cache.
#pragma once
#include "power.h"

namespace parzen {

// Independent chains that hide the latency of an addition, as many as registers hold.
constexpr index chains = registers == 32 ? 4 : 2;

template <class C> struct Wide {
    using V = typename Lane<C>::vector;
    static constexpr index count = Lane<C>::count;
    static constexpr index rows = chains * count;
};

typedef std::int32_t codes_of_doubles __attribute__((vector_size(lanes * sizeof(std::int32_t))));
template <class C> struct Codes { using V = wholef; };
template <> struct Codes<double> { using V = codes_of_doubles; };

template <class C> using Vector = typename Wide<C>::V;

#if defined(__AVX512F__)
// out[c * step + r] = X[r, c] - origin[c] of eight rows and eight columns, in registers.
inline void lay_eight(const double* X, index stride, const double* origin, double* out, index step) {
    const vec o = load(origin);
    vec row[8], pair[8], quad[8];
    for (int r = 0; r < 8; ++r) row[r] = load(X + r * stride) - o;
    for (int r = 0; r < 8; r += 2) {
        pair[r] = shuffled<0, 8, 2, 10, 4, 12, 6, 14>(row[r], row[r + 1]);
        pair[r + 1] = shuffled<1, 9, 3, 11, 5, 13, 7, 15>(row[r], row[r + 1]);
    }
    for (int r = 0; r < 8; r += 4)
        for (int s = 0; s < 2; ++s) {
            quad[r + s] = shuffled<0, 1, 4, 5, 8, 9, 12, 13>(pair[r + s], pair[r + s + 2]);
            quad[r + s + 2] = shuffled<2, 3, 6, 7, 10, 11, 14, 15>(pair[r + s], pair[r + s + 2]);
        }
    for (int c = 0; c < 4; ++c) {
        store(out + c * step, shuffled<0, 1, 4, 5, 8, 9, 12, 13>(quad[c], quad[c + 4]));
        store(out + (c + 4) * step, shuffled<2, 3, 6, 7, 10, 11, 14, 15>(quad[c], quad[c + 4]));
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
__attribute__((always_inline)) inline void in_fours(index count, Run run) {
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

}  // namespace parzen
