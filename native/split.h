// The factor of a full Gaussian, seen from a row with missing cells. For each pattern of missing cells and each member, the
// factor's rows are put observed first and rotated (Givens) back to triangular form,
//
//     [ L_observed ]       [ T  0 ]
//     [ L_missing  ] Q  =  [ B  C ],
//
// so that T is the factor of the observed block, x_missing given x_observed has mean  mean_missing + B T^-1 (x - mean)
// and covariance C C'. No covariance is formed, none inverted: a condition number of 1e12 stays one of 1e6 here.
#pragma once
#include "common.h"

namespace parzen {

struct Split {
    index d, observed = 0;
    Scratch<index> columns;          // observed ones first
    Scratch<double> turned;          // column-major: turned[c * d + r]
    explicit Split(index columns_) : d(columns_), columns(columns_), turned(columns_ * columns_) {}
    explicit operator bool() const { return columns.data && turned.data; }

    void pattern(const double* x) {
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
                const double square = pivot[r] * pivot[r] + other[r] * other[r];
                const double length = square > 1e-280 && square < 1e280 ? std::sqrt(square) : std::hypot(pivot[r], other[r]);
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
    double whiten(const double* x, const double* mean, double* z) const {
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

    // The same of a tile of rows, laid out by observed columns (x[i * tile + row]), and of a factor that was turned for
    // this pattern: squared lengths into `squares`; z is scratch of the same size as x.
    static constexpr index chain = registers == 32 ? 4 : 2, tile = chain * lanes;
    void whiten_tile(const double* turned, const double* x, const double* mean, double* z, double* squares) const {
        vec square[chain] = {};
        for (index i = 0; i < observed; ++i) {
            vec t[chain];
            for (index v = 0; v < chain; ++v) t[v] = load(x + i * tile + v * lanes) - splat(mean[columns.data[i]]);
            for (index j = 0; j < i; ++j) {
                const vec scale = splat(turned[j * d + i]);
                for (index v = 0; v < chain; ++v) t[v] -= scale * load(z + j * tile + v * lanes);
            }
            const vec inverse = splat(1.0 / turned[i * d + i]);
            for (index v = 0; v < chain; ++v) {
                t[v] *= inverse;
                square[v] += t[v] * t[v];
                store(z + i * tile + v * lanes, t[v]);
            }
        }
        for (index v = 0; v < chain; ++v) store(squares + v * lanes, square[v]);
    }

    // The expected x - mean of a whole row, given its observed cells.
    void complete(const double* x, const double* mean, const double* z, double* row, double scale) const {
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

}  // namespace parzen
