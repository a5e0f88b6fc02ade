// EM of a mixture of Gaussians from a partition of a few thousand rows, all steps in one call. What takes a judgement (a
// covariance that is nearly singular, a component without weight, rows that can't be evaluated) is left to the caller.
#include <algorithm>

#include "em.h"

PARZEN_EXPORT parzen::index parzen_em_full_f64(const double*, parzen::index, parzen::index, parzen::index, const double*,
                                               parzen::index, const double*, const double*, const double*, const double*,
                                               double*, double*, double*, double*, double*);
PARZEN_EXPORT parzen::index parzen_em_diagonal_f64(const double*, parzen::index, parzen::index, parzen::index,
                                                   const double*, parzen::index, const double*, const double*,
                                                   const double*, const double*, double*, double*, double*, double*,
                                                   double*);
PARZEN_EXPORT parzen::index parzen_em_shared_f64(const double*, parzen::index, parzen::index, parzen::index,
                                                 const double*, parzen::index, const double*, const double*,
                                                 const double*, const double*, double*, double*, double*, double*,
                                                 double*);

namespace parzen {
namespace {

enum Shape : index { full, diagonal, spherical, shared };

constexpr double log_two_pi = 1.83787706640934548356, tiny = 2.220446049250313e-16;
constexpr double most_loss = 1e6;  // factor by which rounding may grow in a score: see compute/em.py

// One mixture: the statistic that its components maximise, and what the E-step reads of them.
struct Run {
    index n, d, K, matrices, cells;
    Shape shape;
    double noise, floor, total = 0;
    Scratch<double> weight, mean, carry, scatter, factor, inverse, slope, constant, log_weight, origin, whole, centre, work;

    Run(index rows, index columns, index groups, Shape kind)
        : n(rows), d(columns), K(groups), matrices(kind == shared ? 1 : groups),
          cells(kind == full || kind == shared ? columns * columns : columns), shape(kind),
          weight(groups * columns), mean(groups * columns), carry(groups * columns), scatter(matrices * cells),
          factor(matrices * cells), inverse(matrices * cells), slope(groups * columns), constant(groups),
          log_weight(groups), origin(columns), whole(columns), centre(columns), work(2 * columns) {}
    explicit operator bool() const {
        return weight.data && mean.data && carry.data && scatter.data && factor.data && inverse.data && slope.data &&
               constant.data && log_weight.data && origin.data && whole.data && centre.data && work.data;
    }

    bool square() const { return shape == full || shape == shared; }
    double mass(index k) const { return shape == full || shape == shared ? weight.data[k] : weight.data[k * d]; }

    // Moments of the parts of a partition, each about its own mean; false where a part has no weight.
    bool partition(const double* X, index stride, const double* w, const std::int32_t* codes) {
        const index step = square() ? 1 : d;
        for (index i = 0; i < n; ++i) {
            const double one = w ? w[i] : 1.0;
            total += one;
            weight[codes[i] * step] += one;
            for (index j = 0; j < d; ++j) mean[codes[i] * d + j] += one * (X[i * stride + j] - X[j]);
        }
        for (index k = 0; k < K; ++k) {
            const double own = weight[k * step];
            if (!(own > 0)) return false;
            for (index j = 0; j < d; ++j) {
                centre[j] += mean[k * d + j] / total;
                mean[k * d + j] = X[j] + mean[k * d + j] / own;
                weight[k * step + (square() ? 0 : j)] = own;
            }
        }
        for (index j = 0; j < d; ++j) centre[j] += X[j];
        for (index i = 0; i < n; ++i) {
            const index k = codes[i];
            const double one = w ? w[i] : 1.0;
            double* y = work;
            for (index j = 0; j < d; ++j) {
                y[j] = X[i * stride + j] - mean[k * d + j];
                const double off = X[i * stride + j] - centre[j];
                whole[j] += one * off * off / total;
            }
            double* sums = scatter + (shape == shared ? 0 : k) * cells;
            for (index j = 0; j < d; ++j) {
                if (!square()) { sums[j] += one * y[j] * y[j]; continue; }
                for (index l = 0; l <= j; ++l) sums[j * d + l] += one * y[j] * y[l];
            }
        }
        if (square())
            for (index m = 0; m < matrices; ++m)
                for (index j = 0; j < d; ++j)
                    for (index l = 0; l < j; ++l) scatter[m * cells + l * d + j] = scatter[m * cells + j * d + l];
        for (index j = 0; j < d; ++j)
            if (!(whole[j] > 8 * tiny * centre[j] * (8 * tiny * centre[j]))) return false;  // a constant column
        return true;
    }

    // Factor and inverse of a covariance with units of its own variances; false where an eigenvalue is nearly zero.
    bool triangle(index m, double own) {
        double *F = factor + m * cells, *I = inverse + m * cells, *scale = work;
        const double* S = scatter + m * cells;
        for (index j = 0; j < d; ++j) {
            const double variance = S[j * d + j] / own + noise;
            if (!(variance > 0 && variance >= floor * whole[j])) return false;
            scale[j] = std::sqrt(variance);
        }
        double trace = 0;
        for (index i = 0; i < d; ++i) {
            double* row = F + i * d;
            for (index j = 0; j <= i; ++j) {
                const double* other = F + j * d;
                double t = 0;
#pragma omp simd reduction(+ : t)
                for (index l = 0; l < j; ++l) t += row[l] * other[l];
                t = (S[i * d + j] / own + (i == j ? noise : 0.0)) / (scale[i] * scale[j]) - t;
                if (i == j && !(t > 0)) return false;
                row[j] = i == j ? std::sqrt(t) : t / other[j];
            }
            double* back = I + i * d;  // row i of the inverse, from the rows before it
            for (index j = 0; j < d; ++j) back[j] = j == i ? 1.0 : 0.0;
            for (index l = 0; l < i; ++l)
#pragma omp simd
                for (index j = 0; j <= l; ++j) back[j] -= row[l] * I[l * d + j];
            for (index j = 0; j <= i; ++j) {
                back[j] /= row[i];
                trace += back[j] * back[j];
            }
        }
        if (!(trace * std::max(floor, d * tiny) < 1)) return false;
        for (index i = 0; i < d; ++i)
            for (index j = 0; j < d; ++j) {
                F[i * d + j] = j <= i ? F[i * d + j] * scale[i] : 0.0;
                I[i * d + j] = j <= i ? I[i * d + j] / scale[j] : 0.0;
            }
        return true;
    }

    bool deviations(index k) {
        double average = 0;
        for (index j = 0; j < d; ++j) average += scatter[k * d + j] / d;
        for (index j = 0; j < d; ++j) {
            const double variance = (shape == spherical ? average : scatter[k * d + j]) / mass(k) + noise;
            if (!(variance > 0 && variance >= floor * whole[j])) return false;
            factor[k * d + j] = std::sqrt(variance);
            inverse[k * d + j] = 1 / factor[k * d + j];
        }
        return true;
    }

    // The M-step; `extra` is what every weight has beside its rows. False where a component needs a judgement.
    bool maximise(double extra) {
        double sum = 0;
        for (index k = 0; k < K; ++k) sum += mass(k) + extra;
        for (index k = 0; k < K; ++k) {
            if (!(mass(k) > 1e-10 * sum)) return false;
            log_weight[k] = std::log((mass(k) + extra) / sum);
        }
        for (index m = 0; m < matrices; ++m)
            if (!(square() ? triangle(m, shape == shared ? total : mass(m)) : deviations(m))) return false;
        return prepare();
    }

    // What the compiled E-step reads: see compute/em.py's `components`. False where digits would be lost.
    bool prepare() {
        std::memset(origin, 0, sizeof(double) * d);
        for (index k = 0; k < K; ++k)
            for (index j = 0; j < d; ++j) origin[j] += std::exp(log_weight[k]) * (mean[k * d + j] - centre[j]);
        for (index j = 0; j < d; ++j) origin[j] += centre[j];
        double loss = 0;
        for (index k = 0; k < K; ++k) {
            const index m = shape == shared ? 0 : k;
            const double *F = factor + m * cells, *I = inverse + m * cells, *mu = mean + k * d;
            double* far = work + d;  // how far from the origin a row of the component may be, column by column
            for (index j = 0; j < d && square(); ++j) {
                double variance = 0;
                for (index l = 0; l <= j; ++l) variance += F[j * d + l] * F[j * d + l];
                far[j] = std::abs(mu[j] - origin[j]) + std::sqrt(variance);
            }
            double logs = -0.5 * d * log_two_pi + std::max(log_weight[k], -1e30);
            for (index i = 0; i < d; ++i) {
                logs -= std::log(F[square() ? i * d + i : i]);
                double reach = square() ? 0.0 : std::abs(mu[i] - origin[i]) * I[i];
                for (index j = 0; j <= i && square(); ++j) reach += std::abs(I[i * d + j]) * far[j];
                loss = std::max(loss, reach);
            }
            if (shape == shared) {
                double *white = work, sum = 0;
                for (index i = 0; i < d; ++i) {
                    white[i] = 0;
                    for (index j = 0; j <= i; ++j) white[i] += I[i * d + j] * (mu[j] - origin[j]);
                    sum += white[i] * white[i];
                }
                for (index j = 0; j < d; ++j) {
                    slope[k * d + j] = 0;
                    for (index i = j; i < d; ++i) slope[k * d + j] += white[i] * I[i * d + j] / log_two;
                }
                logs -= 0.5 * sum;
                loss = std::max(loss, sum);
            }
            constant[k] = logs / log_two;
        }
        const double half = std::sqrt(0.5 / log_two);
        for (index c = 0; c < matrices * cells; ++c) inverse[c] *= half;
        return loss < most_loss;
    }

    bool expect(const double* X, index stride, const double* w, double* likelihood) {
        if (shape != shared) std::memcpy(slope, mean, sizeof(double) * K * d);  // read while the new means are written
        const auto step = shape == full     ? parzen_em_full_f64
                          : shape == shared ? parzen_em_shared_f64
                                            : parzen_em_diagonal_f64;
        return step(X, n, d, stride, w, K, origin, slope, inverse, constant, weight, mean, carry, scatter, likelihood) == OK;
    }
};

}  // namespace

index em_run(const double* X, index n, index d, index stride, const double* weights, const std::int32_t* codes, index K,
             index shape, double noise, double floor, index steps, double tol, double least, double* log_weight, double* mean,
             double* factor, double* objective) {
    Run run(n, d, K, static_cast<Shape>(shape));
    if (!run) return NO_MEMORY;
    run.noise = noise;
    run.floor = floor;
    if (!run.partition(X, stride, weights, codes) || !run.maximise(1e-3)) return 1;
    double before = -HUGE_VAL, rise = HUGE_VAL;
    for (index step = 0; step < steps; ++step) {
        if (!run.expect(X, stride, weights, objective) || !(*objective - *objective == 0)) return 1;
        if (!run.maximise(0.0)) return 1;
        const double now = *objective - before;
        if (std::abs(now) <= tol * run.total) break;
        // Rises shrink geometrically: where their sum would not lead to `least`, the run is given up.
        if (step > 2 && now < rise && *objective + now * now / (rise - now) < least) break;
        before = *objective;
        rise = now;
    }
    std::memcpy(log_weight, run.log_weight, sizeof(double) * K);
    std::memcpy(mean, run.mean, sizeof(double) * K * d);
    std::memcpy(factor, run.factor, sizeof(double) * run.matrices * run.cells);
    return OK;
}

}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_em_run_f64(const double* X, parzen::index n, parzen::index d, parzen::index stride,
                                              const double* weights, const std::int32_t* codes, parzen::index K,
                                              parzen::index shape, double noise, double floor, parzen::index steps,
                                              double tol, double least, double* log_weight, double* mean,
                                              double* factor, double* objective) {
    return parzen::em_run(X, n, d, stride, weights, codes, K, shape, noise, floor, steps, tol, least, log_weight, mean,
                          factor, objective);
}
