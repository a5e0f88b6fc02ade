// Factors U D U' of small symmetric matrices, one in each lane, that stay in registers: what missing cells need, of which rows
// have few. U has a diagonal of ones, and its rows below it follow one another; D is kept inverted.
#pragma once
#include "exp.h"

#include <type_traits>
#include <utility>

namespace parzen {

template <index N> using Fixed = std::integral_constant<index, N>;

// Calls run(Fixed<0>), ..., run(Fixed<N - 1>).
template <index... I, class Run>
__attribute__((always_inline)) inline void unrolled(std::integer_sequence<index, I...>, [[maybe_unused]] Run run) {
    (run(Fixed<I>()), ...);
}
template <index N, class Run>
__attribute__((always_inline)) inline void unrolled(Run run) {
    unrolled(std::make_integer_sequence<index, N>(), run);
}
#define PARZEN_INLINE __attribute__((always_inline))

template <index M>
struct Pivots {
    vec U[M * (M - 1) / 2 + (M == 1)], D[M];
    static constexpr index at(index a, index b) { return a * (a - 1) / 2 + b; }

    // From and to memory, cells `step` numbers apart: the rows of a larger matrix from `begin` on.
    PARZEN_INLINE void read(const double* triangle, const double* pivot, index step, index begin = 0) {
        unrolled<M>([&](auto a) PARZEN_INLINE {
            const double* row = triangle + (at(begin + a, begin)) * step;
            unrolled<a>([&](auto b) PARZEN_INLINE { U[at(a, b)] = load(row + b * step); });
            D[a] = load(pivot + (begin + a) * step);
        });
    }
    PARZEN_INLINE void write(double* triangle, double* pivot, index step, index begin = 0) const {
        unrolled<M>([&](auto a) PARZEN_INLINE {
            double* row = triangle + (at(begin + a, begin)) * step;
            unrolled<a>([&](auto b) PARZEN_INLINE { store(row + b * step, U[at(a, b)]); });
            store(pivot + (begin + a) * step, D[a]);
        });
    }

    // Of the matrix that U and D hold at first; returns its determinant, times what is given.
    PARZEN_INLINE vec factorise(vec product = splat(1.0)) {
        unrolled<M>([&](auto c) PARZEN_INLINE {
            product *= D[c];
            D[c] = splat(1.0) / D[c];
            unrolled<M - 1 - c>([&](auto next) PARZEN_INLINE {
                constexpr index a = c + 1 + next;
                const vec t = U[at(a, c)];
                unrolled<next>([&](auto b) PARZEN_INLINE { U[at(a, c + 1 + b)] -= t * U[at(c + 1 + b, c)]; });
                U[at(a, c)] = t * D[c];
                D[a] -= t * U[at(a, c)];
            });
        });
        return product;
    }

    // v becomes U^-1 v; returns v' (U D U')^-1 v.
    PARZEN_INLINE vec reduce(vec (&v)[M]) const {
        vec total = {};
        unrolled<M>([&](auto a) PARZEN_INLINE {
            unrolled<a>([&](auto b) PARZEN_INLINE { v[a] -= U[at(a, b)] * v[b]; });
            total += v[a] * v[a] * D[a];
        });
        return total;
    }
    // From there to (U D U')^-1 v.
    PARZEN_INLINE void solve_back(vec (&v)[M]) const {
        unrolled<M>([&](auto last) PARZEN_INLINE {
            constexpr index a = M - 1 - last;
            v[a] = apart(v[a] * D[a]);
            unrolled<last>([&](auto later) PARZEN_INLINE { v[a] -= U[at(M - 1 - later, a)] * v[M - 1 - later]; });
        });
    }
    // The inverse C = D^-1 U^-1 - (U' - 1) C, row by row from the last: visit(j, i, C_ji) for j >= i.
    template <class Visit>
    PARZEN_INLINE void invert(Visit visit) const {
        vec C[M * (M + 1) / 2];
        unrolled<M>([&](auto last) PARZEN_INLINE {
            constexpr index i = M - 1 - last;
            unrolled<last + 1>([&](auto before) PARZEN_INLINE {
                constexpr index j = M - 1 - before;
                vec t = i == j ? D[i] : vec{};
                unrolled<last>([&](auto later) PARZEN_INLINE {
                    constexpr index c = M - 1 - later, row = c > j ? c : j, column = c > j ? j : c;
                    t -= U[at(c, i)] * C[row * (row + 1) / 2 + column];
                });
                C[j * (j + 1) / 2 + i] = t;
                visit(Fixed<j>(), Fixed<i>(), t);
            });
        });
    }
};

// Calls run(Fixed<M>) for a matrix of m rows, of which the registers hold at most `in_registers`.
constexpr index in_registers = 8;
template <class Run>
PARZEN_INLINE inline void with_pivots(index m, Run run) {
    switch (m) {
        case 1: return run(Fixed<1>());
        case 2: return run(Fixed<2>());
        case 3: return run(Fixed<3>());
        case 4: return run(Fixed<4>());
        case 5: return run(Fixed<5>());
        case 6: return run(Fixed<6>());
        case 7: return run(Fixed<7>());
        case 8: return run(Fixed<8>());
        default: return;
    }
}

// Factorises in place, cells `step` numbers apart: a symmetric matrix of m rows, `triangle` below its diagonal and `pivot` on
// it. Returns half of the log-determinant. Of larger ones, four columns at a time are taken off first; a matrix that is filled
// up with rows of the identity has the same factors to the last bit, however large it is.
__attribute__((noinline)) inline vec factorise(index m, double* triangle, double* pivot, index step) {
    constexpr index A = 4;
    vec product = splat(1.0), exponent = {};
    index begin = 0;
    const auto cell = [&](index a, index b) { return triangle + (a * (a - 1) / 2 + b) * step; };
    const auto corner = [&](auto& P) PARZEN_INLINE {
        P.read(triangle, pivot, step, begin);
        product = P.factorise(product);
        P.write(triangle, pivot, step, begin);
        exponent += take_exponent(product);  // before it could overflow
    };
    for (; m - begin > in_registers; begin += A) {
        Pivots<A> P;
        corner(P);
        for (index a = begin + A; a < m; ++a) {
            vec t[A], scaled[A];
            for (index c = 0; c < A; ++c) t[c] = load(cell(a, begin + c));
            P.reduce(t);
            vec own = load(pivot + a * step);
            for (index c = 0; c < A; ++c) {
                scaled[c] = t[c] * P.D[c];
                own -= t[c] * scaled[c];
            }
            store(pivot + a * step, own);
            for (index b = begin + A; b < a; ++b) {
                vec left = load(cell(a, b));
                for (index c = 0; c < A; ++c) left -= t[c] * load(cell(b, begin + c));
                store(cell(a, b), left);
            }
            for (index c = 0; c < A; ++c) store(cell(a, begin + c), scaled[c]);
        }
    }
    with_pivots(m - begin, [&](auto number) PARZEN_INLINE {
        Pivots<decltype(number)::value> P;
        corner(P);
    });
    return splat(0.5) * (exponent * splat(log_two) + logarithm_near_one(product));
}

}  // namespace parzen
