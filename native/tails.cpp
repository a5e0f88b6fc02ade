// Sums over distances beyond a threshold, of which the likelihood of a generalised Pareto distribution is made.
#include "log.h"

namespace parzen {

// logs[r] = sum over i of w[i] log(1 + t y[i]), shares[r] = sum of w[i] t y[i] / (1 + t y[i]), t = ratios[r]; y and t are
// at least 0 and finite.
PARZEN_EXPORT index parzen_pareto_sums_f64(const double* y, const double* w, index n, const double* ratios, index count,
                                           double* logs, double* shares) {
    constexpr index tile = 256;
    for (index r = 0; r < count; ++r) logs[r] = shares[r] = 0;
    for (index begin = 0; begin < n; begin += tile) {
        const index rows = n - begin < tile ? n - begin : tile;
        double distance[tile] = {}, weight[tile] = {};
        std::memcpy(distance, y + begin, sizeof(double) * static_cast<std::size_t>(rows));
        std::memcpy(weight, w + begin, sizeof(double) * static_cast<std::size_t>(rows));
        for (index r = 0; r < count; ++r) {
            vec log = {}, share = {};
            for (index i = 0; i < tile; i += lanes) {
                const vec x = load(distance + i) * splat(ratios[r]), own = load(weight + i);
                log += own * log_one_plus(x);
                share += own * (x / (splat(1.0) + x));
            }
            logs[r] += sum_of(log);
            shares[r] += sum_of(share);
        }
    }
    return OK;
}

}  // namespace parzen
