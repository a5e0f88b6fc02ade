// Gaussian sums over tiles of points (see windows.cpp) for a ladder of bandwidths at once: for cross-validation.
#include <algorithm>
#include "power.h"

namespace parzen {
namespace {

constexpr index rungs = 8;
constexpr double smallest = 1.5e-154;  // 2^-511: its square is still a normal number; others would be slow

// Gaussian sums for bandwidths that fall by sqrt(2) from rung to rung: every kernel is the square of the one before.
template <int Q>
void add_ladder(const double* __restrict x, const double* __restrict c, index size, index d, const double* __restrict q,
                double* __restrict sums) {
    vec total[Q][rungs] = {};
    for (index i = 0; i < size; i += lanes) {
        vec t[Q] = {};
        for (index j = 0; j < d; ++j) {
            const vec at = load(x + j * size + i);
            for (int k = 0; k < Q; ++k) {
                const vec u = at - splat(q[k * d + j]);
                t[k] += u * u;
            }
        }
        const vec weight = load(c + i);
        for (int k = 0; k < Q; ++k) {
            vec e = power_of_two(-t[k]);
            for (index r = 0; r < rungs; ++r) {
                e = e < splat(smallest) ? vec{} : e;
                total[k][r] += weight * e;
                e *= e;
            }
        }
    }
    for (int k = 0; k < Q; ++k)
        for (index r = 0; r < rungs; ++r) sums[k * rungs + r] += sum_of(total[k][r]);
}

}  // namespace

// Sums (m, rungs) over all points, each query without its own: units are those of the widest bandwidth.
PARZEN_EXPORT index parzen_window_ladder_f64(index count, index size, index d, const double* points,
                                             const double* coefficients, const double* centres, const double* inverse,
                                             const double* queries, index m, const index* own, const double* left,
                                             double* out) {
    Scratch<double> altered(size), q(32 * d);
    if (!altered || !q) return NO_MEMORY;
    std::memset(out, 0, m * rungs * sizeof(double));
    for (index begin = 0; begin < m; begin += 32) {
        const index end = std::min(begin + 32, m);
        for (index t = 0; t < count; ++t) {
            const double *x = points + t * d * size, *c = coefficients + t * size;
            for (index k = begin; k < end; ++k)
                for (index j = 0; j < d; ++j) q[(k - begin) * d + j] = (queries[k * d + j] - centres[t * d + j]) * inverse[j];
            for (index k = begin; k < end;) {
                const index at = own[k] - t * size, next = k + 1 < end ? own[k + 1] - t * size : 0;
                const bool mine = at >= 0 && at < size, follows = k + 1 < end && !(next >= 0 && next < size);
                if (!mine && follows) {
                    add_ladder<2>(x, c, size, d, q + (k - begin) * d, out + k * rungs);
                    k += 2;
                    continue;
                }
                if (mine) {
                    std::copy(c, c + size, static_cast<double*>(altered));
                    altered[at] = left[k];
                }
                add_ladder<1>(x, mine ? static_cast<double*>(altered) : c, size, d, q + (k - begin) * d, out + k * rungs);
                ++k;
            }
        }
    }
    return OK;
}

}  // namespace parzen
