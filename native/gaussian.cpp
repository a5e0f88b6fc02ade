// Log-densities of K Gaussians at a block of rows. A tile of rows is transposed once, then each member's triangular
// system is solved for all rows of the tile in vector lanes: always differences x - mean, always a Cholesky factor, so
// that neither an offset nor a condition number of 1e12 spoils the result. Rows with missing cells are marginalised
// (gaps.h), where asked for and where no digits are lost.
#include "filling.h"
#include "gaps.h"
#include "rows.h"

#include <optional>

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

// columns[j * tile + r] = X[r, j] - origin[j]; rows beyond the last repeat it. Returns whether a cell is missing.
template <class T>
bool transpose(const T* X, index rows, index d, index stride, const double* origin, double* columns) {
    Tile sum = {};
    for (index j = 0; j < d; ++j) {
        const double o = origin ? origin[j] : 0.0;
        double* column = columns + j * tile;
        if (rows == tile) {
            lay_spaced<tile>(X + j, stride, o, column);
        } else {
            for (index r = 0; r < tile; ++r) column[r] = X[(r < rows ? r : rows - 1) * stride + j] - o;
        }
        for (index v = 0; v < vectors; ++v) sum.v[v] += load(column + v * lanes);
    }
    vec whole = {};
    for (index v = 0; v < vectors; ++v) whole += sum.v[v];
    const double total = sum_of(whole);
    return total != total;  // of infinite ones as well, maybe: they take the careful way, too
}

inline void add_product(Tile& t, double scale, const Tile& z) {
    const vec s = splat(scale);
    for (index v = 0; v < vectors; ++v) t.v[v] += s * z.v[v];
}
// x - mean; zero with Missing where that is NaN.
template <bool Missing>
inline Tile difference(const double* x, double mean) {
    Tile t = read(x);
    for (index v = 0; v < vectors; ++v) {
        t.v[v] -= splat(mean);
        if constexpr (Missing) t.v[v] = t.v[v] == t.v[v] ? t.v[v] : vec{};
    }
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
template <bool Missing>
inline Tile solve(const double* x, const double* mean, const double* factor, const double* inverse, index d, double* z) {
    Tile square = {};
    index i = 0;
    for (; i + 1 < d; i += 2) {
        const double *upper = factor + i * d, *lower = upper + d;
        Tile a = difference<Missing>(x + i * tile, mean[i]), b = difference<Missing>(x + (i + 1) * tile, mean[i + 1]);
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
        Tile a = difference<Missing>(x + i * tile, mean[i]);
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

// rows[r * step] = squares of a tile of rows.
inline void turn(const Tile& square, double* rows, index step) {
    double lane[tile];
    write(lane, square);
    for (index r = 0; r < tile; ++r) rows[r * step] = lane[r];
}

// Log-densities of a row without missing cells, whose squares go on to whole vectors; false where they are NaN.
inline bool complete_row(index groups, const double* constant, const double* squares, double* out) {
    for (index k = 0; k < groups; k += lanes) put(out + k, load(constant + k) - splat(0.5) * load(squares + k), groups - k);
    return out[0] == out[0];
}

// Rows of a tile that have missing cells, from squared distances of rows whose missing cells are at the means to
// log-densities of what is observed. Made when the first such row comes.
struct Marginals {
    index d, groups;
    Gaps gaps;
    Scratch<double> whole, constant;  // squared distances, row by row
    Scratch<index> ranks;

    Marginals(index columns, index members, const double* mean, const double* factor, const double* constants)
        : d(columns), groups(members), gaps(d, groups, 10), whole(tile * gaps.wide), constant(gaps.wide), ranks(66) {
        if (!*this) return;
        gaps.prepare(mean, factor);
        std::memcpy(constant, constants, sizeof(double) * groups);
    }
    explicit operator bool() const { return gaps && whole.data && constant.data && ranks.data; }

    // Returns how many rows are left to be computed otherwise, with NaN in the first of their log-densities.
    index rows(const double* X, index count, index stride, double* out) {
        std::uint64_t keys[tile];
        index missing[tile], order[tile], left = 0;
        for (index r = 0; r < count; ++r) {
            keys[r] = holes(X + r * stride, d, [](index, vec) {});
            missing[r] = __builtin_popcountll(keys[r]);
        }
        by_holes(missing, count, 64, ranks, order);
        for (index i = 0; i < count; ++i) {
            const index r = order[i];
            double *own = out + r * groups, *squares = whole + r * gaps.wide;
            left += keys[r] ? !gaps.marginalise(X + r * stride, keys[r], constant, squares, own)
                            : !complete_row(groups, constant, squares, own);
        }
        return left;
    }
};

// The same under one covariance: missing cells are put at their conditional means under a Gaussian at the first mean
// (filling.h). With s_k the missing cells of P (mean_k - mean_0), the squared distance to mean k is then s_k' P_mm^-1 s_k
// too large.
struct SharedMarginals {
    index d, groups, wide;
    Fillings fillings;
    Scratch<double> shift, origin, y, square, logs, whole, constant, loss;
    Scratch<std::int32_t> columns;
    Scratch<index> missing, order;
    Scratch<std::uint64_t> keys;

    SharedMarginals(index columns_, index members)
        : d(columns_), groups(members), wide(rounded_up(members, lanes)), fillings(d, 1), shift(d * wide),
          origin(fillings.wide), y(tile * fillings.wide), square(tile * wide), logs(tile * wide),
          whole(tile * wide), constant(wide), loss(wide), columns(tile * d), missing(tile), order(tile), keys(tile) {}
    explicit operator bool() const {
        return fillings && shift.data && origin.data && y.data && square.data && logs.data && columns.data &&
               missing.data && order.data && keys.data;
    }

    bool prepare(const double* mean, const double* factor, const double* constants) {
        Scratch<double> inverse(d * d);
        if (!inverse) return false;
        fillings.prepare(0, factor, inverse);
        std::memcpy(origin, mean, sizeof(double) * d);
        std::memcpy(constant, constants, sizeof(double) * groups);
        for (index k = 0; k < wide; ++k) loss[k] = k < groups ? fillings.growth[0] : -INFINITY;
        for (index k = 0; k < groups; ++k)
            for (index j = 0; j < d; ++j)
                for (index i = 0; i < d; ++i)
                    shift[j * wide + k] += fillings.precision[j * fillings.wide + i] * (mean[k * d + i] - mean[i]) * fillings.scale[i];
        return true;
    }

    // Fills in the missing cells of a tile.
    void fill(const double* X, index rows, index stride, double* x) {
        for (index r = 0; r < tile; ++r) {
            const double* row = X + (r < rows ? r : rows - 1) * stride;
            double *to = y + r * fillings.wide, *middle = origin, *scale = fillings.scale;
            keys[r] = holes(row, d, [&](index j, vec cells) {
                store(to + j, cells == cells ? (cells - load(middle + j)) * load(scale + j) : vec{});
            });
            missing[r] = fillings.columns(row, keys[r], columns + r * d);
        }
        const index none = fillings.sorted(missing, tile, order);
        for (index first = none / lanes * lanes; first < tile; first += lanes) {
            const index* some = order + first;
            fillings.patterns(0, some, keys, columns, missing);
            fillings.solve(some, y);
            for (index l = 0; l < lanes; ++l)
                if (keys[some[l]]) complete(some[l], l, x);
        }
    }
    void complete(index r, index lane, double* x) {
        const std::int32_t* gone = columns + r * d;
        for (index a = 0; a < missing[r]; ++a)
            x[gone[a] * tile + r] = -fillings.solved[a * lanes + lane] * fillings.deviation[gone[a]];
        fillings.displaced(lane, shift, wide, square + r * wide, nullptr);
        for (index k = 0; k < wide; k += lanes) store(logs + r * wide + k, splat(fillings.logs[lane]));
    }

    // Returns how many rows are left to be computed otherwise, with NaN in the first of their log-densities.
    index rows(index count, double* out) {
        index left = 0;
        for (index r = 0; r < count; ++r) {
            double *own = out + r * groups, *squares = whole + r * wide;
            if (!keys[r]) left += !complete_row(groups, constant, squares, own);
            else if (missing[r] == d) std::memset(own, 0, sizeof(double) * groups);
            else left += !observed_alone(groups, missing[r], constant, squares, square + r * wide, loss, logs + r * wide, own);
        }
        return left;
    }
};

// One factor for each member. Rows with a NaN come out NaN, unless they are marginalised; returns how many there are.
PARZEN_ONCE index separate(Rows& X, index n, index groups, const double* mean, const double* factor,
               const double* constant, index missing, double* out) {
    const index d = X.d;
    Scratch<double> x(d * tile), z(d * tile), inverse(groups * d);
    if (!x || !z || !inverse) return NO_MEMORY;
    std::optional<Marginals> marginals;
    invert_pivots(factor, groups, d, inverse);
    index found = 0;
    for (index i = 0; i < n; i += tile) {
        const index rows = n - i < tile ? n - i : tile;
        double* o = out + i * groups;
        const auto [block, stride] = X.some(i, rows);
        const bool holes = transpose(block, rows, d, stride, nullptr, x) && missing;
        if (holes && !marginals) {
            marginals.emplace(d, groups, mean, factor, constant);
            if (!*marginals) return NO_MEMORY;
        }
        for (index k = 0; k < groups; ++k) {
            const double *m = mean + k * d, *L = factor + k * d * d, *p = inverse + k * d;
            if (holes) turn(solve<true>(x, m, L, p, d, z), marginals->whole + k, marginals->gaps.wide);
            else emit(solve<false>(x, m, L, p, d, z), constant[k], o, k, groups, rows);
        }
        found += holes ? marginals->rows(block, rows, stride, o) : count_nan(o, rows, groups);
    }
    return found;
}

// One factor for all: rows and means are whitened once, about the first mean, and compared by plain distance.
PARZEN_ONCE index shared(Rows& X, index n, index groups, const double* mean, const double* factor,
             const double* constant, index missing, double* out) {
    const index d = X.d;
    Scratch<double> x(d * tile), z(d * tile), white(groups * d), zero(d), inverse(d);
    if (!x || !z || !white || !zero || !inverse) return NO_MEMORY;
    std::optional<SharedMarginals> marginals;  // made when the first row with missing cells comes
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
        double* o = out + i * groups;
        const auto [block, stride] = X.some(i, rows);
        const bool holes = transpose(block, rows, d, stride, mean, x) && missing;
        if (holes && !marginals) {
            marginals.emplace(d, groups);
            if (!*marginals || !marginals->prepare(mean, factor, constant)) return NO_MEMORY;
        }
        if (holes) marginals->fill(block, rows, stride, x);
        solve<false>(x, zero, factor, inverse, d, z);
        for (index k = 0; k < groups; ++k) {
            const Tile square = distance<false>(z, white + k * d, nullptr, nullptr, d);
            if (holes) turn(square, marginals->whole + k, marginals->wide);
            else emit(square, constant[k], o, k, groups, rows);
        }
        found += holes ? marginals->rows(rows, o) : count_nan(o, rows, groups);
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
        if (transpose(X + i * stride, rows, d, stride, nullptr, x))
            for (index k = 0; k < groups; ++k)
                emit(distance<true>(x, mean + k * d, inverse + k * d, norm + k * d, d), 0.0, o, k, groups, rows);
        else
            for (index k = 0; k < groups; ++k)
                emit(distance<false>(x, mean + k * d, inverse + k * d, nullptr, d), constant[k], o, k, groups, rows);
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_GAUSSIAN(T, suffix)                                                                                    \
    PARZEN_EXPORT parzen::index parzen_gaussian_separate_##suffix(                                                    \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups, const double* mean, \
        const double* factor, const double* constant, parzen::index missing, double* out) {                           \
        parzen::Rows rows(X, d, stride, parzen::tile);                                                                \
        if (!rows) return parzen::NO_MEMORY;                                                                          \
        return parzen::separate(rows, n, groups, mean, factor, constant, missing, out);                               \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_gaussian_shared_##suffix(                                                      \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups, const double* mean, \
        const double* factor, const double* constant, parzen::index missing, double* out) {                           \
        parzen::Rows rows(X, d, stride, parzen::tile);                                                                \
        if (!rows) return parzen::NO_MEMORY;                                                                          \
        return parzen::shared(rows, n, groups, mean, factor, constant, missing, out);                                 \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_gaussian_diagonal_##suffix(                                                    \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups, const double* mean, \
        const double* deviation, const double* constant, parzen::index, double* out) {                                \
        return parzen::diagonal(X, n, d, stride, groups, mean, deviation, constant, out);                             \
    }

PARZEN_GAUSSIAN(float, f32)
PARZEN_GAUSSIAN(double, f64)
