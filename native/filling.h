// Conditional means of missing cells, one Gaussian at a time; see gaps.h for the formulas. Rows are lanes, each with a pattern
// of its own: rows that miss fewer cells than others beside them are filled up with cells of no covariance and no weight.
// They come in the order of how many they miss, so that little is filled up.
// Where the next rows have the same patterns they share the factor P_mm = U D U', and their conditional covariance P_mm^-1
// is added once, with the sum of their weights.
#pragma once
#include "exp.h"
#include "holes.h"

namespace parzen {

struct Fillings {
    static constexpr double most_growth = 1e3;  // as in gaps.h
    index d, wide, groups, side, block;         // cell d is the one to fill up with
    Scratch<double> precision, diagonal, scale, deviation, unit, growth;             // of each covariance
    Scratch<double> triangle, pivot, logs, held, extra, solved, covariance;  // of the rows at hand: [cell * lanes + row]
    Scratch<index> gone, missing, ranks;
    Scratch<std::uint64_t> current;
    index owner = -1, most = 0;

    Fillings(index columns, index K)
        : d(columns), wide(rounded_up(columns, lanes)), groups(K), side(d + 1), block(side * wide + lanes),
          precision(K * block), diagonal(K * side), scale(K * wide), deviation(K * side), unit(K * side), growth(K),
          triangle(d * (d - 1) / 2 * lanes), pivot(d * lanes), logs(lanes), held(lanes), extra(K * side * side),
          solved(d * lanes), covariance(d * (d + 1) / 2 * lanes), gone(d * lanes), missing(lanes), ranks(d + 2), current(lanes) {}
    explicit operator bool() const {
        return precision.data && diagonal.data && scale.data && deviation.data && unit.data && growth.data && triangle.data &&
               pivot.data && logs.data && held.data && extra.data && solved.data && covariance.data && gone.data &&
               missing.data && ranks.data && current.data;
    }

    // Takes up a factor L (row by row) as covariance k; `inverse` becomes that of L. False where digits could be lost.
    bool prepare(index k, const double* L, double* inverse) {
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
    template <class T>
    index columns(const T* x, std::uint64_t key, std::int32_t* own) const {
        index m = 0;
        if (d <= 64) {
            for (; key; key &= key - 1) own[m++] = static_cast<std::int32_t>(__builtin_ctzll(key));
        } else {
            for (index j = 0; j < d && key; ++j)
                if (x[j] != x[j]) own[m++] = static_cast<std::int32_t>(j);
        }
        return m;
    }

    // Rows by how many cells they miss, those of equal numbers in the order in which they come; `order` is of `count` rows.
    // Returns how many miss none.
    index sorted(const index* counts, index count, index* order) {
        std::memset(ranks, 0, sizeof(index) * (d + 2));
        for (index r = 0; r < count; ++r) ++ranks[counts[r] + 1];
        const index none = ranks[1];
        for (index m = 1; m <= d; ++m) ranks[m] += ranks[m - 1];
        for (index r = 0; r < count; ++r) order[ranks[counts[r]]++] = r;
        return none;
    }

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
        vec total = {}, product = splat(1.0);
        for (index c = 0; c < most; ++c) {  // U D U', what is left of P_mm after column c
            const vec own = load(pivot + c * lanes), inverse = splat(1.0) / own;
            store(pivot + c * lanes, inverse);
            product *= own;
            total -= gather(units, gone + c * lanes);
            if (c % 8 == 7 || c + 1 == most) {  // before it could overflow
                total += splat(0.5) * logarithm(product);
                product = splat(1.0);
            }
            for (index a = c + 1; a < most; ++a) {
                double* row = triangle + a * (a - 1) / 2 * lanes;
                const vec t = load(row + c * lanes), scaled = t * inverse;
                for (index b = c + 1; b < a; ++b)
                    store(row + b * lanes, load(row + b * lanes) - t * load(triangle + (b * (b - 1) / 2 + c) * lanes));
                store(pivot + a * lanes, load(pivot + a * lanes) - t * scaled);
                store(row + c * lanes, scaled);
            }
        }
        store(logs, total);
    }

    // P_mm^-1 v into `solved`, v the missing cells of P y; y (rows of `wide` cells, in units of the deviations) is zero
    // there, and beyond d.
    void solve(const index* order, const double* y) {
        const double* P = precision + owner * block;
        std::memset(solved, 0, sizeof(double) * most * lanes);
        for (index l = 0; l < lanes; ++l)
            for (index a = 0; a < missing[l]; ++a) {
                const double *row = P + gone[a * lanes + l] * wide, *cells = y + order[l] * wide;
                vec sum = {};
                for (index j = 0; j < wide; j += lanes) sum += load(row + j) * load(cells + j);
                solved[a * lanes + l] = sum_of(sum);
            }
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

    // Of some vectors in lanes, U^-1 times their cells that the row of a lane misses, into `out` (a vector every `step`
    // numbers); returns their squares by P_mm^-1.
    inline vec reduced(index lane, const double* vectors, index step, double* out) const {
        const double *U = triangle.data + lane, *D = pivot.data + lane;
        const index* column = gone.data + lane;
        vec total = {};
        for (index a = 0; a < missing.data[lane]; ++a, U += (a - 1) * lanes) {
            vec t = load(vectors + column[a * lanes] * step);
            for (index b = 0; b < a; ++b) t -= splat(U[b * lanes]) * load(out + b * step);
            total += t * t * splat(D[a * lanes]);
            store(out + a * step, t);
        }
        return total;
    }

    // Adds the conditional covariances of the last patterns (in units of the deviations, j <= i), with the weights held.
    void spread() {
        const vec w = load(held);
        if (sum_of(w) == 0) return;
        store(held, vec{});
        double* to = extra + owner * side * side;
        const auto C = [&](index i, index j) { return covariance + (i * (i + 1) / 2 + j) * lanes; };
        for (index i = most - 1; i >= 0; --i)
            for (index j = most - 1; j >= i; --j) {
                vec t = i == j ? load(pivot + i * lanes) : vec{};
                for (index c = i + 1; c < most; ++c)
                    t -= load(triangle + (c * (c - 1) / 2 + i) * lanes) * load(c > j ? C(c, j) : C(j, c));
                store(C(j, i), t);
                const vec more = w * t;
                const index *row = gone + j * lanes, *column = gone + i * lanes;
                for (index l = 0; l < lanes; ++l) to[row[l] * side + column[l]] += more[l];
            }
    }
    double spread_of(index k, index i, index j) const {  // j <= i
        return extra.data[(k * side + i) * side + j] * deviation.data[k * side + i] * deviation.data[k * side + j];
    }
};

}  // namespace parzen
