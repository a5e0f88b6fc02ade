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

// Cells with their groups and weights, and how many rows each stands for, relative to a location and a scale.
struct PowerColumn {
    const double* x;
    const std::int32_t* codes;
    const double *w, *count;
    index n, groups;
    double largest;                             // most that the exponent of exp may be
    double *logs, *y, *weight, *total, *scatter;
    double location = NAN, scale = NAN, weighted_logs = 0, log_scales = 0;

    void place(double at, double unit) {
        if (location == at && scale == unit) return;
        location = at;
        scale = unit;
        weighted_logs = log_scales = 0;
        for (index i = 0; i < n; ++i) logs[i] = std::fabs((x[i] - at) / unit);
        for (index i = 0; i < n; i += lanes) store(logs + i, log_one_plus(load(logs + i)));
        for (index i = 0; i < n; ++i) { weighted_logs += w[i] * logs[i]; log_scales += w[i]; }
        log_scales *= std::log(unit);
    }

    // Profile log-likelihood of a power: means and variances are those of the groups, with a prior that keeps a
    // variance from being zero.
    double likelihood(double power) const {
        for (index i = 0; i < n; i += lanes) {
            const vec exponent = load(logs + i) * splat(power), most = splat(largest);
            store(y + i, power > 0 ? exp_minus_one(exponent < most ? exponent : most) / splat(power) : load(logs + i));
        }
        double mean = 0, variance = 0, rows = 0;
        for (index k = 0; k < groups; ++k) total[k] = scatter[k] = 0;
        for (index i = 0; i < n; ++i) {
            y[i] = x[i] < location ? -y[i] : y[i];
            mean += count[i] * y[i];
            rows += count[i];
            total[codes[i]] += w[i] * y[i];
        }
        mean /= rows;
        for (index k = 0; k < groups; ++k) total[k] /= weight[k] > 1e-300 ? weight[k] : 1e-300;
        for (index i = 0; i < n; ++i) {
            const double off = y[i] - total[codes[i]], away = y[i] - mean;
            scatter[codes[i]] += w[i] * off * off;
            variance += count[i] * away * away;
        }
        const double unit = variance / rows / static_cast<double>(groups * groups);
        double value = (power - 1) * weighted_logs - log_scales;
        for (index k = 0; k < groups; ++k) value -= 0.5 * weight[k] * std::log((scatter[k] + unit) / (weight[k] + 3));
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
inline double short_end(const PowerColumn& column) {
    const index n = column.n;
    double low = HUGE_VAL, high = -HUGE_VAL, widest = 1e-300, skew = 0;
    for (index k = 0; k < column.groups; ++k) column.total[k] = 0;
    for (index i = 0; i < n; ++i) column.total[column.codes[i]] += column.w[i] * column.x[i];
    for (index k = 0; k < column.groups; ++k) column.total[k] /= column.weight[k] > 1e-300 ? column.weight[k] : 1e-300;
    for (index i = 0; i < n; ++i) {
        column.y[i] = column.x[i] - column.total[column.codes[i]];
        widest = std::max(widest, std::fabs(column.y[i]));
        low = std::min(low, column.x[i]);
        high = std::max(high, column.x[i]);
    }
    for (index i = 0; i < n; ++i) {
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
    double all = 0;
    for (index i = 0; i < n; ++i) all += count[i];
    const index padded = rounded_up(n, lanes);
    Scratch<double> room(2 * padded + 3 * groups), rows(static_cast<index>(all)), away(n);
    if (!room || !rows || !away) return NO_MEMORY;
    double* sums = room + 2 * padded;
    PowerColumn column{x, codes, w, count, n, groups, search.largest,
                       room, room + padded, sums, sums + groups, sums + 2 * groups};
    for (index i = 0; i < n; ++i) column.weight[codes[i]] += w[i];
    const auto learnt = [&](index at) { return search.given[at] != search.given[at]; };
    double locations[2] = {search.given[1], search.given[1]}, powers[2] = {search.given[0], search.given[0]};
    if (learnt(1)) { locations[0] = short_end(column); locations[1] = median(x, count, n, rows); }
    if (learnt(0)) { powers[0] = 0; powers[1] = 0.5; }
    double most = -HUGE_VAL;
    for (index l = 0; l < (learnt(1) ? 2 : 1); ++l) {
        const double location = locations[l];
        double sum = 0;
        for (index i = 0; i < n; ++i) { away[i] = std::fabs(x[i] - location); sum += count[i] * away[i]; }
        const double middle = learnt(2) ? median(away, count, n, rows) : 0, unit = middle ? middle : sum / all;
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
