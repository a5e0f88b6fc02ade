// Points on a regular grid of cells, each cell remembering the Chebyshev moments of its points.
//
// In a cell, xi runs from -1 to 1. Moments: M[cell][k] = sum_j w_j T_k(xi_j), k < 16 (in two dimensions T_k(xi) T_l(eta)).
// What a smooth kernel sums to over a cell is a linear function of them; and its sum over all cells, as a function of
// where it is evaluated in a cell, is again a series in the same polynomials.
#include "exp.h"

namespace parzen {
namespace {

constexpr index terms = 16;

struct Axis {
    double low, inverse;  // where the first cell begins, cells for each unit of length
    index count;
    // Cell of a coordinate, and its place there, from -1 to 1.
    inline index cell(double x, double* xi) const {
        const double u = (x - low) * inverse;
        index i = static_cast<index>(u);
        i = i < 0 ? 0 : i >= count ? count - 1 : i;
        *xi = 2 * (u - static_cast<double>(i)) - 1;
        return i;
    }
};

inline void chebyshev(double xi, double* T) {
    T[0] = 1;
    T[1] = xi;
    const double twice = 2 * xi;
    for (index k = 2; k < terms; ++k) T[k] = twice * T[k - 1] - T[k - 2];
}

// T_0 to T_15 at `lanes` places at once, T[k][lane].
inline void chebyshev(vec xi, vec* T) {
    T[0] = splat(1.0);
    T[1] = xi;
    const vec twice = xi + xi;
    for (index k = 2; k < terms; ++k) T[k] = twice * T[k - 1] - T[k - 2];
}

}  // namespace

PARZEN_EXPORT index parzen_cell_moments_f64(const double* X, index n, index d, const double* weights, const double* low,
                                            const double* inverse, const index* counts, double* out) {
    if (d == 1) {
        const Axis axis{low[0], inverse[0], counts[0]};
        for (index i = 0; i < n; i += lanes) {
            const index many = n - i < lanes ? n - i : lanes;
            index cell[lanes];
            vec xi{}, T[terms];
            for (index s = 0; s < many; ++s) {
                double place;
                cell[s] = axis.cell(X[i + s], &place);
                xi[s] = place;
            }
            chebyshev(xi, T);
            for (index s = 0; s < many; ++s) {
                double* into = out + cell[s] * terms;
                const double w = weights ? weights[i + s] : 1.0;
                for (index k = 0; k < terms; ++k) into[k] += w * reinterpret_cast<const double*>(T)[k * lanes + s];
            }
        }
        return OK;
    }
    const Axis across{low[0], inverse[0], counts[0]}, down{low[1], inverse[1], counts[1]};
    for (index i = 0; i < n; ++i) {
        double xi, eta, S[terms];
        alignas(64) double T[terms];
        const index a = across.cell(X[2 * i], &xi), b = down.cell(X[2 * i + 1], &eta);
        chebyshev(xi, S);
        chebyshev(eta, T);
        const double w = weights ? weights[i] : 1.0;
        double* into = out + (a * counts[1] + b) * terms * terms;
        for (index k = 0; k < terms; ++k) {
            const vec s = splat(w * S[k]);
            for (index l = 0; l < terms; l += lanes) {
                double* at = into + k * terms + l;
                store(at, load(at) + s * load(T + l));
            }
        }
    }
    return OK;
}

// Values of the series at places in its cells; `cells` says which cell each place is in, -1 where none.
PARZEN_EXPORT index parzen_cell_values_f64(const double* X, index n, index d, const double* series, const double* low,
                                           const double* inverse, const index* counts, double* out, index* cells) {
    for (index i = 0; i < n; ++i) {
        double xi[2];
        index cell = 0;
        bool inside = true;
        for (index j = 0; j < d; ++j) {
            const Axis axis{low[j], inverse[j], counts[j]};
            const double u = (X[i * d + j] - low[j]) * inverse[j];
            inside = inside && u >= 0 && u < static_cast<double>(counts[j]);
            cell = inside ? cell * counts[j] + axis.cell(X[i * d + j], xi + j) : 0;
        }
        cells[i] = inside ? cell : -1;
        out[i] = 0;
        if (!inside) continue;
        if (d == 1) {
            // Clenshaw's recurrence
            const double* c = series + cell * terms;
            double b1 = 0, b2 = 0;
            const double twice = 2 * xi[0];
            for (index k = terms - 1; k > 0; --k) {
                const double b0 = c[k] + twice * b1 - b2;
                b2 = b1;
                b1 = b0;
            }
            out[i] = c[0] + xi[0] * b1 - b2;
        } else {
            double S[terms];
            alignas(64) double T[terms];
            chebyshev(xi[0], S);
            chebyshev(xi[1], T);
            const double* c = series + cell * terms * terms;
            vec total{};
            for (index l = 0; l < terms; l += lanes) {
                vec column{};
                for (index k = 0; k < terms; ++k) column += splat(S[k]) * load(c + k * terms + l);
                total += column * load(T + l);
            }
            out[i] = sum_of(total);
        }
    }
    return OK;
}

}  // namespace parzen
