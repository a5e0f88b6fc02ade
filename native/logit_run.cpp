// Newton's method for two classes in one call: where rows are few, what is around a step costs more than the step.
#include "logit.h"

namespace parzen {
namespace {

// No step was found: the curvature has no factor, or no share of a step gains anything.
constexpr index STUCK = 1;

// A point (d + 1), the intercept last, with the objective there: the loss and half of l2 times squares.
struct Point {
    index side;
    Scratch<double> at, slope, second;
    double loss = 0, value = 0;

    explicit Point(index d) : side(d + 1), at(side), slope(side), second(side * side) {}
    explicit operator bool() const { return at.data && slope.data && second.data; }
};

template <class T>
struct Rows {
    const T* X;
    index n, d, stride;
    const std::int32_t* codes;
    const double *weights, *origin, *l2;
    bool intercept;
    Scratch<double> table, gradient;

    // Fills in all but the point itself; rows of w p (1 - p) up to the least are left out of the curvature.
    index look(Point& p, double least) {
        double offset[2] = {0.0, intercept ? p.at[d] : 0.0}, slope[2], weight, likelihood;
        for (index j = 0; j < d; ++j) table[2 * j + 1] = p.at[j];
        const index status = logit(X, n, d, stride, codes, weights, origin, table, offset, &weight, &likelihood,
                                   gradient, slope, least, p.second);
        if (status != OK) return status;
        p.loss = p.value = -likelihood;
        for (index j = 0; j <= d; ++j) {
            const double own = l2[j] * p.at[j];
            p.slope[j] = (j < d ? gradient[2 * j + 1] : intercept ? slope[1] : 0.0) + own;
            p.value += 0.5 * own * p.at[j];
        }
        if (!intercept) for (index j = 0; j <= d; ++j) p.second[j * (d + 1) + d] = p.second[d * (d + 1) + j] = 0.0;
        return OK;
    }
};

// The step to the least of the quadratic model at a point, by Cholesky's factor of the curvature scaled to a diagonal
// of ones; false where there is none that can be trusted. `lower` and `scale` are scratch.
bool newton_step(Point& p, const double* l2, double* lower, double* scale, double* step) {
    const index m = p.side;
    for (index i = 0; i < m; ++i) {
        const double own = p.second[i * m + i] + l2[i];
        if (!(own >= 0) || !std::isfinite(own)) return false;
        scale[i] = own > 0 ? 1.0 / std::sqrt(own) : 0.0;
    }
    for (index i = 0; i < m; ++i) {
        double right = -p.slope[i] * scale[i];
        for (index j = 0; j <= i; ++j) {
            double sum = i == j ? 1.0 : p.second[i * m + j] * scale[i] * scale[j];
            for (index k = 0; k < j; ++k) sum -= lower[i * m + k] * lower[j * m + k];
            if (i > j) lower[i * m + j] = sum / lower[j * m + j];
            else if (!(sum > 1e-14)) return false;
            else lower[i * m + i] = std::sqrt(sum);
        }
        for (index k = 0; k < i; ++k) right -= lower[i * m + k] * step[k];
        step[i] = right / lower[i * m + i];
    }
    for (index i = m - 1; i >= 0; --i) {
        for (index k = i + 1; k < m; ++k) step[i] -= lower[k * m + i] * step[k];
        step[i] /= lower[i * m + i];
    }
    for (index i = 0; i < m; ++i) step[i] *= scale[i];
    return true;
}

// Steps until no more than `enough` or the share `relative` of the objective is left to gain, `done` is reached, or
// there were `most` of them. Curvatures after the first leave out rows that have no more than the share `negligible` of
// the loss before. `value` is the objective, then what there was to gain before the last step.
template <class T>
index logit_run(Rows<T>& rows, double negligible, double enough, double relative, double done, index most, double* point,
                double* value, double* slope, double* second, std::int64_t* steps) {
    const index m = rows.d + 1;
    Point one(rows.d), other(rows.d), *here = &one, *there = &other;
    Scratch<double> lower(m * m), scale(m), step(m);
    if (!one || !other || !lower || !scale || !step || !rows.table || !rows.gradient) return NO_MEMORY;
    std::memcpy(here->at, point, sizeof(double) * m);
    index status = rows.look(*here, 0.0), taken = 0;
    double left = INFINITY;
    while (status == OK) {
        if (!newton_step(*here, rows.l2, lower, scale, step)) { status = STUCK; break; }
        double gain = 0.0;
        for (index i = 0; i < m; ++i) gain -= here->slope[i] * step[i];
        if (gain <= enough || gain <= relative * here->value || here->value <= done || taken >= most) break;
        double share = 1.0;
        for (; share > 1e-10; share *= 0.5) {
            for (index i = 0; i < m; ++i) there->at[i] = here->at[i] + share * step[i];
            status = rows.look(*there, negligible * here->loss);
            if (status != OK || there->value <= here->value - 1e-4 * share * gain) break;
        }
        if (status == OK && !(share > 1e-10)) status = STUCK;
        if (status != OK) break;
        Point* before = here;
        here = there;
        left = gain;
        there = before;
        ++taken;
    }
    std::memcpy(point, here->at, sizeof(double) * m);
    std::memcpy(slope, here->slope, sizeof(double) * m);
    std::memcpy(second, here->second, sizeof(double) * m * m);
    value[0] = here->value;
    value[1] = left;
    *steps = taken;
    return status;
}

}  // namespace
}  // namespace parzen

#define PARZEN_LOGIT_RUN(T, suffix)                                                                                    \
    PARZEN_EXPORT parzen::index parzen_logit_run_##suffix(                                                             \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                 \
        const double* weights, const double* origin, const double* l2, parzen::index intercept, double negligible,     \
        double enough, double relative, double done, parzen::index most, double* point, double* value, double* slope,  \
        double* second, std::int64_t* steps) {                                                                         \
        parzen::Rows<T> rows{X, n, d, stride, codes, weights, origin, l2, intercept != 0,                              \
                             parzen::Scratch<double>(2 * d), parzen::Scratch<double>(2 * d)};                          \
        return parzen::logit_run(rows, negligible, enough, relative, done, most, point, value, slope, second, steps);  \
    }

PARZEN_LOGIT_RUN(float, f32)
PARZEN_LOGIT_RUN(double, f64)
