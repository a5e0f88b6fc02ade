// Conditional means of missing cells, one Gaussian at a time; see gaps.h for the formulas. Rows are lanes, each with a pattern
// of its own: rows that miss fewer cells than others beside them are filled up with cells of no covariance and no weight.
// They come in the order of how many they miss, so that little is filled up.
// Where the next rows have the same patterns they share the factor P_mm = U D U', and their conditional covariance P_mm^-1
// is added once, with the sum of their weights.
#pragma once
#include "holes.h"
#include "pivots.h"

namespace parzen {

struct Fillings {
    static constexpr double most_growth = 1e3;  // as in gaps.h
    index d, wide, groups, side, block;         // cell d is the one to fill up with
    Scratch<double> precision, diagonal, scale, deviation, unit, growth;             // of each covariance
    Scratch<double> triangle, pivot, logs, held, extra, solved, covariance, aside;  // of the rows at hand: [cell * lanes + row]
    Scratch<index> gone, missing, ranks;
    Scratch<std::uint64_t> current;
    index owner = -1, most = 0;

    Fillings(index columns, index K)
        : d(columns), wide(rounded_up(columns, lanes)), groups(K), side(d + 1), block(side * wide + lanes),
          precision(K * block), diagonal(K * side), scale(K * wide), deviation(K * side), unit(K * side), growth(K),
          triangle(d * (d - 1) / 2 * lanes), pivot(d * lanes), logs(lanes), held(lanes), extra(K * side * side),
          solved(d * lanes), covariance(d * (d + 1) / 2 * lanes), aside(d * lanes), gone(d * lanes), missing(lanes), ranks(d + 2), current(lanes) {}
    explicit operator bool() const {
        return precision.data && diagonal.data && scale.data && deviation.data && unit.data && growth.data && triangle.data &&
               pivot.data && logs.data && held.data && extra.data && solved.data && covariance.data && aside.data && gone.data &&
               missing.data && ranks.data && current.data;
    }

    // Takes up a factor L (row by row) as covariance k; `inverse` becomes that of L. False where digits could be lost.
    __attribute__((cold)) bool prepare(index k, const double* L, double* inverse) {
        double grown = 0, *deviations = deviation + k * side;
        for (index i = 0; i < d; ++i) {
            double total = 0;
            for (index j = 0; j <= i; ++j) total += L[i * d + j] * L[i * d + j];
            deviations[i] = std::sqrt(total);
            scale[k * wide + i] = 1.0 / deviations[i];
            unit[k * side + i] = std::log(deviations[i]);
        }
        for (index i = 0; i < d; ++i) {
            double total = 0;
            for (index j = 0; j <= i; ++j) {
                double t = i == j ? 1.0 : 0.0;
                for (index c = j; c < i; ++c) t -= L[i * d + c] * inverse[c * d + j];
                inverse[i * d + j] = t / L[i * d + i];
                total += std::fabs(inverse[i * d + j]) * deviations[j];
            }
            for (index j = i + 1; j < d; ++j) inverse[i * d + j] = 0;
            grown = total > grown ? total : grown;
        }
        double* P = precision + k * block;
        for (index c = 0; c < d; ++c)
            for (index i = 0; i <= c; ++i) {
                const double left = inverse[c * d + i] * deviations[i];
#pragma omp simd
                for (index j = 0; j <= c; ++j) P[i * wide + j] += left * inverse[c * d + j] * deviations[j];
            }
        for (index i = 0; i < d; ++i) diagonal[k * side + i] = P[i * wide + i];
        diagonal[k * side + d] = 1.0;
        growth[k] = grown;
        return grown <= most_growth;
    }

    // The columns of a row's missing cells; returns how many.
    index columns(const double* x, std::uint64_t key, std::int32_t* own) const {
        index m = 0;
        if (d <= 64) {
            for (; key; key &= key - 1) own[m++] = static_cast<std::int32_t>(__builtin_ctzll(key));
        } else {
            for (index j = 0; j < d && key; ++j)
                if (x[j] != x[j]) own[m++] = static_cast<std::int32_t>(j);
        }
        return m;
    }

    index sorted(const index* counts, index count, index* order) { return by_holes(counts, count, d, ranks, order); }

    // Takes up the patterns of rows in the order that was found, the columns of each of which begin at a multiple of d. Keys
    // of more than 64 columns don't say which they are.
    void patterns(index k, const index* order, const std::uint64_t* keys, const std::int32_t* lists, const index* counts) {
        bool same = d <= 64 && owner == k;
        for (index l = 0; l < lanes; ++l) same &= keys[order[l]] == current[l];
        if (same) return;
        spread();
        owner = k;
        most = counts[order[lanes - 1]];
        for (index l = 0; l < lanes; ++l) {
            const index r = order[l];
            current[l] = keys[r];
            missing[l] = counts[r];
            for (index a = 0; a < most; ++a) gone[a * lanes + l] = a < counts[r] ? lists[r * d + a] : d;
        }
        const double *P = precision + k * block, *units = unit + k * side;
        for (index a = 0; a < most; ++a) {
            const index* column = gone + a * lanes;
            index row[lanes];
            for (index l = 0; l < lanes; ++l) row[l] = column[l] * wide;
            store(pivot + a * lanes, gather(diagonal + k * side, column));
            double* to = triangle + a * (a - 1) / 2 * lanes;
            for (index b = 0; b < a; ++b) {
                index at[lanes];
                for (index l = 0; l < lanes; ++l) at[l] = row[l] + gone[b * lanes + l];
                store(to + b * lanes, gather(P, at));
            }
        }
        vec unit_logs = {};
        for (index a = 0; a < most; ++a) unit_logs += gather(units, gone + a * lanes);
        store(logs, factorise(most, triangle, pivot, lanes) - unit_logs);
    }

    // P_mm^-1 v into `solved`, v the missing cells of P y; y (rows of `wide` cells, in units of the deviations) is zero
    // there, and beyond d.
    void solve(const index* order, const double* y) {
        const double* P = precision + owner * block;
        for (index a = 0; a < most; ++a) {
            vec sums[lanes];
            for (index l = 0; l < lanes; ++l) {
                const double *row = P + gone[a * lanes + l] * wide, *cells = y + order[l] * wide;
                sums[l] = load(row) * load(cells);
                for (index j = lanes; j < wide; j += lanes) sums[l] += load(row + j) * load(cells + j);
            }
            store(solved + a * lanes, sums_of(sums));
        }
        if (most > in_registers) solve_many();
        with_pivots(most, [&](auto number) PARZEN_INLINE {
            constexpr index M = decltype(number)::value;
            Pivots<M> pivots;
            vec v[M];
            pivots.read(triangle, pivot, lanes);
            unrolled<M>([&](auto a) PARZEN_INLINE { v[a] = load(solved + a * lanes); });
            pivots.reduce(v);
            pivots.solve_back(v);
            unrolled<M>([&](auto a) PARZEN_INLINE { store(solved + a * lanes, v[a]); });
        });
    }
    void solve_many() {
        for (index b = 0; b < most; ++b) {
            const vec s = load(solved + b * lanes);
            for (index a = b + 1; a < most; ++a)
                store(solved + a * lanes, load(solved + a * lanes) - load(triangle + (a * (a - 1) / 2 + b) * lanes) * s);
        }
        for (index a = 0; a < most; ++a) store(solved + a * lanes, load(solved + a * lanes) * load(pivot + a * lanes));
        for (index b = most - 1; b > 0; --b) {
            const vec s = load(solved + b * lanes);
            const double* row = triangle + b * (b - 1) / 2 * lanes;
            for (index a = 0; a < b; ++a) store(solved + a * lanes, load(solved + a * lanes) - load(row + a * lanes) * s);
        }
    }

    // Of `many` vectors in lanes (a cell every `many` numbers) those cells that the row of a lane misses: squares by P_mm^-1 and,
    // into `out` where that is not null, their products with P_mm^-1.
    void displaced(index lane, const double* vectors, index many, double* squares, double* out) {
        const index m = missing[lane];
        const double *U = triangle + lane, *D = pivot + lane;
        const index* column = gone + lane;
        if (m > in_registers) {
            for (index first = 0; first < many; first += lanes)
                store(squares + first, displaced_many(lane, vectors + first, many, out ? out + first : nullptr));
            return;
        }
        with_pivots(m, [&](auto number) PARZEN_INLINE {
            constexpr index M = decltype(number)::value;
            Pivots<M> P;
            unrolled<M>([&](auto a) PARZEN_INLINE { P.D[a] = splat(D[a * lanes]); });
            unrolled<M*(M - 1) / 2>([&](auto c) PARZEN_INLINE { P.U[c] = splat(U[c * lanes]); });
            for (index first = 0; first < many; first += lanes) {
                vec v[M];
                unrolled<M>([&](auto a) PARZEN_INLINE { v[a] = load(vectors + first + column[a * lanes] * many); });
                store(squares + first, P.reduce(v));
                if (!out) continue;
                P.solve_back(v);
                unrolled<M>([&](auto a) PARZEN_INLINE { store(out + first + a * many, v[a]); });
            }
        });
    }
    vec displaced_many(index lane, const double* vectors, index many, double* out) {
        const index m = missing[lane];
        const auto U = [&](index a, index b) { return splat(triangle[(a * (a - 1) / 2 + b) * lanes + lane]); };
        double* to = out ? out : aside.data;
        const index step = out ? many : lanes;
        vec total = {};
        for (index a = 0; a < m; ++a) {
            vec t = load(vectors + gone[a * lanes + lane] * many);
            for (index b = 0; b < a; ++b) t -= U(a, b) * load(to + b * step);
            total += t * t * splat(pivot[a * lanes + lane]);
            store(to + a * step, t);
        }
        for (index a = m - 1; out && a >= 0; --a) {
            vec t = load(to + a * step) * splat(pivot[a * lanes + lane]);
            for (index b = a + 1; b < m; ++b) t -= U(b, a) * load(to + b * step);
            store(to + a * step, t);
        }
        return total;
    }

    // Adds the conditional covariances of the last patterns (in units of the deviations, j <= i), with the weights held.
    void spread() {
        const vec w = load(held);
        if (sum_of(w) == 0) return;
        store(held, vec{});
        if (most > in_registers) invert_many();
        with_pivots(most, [&](auto number) PARZEN_INLINE {
            Pivots<decltype(number)::value> P;
            P.read(triangle, pivot, lanes);
            P.invert([&](index j, index i, vec t) PARZEN_INLINE { store(conditional(j, i), t); });
        });
        double* to = extra + owner * side * side;
        for (index j = 0; j < most; ++j)
            for (index i = 0; i <= j; ++i) {
                double more[lanes];
                store(more, w * load(conditional(j, i)));
                const index *row = gone + j * lanes, *column = gone + i * lanes;
                for (index l = 0; l < lanes; ++l) to[row[l] * side + column[l]] += more[l];
            }
    }
    double* conditional(index i, index j) { return covariance + (i * (i + 1) / 2 + j) * lanes; }  // j <= i
    void invert_many() {
        for (index i = most - 1; i >= 0; --i)
            for (index j = most - 1; j >= i; --j) {
                vec t = i == j ? load(pivot + i * lanes) : vec{};
                for (index c = i + 1; c < most; ++c)
                    t -= load(triangle + (c * (c - 1) / 2 + i) * lanes) * load(c > j ? conditional(c, j) : conditional(j, c));
                store(conditional(j, i), t);
            }
    }
    double spread_of(index k, index i, index j) const {  // j <= i
        return extra.data[(k * side + i) * side + j] * deviation.data[k * side + i] * deviation.data[k * side + j];
    }
};

}  // namespace parzen
