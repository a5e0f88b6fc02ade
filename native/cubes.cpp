// Cells of a regular grid over three columns, "cubes", of which only those that hold points or queries are there.
//
// In a cube, xi, eta and zeta run from -1 to 1. Moments of the points of a cube are sums of w T_a(xi) T_b(eta) T_c(zeta),
// a, b, c < p; a series has the same terms. Both are records of p^3 numbers. Moments become series column after column:
// each sweep applies a table to the first axis of its records and puts it last, so that after three of them all is in
// its old place.
//
// Points and queries come sorted by cube: those of cube k are rows begin[k] to end[k] - 1, corners[3 k + j] is its number
// along column j.
#include <algorithm>
#include "layout.h"
#include "power.h"

namespace parzen {
namespace {

struct Cubes {
    const double *low, *inverse;  // (3): lower edge of the cubes numbered 0, cubes per unit of length
    const index *begin, *end, *corners;
    double position(const double* row, index k, index j) const {
        return 2 * ((row[j] - low[j]) * inverse[j] - static_cast<double>(corners[3 * k + j])) - 1;
    }
};

template <index p, class V>
inline void chebyshev(V xi, V* T) {
    T[0] = xi - xi + 1;
    T[1] = xi;
    const V twice = xi + xi;
    for (index k = 2; k < p; ++k) T[k] = twice * T[k - 1] - T[k - 2];
}

inline pack every(double value) { return value - pack{}; }
inline pack get(const double* from) { return fetch(from, pack{}); }
inline void put(double* to, pack v) { std::memcpy(to, &v, sizeof v); }

// Adds the moments of several points: a product of matrices, T_a by w T_b T_c.
template <index p>
inline void add_points(const double (*first)[p], const double (*plane)[p * p], index many, double* M) {
    constexpr index wide = p % 3 ? 2 : 3;
    for (index bc = 0; bc < p * p; bc += wide * few)
        for (index a = 0; a < p; a += 4) {
            pack sums[4][wide];
            for (index r = 0; r < 4; ++r)
                for (index v = 0; v < wide; ++v) sums[r][v] = get(M + (a + r) * p * p + bc + v * few);
            for (index k = 0; k < many; ++k)
                for (index v = 0; v < wide; ++v) {
                    const pack at = get(plane[k] + bc + v * few);
                    for (index r = 0; r < 4; ++r) sums[r][v] += every(first[k][a + r]) * at;
                }
            for (index r = 0; r < 4; ++r)
                for (index v = 0; v < wide; ++v) put(M + (a + r) * p * p + bc + v * few, sums[r][v]);
        }
}

template <index p>
void moments(const Cubes& cubes, const double* X, const double* weights, const index* slots, index count, double* out) {
    constexpr index batch = 8;
    alignas(64) double first[batch][p], plane[batch][p * p];
    for (index k = 0; k < count; ++k) {
        double* M = out + slots[k] * p * p * p;
        std::fill(M, M + p * p * p, 0.0);
        for (index i = cubes.begin[k]; i < cubes.end[k]; i += batch) {
            const index many = std::min(batch, cubes.end[k] - i);
            for (index s = 0; s < many; ++s) {
                const double *row = X + 3 * (i + s), w = weights ? weights[i + s] : 1.0;
                double second[p], third[p];
                chebyshev<p>(cubes.position(row, k, 0), first[s]);
                chebyshev<p>(cubes.position(row, k, 1), second);
                chebyshev<p>(cubes.position(row, k, 2), third);
                for (index b = 0; b < p; ++b)
                    for (index c = 0; c < p; ++c) plane[s][b * p + c] = w * second[b] * third[c];
            }
            add_points<p>(first, plane, many, M);
        }
    }
}

// out[bc][e] = the sum over sources s and their first axis a of M[s][a][bc] table[s][a][e]; what is summed stays in registers.
template <index p>
void sweep(const double* from, const index* links, index across, const double* tables, double* out) {
    constexpr index wide = p / few % 3 ? 4 : 3, rows = 12 / wide;
    for (index block = 0; block < p * p; block += rows) {
        const index bc = std::min(block, p * p - rows);
        for (index e = 0; e < p; e += wide * few) {
            pack sums[rows][wide] = {};
            for (index s = 0; s < across; ++s) {
                if (links[s] < 0) continue;
                const double *M = from + links[s] * p * p * p + bc, *table = tables + s * p * p + e;
                for (index a = 0; a < p; ++a) {
                    pack by[wide];
                    for (index v = 0; v < wide; ++v) by[v] = get(table + a * p + v * few);
                    for (index r = 0; r < rows; ++r) {
                        const pack moment = every(M[a * p * p + r]);
                        for (index v = 0; v < wide; ++v) sums[r][v] += moment * by[v];
                    }
                }
            }
            for (index r = 0; r < rows; ++r)
                for (index v = 0; v < wide; ++v) put(out + (bc + r) * p + e + v * few, sums[r][v]);
        }
    }
}

// Values of a cube's series at two vectors of queries, given the polynomials at them.
template <index p>
inline void evaluate(const double* series, const vec (*T)[3][p], vec* out) {
    vec total[2] = {};
    for (index a = 0; a < p; ++a) {
        vec inner[2] = {};
        for (index b = 0; b < p; b += 4) {
            vec line[4][2] = {};
            for (index c = 0; c < p; ++c)
                for (index r = 0; r < 4; ++r) {
                    const vec term = splat(series[(a * p + b + r) * p + c]);
                    for (index v = 0; v < 2; ++v) line[r][v] += term * T[v][2][c];
                }
            for (index r = 0; r < 4; ++r)
                for (index v = 0; v < 2; ++v) inner[v] += line[r][v] * T[v][1][b + r];
        }
        for (index v = 0; v < 2; ++v) total[v] += inner[v] * T[v][0][a];
    }
    for (index v = 0; v < 2; ++v) out[v] = total[v];
}

template <index p>
void values(const Cubes& cubes, const double* X, const double* series, index count, double* out) {
    for (index k = 0; k < count; ++k)
        for (index i = cubes.begin[k]; i < cubes.end[k]; i += 2 * lanes) {
            vec T[2][3][p], found[2];
            for (index v = 0; v < 2; ++v)
                for (index j = 0; j < 3; ++j) {
                    vec xi{};
                    for (index s = 0; s < lanes; ++s) {
                        const index row = std::min(i + v * lanes + s, cubes.end[k] - 1);
                        xi[s] = cubes.position(X + 3 * row, k, j);
                    }
                    chebyshev<p>(xi, T[v][j]);
                }
            evaluate<p>(series + k * p * p * p, T, found);
            for (index s = 0; s < 2 * lanes && i + s < cubes.end[k]; ++s) out[i + s] = found[s / lanes][s % lanes];
        }
}

}  // namespace

// Moments of the points of `count` cubes, each in its slot of `out`; p is 12 or 16.
PARZEN_EXPORT index parzen_cube_moments_f64(const double* X, const double* weights, const double* low, const double* inverse,
                                            const index* begin, const index* end, const index* corners, const index* slots,
                                            index count, index p, double* out) {
    const Cubes cubes{low, inverse, begin, end, corners};
    if (p == 12) moments<12>(cubes, X, weights, slots, count, out);
    else moments<16>(cubes, X, weights, slots, count, out);
    return OK;
}

// Records of `count` cubes after one sweep: links (count, across) are the records that each is summed of, -1 for none, and
// tables (across, p, p) are by link, moment and term.
PARZEN_EXPORT index parzen_cube_sweep_f64(const double* from, const index* links, index count, index across,
                                          const double* tables, index p, double* out) {
    for (index k = 0; k < count; ++k) {
        if (p == 12) sweep<12>(from, links + k * across, across, tables, out + k * p * p * p);
        else sweep<16>(from, links + k * across, across, tables, out + k * p * p * p);
    }
    return OK;
}

// Values of the series of `count` cubes at the queries of each.
PARZEN_EXPORT index parzen_cube_values_f64(const double* X, const double* low, const double* inverse, const index* begin,
                                           const index* end, const index* corners, const double* series, index count,
                                           index p, double* out) {
    const Cubes cubes{low, inverse, begin, end, corners};
    if (p == 12) values<12>(cubes, X, series, count, out);
    else values<16>(cubes, X, series, count, out);
    return OK;
}

// Bounds on the error of the series of each target: the sum over the sources around it of their mass times
// |K1 K2 K3 - L1 L2 L3|, K the kernel between two cubes along a column (at most `largest`) and L its expansion (off by at
// most `errors`), both by distance up to `reach`. Also the sum of mass times `largest`, the mass within reach, and the
// number of points at most `near` cubes away along each column. Numbers of cubes are ((i * rows) + j) * columns + k, in rising order, and leave room for
// the reach around all cubes.
PARZEN_EXPORT index parzen_cube_bounds_f64(const index* targets, index m, const index* sources, const double* mass,
                                           const double* points, index n, index rows, index columns, index reach,
                                           index near, const double* largest, const double* errors, double* out) {
    std::fill(out, out + 4 * m, 0.0);
    if (!m || !n) return OK;
    for (index i = -reach; i <= reach; ++i)
        for (index j = -reach; j <= reach; ++j) {
            const double L1 = largest[std::abs(i)], e1 = errors[std::abs(i)], L2 = largest[std::abs(j)],
                         e2 = errors[std::abs(j)];
            const index shift = (i * rows + j) * columns;
            const bool beside = std::max(std::abs(i), std::abs(j)) <= near;
            const double face = L1 * L2, off = e1 * (L2 + e2) + L1 * e2;
            const index* s = std::lower_bound(sources, sources + n, targets[0] + shift - reach);
            for (index t = 0; t < m; ++t) {
                const index middle = targets[t] + shift;
                while (s < sources + n && *s < middle - reach) ++s;
                double* sums = out + 4 * t;
                for (const index* at = s; at < sources + n && *at <= middle + reach; ++at) {
                    const index k = std::abs(*at - middle);
                    const double w = mass[at - sources];
                    sums[0] += w * (off * (largest[k] + errors[k]) + face * errors[k]);
                    sums[1] += w * face * largest[k];
                    sums[2] += w;
                    if (beside && k <= near) sums[3] += points[at - sources];
                }
            }
        }
    return OK;
}

}  // namespace parzen
