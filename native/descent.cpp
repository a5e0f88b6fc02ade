// Coordinate descent for a quadratic function and the absolute values of its coordinates: sparse steps of Newton's method.
#include "common.h"

namespace parzen {
namespace {

constexpr index few = 20;  // sweeps over some coordinates, before all of them are looked at again

inline double shrunk(double value, double by) { return value > by ? value - by : value < -by ? value + by : 0.0; }

// Minimises slope' (z - z0) + (z - z0)' A (z - z0) / 2 + sum of l1[j] |z[j]| from z = z0, one coordinate after the other.
// Keeps `slope` the derivative of the quadratic function at z. A sweep over all coordinates is followed by sweeps over
// those that are not zero. Ends when a whole sweep changes no coordinate by more than
// `small` / sqrt(A[j, j]), or after `most` sweeps; writes how many there were to *sweeps.
index descend(index m, const double* A, const double* l1, double small, index most, double* z, double* slope,
              double* sweeps) {
    Scratch<index> active(m);
    if (!active) return NO_MEMORY;
    const auto move = [&](index j) {
        const double a = A[j * m + j];
        if (!(a > 0)) return 0.0;
        const double next = shrunk(a * z[j] - slope[j], l1[j]) / a, step = next - z[j];
        if (step == 0) return 0.0;
        z[j] = next;
        const double* row = A + j * m;
#pragma omp simd
        for (index i = 0; i < m; ++i) slope[i] += step * row[i];
        return std::fabs(step) * std::sqrt(a);
    };
    index done = 0;
    while (done < most) {
        double furthest = 0;
        index count = 0;
        for (index j = 0; j < m; ++j) {
            const double moved = move(j);
            furthest = moved > furthest ? moved : furthest;
            if (z[j] != 0) active[count++] = j;
        }
        ++done;
        if (!(furthest > small)) break;
        for (index again = 0; again < few && done < most && furthest > small; ++again, ++done) {
            furthest = 0;
            for (index c = 0; c < count; ++c) {
                const double moved = move(active[c]);
                furthest = moved > furthest ? moved : furthest;
            }
        }
    }
    *sweeps = static_cast<double>(done);
    return OK;
}

// The same for second derivatives that are never formed: those of a softmax whose scores are sums over the columns of a
// sparse matrix, for the weights of F classes. Cells of column j are data[begin[j] ... begin[j + 1]] in these rows; the
// column after the last is all ones. shares (n, F) are the probabilities, weights (n) those of the rows.
//
// A candidate is a coordinate, class * (columns + 1) + column; the others stay as they are. moved (n, F) and mean (n) are
// what the steps add to the scores, and their mean under the shares. The gain is how much lower the model is at z.
struct Columns {
    const double* data;
    const std::int32_t* rows;
    const std::int64_t* begin;
    index n, columns, free;
    const double *shares, *weights;

    template <class Visit>
    inline void each(index j, Visit visit) const {
        if (j == columns) for (index i = 0; i < n; ++i) visit(i, 1.0);
        else for (index at = begin[j]; at < begin[j + 1]; ++at) visit(static_cast<index>(rows[at]), data[at]);
    }
    double curvature(index k, index j) const {
        double sum = 0;
        each(j, [&](index i, double x) {
            const double p = shares[i * free + k];
            sum += x * x * weights[i] * p * (1.0 - p);
        });
        return sum;
    }
    double slope(index k, index j, const double* moved, const double* mean) const {
        double sum = 0;
        each(j, [&](index i, double x) {
            sum += x * weights[i] * shares[i * free + k] * (moved[i * free + k] - mean[i]);
        });
        return sum;
    }
    void move(index k, index j, double step, double* moved, double* mean) const {
        each(j, [&](index i, double x) {
            moved[i * free + k] += x * step;
            mean[i] += shares[i * free + k] * x * step;
        });
    }
};

index descend_columns(const Columns& model, const std::int64_t* candidates, index count, const double* l1,
                      const double* l2, const double* slope, double share, index most, double* z, double* sweeps,
                      double* gain) {
    const index side = model.columns + 1;
    Scratch<double> moved(model.n * model.free), mean(model.n), bend(count), before(count);
    Scratch<index> active(count);
    if (!moved || !mean || !bend || !before || !active) return NO_MEMORY;
    for (index c = 0; c < count; ++c) {
        const index k = candidates[c] / side, j = candidates[c] % side;
        bend[c] = model.curvature(k, j) + l2[j];
        before[c] = z[candidates[c]];
        active[c] = c;
    }
    double total = 0;
    const auto step = [&](index c) {
        const index at = candidates[c], k = at / side, j = at % side;
        const double a = bend[c];
        if (!(a > 0)) return 0.0;
        const double first = slope[at] + model.slope(k, j, moved, mean) + l2[j] * (z[at] - before[c]);
        const double next = shrunk(a * z[at] - first, l1[j]) / a, by = next - z[at];
        if (by == 0) return 0.0;
        model.move(k, j, by, moved, mean);
        const double won = -(by * (first + 0.5 * a * by) + l1[j] * (std::fabs(next) - std::fabs(z[at])));
        z[at] = next;
        return won > 0 ? won : 0.0;
    };
    index done = 0;
    while (done < most) {
        double all = 0;
        index left = 0;
        for (index c = 0; c < count; ++c) {
            all += step(c);
            if (z[candidates[c]] != 0) active[left++] = c;
        }
        ++done;
        total += all;
        if (!(all > share * total)) break;
        double some = all;
        for (index again = 0; again < few && done < most && some > share * total; ++again, ++done) {
            some = 0;
            for (index c = 0; c < left; ++c) some += step(active[c]);
            total += some;
        }
    }
    *sweeps = static_cast<double>(done);
    *gain = total;
    return OK;
}

}  // namespace
}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_descend_f64(parzen::index m, const double* A, const double* l1, double small,
                                               parzen::index most, double* z, double* slope, double* sweeps) {
    return parzen::descend(m, A, l1, small, most, z, slope, sweeps);
}

PARZEN_EXPORT parzen::index parzen_descend_columns_f64(
    const double* data, const std::int32_t* rows, const std::int64_t* begin, parzen::index n, parzen::index columns,
    parzen::index free, const double* shares, const double* weights, const std::int64_t* candidates,
    parzen::index count, const double* l1, const double* l2, const double* slope, double share, parzen::index most,
    double* z, double* sweeps, double* gain) {
    return parzen::descend_columns({data, rows, begin, n, columns, free, shares, weights}, candidates, count, l1, l2,
                                   slope, share, most, z, sweeps, gain);
}
