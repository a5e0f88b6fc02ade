// Log-densities of Student's t, columns independent of each other: predictive densities of Gaussians.
#include "log.h"

namespace parzen {
namespace {

constexpr double far = 1e100;                      // beyond, a square overflows, and the tail is a power law

// out[i, k]: sum over the known cells j of constant[k, j] - (dof[k, j] + 1) / 2 log(1 + u^2 / dof[k, j]), where
// u = (x[i, j] - location[k, j]) / scale[k, j].
template <class T>
index student(const T* X, index n, index d, index stride, index groups, const double* location, const double* scale,
              const double* dof, const double* constant, double* out) {
    constexpr index tile = 64;
    for (index begin = 0; begin < n; begin += tile) {
        const index rows = n - begin < tile ? n - begin : tile;
        for (index k = 0; k < groups; ++k) {
            double sum[tile] = {};
            for (index j = 0; j < d; ++j) {
                const index at = k * d + j;
                double u[tile] = {}, logs[tile];
                for (index r = 0; r < rows; ++r)
                    u[r] = std::fabs((static_cast<double>(X[(begin + r) * stride + j]) - location[at]) / scale[at]);
                for (index r = 0; r < tile; r += lanes) {
                    const vec v = load(u + r), near = v < splat(far) ? v : splat(far);
                    store(logs + r, log_one_plus(near * near / splat(dof[at])));
                }
                const double half = 0.5 * (dof[at] + 1);
                for (index r = 0; r < rows; ++r) {
                    const double value = constant[at] - half * logs[r];
                    sum[r] += u[r] != u[r] ? 0 : value;
                    if (u[r] > far) sum[r] -= (dof[at] + 1) * std::log(u[r] / far);
                }
            }
            for (index r = 0; r < rows; ++r) out[(begin + r) * groups + k] = sum[r];
        }
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_STUDENT(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_student_##suffix(                                                              \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups,                     \
        const double* location, const double* scale, const double* dof, const double* constant, double* out) {        \
        return parzen::student(X, n, d, stride, groups, location, scale, dof, constant, out);                         \
    }

PARZEN_STUDENT(float, f32)
PARZEN_STUDENT(double, f64)
