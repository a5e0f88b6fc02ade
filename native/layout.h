// Columns of a row-major row in vectors, for routines that add whole rows to their group's sums.
#pragma once
#include "common.h"

namespace parzen {

// Rows are seldom aligned: vectors of 32 bytes cross fewer cache lines than those of 64, and fit narrow rows better.
constexpr index few = lanes < 4 ? lanes : 4;
typedef double pack __attribute__((vector_size(few * sizeof(double))));
typedef float narrow __attribute__((vector_size(few * sizeof(float))));

inline pack known(pack x, pack value) { return x == x ? value : pack{}; }
inline double known(double x, double value) { return x == x ? value : 0.0; }

// Sums of a group by vectors of columns. The last vector overlaps the one before where d is no multiple of the lanes, and
// has room of its own, so that no column is counted twice; rows narrower than a vector go column by column. Up to four
// vectors, their number is known to the compiler (Fixed), which then unrolls them.
template <index Fixed>
struct Layout {
    index d, several, width;
    explicit Layout(index columns)
        : d(columns), several(columns < few ? 0 : (columns + few - 1) / few), width(several ? several * few : d) {}

    index vectors() const { return Fixed ? Fixed : several; }
    index start(index v) const { return v + 1 < vectors() ? v * few : d - few; }

    // Calls visit(j, at, zero): a vector (or a cell) of columns that begins at column j and at `at` of a group's sums.
    template <class Visit>
    inline void each(Visit visit) const {
        for (index v = 0; v < vectors(); ++v) visit(start(v), v * few, pack{});
        if (!Fixed && !several) for (index j = 0; j < d; ++j) visit(j, j, 0.0);
    }
    void unpack(const double* sums, double* columns) const {
        each([&](index j, index at, auto zero) { std::memcpy(columns + j, sums + at, sizeof zero); });
    }
};

template <class Run>
index with_layout(index d, Run run) {
    switch (d < few ? 0 : (d + few - 1) / few) {
        case 1: return run(Layout<1>(d));
        case 2: return run(Layout<2>(d));
        case 3: return run(Layout<3>(d));
        case 4: return run(Layout<4>(d));
        default: return run(Layout<0>(d));
    }
}

inline pack fetch(const double* p, pack) { pack v; std::memcpy(&v, p, sizeof v); return v; }
inline pack fetch(const float* p, pack) { narrow v; std::memcpy(&v, p, sizeof v); return __builtin_convertvector(v, pack); }
template <class T> inline double fetch(const T* p, double) { return *p; }

template <class V> inline void add(double* sum, V value) {
    V now;
    std::memcpy(&now, sum, sizeof now);
    now += value;
    std::memcpy(sum, &now, sizeof now);
}

}  // namespace parzen
