// Which density a column has within its classes, by cross-validation over densities that it might have.
#include "held_out.h"
#include "likeliest_power.h"

PARZEN_EXPORT parzen::index parzen_normalise_f64(double*, parzen::index, parzen::index, const double*, parzen::index,
                                                 double*);
PARZEN_EXPORT parzen::index parzen_power_forward_f64(const double*, parzen::index, parzen::index, double, double, double,
                                                     double, double*, double*);

namespace parzen {
namespace {

// What is tried.
struct Rules {
    const index* bins;                          // numbers of bins, rising, and how many numbers
    index numbers;
    const double* masses;                       // pairs: shares of the rows, and rows, that make a value a point mass
    index levels;
    double strength;                            // rows that a prior adds to each value or bin
    index least_rows;                           // that any density but a Gaussian needs
    const double* scales;                       // that a transform is tried with
    index scale_count;
    double largest, tolerance;

    index most() const { return 1 + (levels + 1) * (2 + numbers); }
};

// Densities of a column; those of the last kind have as many bins.
enum Density : index { USUAL = -1, GAUSSIAN = 0, POWER = 1 };
constexpr index SUMS = 2;                       // of parzen_normalise_f64: the log of a row's sum
constexpr double TIED = 1e-12;                  // candidates whose mean scores differ by such a share are equal

// Means of values of cells, each of which some rows have, and their standard errors.
struct Mean {
    double value, error;
    template <class Value>
    Mean(const Cells& cells, Value value_of) {
        double rows = 0, sum = 0, squares = 0;
#pragma omp simd reduction(+ : rows, sum)
        for (index i = 0; i < cells.n; ++i) { rows += cells.count[i]; sum += cells.count[i] * value_of(i); }
        value = sum / rows;
#pragma omp simd reduction(+ : squares)
        for (index i = 0; i < cells.n; ++i) {
            const double off = value_of(i) - value;
            squares += cells.count[i] * off * off;
        }
        error = std::sqrt(squares / rows / rows);
    }
};

class Choice {
public:
    Choice(const Cells& cells, const Rules& rules, double* candidates)
        : cells_(cells), rules_(rules), candidates_(candidates), log_prior_(cells.groups), joint_(cells.n * cells.groups),
          sums_(cells.n), own_(rules.most() * cells.n), posterior_(rules.most() * cells.n), near_(rules.most()) {
        if (!*this) return;
        for (index i = 0; i < cells.n; ++i) log_prior_[cells.codes[i]] += cells.count[i];
        for (index k = 0; k < cells.groups; ++k) log_prior_[k] = std::log(log_prior_[k]);
    }
    explicit operator bool() const {
        return log_prior_ && joint_ && sums_ && own_ && posterior_ && near_;
    }
    index count() const { return count_; }

    // One more candidate, by its log-densities (n, groups).
    index add(const double* values, index level, index density) {
        const index n = cells_.n, groups = cells_.groups;
        double *own = own_ + count_ * n, *posterior = posterior_ + count_ * n, *found = candidates_ + 4 * count_;
        for (index i = 0; i < n; ++i) {
            const double value = values[i * groups + cells_.codes[i]];
            own[i] = value > 0 ? 0 : value;
        }
        std::memcpy(joint_, values, sizeof(double) * static_cast<std::size_t>(n * groups));
        if (parzen_normalise_f64(joint_, n, groups, log_prior_, SUMS, sums_) < 0) return NO_MEMORY;
        for (index i = 0; i < n; ++i) posterior[i] = joint_[i * groups + cells_.codes[i]] - sums_[i];
        found[0] = static_cast<double>(level);
        found[1] = static_cast<double>(density);
        found[2] = mean(own);
        found[3] = mean(posterior);
        ++count_;
        return OK;
    }

    // The best candidate, and by how much it is better than the first one: mean and standard error.
    void decide(double* found) {
        for (index c = 0; c < count_; ++c) near_[c] = 1;
        keep_near(posterior_, 3);
        keep_near(own_, 2);
        index best = 0;
        while (best < count_ && !near_[best]) ++best;
        const double *one = own_ + best * cells_.n, *usual = own_.data;
        const Mean gain(cells_, [&](index i) { return one[i] - usual[i]; });
        found[0] = static_cast<double>(best);
        found[1] = gain.value;
        found[2] = gain.error;
    }

private:
    double mean(const double* scores) const {
        double rows = 0, sum = 0;
#pragma omp simd reduction(+ : rows, sum)
        for (index i = 0; i < cells_.n; ++i) { rows += cells_.count[i]; sum += cells_.count[i] * scores[i]; }
        return sum / rows;
    }

    // Keep those candidates whose mean score, which stands at a place among what is written of them, is within a
    // standard error of the best one, or equal to it but for rounding (a power of 1 is none); the first where none has
    // one.
    void keep_near(const double* scores, index place) {
        index best = -1;
        double most = 0;
        for (index c = 0; c < count_; ++c) {
            if (!near_[c]) continue;
            const double value = candidates_[4 * c + place];
            near_[c] = std::isfinite(value);
            if (near_[c] && (best < 0 || value > most)) { best = c; most = value; }
        }
        const double* highest = scores + (best < 0 ? 0 : best) * cells_.n;
        for (index c = 0; c < count_; ++c) {
            if (!near_[c] || c == best) continue;
            const double* other = scores + c * cells_.n;
            const Mean shortfall(cells_, [&](index i) { return highest[i] - other[i]; });
            near_[c] = shortfall.value <= std::max(shortfall.error, TIED * std::abs(most));
        }
        if (best < 0) near_[0] = 1;
    }

    const Cells& cells_;
    const Rules& rules_;
    double* candidates_;
    Scratch<double> log_prior_, joint_, sums_, own_, posterior_;
    Scratch<index> near_;
    index count_ = 0;
};

// The likeliest power transform by some rows of cells: transformed cells, and the logarithms of the slopes.
index transform(const Cells& cells, const double* drawn, const Rules& rules, double* y, double* slopes) {
    const index n = cells.n;
    Scratch<double> x(n), count(n);
    Scratch<std::int32_t> codes(n);
    if (!x || !count || !codes) return NO_MEMORY;
    index kept = 0;
    for (index i = 0; i < n; ++i) {
        if (!drawn[i]) continue;
        const bool again = kept && x[kept - 1] == cells.x[i] && codes[kept - 1] == cells.codes[i];
        kept += !again;                         // cells of other folds are one here
        x[kept - 1] = cells.x[i];
        codes[kept - 1] = cells.codes[i];
        count[kept - 1] += drawn[i];
    }
    const double given[3] = {NAN, NAN, NAN};
    double found[3] = {1, x[0], 1};
    if (x[kept - 1] > x[0]) {
        const PowerSearch search{given, rules.scales, rules.scale_count, rules.largest, rules.tolerance};
        if (likeliest_power(x, codes, count, count, kept, cells.groups, search, found) != OK) return NO_MEMORY;
    }
    return parzen_power_forward_f64(cells.x, n, 1, found[0], found[1], found[2], rules.largest, y, slopes);
}

// The rows of cells from which their power transform is learnt.
struct Drawn {
    const index* place;                         // the cell of each of all rows
    index all;
    const index* rows;                          // by their number among those rows whose cell is one of these
    const index* ends;                          // of the rows for each level of point masses

    // How many of them each cell has, for those cells of a level that are `kept`.
    template <class Kept>
    index count(index level, Kept kept, double* counts) const {
        Scratch<index> own(all);
        if (!own) return NO_MEMORY;
        index size = 0;
        for (index t = 0; t < all; ++t)
            if (kept(place[t])) own[size++] = place[t];
        for (index r = ends[level]; r < ends[level + 1]; ++r) ++counts[own[rows[r]]];
        return OK;
    }
};

// Densities of cells to a unit of the values: add(values, density) for Gaussian, power transform and histograms.
template <class Add>
index densities(const Cells& cells, const double* drawn, const Rules& rules, double log_unit, Add add) {
    const index n = cells.n, groups = cells.groups, size = n * groups;
    const double rows = rows_of(cells);
    Scratch<double> values(size * (rules.numbers + 1)), y(n), slopes(n);
    if (!values || !y || !slopes || held_gaussian(cells, values) != OK) return NO_MEMORY;
    for (index i = 0; i < size; ++i) values[i] += log_unit;
    if (add(values.data, GAUSSIAN) != OK) return NO_MEMORY;
    if (!(cells.x[n - 1] > cells.x[0]) || rows < static_cast<double>(rules.least_rows)) return OK;

    if (transform(cells, drawn, rules, y, slopes) != OK) return NO_MEMORY;
    if (held_gaussian({y, cells.codes, cells.folds, cells.count, n, groups, cells.parts}, values) != OK) return NO_MEMORY;
    for (index i = 0; i < n; ++i)
        for (index k = 0; k < groups; ++k) values[i * groups + k] += slopes[i] + log_unit;
    if (add(values.data, POWER) != OK) return NO_MEMORY;

    index numbers = 0;
    while (numbers < rules.numbers && static_cast<double>(3 * rules.bins[numbers]) <= rows) ++numbers;
    const index status = numbers ? held_bins(cells, rules.bins, numbers, rules.strength, values) : OK;
    if (status < 0) return status;
    for (index i = 0; i < numbers * size; ++i) values[i] += log_unit;
    for (index b = 0; b < numbers && status == OK; ++b)
        if (add(values + b * size, rules.bins[b]) != OK) return NO_MEMORY;
    return OK;
}

// The least distance of two values, rounding aside: what they are recorded to.
double resolution(const Cells& cells) {
    const double largest = std::max(std::fabs(cells.x[0]), std::fabs(cells.x[cells.n - 1]));
    double least = HUGE_VAL;
    for (index i = 1; i < cells.n; ++i) {
        const double gap = cells.x[i] - cells.x[i - 1];
        if (gap > 1e-12 * largest && gap < least) least = gap;
    }
    return least < HUGE_VAL ? least : 1.0;
}

// Point masses at the frequent values, and densities of all others.
index with_masses(const Cells& cells, const std::int32_t* atoms, index masses, index level, const Drawn& drawn,
                  const Rules& rules, double log_unit, Choice& choice) {
    const index n = cells.n, groups = cells.groups;
    Scratch<double> shares(n * groups), values(n * groups), x(n), count(n), rows(n);
    Scratch<std::int32_t> codes(n), folds(n);
    Scratch<index> place(n);
    if (!shares || !values || !x || !count || !rows || !codes || !folds || !place) return NO_MEMORY;
    if (held_shares(cells, atoms, masses + 1, rules.strength, shares) != OK) return NO_MEMORY;
    if (drawn.count(level, [&](index i) { return atoms[i] == masses; }, rows) != OK) return NO_MEMORY;
    index others = 0;
    for (index i = 0; i < n; ++i) {
        if (atoms[i] < masses) continue;
        x[others] = cells.x[i];
        codes[others] = cells.codes[i];
        folds[others] = cells.folds[i];
        count[others] = cells.count[i];
        rows[others] = rows[i];
        place[others++] = i;
    }
    if (!others) return choice.add(shares, level, GAUSSIAN);
    const Cells rest{x, codes, folds, count, others, groups, cells.parts};
    return densities(rest, rows, rules, log_unit, [&](const double* found, index density) {
        std::memcpy(values, shares, sizeof(double) * static_cast<std::size_t>(n * groups));
        for (index r = 0; r < others; ++r)
            for (index k = 0; k < groups; ++k) values[place[r] * groups + k] += found[r * groups + k];
        return choice.add(values, level, density);
    });
}

// With `usual`, (n, groups), the column's usual density is a candidate, the first; else that is a Gaussian.
index choose(const Cells& cells, const Drawn& drawn, const Rules& rules, const double* usual, double* candidates,
             double* found) {
    Choice choice(cells, rules, candidates);
    Scratch<std::int32_t> atoms(cells.n);
    Scratch<double> rows(cells.n);
    Scratch<index> tried(rules.levels);
    if (!choice || !atoms || !rows || !tried) return NO_MEMORY;
    if (drawn.count(0, [](index) { return true; }, rows) != OK) return NO_MEMORY;
    const double log_unit = std::log(resolution(cells));
    if (usual && choice.add(usual, 0, USUAL) != OK) return NO_MEMORY;
    const auto plain = [&](const double* values, index density) { return choice.add(values, 0, density); };
    if (densities(cells, rows, rules, log_unit, plain) != OK) return NO_MEMORY;
    for (index level = 0; level < rules.levels; ++level) {
        const index masses = tried[level] = frequent(cells, rules.masses + 2 * level, atoms);
        bool seen = !masses;
        for (index before = 0; before < level; ++before) seen |= tried[before] == masses;
        if (seen) continue;
        if (with_masses(cells, atoms, masses, level + 1, drawn, rules, log_unit, choice) != OK) return NO_MEMORY;
    }
    choice.decide(found);
    return choice.count();
}

}  // namespace
}  // namespace parzen

// Writes the candidates, (count, 4): which level of point masses (0: none), which density, and the means of its held-out
// log-density and log-posterior of the class; and found[0 ... 2]: the best one, by how much it is better than the first,
// and the standard error of that. Cells are sorted by value; place[t] is that of row t. Power transforms are learnt from
// the rows drawn[ends[l] ... ends[l + 1] - 1] of those that are no point masses of level l. Returns how many candidates
// there are.
PARZEN_EXPORT parzen::index parzen_held_choice_f64(
    const double* x, const std::int32_t* codes, const std::int32_t* folds, const double* count, parzen::index n,
    parzen::index groups, parzen::index parts, const double* usual, const parzen::index* place, parzen::index all,
    const parzen::index* drawn, const parzen::index* ends, const parzen::index* bins, parzen::index numbers,
    const double* masses, parzen::index levels, double strength, parzen::index least_rows, const double* scales,
    parzen::index scale_count, double largest, double tolerance, double* candidates, double* found) {
    const parzen::Rules rules{bins,   numbers,     masses,  levels,   strength, least_rows,
                              scales, scale_count, largest, tolerance};
    return parzen::choose({x, codes, folds, count, n, groups, parts}, {place, all, drawn, ends}, rules, usual, candidates,
                          found);
}
