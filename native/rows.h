// Rows of either precision as doubles, for routines whose work on a row is far more than its conversion: these are compiled
// once for both (PARZEN_ONCE: not copied into their callers).
#pragma once
#include "common.h"

#define PARZEN_ONCE __attribute__((noinline))

namespace parzen {

struct Rows {
    const float* single;
    const double* twice;
    index d, stride;
    Scratch<double> room;  // of as many rows as are asked for at once, where they have to be converted

    Rows(const float* X, index columns, index apart, index most) : single(X), twice(nullptr), d(columns), stride(apart), room(most * d) {}
    Rows(const double* X, index columns, index apart, index) : single(nullptr), twice(X), d(columns), stride(apart), room(0) {}
    explicit operator bool() const { return twice || room.data; }

    double operator()(index i, index j) const { return twice ? twice[i * stride + j] : single[i * stride + j]; }

    // Some rows from the first one on: where they lie, or a copy of them until the next call; `step` cells apart.
    struct Some {
        const double* begin;
        index step;
    };
    Some some(index first, index count) {
        if (twice) return {twice + first * stride, stride};
        for (index r = 0; r < count; ++r) {
            const float* row = single + (first + r) * stride;
            double* to = room + r * d;
#pragma omp simd
            for (index j = 0; j < d; ++j) to[j] = row[j];
        }
        return {room, d};
    }
    const double* row(index i) { return some(i, 1).begin; }
};

}  // namespace parzen
