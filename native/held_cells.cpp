// The different cells of a column, with their classes, in folds that share out every class.
#include <utility>
#include "held_out.h"

namespace parzen {
namespace {

struct Row {
    std::uint64_t key;                          // in the order of the values
    std::int32_t code;
};

inline std::uint64_t key_of(double x) {
    const double one = x + 0.0;                 // zeros of both signs are one value
    std::uint64_t word;
    std::memcpy(&word, &one, sizeof word);
    return word >> 63 ? ~word : word | std::uint64_t{1} << 63;
}
inline double value_of(std::uint64_t key) {
    const std::uint64_t word = key >> 63 ? key & ~(std::uint64_t{1} << 63) : ~key;
    double x;
    std::memcpy(&x, &word, sizeof x);
    return x;
}

// Rows by value and class: sorted by one byte after the other, leaving out those in which all rows agree. The result is in
// one of both arrays.
Row* sorted(Row* rows, Row* other, index n) {
    const auto pass = [&](auto word_of) {
        std::uint64_t same = ~std::uint64_t{0}, any = 0;
        for (index i = 0; i < n; ++i) { same &= word_of(rows[i]); any |= word_of(rows[i]); }
        for (int shift = 0; shift < 64; shift += 8) {
            if (!((same ^ any) >> shift & 255)) continue;
            index begin[257] = {};
            for (index i = 0; i < n; ++i) ++begin[(word_of(rows[i]) >> shift & 255) + 1];
            for (int byte = 0; byte < 256; ++byte) begin[byte + 1] += begin[byte];
            for (index i = 0; i < n; ++i) other[begin[word_of(rows[i]) >> shift & 255]++] = rows[i];
            std::swap(rows, other);
        }
    };
    pass([](const Row& row) { return static_cast<std::uint64_t>(row.code); });
    pass([](const Row& row) { return row.key; });
    return rows;
}

// Rows `some` (all where there are none) of those that are known: their value is finite, and they have a class.
index pick(const double* x, index n, index stride, const std::int32_t* codes, index known, const index* some, index m,
           Row* rows) {
    Scratch<index> at(known < n ? known : 0);
    if (!at) return NO_MEMORY;
    if (known < n) {
        index count = 0;
        for (index i = 0; i < n; ++i)
            if (std::isfinite(x[i * stride]) && codes[i] >= 0) at[count++] = i;
    }
    for (index r = 0; r < m; ++r) {
        const index i = known < n ? at[some[r]] : some[r];
        rows[r] = {key_of(x[i * stride]), codes[i]};
    }
    return OK;
}

}  // namespace

// How many rows are known.
PARZEN_EXPORT index parzen_known_rows_f64(const double* x, index n, index stride, const std::int32_t* codes) {
    index known = 0;
    for (index i = 0; i < n; ++i) known += (x[i * stride] - x[i * stride] == 0) & (codes[i] >= 0);
    return known;
}

// Of m of the known rows: the different cells, by value, class and fold, how many rows have each, and the cell of each row.
// Rows go to the folds in turn, class by class, in a random order of the rows by value. And for each of some rules (share,
// rows) of point masses, how many rows are none. Returns how many cells there are.
PARZEN_EXPORT index parzen_held_cells_f64(const double* x, index n, index stride, const std::int32_t* codes,
                                          index groups, index known, const index* some, const index* order, index m,
                                          index parts, const double* masses, index levels, double* cells,
                                          std::int32_t* classes, std::int32_t* folds, double* count, index* place,
                                          index* others) {
    Scratch<Row> rows(m), other(m);
    Scratch<index> next(groups + 1), cell_of(m), tally(m * parts);
    Scratch<std::int32_t> atoms(m);
    if (!rows || !other || !next || !cell_of || !tally || !atoms) return NO_MEMORY;
    if (pick(x, n, stride, codes, known, some, m, rows) != OK) return NO_MEMORY;
    const Row* by_value = sorted(rows, other, m);
    const auto repeats = [&](index r) {            // the value and class of the row before
        return r > 0 && by_value[r].key == by_value[r - 1].key && by_value[r].code == by_value[r - 1].code;
    };
    index different = 0;
    for (index r = 0; r < m; ++r) {
        different += !repeats(r);
        cell_of[r] = different - 1;
        ++next[by_value[r].code + 1];
    }
    for (index k = 0; k < groups; ++k) next[k + 1] += next[k];
    for (index t = 0; t < m; ++t) {
        const index r = order[t], at = next[by_value[r].code]++;
        place[at] = cell_of[r] * parts + at % parts;
        ++tally[place[at]];
    }
    index held = 0;
    for (index r = 0; r < m; ++r) {
        if (repeats(r)) continue;
        for (index f = 0; f < parts; ++f) {
            index& slot = tally[cell_of[r] * parts + f];
            if (!slot) continue;
            cells[held] = value_of(by_value[r].key);
            classes[held] = by_value[r].code;
            folds[held] = static_cast<std::int32_t>(f);
            count[held] = static_cast<double>(slot);
            slot = held++;
        }
    }
    for (index t = 0; t < m; ++t) place[t] = tally[place[t]];
    const Cells found{cells, classes, folds, count, held, groups, parts};
    for (index level = 0; level < levels; ++level) {
        const index size = frequent(found, masses + 2 * level, atoms);
        others[level] = 0;
        for (index i = 0; i < held; ++i) others[level] += atoms[i] == size ? static_cast<index>(count[i]) : 0;
    }
    return held;
}

}  // namespace parzen
