// Held-out log-densities of one column within its classes: every cell under densities that are fitted to the other folds.
//
// Cells have a value, a class and a fold each, and a count: how many rows have them. Results are (n, groups) arrays: the
// log-density of each cell under each class, by the rows of that class in the folds other than the cell's own.
#pragma once
#include <algorithm>
#include "log.h"

namespace parzen {

struct Cells {                                  // different ones, sorted by value
    const double* x;
    const std::int32_t* codes;
    const std::int32_t* folds;
    const double* count;
    index n, groups, parts;                     // parts: the number of folds
    index slots() const { return groups * parts; }
    index slot(index i) const { return codes[i] * parts + folds[i]; }
};

inline double rows_of(const Cells& cells) {
    double rows = 0;
    for (index i = 0; i < cells.n; ++i) rows += cells.count[i];
    return rows;
}

// The place of each cell among the values that a share of all rows have, and so many rows, at least; their number where it
// is none of them. Returns that.
inline index frequent(const Cells& cells, const double* share_and_rows, std::int32_t* atoms) {
    const double all = rows_of(cells);
    index found = 0;
    for (index begin = 0, end = 0; begin < cells.n; begin = end) {
        double here = 0;
        for (end = begin; end < cells.n && cells.x[end] == cells.x[begin]; ++end) here += cells.count[end];
        const bool mass = here >= share_and_rows[0] * all && here >= share_and_rows[1];
        for (index i = begin; i < end; ++i) atoms[i] = mass ? static_cast<std::int32_t>(found) : -1;
        found += mass;
    }
    for (index i = 0; i < cells.n; ++i) atoms[i] = atoms[i] < 0 ? static_cast<std::int32_t>(found) : atoms[i];
    return found;
}

// Student's t of the values: the predictive density of a Gaussian in each class, with a prior that weighs little.
inline index held_gaussian(const Cells& cells, double* out) {
    const index n = cells.n, groups = cells.groups, parts = cells.parts, slots = cells.slots();
    Scratch<double> sums(3 * slots + groups), parameters(4 * slots), squares(rounded_up(n, lanes));
    if (!sums || !parameters || !squares) return NO_MEMORY;
    double *rows = sums, *first = sums + slots, *second = sums + 2 * slots, *mean = sums + 3 * slots;
    double middle = 0, unit = 0, all = 0;
    for (index i = 0; i < n; ++i) {
        const double count = cells.count[i], value = count * cells.x[i];
        rows[cells.slot(i)] += count;
        mean[cells.codes[i]] += value;
        middle += value;
        all += count;
    }
    middle /= all;
    for (index k = 0; k < groups; ++k) {
        double count = 0;
        for (index f = 0; f < parts; ++f) count += rows[k * parts + f];
        mean[k] = count > 0 ? mean[k] / count : middle;
    }
    for (index i = 0; i < n; ++i) {
        const double off = cells.x[i] - mean[cells.codes[i]], away = cells.x[i] - middle, count = cells.count[i];
        first[cells.slot(i)] += count * off;
        second[cells.slot(i)] += count * off * off;
        unit += count * away * away;
    }
    unit /= all * static_cast<double>(groups * groups);
    double *centre = parameters, *scale = parameters + slots, *dof = parameters + 2 * slots,
           *constant = parameters + 3 * slots;
    for (index k = 0; k < groups; ++k) {
        double all_rows = 0, all_squares = 0;
        for (index f = 0; f < parts; ++f) { all_rows += rows[k * parts + f]; all_squares += second[k * parts + f]; }
        for (index f = 0; f < parts; ++f) {
            const index s = k * parts + f;
            const double others = all_rows - rows[s];
            // The sum of all folds about their mean is zero; that of the others is minus the fold's own.
            const double shift = others > 0 ? -first[s] / others : middle - mean[k];
            const double scatter = std::max(all_squares - second[s] - others * shift * shift, 0.0);
            dof[s] = others + 3;
            scale[s] = std::sqrt((scatter + unit) / dof[s] * (1 + 1 / (others + 0.01)));
            centre[s] = shift + mean[k];
            constant[s] = std::lgamma(0.5 * (dof[s] + 1)) - std::lgamma(0.5 * dof[s]) -
                          0.5 * std::log(pi * dof[s]) - std::log(scale[s]);
        }
    }
    for (index k = 0; k < groups; ++k) {
        for (index i = 0; i < n; ++i) {
            const index s = k * parts + cells.folds[i];
            const double u = (cells.x[i] - centre[s]) / scale[s];
            squares[i] = u * u / dof[s];
        }
        for (index i = 0; i < n; i += lanes) store(squares + i, log_one_plus(load(squares + i)));
        for (index i = 0; i < n; ++i) {
            const index s = k * parts + cells.folds[i];
            out[i * groups + k] = constant[s] - 0.5 * (dof[s] + 1) * squares[i];
        }
    }
    return OK;
}

// Logs of the shares of slots (0 ... size - 1) in each class, with `strength` cells more in each: (groups, size).
inline void log_shares(const double* counts, index groups, index size, double strength, double* out) {
    for (index k = 0; k < groups; ++k) {
        double total = 0;
        for (index s = 0; s < size; ++s) total += counts[k * size + s] + strength;
        for (index s = 0; s < size; ++s) out[k * size + s] = std::log((counts[k * size + s] + strength) / total);
    }
}

// Log-probability of each cell's slot.
inline index held_shares(const Cells& cells, const std::int32_t* slots, index size, double strength, double* out) {
    const index groups = cells.groups, table = groups * size;
    Scratch<double> tallies((cells.parts + 1) * table), others(table), shares(cells.parts * table);
    if (!tallies || !others || !shares) return NO_MEMORY;
    double* all = tallies + cells.parts * table;
    for (index i = 0; i < cells.n; ++i) {
        const index at = cells.codes[i] * size + slots[i];
        tallies[cells.folds[i] * table + at] += cells.count[i];
        all[at] += cells.count[i];
    }
    for (index f = 0; f < cells.parts; ++f) {
        for (index s = 0; s < table; ++s) others[s] = all[s] - tallies[f * table + s];
        log_shares(others, groups, size, strength, shares + f * table);
    }
    for (index i = 0; i < cells.n; ++i) {
        const double* own = shares + cells.folds[i] * table + slots[i];
        for (index k = 0; k < groups; ++k) out[i * groups + k] = own[k * size];
    }
    return OK;
}

// Inner edges of `count` bins of about equal counts of n sorted values, of which upto[i] are at most sorted[i]; with too
// few, of twice as many, up to `most`.
inline index equal_edges(const double* sorted, const index* upto, index n, index count, index most, double* edges) {
    const index rows = upto[n - 1];
    for (;; count *= 2) {
        index m = 0, i = 0;
        for (index b = 1; b < count; ++b) {
            while (upto[i] <= b * rows / count) ++i;
            const double x = sorted[i];
            if (!m || x != edges[m - 1]) edges[m++] = x;
        }
        if (m >= 2) return m;
        if (count < most) continue;
        const double inner = m ? edges[0] : sorted[0], ends[3] = {sorted[0], inner, sorted[n - 1]};
        m = 0;
        for (double x : ends)
            if (!m || x != edges[m - 1]) edges[m++] = x;
        return m;
    }
}

// Histograms of bins of equal counts, open at both ends, for each of several numbers of bins: (numbers, n, groups).
// Returns 1 where a fold holds every cell.
inline index held_bins(const Cells& cells, const index* counts, index numbers, double strength, double* out) {
    const index n = cells.n, groups = cells.groups;
    index most = 4;
    for (index c = 0; c < numbers; ++c) most = counts[c] > most ? counts[c] : most;
    Scratch<double> train(n), edges(2 * most + 4), tallies(2 * groups * (2 * most + 4)), heights(2 * most + 4);
    Scratch<std::int32_t> bins(n);
    Scratch<index> upto(n), out_of(n);
    if (!upto || !out_of || !train || !edges || !tallies || !heights || !bins) return NO_MEMORY;
    for (index f = 0; f < cells.parts; ++f) {
        index held = 0;
        index kept = 0, rows = 0;
        for (index i = 0; i < n; ++i) {
            const bool out = cells.folds[i] == f;   // folds are random: branches on them would be guessed wrongly
            rows += out ? 0 : static_cast<index>(cells.count[i]);
            train[kept] = cells.x[i];
            upto[kept] = rows;
            out_of[held] = i;
            kept += !out;
            held += out;
        }
        if (!rows) return 1;
        for (index c = 0; c < numbers; ++c) {
            const index m = equal_edges(train, upto, kept, counts[c], counts[numbers - 1], edges), size = m + 1;
            double *seen = tallies, *shares = tallies + groups * size;
            std::memset(seen, 0, sizeof(double) * static_cast<std::size_t>(groups * size));
            const double length = edges[m - 1] - edges[0];
            heights[0] = heights[m] = -std::log(length);
            for (index b = 1; b < m; ++b) heights[b] = -std::log(edges[b] - edges[b - 1]);
            index b = 0;
            for (index i = 0; i < n; ++i) {
                while (b < m && cells.x[i] >= edges[b]) ++b;
                bins[i] = static_cast<std::int32_t>(b);
                seen[cells.codes[i] * size + b] += cells.folds[i] != f ? cells.count[i] : 0;
            }
            log_shares(seen, groups, size, strength, shares);
            double* values = out + c * n * groups;
            for (index h = 0; h < held; ++h) {
                const index i = out_of[h], own = bins[i];
                double height = heights[own];
                if (own == 0) height -= std::fabs(cells.x[i] - edges[0]) / length;
                if (own == m) height -= std::fabs(cells.x[i] - edges[m - 1]) / length;
                for (index k = 0; k < groups; ++k) values[i * groups + k] = shares[k * size + own] + height;
            }
        }
    }
    return OK;
}

}  // namespace parzen
