// The power transform (John and Draper 1980) under which a column is likeliest to be Gaussian within groups.
#include <algorithm>
#include <initializer_list>
#include "log.h"

namespace parzen {
namespace {

// exp(x) - 1 for x >= 0, to the last bits: what was rounded in w = exp(x) cancels in (w - 1) / log w (Kahan).
inline vec exp_minus_one(vec x) {
    const vec w = exponential(x);
    const vec quotient = (w - splat(1.0)) * x / logarithm(w);
    return w == splat(1.0) ? x : quotient;
}

// Cells with their groups and weights, and how many rows each stands for, relative to a location and a scale.
struct Column {
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

}  // namespace

// The transform of a column: a missing cell stays missing, and an infinite one infinite. With `slopes`, also the logarithm
// of its derivative at each cell, 0 where it is missing.
PARZEN_EXPORT index parzen_power_forward_f64(const double* x, index n, index stride, double power, double location,
                                             double scale, double largest, double* out, double* slopes) {
    constexpr index tile = 64;
    const double log_scale = std::log(scale);
    for (index begin = 0; begin < n; begin += tile) {
        const index rows = n - begin < tile ? n - begin : tile;
        double z[tile] = {}, logs[tile], y[tile];
        for (index r = 0; r < rows; ++r) {
            const double value = x[(begin + r) * stride], off = (value - location) / scale;
            z[r] = std::isinf(off) && std::isfinite(value) ? std::copysign(1e300, off) : off;
        }
        for (index r = 0; r < rows; ++r) logs[r] = std::fabs(z[r]);
        for (index r = rows; r < tile; ++r) logs[r] = 0;
        for (index r = 0; r < tile; r += lanes) {
            const vec one = log_one_plus(load(logs + r)), exponent = one * splat(power), most = splat(largest);
            store(logs + r, one);
            store(y + r, power > 0 ? exp_minus_one(exponent < most ? exponent : most) / splat(power) : one);
        }
        for (index r = 0; r < rows; ++r) {
            const bool odd = std::isnan(z[r]) || std::isinf(z[r]);
            out[begin + r] = odd ? z[r] : std::copysign(y[r], z[r]);
            if (!slopes) continue;
            const double log = std::isinf(z[r]) ? HUGE_VAL : logs[r];
            slopes[begin + r] = std::isnan(z[r]) ? 0 : (power - 1) * log - log_scale;
        }
    }
    return OK;
}

// found[0 ... 2]: the likeliest (power, location, scale) of `count` that are tried. With `search`, the power is sought
// between 0 and 1 within 0.5 of it, to `tolerance`, and 1 is tried as well. All codes lie between 0 and groups - 1;
// rows[i] is how many rows cell i stands for.
PARZEN_EXPORT index parzen_likeliest_power_f64(const double* x, const std::int32_t* codes, const double* w,
                                               const double* rows, index n, index groups, const double* tried,
                                               index count, double largest, index search, double tolerance,
                                               double* found) {
    const index padded = rounded_up(n, lanes);
    Scratch<double> room(2 * padded + 3 * groups);
    if (!room) return NO_MEMORY;
    double* sums = room + 2 * padded;
    Column column{x, codes, w, rows, n, groups, largest, room, room + padded, sums, sums + groups, sums + 2 * groups};
    for (index i = 0; i < n; ++i) column.weight[codes[i]] += w[i];
    double most = -HUGE_VAL;
    const double* best = tried;
    for (index t = 0; t < count; ++t) {
        const double* one = tried + 3 * t;
        column.place(one[1], one[2]);
        const double value = column.likelihood(one[0]);
        const auto later = [&] { return std::lexicographical_compare(best, best + 3, one, one + 3); };
        if (value > most || (value == most && later())) { most = value; best = one; }
    }
    std::memcpy(found, best, 3 * sizeof(double));
    if (!search) return OK;
    column.place(best[1], best[2]);
    const auto value_at = [&](double power) { return column.likelihood(power); };
    const double low = best[0] > 0.5 ? best[0] - 0.5 : 0, high = best[0] < 0.5 ? best[0] + 0.5 : 1;
    for (double power : {largest_between(low, high, tolerance, value_at), 1.0}) {
        const double value = value_at(power);
        if (value > most) { most = value; found[0] = power; }
    }
    return OK;
}

}  // namespace parzen
