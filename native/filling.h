// Conditional means of missing cells, one row and one Gaussian at a time; see gaps.h for the formulas. Every Gaussian
// remembers the pattern that it met last: rows of one pattern that follow one another share its factor P_mm = U D U', and
// their conditional covariance P_mm^-1 is added once, with the sum of their weights.
#pragma once
#include "exp.h"

namespace parzen {

struct Fillings {
    static constexpr double most_growth = 1e3;  // as in gaps.h
    index d, wide, groups, size;
    Scratch<double> precision, scale, deviation, unit;                      // of each covariance
    Scratch<double> triangle, pivot, logs, held, extra, solved, covariance;  // of each one's pattern
    Scratch<index> gone, missing;
    Scratch<std::uint64_t> current;

    Fillings(index columns, index K)
        : d(columns), wide(rounded_up(columns, lanes)), groups(K), size(d * (d - 1) / 2), precision(K * d * wide),
          scale(K * d), deviation(K * d), unit(K * d), triangle(K * size), pivot(K * d), logs(K), held(K), extra(K * d * d),
          solved(d), covariance(d * (d + 1) / 2), gone(K * d), missing(K), current(K) {}
    explicit operator bool() const {
        return precision.data && scale.data && deviation.data && unit.data && triangle.data && pivot.data && logs.data &&
               held.data && extra.data && solved.data && covariance.data && gone.data && missing.data && current.data;
    }

    // Takes up a factor L (row by row) as covariance k; `inverse` becomes that of L. False where digits could be lost.
    bool prepare(index k, const double* L, double* inverse) {
        double most = 0;
        for (index i = 0; i < d; ++i) {
            double total = 0;
            for (index j = 0; j <= i; ++j) total += L[i * d + j] * L[i * d + j];
            deviation[k * d + i] = std::sqrt(total);
            scale[k * d + i] = 1.0 / deviation[k * d + i];
            unit[k * d + i] = std::log(deviation[k * d + i]);
        }
        for (index i = 0; i < d; ++i) {
            double total = 0;
            for (index j = 0; j <= i; ++j) {
                double t = i == j ? 1.0 : 0.0;
                for (index c = j; c < i; ++c) t -= L[i * d + c] * inverse[c * d + j];
                inverse[i * d + j] = t / L[i * d + i];
                total += std::fabs(inverse[i * d + j]) * deviation[k * d + j];
            }
            for (index j = i + 1; j < d; ++j) inverse[i * d + j] = 0;
            most = total > most ? total : most;
        }
        double* P = precision + k * d * wide;
        for (index c = 0; c < d; ++c)
            for (index i = 0; i <= c; ++i) {
                const double left = inverse[c * d + i] * deviation[k * d + i];
#pragma omp simd
                for (index j = 0; j <= c; ++j) P[i * wide + j] += left * inverse[c * d + j] * deviation[k * d + j];
            }
        return most <= most_growth;
    }

    // Which cells are missing; returns how many.
    template <class T>
    index columns(const T* x, std::uint64_t key, index* own) const {
        index m = 0;
        if (d <= 64) {
            for (; key; key &= key - 1) own[m++] = __builtin_ctzll(key);
        } else {
            for (index j = 0; j < d; ++j)
                if (x[j] != x[j]) own[m++] = j;
        }
        return m;
    }

    // Takes up the pattern of a row, unless it is the last one's. Keys of more than 64 columns don't say which it is.
    template <class T>
    void pattern(index k, const T* x, std::uint64_t key) {
        if (d <= 64 && current[k] == key) return;
        spread(k);
        current[k] = key;
        index* own = gone + k * d;
        const index m = missing[k] = columns(x, key, own);
        const double *P = precision + k * d * wide, *units = unit + k * d;
        double *U = triangle + k * size, *D = pivot + k * d, *s = solved, total = 0, product = 1;
        for (index a = 0; a < m; ++a) {
            const double* row = P + own[a] * wide;
            double *to = U + a * (a - 1) / 2, left = row[own[a]];
            for (index b = 0; b < a; ++b) {
                const double* earlier = U + b * (b - 1) / 2;
                double t = row[own[b]];
                for (index c = 0; c < b; ++c) t -= s[c] * earlier[c];
                s[b] = t;
                to[b] = t * D[b];
                left -= t * to[b];
            }
            D[a] = 1.0 / left;
            product *= left;
            total -= units[own[a]];
            if (a % 8 == 7 || a + 1 == m) {
                total += 0.5 * std::log(product);
                product = 1;
            }
        }
        logs[k] = total;
    }

    // P_mm^-1 v into `solved`, v the missing cells of P y; y (in units of the deviations) is zero there, and beyond d.
    void solve(index k, const double* y) {
        const index m = missing[k], *own = gone + k * d;
        const double *P = precision + k * d * wide, *U = triangle + k * size, *D = pivot + k * d;
        double* s = solved;
        for (index a = 0; a < m; ++a) {
            const double* row = P + own[a] * wide;
            vec sum = {};
            for (index j = 0; j < wide; j += lanes) sum += load(row + j) * load(y + j);
            double t = sum_of(sum);
            for (index b = 0; b < a; ++b) t -= U[a * (a - 1) / 2 + b] * s[b];
            s[a] = t;
        }
        for (index a = m - 1; a >= 0; --a) {
            double t = s[a] * D[a];
            for (index b = a + 1; b < m; ++b) t -= U[b * (b - 1) / 2 + a] * s[b];
            s[a] = t;
        }
    }

    // Adds the conditional covariance of the last pattern (in units of the deviations, j <= i), with the weight held.
    void spread(index k) {
        const double w = held[k];
        held[k] = 0;
        if (w == 0) return;
        const index m = missing[k], *own = gone + k * d;
        const double *U = triangle + k * size, *D = pivot + k * d;
        double *C = covariance, *to = extra + k * d * d;
        for (index i = m - 1; i >= 0; --i)
            for (index j = m - 1; j >= i; --j) {
                double t = i == j ? D[i] : 0.0;
                for (index c = i + 1; c < m; ++c)
                    t -= U[c * (c - 1) / 2 + i] * (c > j ? C[c * (c + 1) / 2 + j] : C[j * (j + 1) / 2 + c]);
                C[j * (j + 1) / 2 + i] = t;
                to[own[j] * d + own[i]] += w * t;
            }
    }
    double spread_of(index k, index i, index j) const {  // j <= i
        return extra.data[(k * d + i) * d + j] * deviation.data[k * d + i] * deviation.data[k * d + j];
    }
};

}  // namespace parzen
