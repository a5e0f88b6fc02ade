// Points on a regular grid of cells, with the Chebyshev moments of the points of each cell.
//
// In a cell, xi runs from -1 to 1. Moments: M[cell][k] = sum_j w_j T_k(xi_j), k < 8 or 16 (in two dimensions
// T_k(xi) T_l(eta), k, l < 16). The sum of a smooth kernel over the points of a cell is a linear function of them; and its
// sum over all cells, as a function of the query's position in a cell, is again a series in the same polynomials.
#include "exp.h"

namespace parzen {
namespace {

constexpr index terms = 16;

struct Axis {
    double low, inverse;  // lower edge of the first cell, cells per unit of length
    index count;
    // Cell of a coordinate, and its position there, from -1 to 1.
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

// The powers 1, x, ..., x^7 in 8 / lanes vectors: each the product of those of x, x^2, x^4 that its bits select.
struct Powers {
    static constexpr index count = 8 / lanes;
    vec one[count], two[count], four[count];
    Powers() {
        for (index m = 0; m < 8; ++m) {
            one[m / lanes][m % lanes] = m & 1;
            two[m / lanes][m % lanes] = (m >> 1) & 1;
            four[m / lanes][m % lanes] = m >> 2;
        }
    }
    // From x - 1, x^2 - 1 and x^4 - 1.
    inline vec at(index v, double x1, double x2, double x4) const {
        return (splat(1.0) + one[v] * splat(x1)) * (splat(1.0) + two[v] * splat(x2)) * (splat(1.0) + four[v] * splat(x4));
    }
};

inline vec eighth(vec x) {  // T_8
    const vec t = splat(2.0) * x * x - splat(1.0), s = splat(2.0) * t * t - splat(1.0);
    return splat(2.0) * s * s - splat(1.0);
}

// Sums of w x^m and, with 16 terms, of w T_8(x) x^m, m < 8, in every cell; `finish` makes them Chebyshev moments.
template <index count>
void line_moments(const double* X, index n, const double* weights, const Axis& axis, double* out) {
    const Powers powers;
    alignas(64) double x1[lanes], x2[lanes], x4[lanes], w[lanes], w8[lanes];
    alignas(64) index cell[lanes];
    for (index i = 0; i < n; i += lanes) {
        const index many = n - i < lanes ? n - i : lanes;
        vec x{}, weight = splat(1.0);
        if (many == lanes) {
            x = load(X + i);
            if (weights) weight = load(weights + i);
        } else {
            for (index s = 0; s < many; ++s) {
                x[s] = X[i + s];
                if (weights) weight[s] = weights[i + s];
            }
        }
        const vec u = (x - splat(axis.low)) * splat(axis.inverse);
        whole at = __builtin_convertvector(u, whole);
        const whole last = at - at + (axis.count - 1);
        at = at < 0 ? at - at : at > last ? last : at;
        const vec xi = splat(2.0) * (u - __builtin_convertvector(at, vec)) - splat(1.0), square = xi * xi;
        std::memcpy(cell, &at, sizeof at);
        store(x1, xi - splat(1.0));
        store(x2, square - splat(1.0));
        store(x4, square * square - splat(1.0));
        store(w, weight);
        if (count > 8) store(w8, weight * eighth(xi));
        for (index s = 0; s < many; ++s) {
            double* into = out + cell[s] * count;
            for (index v = 0; v < Powers::count; ++v) {
                const vec p = powers.at(v, x1[s], x2[s], x4[s]);
                store(into + v * lanes, load(into + v * lanes) + (weights ? splat(w[s]) * p : p));
                if (count > 8) store(into + 8 + v * lanes, load(into + 8 + v * lanes) + splat(w8[s]) * p);
            }
        }
    }
}

// T_m = sum of c[m][k] x^k, and T_(8 + m) = 2 T_8 T_m - T_(8 - m).
template <index count>
void finish(index cells, double* out) {
    double c[8][8] = {};
    c[0][0] = 1;
    c[1][1] = 1;
    for (index m = 2; m < 8; ++m)
        for (index k = 0; k < 8; ++k) c[m][k] = (k ? 2 * c[m - 1][k - 1] : 0) - c[m - 2][k];
    for (index cell = 0; cell < cells; ++cell) {
        double* M = out + cell * count;
        double T[count] = {};
        for (index m = 0; m < 8; ++m)
            for (index k = 0; k <= m; ++k) {
                T[m] += c[m][k] * M[k];
                if (count > 8) T[count - 8 + m] += c[m][k] * M[count - 8 + k];
            }
        if (count > 8) {
            // T_8 itself is the first of its products; T_(8 - m) of m = 1 to 7 stands in the lower half.
            for (index m = 1; m < 8; ++m) T[8 + m] = 2 * T[8 + m] - T[8 - m];
        }
        for (index k = 0; k < count; ++k) M[k] = T[k];
    }
}

}  // namespace

PARZEN_EXPORT index parzen_cell_moments_f64(const double* X, index n, index d, index count, const double* weights,
                                            const double* low, const double* inverse, const index* counts, double* out) {
    if (d == 1) {
        const Axis axis{low[0], inverse[0], counts[0]};
        if (count == 8) {
            line_moments<8>(X, n, weights, axis, out);
            finish<8>(counts[0], out);
        } else {
            line_moments<16>(X, n, weights, axis, out);
            finish<16>(counts[0], out);
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

// Values of the series at query points, and the cell of each, -1 outside all cells.
PARZEN_EXPORT index parzen_cell_values_f64(const double* X, index n, index d, index count, const double* series,
                                           const double* low, const double* inverse, const index* counts, double* out,
                                           index* cells) {
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
            const double* c = series + cell * count;
            double b1 = 0, b2 = 0;
            const double twice = 2 * xi[0];
            for (index k = count - 1; k > 0; --k) {
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

// Indices of the points that lie in chosen cells, in rising order, after their number. No cell is chosen
// between quiet[0] and quiet[1], coordinates of the first column, where most points lie.
PARZEN_EXPORT index parzen_cell_select_f64(const double* X, index n, index d, const std::uint8_t* chosen, const double* quiet,
                                           const double* low, const double* inverse, const index* counts, index* out) {
    index found = 0;
    double xi;
    for (index i = 0; i < n; ++i) {
        if (d == 1 && i % 64 == 0 && n - i >= 64) {
            vec inside = splat(1.0);
            const vec a = splat(quiet[0]), b = splat(quiet[1]);
            for (index s = 0; s < 64; s += lanes) {
                const vec x = load(X + i + s);
                inside = x < a ? vec{} : x > b ? vec{} : inside;
            }
            if (sum_of(inside) == lanes) {
                i += 63;
                continue;
            }
        }
        index cell = 0;
        for (index j = 0; j < d; ++j)
            cell = cell * counts[j] + Axis{low[j], inverse[j], counts[j]}.cell(X[i * d + j], &xi);
        out[1 + found] = i;
        found += chosen[cell];
    }
    out[0] = found;
    return OK;
}

namespace {

// Rows r to r + Q - 1 of the targets' series; what they read stays in registers.
template <index count, int Q>
inline void spread_rows(const double* moments, index first, index last, index inner, index r, index t, const double* tables,
                        index reach, double* out) {
    constexpr index vectors = count / lanes;
    vec even[Q][vectors] = {}, odd[Q][vectors] = {};
    for (index s = first; s <= last; ++s) {
        const double *M = moments + (s * inner + r) * count, *table = tables + (t - s + reach) * count * count;
        for (index l = 0; l < count; l += 2)
            for (index v = 0; v < vectors; ++v) {
                const vec a = load(table + l * count + v * lanes), b = load(table + (l + 1) * count + v * lanes);
                for (int k = 0; k < Q; ++k) {
                    even[k][v] += splat(M[k * count + l]) * a;
                    odd[k][v] += splat(M[k * count + l + 1]) * b;
                }
            }
    }
    for (int k = 0; k < Q; ++k)
        for (index v = 0; v < vectors; ++v)
            store(out + (t * inner + r + k) * count + v * lanes, even[k][v] + odd[k][v]);
}

template <index count>
void spread(const double* moments, index cells, index inner, const double* tables, index reach, index begin, index end,
            double* out) {
    for (index t = begin; t < end; ++t) {
        const index first = t - reach > 0 ? t - reach : 0, last = t + reach < cells - 1 ? t + reach : cells - 1;
        index r = 0;
        for (; r + 2 <= inner; r += 2) spread_rows<count, 2>(moments, first, last, inner, r, t, tables, reach, out);
        for (; r < inner; ++r) spread_rows<count, 1>(moments, first, last, inner, r, t, tables, reach, out);
    }
}

}  // namespace

// Series of cells `begin` to `end` - 1 of a row from the moments of all, `inner` of them side by side in each cell:
// tables (2 reach + 1, count, count) are by distance, moment and term.
PARZEN_EXPORT index parzen_cell_spread_f64(const double* moments, index cells, index inner, index count, const double* tables,
                                           index reach, index begin, index end, double* out) {
    if (count == 8) spread<8>(moments, cells, inner, tables, reach, begin, end, out);
    else spread<16>(moments, cells, inner, tables, reach, begin, end, out);
    return OK;
}

// A copy of rows, and the least and largest of each column; a NaN makes both of its column NaN.
PARZEN_EXPORT index parzen_copy_rows_f64(const double* X, index n, index d, double* out, double* low, double* high) {
    for (index j = 0; j < d; ++j) low[j] = high[j] = n ? X[j] : 0;
    index i = 0;
    vec least = splat(n ? X[0] : 0), most = least, odd{};
    for (; d == 1 && i + lanes <= n; i += lanes) {
        const vec x = load(X + i);
        store(out + i, x);
        least = x < least ? x : least;
        most = x > most ? x : most;
        odd += x - x;  // NaN where x is NaN or infinite
    }
    if (d == 1) {
        for (index s = 0; s < lanes; ++s) {
            low[0] = least[s] < low[0] ? least[s] : low[0];
            high[0] = most[s] > high[0] ? most[s] : high[0];
        }
        if (!(sum_of(odd) == 0)) low[0] = high[0] = sum_of(odd);
    }
    for (; i < n; ++i)
        for (index j = 0; j < d; ++j) {
            const double x = X[i * d + j];
            out[i * d + j] = x;
            low[j] = x < low[j] || x != x ? x : low[j];
            high[j] = x > high[j] || x != x ? x : high[j];
        }
    return OK;
}

}  // namespace parzen
