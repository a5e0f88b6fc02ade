// Densities of one column that are looked up between sorted values: histograms, and point masses.
#include "common.h"

namespace parzen {
namespace {

// How many of m sorted values are at most x (`below`: less than x): as many steps and no branches, whatever the values.
template <bool below>
inline index rank(const double* sorted, index m, double x) {
    const auto left_of = [x](double value) { return static_cast<index>(below ? value < x : value <= x); };
    const double* base = sorted;
    index left = m;
    for (; left > 1; left -= left / 2) base += left_of(base[left / 2 - 1]) * (left / 2);
    return base - sorted + (left ? left_of(*base) : 0);
}

inline std::uint64_t word_of(index value) { return static_cast<std::uint64_t>(value); }
inline std::uint64_t word_of(std::int32_t value) { return static_cast<std::uint64_t>(value); }

// Missing cells are one word, zeros of both signs are two.
inline std::uint64_t word_of(double value) {
    const double one = value == value ? value : NAN;
    std::uint64_t word;
    std::memcpy(&word, &one, sizeof word);
    return word;
}

// The place of each cell among the different values of a column as they first appear, and the row of each of these;
// returns how many there are, 0 where they are more than `most`.
template <class T>
index different(const T* x, index n, index stride, index most, index* firsts, std::int32_t* places) {
    int bits = 3;
    while ((index{1} << bits) < 4 * most) ++bits;
    Scratch<std::int32_t> table(index{1} << bits);             // place + 1 of the value in each slot, 0 where it is free
    Scratch<std::uint64_t> seen(most);
    if (!table || !seen) return NO_MEMORY;
    const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
    index count = 0;
    for (index i = 0; i < n; ++i) {
        const std::uint64_t word = word_of(x[i * stride]);
        std::uint64_t slot = word * 0x9e3779b97f4a7c15ULL >> (64 - bits);
        while (table[slot] && seen[table[slot] - 1] != word) slot = (slot + 1) & mask;
        if (!table[slot]) {
            if (count == most) return 0;
            seen[count] = word;
            firsts[count] = i;
            table[slot] = static_cast<std::int32_t>(++count);
        }
        places[i] = table[slot] - 1;
    }
    return count;
}

}  // namespace

#define PARZEN_DIFFERENT(T, suffix)                                                                                   \
    PARZEN_EXPORT index parzen_different_##suffix(const T* x, index n, index stride, index most, index* firsts,       \
                                                  std::int32_t* places) {                                             \
        return different(x, n, stride, most, firsts, places);                                                         \
    }

PARZEN_DIFFERENT(double, f64)
PARZEN_DIFFERENT(std::int32_t, i32)
PARZEN_DIFFERENT(index, i64)

// out[i, k] += table[places[i], k].
PARZEN_EXPORT index parzen_add_places_f64(const std::int32_t* places, index n, index groups, const double* table,
                                          double* out) {
    for (index i = 0; i < n; ++i) {
        const double* row = table + places[i] * groups;
        for (index k = 0; k < groups; ++k) out[i * groups + k] += row[k];
    }
    return OK;
}

// Bin of each value between m inner edges, -1 where it is missing. Returns 1 where a value lies outside of both ends or is
// infinite, or where all are missing.
PARZEN_EXPORT index parzen_bin_places_f64(const double* x, index n, index stride, const double* inner, index m,
                                          double low, double high, std::int32_t* out) {
    bool known = false, outside = false;
    for (index i = 0; i < n; ++i) {
        const double value = x[i * stride];
        known |= value == value;
        outside |= value < low || value > high || std::fabs(value) == HUGE_VAL;
        out[i] = static_cast<std::int32_t>(value != value ? -1 : rank<false>(inner, m, value));
    }
    return !known || outside;
}

// Place of each value among m sorted ones: m where it is none of them, -1 where it is missing; rest[i] is a value that
// is none of them, else missing.
PARZEN_EXPORT index parzen_mass_places_f64(const double* x, index n, index stride, const double* at, index m,
                                           std::int32_t* out, double* rest) {
    for (index i = 0; i < n; ++i) {
        const double value = x[i * stride];
        const index found = rank<true>(at, m, value);
        const bool mass = found < m && at[found] == value;
        out[i] = static_cast<std::int32_t>(value != value ? -1 : mass ? found : m);
        rest[i] = mass ? NAN : value;
    }
    return OK;
}

// out[i, k]: log-density of a histogram, table[b, k] in bin b of `size` (log mass less log width), less the distance
// from the inner edge in units of `length` where an outer bin is open. A missing cell has 0, one outside minus infinity.
// The last bin has its right edge.
PARZEN_EXPORT index parzen_bin_lookup_f64(const double* x, index n, index stride, const double* edges, index size,
                                          index groups, const double* table, double length, double* out) {
    const bool open_left = edges[0] == -HUGE_VAL, open_right = edges[size] == HUGE_VAL;
    for (index i = 0; i < n; ++i) {
        const double value = x[i * stride];
        double* row = out + i * groups;
        if (value != value) {
            for (index k = 0; k < groups; ++k) row[k] = 0;
            continue;
        }
        if (!(value >= edges[0] && value <= edges[size])) {
            for (index k = 0; k < groups; ++k) row[k] = -HUGE_VAL;
            continue;
        }
        const index inner = rank<false>(edges + 1, size - 1, value);
        double less = 0;
        if (inner == 0 && open_left) less = std::fabs(value - edges[1]) / length;
        if (inner == size - 1 && open_right) less = std::fabs(value - edges[size - 1]) / length;
        for (index k = 0; k < groups; ++k) row[k] = table[inner * groups + k] - less;
    }
    return OK;
}

// Rows of the log-density of other values, (n, groups), become those of a density with point masses at m sorted values:
// masses[a, k] at value a, masses[m, k] more elsewhere. A missing cell has 0.
PARZEN_EXPORT index parzen_mass_lookup_f64(const double* x, index n, index stride, const double* at, index m,
                                           index groups, const double* masses, double* out) {
    for (index i = 0; i < n; ++i) {
        const double value = x[i * stride];
        double* row = out + i * groups;
        const index found = rank<true>(at, m, value);
        const bool mass = found < m && at[found] == value;
        const double* add = masses + (mass ? found : m) * groups;
        for (index k = 0; k < groups; ++k) row[k] = value != value ? 0 : mass ? add[k] : row[k] + add[k];
    }
    return OK;
}

}  // namespace parzen
