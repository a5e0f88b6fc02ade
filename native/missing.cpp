// Full Gaussians at rows with missing cells. For each pattern of missing cells and each member, the factor's rows are
// put observed first and rotated (Givens) back to triangular form,
//
//     [ L_observed ]       [ T  0 ]
//     [ L_missing  ] Q  =  [ B  C ],
//
// so that T is the factor of the observed block, x_missing given x_observed has mean  mean_missing + B T^-1 (x - mean)
// and covariance C C'. No covariance is formed, none inverted: a condition number of 1e12 stays one of 1e6 here.
#include "scatter.h"

namespace parzen {
namespace {

struct Split {
    index d, observed = 0;
    Scratch<index> columns;          // observed ones first
    Scratch<double> turned;          // column-major: turned[c * d + r]
    explicit Split(index columns_) : d(columns_), columns(columns_), turned(columns_ * columns_) {}
    explicit operator bool() const { return columns.data && turned.data; }

    template <class T>
    void pattern(const T* x) {
        observed = 0;
        for (index j = 0; j < d; ++j) if (x[j] == x[j]) columns[observed++] = j;
        index next = observed;
        for (index j = 0; j < d; ++j) if (x[j] != x[j]) columns[next++] = j;
    }

    void factor(const double* L) {
        for (index c = 0; c < d; ++c)
            for (index r = 0; r < d; ++r) turned[c * d + r] = c <= columns[r] ? L[columns[r] * d + c] : 0.0;
        for (index r = 0; r < observed; ++r) {
            double* pivot = turned + r * d;
            for (index c = r + 1; c <= columns[r]; ++c) {
                double* other = turned + c * d;
                if (other[r] == 0) continue;
                const double length = std::hypot(pivot[r], other[r]);
                const double cosine = pivot[r] / length, sine = other[r] / length;
#pragma omp simd
                for (index i = r; i < d; ++i) {
                    const double a = pivot[i], b = other[i];
                    pivot[i] = cosine * a + sine * b;
                    other[i] = cosine * b - sine * a;
                }
                other[r] = 0;
            }
        }
    }

    double log_determinant() const {
        double total = 0;
        for (index r = 0; r < observed; ++r) total += std::log(std::fabs(turned.data[r * d + r]));
        return total;
    }

    // z = T^-1 (x - mean) over the observed cells; returns its squared length.
    template <class T>
    double whiten(const T* x, const double* mean, double* z) const {
        for (index r = 0; r < observed; ++r) z[r] = x[columns.data[r]] - mean[columns.data[r]];
        double square = 0;
        for (index r = 0; r < observed; ++r) {
            const double* column = turned.data + r * d;
            z[r] /= column[r];
            square += z[r] * z[r];
            for (index i = r + 1; i < observed; ++i) z[i] -= column[i] * z[r];
        }
        return square;
    }

    // The expected x - mean of a whole row, given its observed cells.
    template <class T>
    void complete(const T* x, const double* mean, const double* z, double* row, double scale) const {
        for (index r = 0; r < observed; ++r) row[columns.data[r]] = scale * (x[columns.data[r]] - mean[columns.data[r]]);
        for (index r = observed; r < d; ++r) {
            double total = 0;
            for (index c = 0; c < observed; ++c) total += turned.data[c * d + r] * z[c];
            row[columns.data[r]] = scale * total;
        }
    }

    // extra += weight * C C' at the missing cells.
    void spread(double weight, double* extra) const {
        for (index r = observed; r < d; ++r) {
            for (index s = observed; s < d; ++s) {
                double total = 0;
                for (index c = observed; c < d; ++c) total += turned.data[c * d + r] * turned.data[c * d + s];
                extra[columns.data[r] * d + columns.data[s]] += weight * total;
            }
        }
    }
};

constexpr double half_log_two_pi = 0.91893853320467274178;

// `order` lists the rows so that equal patterns follow one another; `begin` says where each of the patterns starts.
template <class T>
index log_density(const T* X, index d, index stride, index groups, index factors, const double* mean, const double* factor,
                  const index* order, const index* begin, index patterns, double* squares, double* constants) {
    Split split(d);
    Scratch<double> z(d);
    if (!split || !z) return NO_MEMORY;
    for (index p = 0; p < patterns; ++p) {
        split.pattern(X + order[begin[p]] * stride);
        for (index k = 0; k < groups; ++k) {
            if (k < factors) split.factor(factor + k * d * d);
            const double constant = split.log_determinant();
            for (index at = begin[p]; at < begin[p + 1]; ++at) {
                squares[order[at] * groups + k] = split.whiten(X + order[at] * stride, mean + k * d, z);
                constants[order[at] * groups + k] = constant;
            }
        }
    }
    return OK;
}

// Expected moments of each group under the current Gaussians, and the log-likelihood of the memberships' rows.
template <class T>
index expected(const T* X, index n, index d, index stride, const Members& members, index factors, const double* mean,
               const double* factor, const index* order, const index* begin, index patterns, double* weight,
               double* means, double* carry, double* scatter, double* log_likelihood) {
    Split split(d);
    Panels panels(d, 1);
    Grouping grouping(members, n);
    Scratch<double> z(d), row_weight(n), extra(d * d);
    if (!split || !panels || !grouping || !z || !row_weight || !extra) return NO_MEMORY;
    for (index k = 0; k < members.groups; ++k) {
        const double* m = mean + k * d;
        const index rows = grouping.gather(k);
        for (index r = 0; r < rows; ++r) row_weight[grouping.picked[r]] = grouping.weight[r];
        double likelihood = 0;
        std::memset(extra, 0, sizeof(double) * d * d);
        for (index p = 0; p < patterns; ++p) {
            double pattern_weight = 0;
            for (index at = begin[p]; at < begin[p + 1]; ++at) pattern_weight += row_weight[order[at]];
            if (pattern_weight == 0) continue;
            split.pattern(X + order[begin[p]] * stride);
            split.factor(factor + (k < factors ? k : 0) * d * d);
            const double constant = -split.log_determinant() - half_log_two_pi * split.observed;
            for (index at = begin[p]; at < begin[p + 1]; ++at) {
                const double w = row_weight[order[at]];
                if (w == 0) continue;
                const T* x = X + order[at] * stride;
                likelihood += w * (constant - 0.5 * split.whiten(x, m, z));
                double* row = panels.next(0);
                split.complete(x, m, z, row, std::sqrt(w));
                row[d] = std::sqrt(w);
            }
            split.spread(pattern_weight, extra);
        }
        panels.at(0).finish(m, weight + k, means + k * d, carry + k * d, scatter + k * d * d);
        panels.filled[0] = 0;
        for (index c = 0; c < d * d; ++c) scatter[k * d * d + c] += extra[c];
        log_likelihood[k] = likelihood;
        for (index r = 0; r < rows; ++r) row_weight[grouping.picked[r]] = 0;
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_MISSING(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_missing_squares_##suffix(                                                      \
        const T* X, parzen::index d, parzen::index stride, parzen::index groups, parzen::index factors,               \
        const double* mean, const double* factor, const parzen::index* order, const parzen::index* begin,             \
        parzen::index patterns, double* squares, double* constants) {                                                 \
        return parzen::log_density(X, d, stride, groups, factors, mean, factor, order, begin, patterns, squares,      \
                                   constants);                                                                        \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_missing_expected_##suffix(                                                     \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, parzen::index factors, const double* mean,  \
        const double* factor, const parzen::index* order, const parzen::index* begin, parzen::index patterns,         \
        double* weight, double* means, double* carry, double* scatter, double* log_likelihood) {                      \
        return parzen::expected(X, n, d, stride, {codes, weights, dense, groups}, factors, mean, factor, order,       \
                                begin, patterns, weight, means, carry, scatter, log_likelihood);                      \
    }

PARZEN_MISSING(float, f32)
PARZEN_MISSING(double, f64)
