// The power transform (John and Draper 1980) under which a column is likeliest to be Gaussian within groups.
#pragma once
#include <algorithm>
#include <initializer_list>
#include "log.h"

namespace parzen {

// exp(x) - 1 for x >= 0, to the last bits: what was rounded in w = exp(x) cancels in (w - 1) / log w (Kahan).
inline vec exp_minus_one(vec x) {
    const vec w = exponential(x);
    const vec quotient = (w - splat(1.0)) * x / logarithm(w);
    return w == splat(1.0) ? x : quotient;
}

// Cells, group by group, with their weights, and how many rows each stands for, relative to a location and a scale.
struct PowerColumn {
    index n, groups;
    double largest;                             // most that the exponent of exp may be
    Scratch<double> x, w, count, logs, side, y, weight;
    Scratch<index> begin;                       // the cells begin[k] ... begin[k + 1] - 1 are those of group k
    double rows = 0, all_weight = 0, location = NAN, scale = NAN, weighted_logs = 0;

    PowerColumn(const double* cells, const std::int32_t* codes, const double* weights, const double* counts, index size,
                index group_count, double most)
        : n(size), groups(group_count), largest(most), x(n), w(n), count(n), logs(rounded_up(n, lanes)),
          side(rounded_up(n, lanes)), y(rounded_up(n, lanes)), weight(groups), begin(groups + 2) {
        if (!*this) return;
        for (index i = 0; i < n; ++i) ++begin[codes[i] + 2];
        for (index k = 2; k < groups + 2; ++k) begin[k] += begin[k - 1];
        for (index i = 0; i < n; ++i) {
            const index at = begin[codes[i] + 1]++;
            x[at] = cells[i];
            w[at] = weights[i];
            count[at] = counts[i];
            weight[codes[i]] += weights[i];
            rows += counts[i];
            all_weight += weights[i];
        }
    }
    explicit operator bool() const {
        return x.data && w.data && count.data && logs.data && side.data && y.data && weight.data && begin.data;
    }

    double weighted(const double* factors, const double* values, index from, index to) const {
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (index i = from; i < to; ++i) sum += factors[i] * values[i];
        return sum;
    }
    double squares(const double* factors, double mean, index from, index to) const {
        const double* values = y.data;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (index i = from; i < to; ++i) sum += factors[i] * ((values[i] - mean) * (values[i] - mean));
        return sum;
    }
    double mean_of(index k, const double* values) const {
        return weighted(w.data, values, begin.data[k], begin.data[k + 1]) / (weight.data[k] > 1e-300 ? weight.data[k] : 1e-300);
    }

    void place(double at, double unit) {
        if (location == at && scale == unit) return;
        location = at;
        scale = unit;
        for (index i = 0; i < n; ++i) {
            logs[i] = std::fabs((x[i] - at) / unit);
            side[i] = x[i] < at ? -1 : 1;
        }
        for (index i = 0; i < n; i += lanes) store(logs + i, log_one_plus(load(logs + i)));
        weighted_logs = weighted(w, logs, 0, n);
    }

    // Profile log-likelihood of a power: means and variances are those of the groups, with a prior that keeps a
    // variance from being zero.
    double likelihood(double power) {
        for (index i = 0; i < n; i += lanes) {
            const vec log = load(logs + i), exponent = log * splat(power), most = splat(largest);
            const vec size = power > 0 ? exp_minus_one(exponent < most ? exponent : most) / splat(power) : log;
            store(y + i, load(side + i) * size);
        }
        const double variance = squares(count, weighted(count, y, 0, n) / rows, 0, n);
        const double unit = variance / rows / static_cast<double>(groups * groups);
        double value = (power - 1) * weighted_logs - all_weight * std::log(scale);
        for (index k = 0; k < groups; ++k) {
            const double scatter = squares(w, mean_of(k, y), begin[k], begin[k + 1]);
            value -= 0.5 * weight[k] * std::log((scatter + unit) / (weight[k] + 3));
        }
        return value;
    }
};

inline double sign(double x) { return x < 0 ? -1 : 1; }

// The largest value of a function between two ends, to a tolerance, by golden sections and parabolas (Brent 1973).
template <class Function>
double largest_between(double a, double b, double tolerance, Function value_at) {
    const double golden = 0.5 * (3 - std::sqrt(5.0)), least = std::sqrt(2.2e-16);
    double best = a + golden * (b - a), second = best, third = best, step = 0, before = 0;
    double f_best = -value_at(best), f_second = f_best, f_third = f_best;
    for (index steps = 0; steps < 500; ++steps) {
        const double middle = 0.5 * (a + b), close = least * std::fabs(best) + tolerance / 3;
        if (std::fabs(best - middle) <= 2 * close - 0.5 * (b - a)) break;
        bool section = true;
        if (std::fabs(before) > close) {
            double r = (best - second) * (f_best - f_third), q = (best - third) * (f_best - f_second);
            double p = (best - third) * q - (best - second) * r;
            q = 2 * (q - r);
            p = q > 0 ? -p : p;
            q = std::fabs(q);
            r = before;
            before = step;
            if (std::fabs(p) < std::fabs(0.5 * q * r) && p > q * (a - best) && p < q * (b - best)) {
                section = false;
                step = p / q;
                const double at = best + step;
                if (at - a < 2 * close || b - at < 2 * close) step = close * sign(middle - best);
            }
        }
        if (section) {
            before = best >= middle ? a - best : b - best;
            step = golden * before;
        }
        const double at = best + sign(step) * (std::fabs(step) > close ? std::fabs(step) : close);
        const double f = -value_at(at);
        if (f <= f_best) {
            (at >= best ? a : b) = best;
            third = second; f_third = f_second;
            second = best; f_second = f_best;
            best = at; f_best = f;
        } else {
            (at < best ? a : b) = at;
            if (f <= f_second || second == best) {
                third = second; f_third = f_second;
                second = at; f_second = f;
            } else if (f <= f_third || third == best || third == second) {
                third = at; f_third = f;
            }
        }
    }
    return best;
}

// The transforms that are tried first, and how the best of them is improved.
struct PowerSearch {
    const double* given;                        // power, location and scale; NaN where one is to be learnt
    const double* scales;                       // in units of the median distance from the location
    index count;                                // of scales
    double largest, tolerance;                  // most that the exponent of exp may be; of a power that is learnt
};

// The least value, or the largest one where the tail to the left is the longer one, within groups.
inline double short_end(PowerColumn& column) {
    double low = HUGE_VAL, high = -HUGE_VAL, widest = 1e-300, skew = 0;
    for (index k = 0; k < column.groups; ++k) {
        const double mean = column.mean_of(k, column.x);
        for (index i = column.begin[k]; i < column.begin[k + 1]; ++i) column.y[i] = column.x[i] - mean;
    }
    for (index i = 0; i < column.n; ++i) {
        widest = std::max(widest, std::fabs(column.y[i]));
        low = std::min(low, column.x[i]);
        high = std::max(high, column.x[i]);
    }
    for (index i = 0; i < column.n; ++i) {
        const double off = column.y[i] / widest;
        skew += column.w[i] * (off * off * off);
    }
    return skew < 0 ? high : low;
}

// The median of values of cells, each of which stands for some rows; `rows` has room for all of these.
inline double median(const double* values, const double* count, index n, double* rows) {
    index m = 0;
    for (index i = 0; i < n; ++i)
        for (double one = 0; one < count[i]; ++one) rows[m++] = values[i];
    double* middle = rows + m / 2;
    std::nth_element(rows, middle, rows + m);
    return m % 2 ? *middle : 0.5 * (*std::max_element(rows, middle) + *middle);
}

// found[0 ... 2]: the likeliest power, location and scale. Locations that are tried are the end without the longer tail and
// the middle; powers are 0 and a half, and near the better of them any other one between 0 and 1. Codes lie between 0 and
// groups - 1.
inline index likeliest_power(const double* x, const std::int32_t* codes, const double* w, const double* count, index n,
                             index groups, const PowerSearch& search, double* found) {
    PowerColumn column(x, codes, w, count, n, groups, search.largest);
    Scratch<double> rows(static_cast<index>(column.rows)), away(n);
    if (!column || !rows || !away) return NO_MEMORY;
    const auto learnt = [&](index at) { return search.given[at] != search.given[at]; };
    double locations[2] = {search.given[1], search.given[1]}, powers[2] = {search.given[0], search.given[0]};
    if (learnt(1)) { locations[0] = short_end(column); locations[1] = median(x, count, n, rows); }
    if (learnt(0)) { powers[0] = 0; powers[1] = 0.5; }
    double most = -HUGE_VAL;
    for (index l = 0; l < (learnt(1) ? 2 : 1); ++l) {
        const double location = locations[l];
        double sum = 0;
        for (index i = 0; i < n; ++i) { away[i] = std::fabs(x[i] - location); sum += count[i] * away[i]; }
        const double middle = learnt(2) ? median(away, count, n, rows) : 0, unit = middle ? middle : sum / column.rows;
        for (index s = 0; s < (learnt(2) ? search.count : 1); ++s) {
            const double scale = learnt(2) ? unit * search.scales[s] : search.given[2];
            column.place(location, scale);
            for (index p = 0; p < (learnt(0) ? 2 : 1); ++p) {
                const double one[3] = {powers[p], location, scale}, value = column.likelihood(powers[p]);
                const bool later = value == most && std::lexicographical_compare(found, found + 3, one, one + 3);
                if (value > most || later) { most = value; std::memcpy(found, one, sizeof one); }
            }
        }
    }
    if (most == -HUGE_VAL) {                    // none has a likelihood
        const double one[3] = {powers[0], locations[0], learnt(2) ? 1.0 : search.given[2]};
        std::memcpy(found, one, sizeof one);
    }
    if (!learnt(0)) return OK;
    column.place(found[1], found[2]);
    const auto value_at = [&](double power) { return column.likelihood(power); };
    const double low = found[0] > 0.5 ? found[0] - 0.5 : 0, high = found[0] < 0.5 ? found[0] + 0.5 : 1;
    for (double power : {largest_between(low, high, search.tolerance, value_at), 1.0}) {
        const double value = value_at(power);
        if (value > most) { most = value; found[0] = power; }
    }
    return OK;
}

}  // namespace parzen
