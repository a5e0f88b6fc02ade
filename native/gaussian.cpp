// Log-densities of K Gaussians at a block of rows. A tile of rows is transposed once, then each member's triangular
// system is solved for all rows of the tile in vector lanes: always differences x - mean, always a Cholesky factor, so
// that neither an offset nor a condition number of 1e12 spoils the result.
#include "common.h"

namespace parzen {
namespace {

constexpr index vectors = 4;                  // independent chains that hide the latency of a triangular solve
constexpr index tile = vectors * lanes;

struct Tile {
    vec v[vectors];
};

inline Tile read(const double* p) {
    Tile t;
    for (index s = 0; s < vectors; ++s) t.v[s] = load(p + s * lanes);
    return t;
}
inline void write(double* p, const Tile& t) {
    for (index s = 0; s < vectors; ++s) store(p + s * lanes, t.v[s]);
}

// columns[j * tile + r] = X[r, j] - origin[j]; rows beyond the last repeat it.
template <class T>
void transpose(const T* X, index rows, index d, index stride, const double* origin, double* columns) {
    for (index j = 0; j < d; ++j) {
        const double o = origin ? origin[j] : 0.0;
        double* column = columns + j * tile;
        if (rows == tile) {
#pragma omp simd
            for (index r = 0; r < tile; ++r) column[r] = X[r * stride + j] - o;
        } else {
            for (index r = 0; r < tile; ++r) column[r] = X[(r < rows ? r : rows - 1) * stride + j] - o;
        }
    }
}

inline void add_product(Tile& t, double scale, const Tile& z) {
    const vec s = splat(scale);
    for (index v = 0; v < vectors; ++v) t.v[v] += s * z.v[v];
}
inline Tile difference(const double* x, double mean) {
    Tile t = read(x);
    for (index v = 0; v < vectors; ++v) t.v[v] -= splat(mean);
    return t;
}
inline void scale(Tile& t, double factor, Tile& square) {
    const vec inverse = splat(factor);
    for (index v = 0; v < vectors; ++v) {
        t.v[v] *= inverse;
        square.v[v] += t.v[v] * t.v[v];
    }
}

// z = L^-1 (x - mean) for a tile of rows, given the inverses of L's pivots; returns the squared length of z. Two equations at a time, so that each loaded
// z serves twice and there are enough independent sums to hide the latency of an addition.
inline Tile solve(const double* x, const double* mean, const double* factor, const double* inverse, index d, double* z) {
    Tile square = {};
    index i = 0;
    for (; i + 1 < d; i += 2) {
        const double *upper = factor + i * d, *lower = upper + d;
        Tile a = difference(x + i * tile, mean[i]), b = difference(x + (i + 1) * tile, mean[i + 1]);
        for (index j = 0; j < i; ++j) {
            const Tile earlier = read(z + j * tile);
            add_product(a, -upper[j], earlier);
            add_product(b, -lower[j], earlier);
        }
        scale(a, inverse[i], square);
        add_product(b, -lower[i], a);
        scale(b, inverse[i + 1], square);
        write(z + i * tile, a);
        write(z + (i + 1) * tile, b);
    }
    if (i < d) {
        Tile a = difference(x + i * tile, mean[i]);
        for (index j = 0; j < i; ++j) add_product(a, -factor[i * d + j], read(z + j * tile));
        scale(a, inverse[i], square);
        write(z + i * tile, a);
    }
    return square;
}

// Squared distance of a tile of rows to a point, each column divided by its own scale (or not, with null).
template <bool Missing>
inline Tile distance(const double* x, const double* mean, const double* inverse, const double* norm, index d) {
    Tile total = {};
    for (index j = 0; j < d; ++j) {
        Tile t = read(x + j * tile);
        const vec m = splat(mean[j]), scale = splat(inverse ? inverse[j] : 1.0);
        for (index s = 0; s < vectors; ++s) {
            const vec u = (t.v[s] - m) * scale;
            if constexpr (Missing) {
                const vec term = u * u + splat(norm[j]);
                total.v[s] += term == term ? term : vec{};
            } else {
                total.v[s] += u * u;
            }
        }
    }
    return total;
}

// Inverses of the diagonals of some triangular factors.
inline void invert_pivots(const double* factor, index factors, index d, double* inverse) {
    for (index k = 0; k < factors; ++k)
        for (index i = 0; i < d; ++i) inverse[k * d + i] = 1.0 / factor[(k * d + i) * d + i];
}

// out[r, k] = constant[k] - square / 2 for the rows of a tile.
inline void emit(const Tile& square, double constant, double* out, index k, index groups, index rows) {
    double lane[tile];
    write(lane, square);
    for (index r = 0; r < rows; ++r) out[r * groups + k] = constant - 0.5 * lane[r];
}

inline index count_nan(const double* out, index rows, index groups) {
    index found = 0;
    for (index r = 0; r < rows; ++r) found += out[r * groups] != out[r * groups];
    return found;
}

// One factor for each member. Rows with a NaN come out NaN; returns how many there are.
template <class T>
index separate(const T* X, index n, index d, index stride, index groups, const double* mean, const double* factor,
               const double* constant, double* out) {
    Scratch<double> x(d * tile), z(d * tile), inverse(groups * d);
    if (!x || !z || !inverse) return NO_MEMORY;
    invert_pivots(factor, groups, d, inverse);
    index found = 0;
    for (index i = 0; i < n; i += tile) {
        const index rows = n - i < tile ? n - i : tile;
        transpose(X + i * stride, rows, d, stride, nullptr, x);
        for (index k = 0; k < groups; ++k) {
            const Tile square = solve(x, mean + k * d, factor + k * d * d, inverse + k * d, d, z);
            emit(square, constant[k], out + i * groups, k, groups, rows);
        }
        found += count_nan(out + i * groups, rows, groups);
    }
    return found;
}

// One factor for all: rows and means are whitened once, about the first mean, and compared by plain distance.
template <class T>
index shared(const T* X, index n, index d, index stride, index groups, const double* mean, const double* factor,
             const double* constant, double* out) {
    Scratch<double> x(d * tile), z(d * tile), white(groups * d), zero(d), inverse(d);
    if (!x || !z || !white || !zero || !inverse) return NO_MEMORY;
    invert_pivots(factor, 1, d, inverse);
    for (index k = 0; k < groups; ++k) {
        for (index i = 0; i < d; ++i) {
            double t = mean[k * d + i] - mean[i];
            for (index j = 0; j < i; ++j) t -= factor[i * d + j] * white[k * d + j];
            white[k * d + i] = t * inverse[i];
        }
    }
    index found = 0;
    for (index i = 0; i < n; i += tile) {
        const index rows = n - i < tile ? n - i : tile;
        transpose(X + i * stride, rows, d, stride, mean, x);
        solve(x, zero, factor, inverse, d, z);
        for (index k = 0; k < groups; ++k)
            emit(distance<false>(z, white + k * d, nullptr, nullptr, d), constant[k], out + i * groups, k, groups, rows);
        found += count_nan(out + i * groups, rows, groups);
    }
    return found;
}

// Independent columns; a NaN is marginalised: neither it nor its column's normaliser contributes.
template <class T>
index diagonal(const T* X, index n, index d, index stride, index groups, const double* mean, const double* deviation,
               const double* constant, double* out) {
    Scratch<double> x(d * tile), inverse(groups * d), norm(groups * d);
    if (!x || !inverse || !norm) return NO_MEMORY;
    for (index c = 0; c < groups * d; ++c) {
        inverse[c] = 1.0 / deviation[c];
        norm[c] = 1.8378770664093454836 + 2.0 * std::log(deviation[c]);  // log(2 pi) + log variance
    }
    for (index i = 0; i < n; i += tile) {
        const index rows = n - i < tile ? n - i : tile;
        double* o = out + i * groups;
        transpose(X + i * stride, rows, d, stride, nullptr, x);
        for (index k = 0; k < groups; ++k)
            emit(distance<false>(x, mean + k * d, inverse + k * d, nullptr, d), constant[k], o, k, groups, rows);
        if (!count_nan(o, rows, groups)) continue;
        for (index k = 0; k < groups; ++k)
            emit(distance<true>(x, mean + k * d, inverse + k * d, norm + k * d, d), 0.0, o, k, groups, rows);
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_GAUSSIAN(kernel, T, suffix)                                                                            \
    PARZEN_EXPORT parzen::index parzen_gaussian_##kernel##_##suffix(                                                  \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups, const double* mean, \
        const double* factor, const double* constant, double* out) {                                                  \
        return parzen::kernel(X, n, d, stride, groups, mean, factor, constant, out);                                  \
    }

PARZEN_GAUSSIAN(separate, float, f32)
PARZEN_GAUSSIAN(separate, double, f64)
PARZEN_GAUSSIAN(shared, float, f32)
PARZEN_GAUSSIAN(shared, double, f64)
PARZEN_GAUSSIAN(diagonal, float, f32)
PARZEN_GAUSSIAN(diagonal, double, f64)
