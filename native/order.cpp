// An order of rows in which neighbours in the list are neighbours in space.
#include <algorithm>
#include "common.h"

namespace parzen {
namespace {

// Splits rows at the middle of their widest column until leaves are small; every leaf but the last is full.
void split(const double* X, index d, index leaf, index* order, index n) {
    while (n > leaf) {
        index widest = 0;
        double width = -1;
        for (index j = 0; j < d; ++j) {
            double lo = X[order[0] * d + j], hi = lo;
            for (index i = 1; i < n; ++i) {
                const double x = X[order[i] * d + j];
                lo = x < lo ? x : lo;
                hi = x > hi ? x : hi;
            }
            if (hi - lo > width) { width = hi - lo; widest = j; }
        }
        const index left = rounded_up((n + 1) / 2, leaf);
        if (left >= n) return;
        std::nth_element(order, order + left, order + n, [=](index a, index b) {
            const double x = X[a * d + widest], y = X[b * d + widest];
            return x < y || (x == y && a < b);
        });
        split(X, d, leaf, order, left);
        order += left;
        n -= left;
    }
}

}  // namespace

// An order of rows in which neighbours in the list are neighbours in space.
PARZEN_EXPORT index parzen_kd_order_f64(const double* X, index n, index d, index leaf, index* order) {
    for (index i = 0; i < n; ++i) order[i] = i;
    split(X, d, leaf, order, n);
    return OK;
}

}  // namespace parzen
