// Newton's method for two classes in one call: where rows are few, what is around a step costs more than the step.
//
// Rows are copied once. Their scores are linear in the point, so they are kept, and with them those of the direction: to
// look along it costs no product with the rows, and each step ends about where the objective is least along it. Where
// classes are far apart that saves most of the steps, which would lengthen the weights little by little.
#include "logit.h"

namespace parzen {
namespace {

// No step was found: the curvature has no factor, or no length of a step gains anything.
constexpr index STUCK = 1;
// Along a direction the slope is to become this share of what it was, in so many tries.
constexpr double FLAT = 0.25;
constexpr index TRIES = 40;
// A gain of this share of the objective is lost in its rounding.
constexpr double ROUNDING = 1e-14;
constexpr double TENTH = 0.1;

// The sum of products of vectors of whole lanes.
inline double dot(const double* a, const double* b, index n) {
    vec sum = {};
    for (index j = 0; j < n; j += lanes) sum += load(a + j) * load(b + j);
    return sum_of(sum);
}

// Cholesky's factor of a matrix and a diagonal, scaled to a diagonal of ones.
struct Factor {
    index m, width;
    Scratch<double> lower, scale, right;

    explicit Factor(index side) : m(side), width(rounded_up(side, lanes)), lower(m * width), scale(m), right(width) {}
    explicit operator bool() const { return lower.data && scale.data && right.data; }

    // False where there is none that can be trusted.
    bool of(const double* matrix, const double* diagonal) {
        std::memset(lower, 0, sizeof(double) * m * width);
        for (index i = 0; i < m; ++i) {
            const double own = matrix[i * m + i] + diagonal[i];
            if (!(own >= 0) || !std::isfinite(own)) return false;
            scale[i] = own > 0 ? 1.0 / std::sqrt(own) : 0.0;
        }
        for (index i = 0; i < m; ++i) {
            double* row = lower + i * width;
            for (index j = 0; j < i; ++j) {
                const double* other = lower + j * width;
                const double sum = matrix[i * m + j] * scale[i] * scale[j] - dot(row, other, rounded_up(j, lanes));
                row[j] = sum / other[j];
            }
            const double own = 1.0 - dot(row, row, rounded_up(i, lanes));
            if (!(own > 1e-14)) return false;
            row[i] = std::sqrt(own);
        }
        return true;
    }

    // What the matrix takes to minus a slope.
    void solve(const double* slope, double* step) {
        for (index i = 0; i < width; ++i) right[i] = 0.0;
        for (index i = 0; i < m; ++i) {
            const double* row = lower + i * width;
            right[i] = (-slope[i] * scale[i] - dot(row, right, rounded_up(i, lanes))) / row[i];
        }
        for (index i = m - 1; i >= 0; --i) {
            const double* row = lower + i * width;
            step[i] = right[i] / row[i];
            for (index j = 0; j < i; ++j) right[j] -= row[j] * step[i];
        }
        for (index i = 0; i < m; ++i) step[i] *= scale[i];
    }
};

// The objective at a point (d + 1), the intercept last: the loss, half of l2 times squares and, where other rows are told
// by a linear function alone, that: its slopes (d + 1) and its value at zero.
struct Run {
    Logit model;
    index m, size;
    bool weighted, intercept;
    const double *l2, *rest;
    Scratch<double> point, slope, second, step, at, along;  // scores of the rows at the point, and along the step
    Factor factor;
    double loss = 0, value = 0;

    Run(index n, index d, const double* origin, bool some, bool free, const double* squares, const double* line)
        : model(d, origin, n), m(d + 1), size(model.held.count), weighted(some), intercept(free), l2(squares), rest(line),
          point(m), slope(m), second(m * m), step(m), at(size), along(size), factor(m) {}
    explicit operator bool() const {
        return model && point.data && slope.data && second.data && step.data && at.data && along.data && factor;
    }

    double steady(index j) const { return rest ? rest[j] : 0.0; }

    void scores(const double* weights, double* out) {
        std::memcpy(model.beta, weights, sizeof(double) * m);
        if (!intercept) model.beta[m - 1] = 0.0;
        model.scores(0, size, out);
    }

    // The loss and the residuals at a share of the step; gives the objective there.
    double look(double share) {
        model.likely = vec{};
        const vec length = splat(share);
        for (index r = 0; r < size; r += lanes)
            store(model.held.score + r, load(at + r) + length * load(along + r));
        model.residuals<true>(0, size, weighted);
        loss = -sum_of(model.likely);
        double cost = rest ? rest[m] : 0.0;
        for (index j = 0; j < m; ++j) {
            const double there = point[j] + share * step[j];
            cost += (0.5 * l2[j] * there + steady(j)) * there;
        }
        return loss + cost;
    }

    // Slope and curvature along the step where it was looked at last.
    void bends(double share, double* first, double* bend) {
        vec down = {}, curve = {};
        for (index r = 0; r < size; r += lanes) {
            const vec way = load(along + r);
            down += load(model.held.score + r) * way;
            curve += load(model.held.bend + r) * way * way;
        }
        *first = sum_of(down);
        *bend = sum_of(curve);
        for (index j = 0; j < m; ++j) {
            *first += (l2[j] * (point[j] + share * step[j]) + steady(j)) * step[j];
            *bend += l2[j] * step[j] * step[j];
        }
    }

    // Slope and curvature at the point; rows of w p (1 - p) up to the least are left out of the latter.
    bool differentiate(double least) {
        std::memset(model.sums, 0, sizeof(double) * model.width);
        model.slopes(0, size);
        for (index j = 0; j < m; ++j)
            slope[j] = (j + 1 < m || intercept ? model.sums[j] : 0.0) + l2[j] * point[j] + steady(j);
        Curvature sums(m - 1, 2, least);
        if (!sums) return false;
        for (index r = 0; r < size; r += sums.capacity) {
            const index count = size - r < sums.capacity ? size - r : sums.capacity;
            sums.weigh(model.held.rows + r * model.width, count, model.held.bend + r);
        }
        sums.finish(second);
        if (!intercept) for (index j = 0; j < m; ++j) second[j * m + m - 1] = second[(m - 1) * m + j] = 0.0;
        return true;
    }

    // How much of the step to take, of which the whole promises this gain: Newton's method for one unknown between
    // bounds. Zero where nothing is gained.
    double length(double gain) {
        double low = 0.0, high = INFINITY, share = 1.0;
        for (index k = 0; k < TRIES; ++k) {
            const double found = look(share);
            double first, bend;
            bends(share, &first, &bend);
            const bool lower = found <= value + ROUNDING * std::fabs(value);
            if (lower && (std::fabs(first) <= FLAT * gain || gain <= ROUNDING * std::fabs(value))) {
                value = found;
                return share;
            }
            if (first < 0 && lower) low = share;
            else high = share;
            const double next = share - first / bend, most = high < INFINITY ? high : 8.0 * share;
            share = next > low && next < most ? next : high < INFINITY ? 0.5 * (low + high) : most;
        }
        return 0.0;
    }
};

// Steps until no more than `enough`, which a tenth of the objective bounds, or the share `relative` of the objective is left to gain, `done` is reached, or
// there were `most` of them. Curvatures after the first leave out rows that have no more than the share `negligible` of
// the loss before. `value` is the objective, then what there was to gain before the last step.
template <class T>
index logit_run(const T* X, index n, index d, index stride, const std::int32_t* codes, const double* weights,
                const double* origin, const double* l2, const double* rest, bool intercept, double negligible,
                double enough, double relative, double done, index most, double* point, double* value, double* slope, double* second,
                std::int64_t* steps) {
    Run run(n > 0 ? n : 1, d, origin, weights != nullptr, intercept, l2, rest);
    if (!run) return NO_MEMORY;
    const index m = run.m;
    run.model.take(X, n, stride, codes, weights);
    std::memcpy(run.point, point, sizeof(double) * m);
    run.scores(run.point, run.at);
    run.value = run.look(0.0);
    double left = INFINITY, before = 0.0;
    index status = OK, taken = 0;
    while (true) {
        if (!run.differentiate(negligible * before)) return NO_MEMORY;
        if (!run.factor.of(run.second, l2)) { status = STUCK; break; }
        run.factor.solve(run.slope, run.step);
        double gain = 0.0;
        for (index j = 0; j < m; ++j) gain -= run.slope[j] * run.step[j];
        const double little = enough < TENTH * run.value ? enough : TENTH * run.value;
        if (gain <= little || gain <= relative * run.value || run.value <= done || taken >= most) break;
        run.scores(run.step, run.along);
        before = run.loss;
        const double share = run.length(gain);
        if (!(share > 0)) { status = STUCK; break; }
        for (index j = 0; j < m; ++j) run.point[j] += share * run.step[j];
        const vec moved = splat(share);
        for (index r = 0; r < run.size; r += lanes) store(run.at + r, load(run.at + r) + moved * load(run.along + r));
        left = gain;
        ++taken;
    }
    std::memcpy(point, run.point, sizeof(double) * m);
    std::memcpy(slope, run.slope, sizeof(double) * m);
    std::memcpy(second, run.second, sizeof(double) * m * m);
    value[0] = run.value;
    value[1] = left;
    *steps = taken;
    return status;
}

}  // namespace
}  // namespace parzen

#define PARZEN_LOGIT_RUN(T, suffix)                                                                                    \
    PARZEN_EXPORT parzen::index parzen_logit_run_##suffix(                                                             \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                 \
        const double* weights, const double* origin, const double* l2, const double* rest, parzen::index intercept,    \
        double negligible, double enough, double relative, double done, parzen::index most, double* point,             \
        double* value, double* slope, double* second, std::int64_t* steps) {                                           \
        return parzen::logit_run(X, n, d, stride, codes, weights, origin, l2, rest, intercept != 0, negligible,        \
                                 enough, relative, done, most, point, value, slope, second, steps);                    \
    }

PARZEN_LOGIT_RUN(float, f32)
PARZEN_LOGIT_RUN(double, f64)
