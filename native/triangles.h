// Squared distances of a tile of rows, from the inverses of the factors of covariances.
#pragma once
#include "tile.h"

namespace parzen {

// |M (x - mean)|^2 for K triangular matrices M, (K, d, d), packed in groups of four equations: the entries of a column of
// four rows follow one another, and columns that are zero for all four are left out.
template <class C>
struct Triangles {
    index d, size, groups;
    Scratch<C> table, offset;

    Triangles(index columns, index K)
        : d(columns), size(rounded_up(columns, 4) * rounded_up(columns, 4)), groups(K), table(K * size),
          offset(K * columns) {}
    explicit operator bool() const { return table.data && offset.data; }

    void pack(const double* M, const double* mean) {
        for (index k = 0; k < groups; ++k) {
            const double *m = M + k * d * d, *mu = mean + k * d;
            C* next = table + k * size;
            in_fours(d, [&](index first, auto number) {
                constexpr index E = decltype(number)::value;
                for (index j = 0; j < first + E; ++j)
                    for (index e = 0; e < E; ++e)
                        *next++ = j <= first + e ? static_cast<C>(m[(first + e) * d + j]) : C(0);
            });
            for (index i = 0; i < d; ++i) {
                double t = 0;
                for (index j = 0; j <= i; ++j) t -= m[i * d + j] * mu[j];
                offset[k * d + i] = static_cast<C>(t);
            }
        }
    }

    // out[r] = constant - |M_k (x_r - mean_k)|^2
    void score(const C* x, index k, C constant, C* out) {
        using V = Vector<C>;
        V total[chains];
        for (index v = 0; v < chains; ++v) total[v] = all<V>(constant);
        const C* next = table + k * size;
        in_fours(d, [&](index first, auto number) __attribute__((always_inline)) {
            constexpr index E = decltype(number)::value;
            V sums[E][chains];
            affine<C, E>(x, next, offset + k * d + first, first + E, sums);
            next += E * (first + E);
            for (index e = 0; e < E; ++e)
                for (index v = 0; v < chains; ++v) total[v] -= sums[e][v] * sums[e][v];
        });
        for (index v = 0; v < chains; ++v) write<C>(out + v * Wide<C>::count, total[v]);
    }
};

}  // namespace parzen
