// The likelihood of power transforms of a column (John and Draper 1980): Gaussian within groups once it is transformed.
#include "log.h"

namespace parzen {
namespace {

// exp(x) - 1 for x >= 0, to the last bits: what was rounded in w = exp(x) cancels in (w - 1) / log w (Kahan).
inline vec exp_minus_one(vec x) {
    const vec w = exponential(x);
    const vec quotient = (w - splat(1.0)) * x / logarithm(w);
    return w == splat(1.0) ? x : quotient;
}

}  // namespace

// out[t]: profile log-likelihood of the transform (power, location, scale) = transforms[3 t ...]: means and variances are
// those of the groups, with a prior that keeps a variance from being zero. All codes lie between 0 and groups - 1.
PARZEN_EXPORT index parzen_power_likelihood_f64(const double* x, const std::int32_t* codes, const double* w, index n,
                                                index groups, const double* transforms, index count, double largest,
                                                double* out) {
    const index padded = rounded_up(n, lanes);
    Scratch<double> logs(padded), y(padded), sums(3 * groups);
    if (!logs || !y || !sums) return NO_MEMORY;
    double *weight = sums, *total = sums + groups, *scatter = sums + 2 * groups, whole_weight = 0;
    for (index i = 0; i < n; ++i) { weight[codes[i]] += w[i]; whole_weight += w[i]; }
    const double* before = nullptr;
    double weighted_logs = 0;
    for (index t = 0; t < count; ++t) {
        const double *transform = transforms + 3 * t, power = transform[0];
        if (!before || before[1] != transform[1] || before[2] != transform[2]) {
            for (index i = 0; i < n; ++i) logs[i] = std::fabs((x[i] - transform[1]) / transform[2]);
            weighted_logs = 0;
            for (index i = 0; i < padded; i += lanes) store(logs + i, log_one_plus(load(logs + i)));
            for (index i = 0; i < n; ++i) weighted_logs += w[i] * logs[i];
            before = transform;
        }
        for (index i = 0; i < padded; i += lanes) {
            const vec exponent = load(logs + i) * splat(power), most = splat(largest);
            store(y + i, power > 0 ? exp_minus_one(exponent < most ? exponent : most) / splat(power) : load(logs + i));
        }
        double mean = 0, variance = 0;
        for (index k = 0; k < groups; ++k) total[k] = scatter[k] = 0;
        for (index i = 0; i < n; ++i) {
            y[i] = x[i] < transform[1] ? -y[i] : y[i];
            mean += y[i];
            total[codes[i]] += w[i] * y[i];
        }
        mean /= static_cast<double>(n);
        for (index k = 0; k < groups; ++k) total[k] /= weight[k] > 1e-300 ? weight[k] : 1e-300;
        for (index i = 0; i < n; ++i) {
            const double off = y[i] - total[codes[i]], away = y[i] - mean;
            scatter[codes[i]] += w[i] * off * off;
            variance += away * away;
        }
        const double unit = variance / static_cast<double>(n) / static_cast<double>(groups * groups);
        double value = (power - 1) * weighted_logs - whole_weight * std::log(transform[2]);
        for (index k = 0; k < groups; ++k) value -= 0.5 * weight[k] * std::log((scatter[k] + unit) / (weight[k] + 3));
        out[t] = value;
    }
    return OK;
}

}  // namespace parzen
