// Power transforms of one column.
#include "likeliest_power.h"

namespace parzen {

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

// found[0 ... 2]: the likeliest power, location and scale of those that are not given (NaN); count[i] is how many rows cell
// i stands for, w[i] what they weigh together.
PARZEN_EXPORT index parzen_likeliest_power_f64(const double* x, const std::int32_t* codes, const double* w,
                                               const double* count, index n, index groups, const double* given,
                                               const double* scales, index tried, double largest, double tolerance,
                                               double* found) {
    return likeliest_power(x, codes, w, count, n, groups, {given, scales, tried, largest, tolerance}, found);
}

}  // namespace parzen
