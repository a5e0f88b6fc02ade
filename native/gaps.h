// Full Gaussians at rows with a few missing cells, without a factor of its own for each pattern of them. Put the missing
// cells at a point (the mean, say): with z = L^-1 (x - mean), P the inverse covariance and v the missing cells of
// P (x - mean),
//
//     |z|^2 - v' P_mm^-1 v     is the squared distance over the observed cells,
//     log|S| + log|P_mm|       the log-determinant of their covariance,
//
// and P_mm is as small as the number of missing cells. Columns are in units of their deviations, and members are lanes:
// all of them miss the same cells. What P_mm = U D U' gives is kept for patterns that come again. Since P is formed and
// squares are subtracted, rows that would lose digits are told, and left to the factors of split.h.
//
// For EM the missing cells are put at their conditional means, mean_m - P_mm^-1 v, whose conditional covariance is P_mm^-1.
// The squared distance of such a row is that over its observed cells: it is least there, so that no squares are subtracted
// and what rounding does to the means counts only squared.
#pragma once
#include "exp.h"

#include <type_traits>

namespace parzen {

// From log-densities of a row whose missing cells were put at a point to those of its observed cells: `square` is what the
// squared distances had too much. Returns false, with NaN in the first of them, where that would lose too many digits.
template <class Loss, class Logs>
inline bool observed_alone(index groups, index missing, const double* constant, const double* square, Loss loss, Logs logs,
                           double* out) {
    constexpr double most_loss = 1e6;  // of units in the last place
    const double two_pi = half_log_two_pi * missing;
    index lost = 0;
#pragma omp simd reduction(+ : lost)
    for (index k = 0; k < groups; ++k) {
        const double whole = 2.0 * (constant[k] - out[k]), left = whole - square[k];
        lost += !((1.0 + whole) * loss(k) <= most_loss * (1.0 + left));
        out[k] = constant[k] - 0.5 * left + two_pi - logs(k);
    }
    if (lost) out[0] = NAN;
    return !lost;
}

// There are 2^Bits slots for patterns: many where rows come in any order, few where those of one pattern follow one another.
template <int Bits>
struct Gaps {
    static constexpr index few = 4, slots = index{1} << Bits;  // patterns of at most `few` missing cells are kept there
    static constexpr index some = 16, places = 4 * lanes;  // and of at most `some`, for the rows of a tile
    static constexpr double most_growth = 1e3;    // of conditional means: its square is how much their rounding grows
    index d, groups, wide;                        // members as lanes
    index room, more;                             // of a slot, and of a place in a tile
    Scratch<double> inverse, precision, scale, deviation, centre, unit, loss, lower;  // [cell * wide + member]
    Scratch<double> kept, off, solved, weighted, square;
    Scratch<index> columns, counts;               // of each slot: observed ones first, and how many are missing
    Scratch<std::uint64_t> keys;

    // The pattern at hand.
    std::uint64_t current = 0;
    index missing = 0;
    const index *gone = nullptr, *there = nullptr;
    double *triangle = nullptr, *pivot = nullptr, *logs = nullptr;

    Gaps(index columns_, index members)
        : d(columns_), groups(members), wide(rounded_up(members, lanes)),
          room(cells(few) * wide), more(cells(d < some ? d : some) * wide), inverse(d * d * wide), precision(d * d * wide), scale(d * wide), deviation(d * wide),
          centre(d * wide), unit(d * wide), loss(wide), lower(d * d * wide),
          kept(slots * room + places * more + cells(d) * wide), off(d * wide), solved(d * wide), weighted(d * wide),
          square(wide), columns((slots + places + 1) * d), counts(slots + places + 1), keys(slots + places) {}
    static index cells(index missing) { return missing * (missing - 1) / 2 + missing + 1; }
    explicit operator bool() const {
        return inverse.data && precision.data && scale.data && deviation.data && centre.data && unit.data && loss.data && lower.data &&
               kept.data && off.data && solved.data && weighted.data && square.data &&
               columns.data && counts.data && keys.data;
    }

    // Inverses of the factors in units of the columns' deviations, and inverse covariances.
    void prepare(const double* mean, const double* factor) {
        for (index k = 0; k < wide; ++k) {
            const index own = k < groups ? k : 0;
            const double* L = factor + own * d * d;
            for (index i = 0; i < d; ++i) {
                double total = 0;
                for (index j = 0; j <= i; ++j) total += L[i * d + j] * L[i * d + j];
                const double own_deviation = std::sqrt(total);
                deviation[i * wide + k] = own_deviation;
                scale[i * wide + k] = 1.0 / own_deviation;
                unit[i * wide + k] = std::log(own_deviation);
                centre[i * wide + k] = mean[own * d + i];
                for (index j = 0; j <= i; ++j) lower[(i * d + j) * wide + k] = L[i * d + j] / own_deviation;
            }
        }
        for (index first = 0; first < wide; first += lanes) invert(first);
    }

    void invert(index first) {
        const auto at = [&](Scratch<double>& table, index i, index j) { return table + (i * d + j) * wide + first; };
        vec most = {};
        for (index j = 0; j < d; ++j)
            for (index i = j; i < d; ++i) {
                vec t = i == j ? splat(1.0) : vec{};
                for (index c = j; c < i; ++c) t -= load(at(lower, i, c)) * load(at(inverse, c, j));
                store(at(inverse, i, j), t / load(at(lower, i, i)));
            }
        for (index i = 0; i < d; ++i) {
            vec total = {};
            for (index j = 0; j <= i; ++j) {
                const vec t = load(at(inverse, i, j));
                total += t < vec{} ? -t : t;
                vec sum = {};
                for (index c = i; c < d; ++c) sum += load(at(inverse, c, i)) * load(at(inverse, c, j));
                store(at(precision, i, j), sum);
                store(at(precision, j, i), sum);
            }
            most = total > most ? total : most;
        }
        store(loss + first, most);
    }

    // Which cells of a row are missing, as bits (of rows of more than 64 columns, whether any is).
    template <class T>
    std::uint64_t bits(const T* x) const {
        std::uint64_t found = 0;
        for (index j = 0; j < d; ++j) found |= static_cast<std::uint64_t>(x[j] != x[j]) << (j & 63);
        return found;
    }

    // Takes up the pattern of a row, from its slot where it is there; `place` is that of the row in its tile.
    template <class T>
    void pattern(const T* x, std::uint64_t key, index place = 0) {
        if (d <= 64 && key && key == current) return;
        current = key;
        const index number = __builtin_popcountll(key);
        const bool keep = d <= 64 && number <= some, short_one = number <= few;
        const index slot = !keep ? slots + places : short_one ? static_cast<index>((key * 0x9e3779b97f4a7c15ULL) >> (64 - Bits)) : slots + place;
        index* own = columns + slot * d;
        const bool known = keep && keys[slot] == key;
        if (!known) {
            index next = 0, last = d;  // without a branch on cells; the missing ones in descending order
            for (index j = 0; j < d; ++j) {
                const bool is_there = x[j] == x[j];
                own[is_there ? next : last - 1] = j;
                next += is_there;
                last -= !is_there;
            }
            counts[slot] = d - next;
            if (keep) keys[slot] = key;
        }
        missing = counts[slot];
        there = own;
        gone = own + d - missing;
        logs = kept + (slot < slots ? slot * room : slots * room + (slot - slots) * more);
        pivot = logs + wide;
        triangle = pivot + missing * wide;
        if (known) return;
        over_members([&](index first, auto vectors) { factorise<decltype(vectors)::value>(first); });
    }

    // P_mm = U D U', U with a diagonal of ones; half the log-determinant, less that of the units.
    template <index V>
    __attribute__((noinline)) void factorise(index first) {
        vec total[V] = {}, product[V];
        for (index v = 0; v < V; ++v) product[v] = splat(1.0);
        for (index a = 0; a < missing; ++a) {
            const double* row = precision + gone[a] * d * wide + first;
            double* to = triangle + a * (a - 1) / 2 * wide + first;
            vec own[V];
            for (index v = 0; v < V; ++v) own[v] = load(row + gone[a] * wide + v * lanes);
            for (index b = 0; b < a; ++b) {
                const double* earlier = triangle + b * (b - 1) / 2 * wide + first;
                vec t[V];
                for (index v = 0; v < V; ++v) t[v] = load(row + gone[b] * wide + v * lanes);
                for (index c = 0; c < b; ++c)
                    for (index v = 0; v < V; ++v)
                        t[v] -= load(weighted + c * wide + first + v * lanes) * load(earlier + c * wide + v * lanes);
                for (index v = 0; v < V; ++v) {
                    const vec scaled = t[v] * load(pivot + b * wide + first + v * lanes);
                    store(weighted + b * wide + first + v * lanes, t[v]);
                    store(to + b * wide + v * lanes, scaled);
                    own[v] -= t[v] * scaled;
                }
            }
            for (index v = 0; v < V; ++v) {
                store(pivot + a * wide + first + v * lanes, splat(1.0) / own[v]);
                product[v] *= own[v];
                total[v] -= load(unit + gone[a] * wide + first + v * lanes);
                if (a % 8 == 7 || a + 1 == missing) {  // before it could overflow
                    total[v] += splat(0.5) * logarithm(product[v]);
                    product[v] = splat(1.0);
                }
            }
        }
        for (index v = 0; v < V; ++v) store(logs + first + v * lanes, total[v]);
    }

    // v' P_mm^-1 v of V vectors of members.
    template <index V, class T>
    inline void reduce(const T* x, index first) {
        const index observed = d - missing;
        const double *middle = centre + first, *scales = scale + first;
        double* to = off + first;
        for (index i = 0; i < observed; ++i) {
            const index at = there[i] * wide;
            const vec cell = splat(x[there[i]]);
            for (index v = 0; v < V; ++v)
                store(to + i * wide + v * lanes, (cell - load(middle + at + v * lanes)) * load(scales + at + v * lanes));
        }
        index done = 0;
        for (constexpr index A = V == 3 ? 2 : 4; missing - done >= A; done += A) products<V, A>(done, first);
        for (; done < missing; ++done) products<V, 1>(done, first);
        vec total[V] = {};
        for (index a = 0; a < missing; ++a) {
            const double* own = triangle + a * (a - 1) / 2 * wide + first;
            vec t[V];
            for (index v = 0; v < V; ++v) t[v] = load(weighted + a * wide + first + v * lanes);
            for (index b = 0; b < a; ++b)
                for (index v = 0; v < V; ++v)
                    t[v] -= load(own + b * wide + v * lanes) * load(solved + b * wide + first + v * lanes);
            for (index v = 0; v < V; ++v) {
                total[v] += t[v] * t[v] * load(pivot + a * wide + first + v * lanes);
                store(solved + a * wide + first + v * lanes, t[v]);
            }
        }
        for (index v = 0; v < V; ++v) store(square + first + v * lanes, total[v]);
    }

    // v, of A missing cells and F vectors of covariances: as many chains as hide the latency of an addition.
    template <index F, index A>
    inline void products(index a, index from) {
        vec sum[A][F] = {};
        const double *row[A], *cells = off + from;
        const index *at_column = there, observed = d - missing;
        for (index s = 0; s < A; ++s) row[s] = precision + gone[a + s] * d * wide + from;
        for (index i = 0; i < observed; ++i) {
            const index at = at_column[i] * wide;
            for (index v = 0; v < F; ++v) {
                const vec own = load(cells + i * wide + v * lanes);
                for (index s = 0; s < A; ++s) sum[s][v] += load(row[s] + at + v * lanes) * own;
            }
        }
        for (index s = 0; s < A; ++s)
            for (index v = 0; v < F; ++v) store(weighted + (a + s) * wide + from + v * lanes, sum[s][v]);
    }

    // Whether conditional means keep their digits.
    bool exact() const {
        for (index k = 0; k < wide; ++k)
            if (!(loss.data[k] <= most_growth)) return false;
        return true;
    }

    // From what `reduce` leaves to P_mm^-1 v, in the columns' own units and with the sign of conditional means.
    template <index V>
    inline void solve_back(index first, double* out, index step, index next) {
        for (index a = missing - 1; a >= 0; --a) {
            vec t[V];
            for (index v = 0; v < V; ++v) t[v] = load(solved + a * wide + first + v * lanes) * load(pivot + a * wide + first + v * lanes);
            for (index b = a + 1; b < missing; ++b)
                for (index v = 0; v < V; ++v)
                    t[v] -= load(triangle + (b * (b - 1) / 2 + a) * wide + first + v * lanes) * load(solved + b * wide + first + v * lanes);
            for (index v = 0; v < V; ++v) {
                const index at = first + v * lanes, here = groups - at < lanes ? groups - at : lanes;
                store(solved + a * wide + at, t[v]);
                const vec value = -t[v] * load(deviation + gone[a] * wide + at);
                for (index l = 0; l < here; ++l) out[(at + l) * step + gone[a] * next] = value[l];
            }
        }
    }

    // Conditional means of the missing cells of the pattern at hand, less the members' means:
    // out[k * step + gone[a] * next].
    template <class T>
    void fill(const T* x, double* out, index step, index next) {
        over_members([&](index first, auto number) { reduce<decltype(number)::value>(x, first); });
        over_members([&](index first, auto number) { solve_back<decltype(number)::value>(first, out, step, next); });
    }

    // extra[(i * d + j) * wide + k] += weight[k] times the conditional covariance, j <= i, in units of the deviations.
    // Row by row from the last one: C = D^-1 U^-1 - (U' - 1) C, of which the part above the diagonal is not needed.
    __attribute__((noinline)) void spread(const double* weight, double* covariance, double* extra) const {
        for (index first = 0; first < wide; first += lanes) {
            const vec w = load(weight + first);
            double total = 0;
            for (index l = 0; l < lanes; ++l) total += w[l];
            if (total == 0) continue;
            const auto C = [&](index i, index j) { return covariance + (i * (i + 1) / 2 + j) * lanes; };
            for (index i = missing - 1; i >= 0; --i) {
                const double* column = triangle + i * wide + first;  // below the diagonal of U
                for (index j = missing - 1; j >= i; --j) {
                    vec t = i == j ? load(pivot + i * wide + first) : vec{};
                    for (index c = i + 1; c < missing; ++c)
                        t -= load(column + c * (c - 1) / 2 * wide) * load(c > j ? C(c, j) : C(j, c));
                    store(C(j, i), t);
                    double* to = extra + (gone[i] * d + gone[j]) * wide + first;  // gone[i] is the larger one
                    store(to, load(to) + w * t);
                }
            }
        }
    }

    // Calls run(first, V) for vectors of members, three at a time.
    template <class Run>
    inline void over_members(Run run) const {
        index first = 0;
        for (; wide - first >= 3 * lanes; first += 3 * lanes) run(first, std::integral_constant<index, 3>());
        if (wide - first == 2 * lanes) run(first, std::integral_constant<index, 2>());
        if (wide - first == lanes) run(first, std::integral_constant<index, 1>());
    }

    // Log-densities of a row whose missing cells are put at the means become those of its observed cells.
    template <class T>
    bool marginalise(const T* x, std::uint64_t key, const double* constant, double* out) {
        pattern(x, key);
        if (missing == d) {
            std::memset(out, 0, sizeof(double) * groups);
            return true;
        }
        over_members([&](index first, auto number) { reduce<decltype(number)::value>(x, first); });
        const double *lost = loss, *half = logs;
        return observed_alone(groups, missing, constant, square, [=](index k) { return lost[k]; },
                              [=](index k) { return half[k]; }, out);
    }
};

}  // namespace parzen
