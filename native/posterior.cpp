// Decisions and posterior probabilities from log-densities of K classes, rows of an (n, K) block in place.
//
// A row of density zero under every class (all of its log-densities are minus infinity) has the priors as posteriors.
// Each routine returns how many rows have no finite largest value, so that the caller can find out why.
#include "exp.h"

namespace parzen {
namespace {

inline bool finite(double x) { return x - x == 0; }

// The largest of a row's values, once the priors are added.
inline double add_prior(double* row, const double* prior, index groups) {
    double most = -HUGE_VAL;
    bool nan = false;
    for (index k = 0; k < groups; ++k) {
        row[k] += prior[k];
        nan |= row[k] != row[k];
        most = row[k] > most ? row[k] : most;
    }
    return nan ? NAN : most;
}

// Rows side by side in vector lanes, one class after the other.
index largest(const double* values, index n, index groups, const double* prior, index* codes) {
    constexpr index vectors = 2, tile = vectors * lanes;
    index likeliest = 0, odd = 0;
    for (index k = 1; k < groups; ++k) likeliest = prior[k] > prior[likeliest] ? k : likeliest;
    const vec one = splat(1.0);
    for (index i = 0; i < n; i += tile) {
        const index rows = n - i < tile ? n - i : tile;
        const double* row[tile];  // those beyond the last repeat it
        for (index r = 0; r < tile; ++r) row[r] = values + (i + (r < rows ? r : rows - 1)) * groups;
        vec best[vectors], at[vectors] = {}, nan[vectors] = {};
        for (index v = 0; v < vectors; ++v) best[v] = splat(-HUGE_VAL);
        for (index k = 0; k < groups; ++k)
            for (index v = 0; v < vectors; ++v) {
                vec value;
                for (index l = 0; l < lanes; ++l) value[l] = row[v * lanes + l][k];
                value += splat(prior[k]);
                nan[v] = value == value ? nan[v] : one;
                at[v] = value > best[v] ? splat(static_cast<double>(k)) : at[v];
                best[v] = value > best[v] ? value : best[v];
            }
        double most[tile], code[tile], odds[tile];
        for (index v = 0; v < vectors; ++v) {
            store(most + v * lanes, best[v]);
            store(code + v * lanes, at[v]);
            store(odds + v * lanes, nan[v]);
        }
        for (index r = 0; r < rows; ++r) {
            const bool sound = odds[r] == 0 && finite(most[r]);
            odd += !sound;
            codes[i + r] = sound ? static_cast<index>(code[r]) : likeliest;
        }
    }
    return odd;
}

// How the rows are left: as log-posteriors, as posteriors, or untouched but for the log of their sums.
enum Form : index { LOG = 0, PLAIN = 1, SUMS = 2 };

index normalise(double* values, index n, index groups, const double* prior, index form, double* sums) {
    constexpr index rows = 64;
    const index size = rounded_up(rows * groups, lanes);
    Scratch<double> scratch(size);
    if (!scratch) return NO_MEMORY;
    index odd = 0;
    for (index begin = 0; begin < n; begin += rows) {
        const index count = n - begin < rows ? n - begin : rows;
        double most[rows];
        for (index r = 0; r < count; ++r) {
            double* row = values + (begin + r) * groups;
            most[r] = add_prior(row, prior, groups);
            if (!finite(most[r])) {
                ++odd;
                if (most[r] == -HUGE_VAL && form != SUMS) {
                    most[r] = 0;
                    for (index k = 0; k < groups; ++k) row[k] = prior[k];
                }
            }
            const double shift = finite(most[r]) ? most[r] : 0;
            for (index k = 0; k < groups; ++k) scratch[r * groups + k] = row[k] - shift;
        }
        for (index at = 0; at < count * groups; at += lanes) store(scratch + at, exponential(load(scratch + at)));
        double total[rows];
        for (index r = 0; r < rows; ++r) {
            total[r] = r < count ? 0 : 1;
            for (index k = 0; r < count && k < groups; ++k) total[r] += scratch[r * groups + k];
        }
        if (form == PLAIN) {
            for (index r = 0; r < count; ++r) {
                const double share = 1 / total[r];
                for (index k = 0; k < groups; ++k) values[(begin + r) * groups + k] = scratch[r * groups + k] * share;
            }
            continue;
        }
        for (index r = 0; r < rows; r += lanes) store(total + r, logarithm(load(total + r)));
        for (index r = 0; r < count; ++r) {
            if (form == SUMS) {
                sums[begin + r] = finite(most[r]) ? most[r] + total[r] : most[r];
            } else {                                  // the largest first: its sum with the logarithm would be rounded
                const double shift = finite(most[r]) ? most[r] : 0;
                double* row = values + (begin + r) * groups;
                for (index k = 0; k < groups; ++k) row[k] = (row[k] - shift) - total[r];
            }
        }
    }
    return odd;
}

}  // namespace
}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_largest_f64(const double* values, parzen::index n, parzen::index groups,
                                               const double* prior, parzen::index* codes) {
    return parzen::largest(values, n, groups, prior, codes);
}
PARZEN_EXPORT parzen::index parzen_normalise_f64(double* values, parzen::index n, parzen::index groups,
                                                 const double* prior, parzen::index form, double* sums) {
    return parzen::normalise(values, n, groups, prior, form, sums);
}
