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
#include "holes.h"
#include "pivots.h"

namespace parzen {

// Log-densities of a row's observed cells, from squared distances `whole` of the row with its missing cells put at a point
// and what these had too much, `square`. All but `out` go on to whole vectors, with a loss of -infinity. Returns false, with
// NaN in the first of them, where that would lose too many digits.
inline bool observed_alone(index groups, index missing, const double* constant, const double* whole, const double* square,
                           const double* loss, const double* logs, double* out) {
    const vec most_loss = splat(1e6), rest = splat(half_log_two_pi * missing), one = splat(1.0);  // units in the last place
    vec lost = {};
    for (index first = 0; first < groups; first += lanes) {
        const vec all = load(whole + first), left = all - load(square + first);
        lost = (one + all) * load(loss + first) <= most_loss * (one + left) ? lost : splat(NAN);
        put(out + first, load(constant + first) - splat(0.5) * left + rest - load(logs + first), groups - first);
    }
    if (!bits_of_holes(lost)) return true;
    out[0] = NAN;
    return false;
}

// There are 2^bits slots for patterns: many where rows come in any order, few where those of one pattern follow one another.
struct Gaps {
    static constexpr index few = 4;               // patterns of at most `few` missing cells are kept there
    static constexpr index some = 16, places = 4 * lanes;  // and of at most `some`, for the rows of a tile
    static constexpr double most_growth = 1e3;    // of conditional means: its square is how much their rounding grows
    index d, groups, wide, bits, slots;           // members as lanes
    index room, more;                             // of a slot, and of a place in a tile
    Scratch<double> inverse, precision, scale, deviation, centre, unit, loss, lower;  // [cell * wide + member]
    Scratch<double> kept, solved, square;
    Scratch<index> columns, counts;               // of each slot: observed ones first, and how many are missing
    Scratch<std::uint64_t> keys;

    // The pattern at hand.
    std::uint64_t current = 0;
    index missing = 0;
    const index *gone = nullptr, *there = nullptr;
    double *triangle = nullptr, *pivot = nullptr, *logs = nullptr;

    Gaps(index columns_, index members, index bits_)
        : d(columns_), groups(members), wide(rounded_up(members, lanes)), bits(bits_), slots(index{1} << bits),
          room(cells(few) * wide), more(cells(d < some ? d : some) * wide), inverse(d * d * wide), precision(d * d * wide), scale(d * wide), deviation(d * wide),
          centre(d * wide), unit(d * wide), loss(wide), lower(d * d * wide),
          kept(slots * room + places * more + cells(d) * wide), solved(d * wide),
          square(wide), columns((slots + places + 1) * d), counts(slots + places + 1), keys(slots + places) {}
    static index cells(index missing) { return missing * (missing - 1) / 2 + missing + 1; }
    explicit operator bool() const {
        return inverse.data && precision.data && scale.data && deviation.data && centre.data && unit.data && loss.data && lower.data &&
               kept.data && solved.data && square.data &&
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
        for (index l = groups - first; l < lanes; ++l) most[l] = -INFINITY;
        store(loss + first, most);
    }

    // Takes up the pattern of a row, from its slot where it is there; `place` is that of the row in its tile. Returns whether
    // its factors are known.
    bool pattern(const double* x, std::uint64_t key, index place = 0) {
        if (d <= 64 && key && key == current) return true;
        current = key;
        const index number = __builtin_popcountll(key);
        const bool keep = d <= 64 && number <= some, short_one = number <= few;
        const index slot = !keep ? slots + places : short_one ? static_cast<index>((key * 0x9e3779b97f4a7c15ULL) >> (64 - bits)) : slots + place;
        index* own = columns + slot * d;
        const bool known = keep && keys[slot] == key;
        if (!known) {
            counts[slot] = split(x, key, own);
            if (keep) keys[slot] = key;
        }
        missing = counts[slot];
        there = own;
        gone = own + d - missing;
        logs = kept + (slot < slots ? slot * room : slots * room + (slot - slots) * more);
        pivot = logs + wide;
        triangle = pivot + missing * wide;
        return known;
    }

    // Columns that a row has, and those that it misses in descending order; returns how many it misses.
    index split(const double* x, std::uint64_t key, index* own) const {
        index next = 0, last = d;
        if (d <= 64) {
            for (std::uint64_t there = ~key & (~0ULL >> (64 - d)); there; there &= there - 1) own[next++] = __builtin_ctzll(there);
            for (; key; key &= key - 1) own[--last] = __builtin_ctzll(key);
        } else {
            for (index j = 0; j < d; ++j) {  // without a branch on cells
                const bool is_there = x[j] == x[j];
                own[is_there ? next : last - 1] = j;
                next += is_there;
                last -= !is_there;
            }
        }
        return d - next;
    }

    // P_mm = U D U', U with a diagonal of ones; half the log-determinant, less that of the units.
    void factorise() {
        if (missing > in_registers) over_members([&](index first) { factorise_many(first); });
        with_pivots(missing, [&](auto number) PARZEN_INLINE {
            Pivots<decltype(number)::value> P;
            for (index first = 0; first < wide; first += lanes) factorise(P, first);
        });
    }
    template <index M>
    PARZEN_INLINE void factorise(Pivots<M>& P, index first) {
        vec units = {};
        unrolled<M>([&](auto a) PARZEN_INLINE {
            const double* row = precision + gone[a] * d * wide + first;
            P.D[a] = load(row + gone[a] * wide);
            unrolled<a>([&](auto b) PARZEN_INLINE { P.U[P.at(a, b)] = load(row + gone[b] * wide); });
            units += load(unit + gone[a] * wide + first);
        });
        store(logs + first, splat(0.5) * logarithm(P.factorise()) - units);
        P.write(triangle + first, pivot + first, wide);
    }
    void factorise_many(index first) {
        vec units = {};
        double* to = triangle + first;
        for (index a = 0; a < missing; ++a) {
            const double* row = precision + gone[a] * d * wide + first;
            for (index b = 0; b < a; ++b, to += wide) store(to, load(row + gone[b] * wide));
            store(pivot + a * wide + first, load(row + gone[a] * wide));
            units += load(unit + gone[a] * wide + first);
        }
        store(logs + first, parzen::factorise(missing, triangle + first, pivot + first, wide) - units);
    }

    // U^-1 v into `solved`, and v' P_mm^-1 v.
    __attribute__((noinline)) void reduce(const double* x, bool known) {
        if (missing > in_registers) {
            if (!known) factorise();
            over_members([&](index first) { store(square + first, reduce_many(x, first)); });
        }
        with_pivots(missing, [&](auto number) PARZEN_INLINE {
            constexpr index M = decltype(number)::value;
            Pivots<M> P;
            vec v[M];
            for (index first = 0; first < wide; first += lanes) {
                products(x, 0, first, v);
                if (known) P.read(triangle + first, pivot + first, wide);
                else factorise(P, first);
                store(square + first, P.reduce(v));
                unrolled<M>([&](auto a) PARZEN_INLINE { store(solved + a * wide + first, v[a]); });
            }
        });
    }
    vec reduce_many(const double* x, index first) {
        constexpr index A = 4;
        vec total = {};
        for (index begin = 0; begin < missing; begin += A) {
            vec v[A];
            const index count = missing - begin < A ? missing - begin : A;
            products(x, count == A ? begin : missing - A, first, v);
            for (index s = 0; s < count; ++s) {
                const index a = begin + s;
                const double* own = triangle + a * (a - 1) / 2 * wide + first;
                vec t = v[s + A - count];
                for (index b = 0; b < a; ++b) t -= load(own + b * wide) * load(solved + b * wide + first);
                total += t * t * load(pivot + a * wide + first);
                store(solved + a * wide + first, t);
            }
        }
        return total;
    }

    // v, of A missing cells from the first.
    template <std::size_t A>
    PARZEN_INLINE void products(const double* x, index begin, index first, vec (&v)[A]) const {
        const double *row[A], *middle = centre.data + first, *scales = scale.data + first;
        const index *columns_there = there, observed = d - missing, step = wide;
        unrolled<A>([&](auto a) PARZEN_INLINE {
            v[a] = vec{};
            row[a] = precision.data + gone[begin + a] * d * wide + first;
        });
        for (index i = 0; i < observed; ++i) {
            const index at = columns_there[i] * step;
            const vec own = (splat(x[columns_there[i]]) - load(middle + at)) * load(scales + at);
            unrolled<A>([&](auto a) PARZEN_INLINE { v[a] += load(row[a] + at) * own; });
        }
    }

    // Whether conditional means keep their digits.
    bool exact() const {
        for (index k = 0; k < wide; ++k)
            if (!(loss.data[k] <= most_growth)) return false;
        return true;
    }

    // From what `reduce` leaves to conditional means: -P_mm^-1 v, in the columns' own units.
    void solve_back(double* out) {
        if (missing > in_registers) over_members([&](index first) { solve_back_many(first, out); });
        with_pivots(missing, [&](auto number) PARZEN_INLINE {
            constexpr index M = decltype(number)::value;
            Pivots<M> P;
            vec v[M];
            for (index first = 0; first < wide; first += lanes) {
                P.read(triangle + first, pivot + first, wide);
                unrolled<M>([&](auto a) PARZEN_INLINE { v[a] = load(solved + a * wide + first); });
                P.solve_back(v);
                unrolled<M>([&](auto a) PARZEN_INLINE { store(out + a * wide + first, -v[a] * load(deviation + gone[a] * wide + first)); });
            }
        });
    }
    void solve_back_many(index first, double* out) {
        for (index a = missing - 1; a >= 0; --a) {
            vec t = load(solved + a * wide + first) * load(pivot + a * wide + first);
            for (index b = a + 1; b < missing; ++b)
                t -= load(triangle + (b * (b - 1) / 2 + a) * wide + first) * load(solved + b * wide + first);
            store(solved + a * wide + first, t);
            store(out + a * wide + first, -t * load(deviation + gone[a] * wide + first));
        }
    }

    // Conditional means of the missing cells of the pattern at hand, less the members' means: out[a * wide + k].
    void fill(const double* x, double* out, bool known) {
        reduce(x, known);
        solve_back(out);
    }

    // extra[(i * d + j) * wide + k] += weight[k] times the conditional covariance, j <= i, in units of the deviations.
    __attribute__((noinline)) void spread(const double* weight, double* covariance, double* extra) const {
        const auto add = [&](index first, index j, index i, vec t) PARZEN_INLINE {  // gone[i] is the larger one
            double* to = extra + (gone[i] * d + gone[j]) * wide + first;
            store(to, load(to) + load(weight + first) * t);
        };
        if (missing > in_registers)
            over_members([&](index first) {
                invert_many(first, covariance, [&](index j, index i, vec t) { add(first, j, i, t); });
            });
        with_pivots(missing, [&](auto number) PARZEN_INLINE {
            Pivots<decltype(number)::value> P;
            for (index first = 0; first < wide; first += lanes) {
                if (!Chosen<double>(load(weight + first)).count) continue;
                P.read(triangle + first, pivot + first, wide);
                P.invert([&](index j, index i, vec t) PARZEN_INLINE { add(first, j, i, t); });
            }
        });
    }
    template <class Visit>
    void invert_many(index first, double* covariance, Visit visit) const {
        const auto C = [&](index i, index j) { return covariance + (i * (i + 1) / 2 + j) * lanes; };
        for (index i = missing - 1; i >= 0; --i) {
            const double* column = triangle + i * wide + first;  // below the diagonal of U
            for (index j = missing - 1; j >= i; --j) {
                vec t = i == j ? load(pivot + i * wide + first) : vec{};
                for (index c = i + 1; c < missing; ++c)
                    t -= load(column + c * (c - 1) / 2 * wide) * load(c > j ? C(c, j) : C(j, c));
                store(C(j, i), t);
                visit(j, i, t);
            }
        }
    }

    // Calls run(first) for each vector of members.
    template <class Run>
    inline void over_members(Run run) const {
        for (index first = 0; first < wide; first += lanes) run(first);
    }

    // Log-densities of a row's observed cells, from its squared distances when missing ones are put at the means.
    bool marginalise(const double* x, std::uint64_t key, const double* constant, const double* whole, double* out) {
        const bool known = pattern(x, key);
        if (missing == d) {
            std::memset(out, 0, sizeof(double) * groups);
            return true;
        }
        reduce(x, known);
        return observed_alone(groups, missing, constant, whole, square, loss, logs, out);
    }
};

}  // namespace parzen
