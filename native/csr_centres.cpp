// Squared distances of rows in CSR form to dense points, and the nearest of them.
//
// With points p = o + e about an origin,  |x - p|^2 = |x - o|^2 - 2 s,  s = x e + b,  b = -o e - |e|^2 / 2: products of the
// stored cells with a table of e, a row of it for each column of X. The largest s is the nearest point. The origin is zero
// (|x - o|^2 is |x|^2), or lies among points that are long and close together, so that s keeps its digits. A distance that
// is a small difference of large numbers is taken anew: squared differences of the stored cells, and what the others have
// of |p|^2, in twice the precision; it is zero where row and point are equal.
//
// Returns 1 where a column index or a row pointer lies outside the matrix, before anything there is read.
#include "csr.h"
#include "layout.h"

namespace parzen {
namespace {

struct Twice { double high, low; };

inline Twice plus(Twice a, double b) {  // Dekker, Knuth
    const double sum = a.high + b, part = sum - a.high;
    return {sum, a.low + ((a.high - (sum - part)) + (b - part))};
}

inline Twice plus_square(Twice a, double b) {
    const double square = b * b, rest = std::fma(b, b, -square);
    Twice sum = plus(a, square);
    sum.low += rest;
    return sum;
}

struct Points {
    index columns, count, width;          // width: count, rounded up to whole vectors
    const double *table, *offset;         // (columns, width) and (width): e and b
    const double *point, *squares;        // (count, columns) and (count, 2): p and |p|^2 in twice the precision
    bool about;                           // whether there is an origin
};

// |p|^2, in four sums that don't wait for each other.
inline Twice square_of(const double* p, index d) {
    Twice sum[4] = {};
    index j = 0;
    for (; j + 4 <= d; j += 4)
        for (index l = 0; l < 4; ++l) sum[l] = plus_square(sum[l], p[j + l]);
    for (; j < d; ++j) sum[0] = plus_square(sum[0], p[j]);
    for (index l = 1; l < 4; ++l) {
        sum[0] = plus(sum[0], sum[l].high);
        sum[0].low += sum[l].low;
    }
    return sum[0];
}

template <class T, class I>
double exact(const T* data, const I* indices, index begin, index end, const double* p, const double* squares) {
    Twice stored = {0, 0};
    double differences = 0;
    for (index at = begin; at < end; ++at) {
        const double c = p[indices[at]], difference = static_cast<double>(data[at]) - c;
        differences += difference * difference;
        if (c != 0) stored = plus_square(stored, c);
    }
    const double rest = (squares[0] - stored.high) + (squares[1] - stored.low);
    return differences + (rest > 1e-28 * squares[0] ? rest : 0.0);
}

// s of N vectors of points, in registers over a row's cells. Rows of the table that are needed soon are prefetched where it
// is too large to be in cache.
template <index N, bool Ahead, class T, class I>
inline void products(const T* data, const I* indices, index begin, index end, index last, const Points& points, index first,
                     double* scores) {
    constexpr index ahead = 12;
    pack sum[N];
    for (index v = 0; v < N; ++v) sum[v] = fetch(points.offset + first + v * few, pack{});
    for (index at = begin; at < end; ++at) {
        const double* row = points.table + static_cast<index>(indices[at]) * points.width + first;
        const pack x = static_cast<double>(data[at]) - pack{};
        for (index v = 0; v < N; ++v) sum[v] += x * fetch(row + v * few, pack{});
        if (Ahead && at + ahead < last) {
            const char* next = reinterpret_cast<const char*>(points.table + static_cast<index>(indices[at + ahead]) * points.width + first);
            for (index byte = 0; byte < N * few * 8; byte += 64) __builtin_prefetch(next + byte);
        }
    }
    std::memcpy(scores + first, sum, sizeof sum);
}

template <bool Ahead, class T, class I>
void score(const T* data, const I* indices, index begin, index end, index last, const Points& points, double* scores) {
    for (index first = 0; first < points.width;) {
        const index vectors = (points.width - first) / few, now = vectors < 8 ? vectors : 8;
        switch (now) {
            case 1: products<1, Ahead>(data, indices, begin, end, last, points, first, scores); break;
            case 2: products<2, Ahead>(data, indices, begin, end, last, points, first, scores); break;
            case 3: products<3, Ahead>(data, indices, begin, end, last, points, first, scores); break;
            case 4: products<4, Ahead>(data, indices, begin, end, last, points, first, scores); break;
            case 5: products<5, Ahead>(data, indices, begin, end, last, points, first, scores); break;
            case 6: products<6, Ahead>(data, indices, begin, end, last, points, first, scores); break;
            case 7: products<7, Ahead>(data, indices, begin, end, last, points, first, scores); break;
            default: products<8, Ahead>(data, indices, begin, end, last, points, first, scores); break;
        }
        first += now * few;
    }
}

// The squared distance of a row to point k, of whose score s is known.
template <class T, class I>
inline double distance(const T* data, const I* indices, index begin, index end, const Points& points, index k, double own,
                       double s) {
    const double square = own - 2 * s;
    const double* norm = points.squares + 2 * k;
    if (!points.about && square > 1e-6 * (own + norm[0])) return square;
    return exact(data, indices, begin, end, points.point + k * points.columns, norm);
}

template <bool Ahead, class T, class I>
index rows(const T* data, const I* indices, const I* indptr, index n, const Points& points, std::int32_t* codes,
           double* nearest, double* every) {
    Scratch<double> scores(points.width);
    if (!scores) return NO_MEMORY;
    const index last = n ? indptr[n] : 0;
    for (index i = 0; i < n; ++i) {
        const index begin = indptr[i], end = indptr[i + 1];
        double own = 0;
        bool inside = true;
        for (index at = begin; at < end; ++at) {
            inside &= !outside(indices[at], points.columns);
            own += static_cast<double>(data[at]) * static_cast<double>(data[at]);
        }
        if (!inside) return 1;
        score<Ahead>(data, indices, begin, end, last, points, scores);
        if (every)
            for (index k = 0; k < points.count; ++k)
                every[i * points.count + k] = distance(data, indices, begin, end, points, k, own, scores[k]);
        if (!codes) continue;
        index best = 0;
        for (index k = 1; k < points.count; ++k) best = scores[k] > scores[best] ? k : best;
        codes[i] = static_cast<std::int32_t>(best);
        if (nearest) nearest[i] = distance(data, indices, begin, end, points, best, own, scores[best]);
    }
    return OK;
}

template <class T, class I>
index read(const T* data, const I* indices, const I* indptr, index n, index columns, index stored, index count, index width,
           bool about, const double* table, const double* offset, const double* point, const double* squares,
           std::int32_t* codes, double* nearest, double* every) {
    if (!sound(indptr, n, stored)) return 1;
    const Points points = {columns, count, width, table, offset, point, squares, about};
    if (columns * width > index{1} << 15) {               // a column may be asked for ahead of its row: all are looked at first
        for (index at = 0; at < stored; ++at) if (outside(indices[at], columns)) return 1;
        return rows<true>(data, indices, indptr, n, points, codes, nearest, every);
    }
    return rows<false>(data, indices, indptr, n, points, codes, nearest, every);
}

// offset, squares and the table of points about an origin.
inline void tabulate(index count, index columns, index width, const double* point, const double* origin, double* table,
                     double* offset, double* squares) {
    std::memset(offset, 0, sizeof(double) * width);
    std::memset(table, 0, sizeof(double) * width * columns);
    constexpr index tile = 8;
    for (index first = 0; first < columns; first += tile)
        for (index k = 0; k < count; ++k)
            for (index j = first; j < columns && j < first + tile; ++j)
                table[j * width + k] = point[k * columns + j] - (origin ? origin[j] : 0.0);
    for (index k = 0; k < count; ++k) {
        const double* p = point + k * columns;
        const Twice square = square_of(p, columns);
        squares[2 * k] = square.high;
        squares[2 * k + 1] = square.low;
        Twice sum = {-0.5 * square.high, 0};
        if (origin) {
            sum = {0, 0};
            for (index j = 0; j < columns; ++j) sum = plus(sum, (origin[j] - p[j]) * (origin[j] + 0.5 * (p[j] - origin[j])));
        }
        offset[k] = sum.high + sum.low;
    }
}

}  // namespace
}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_point_table_f64(parzen::index count, parzen::index columns, parzen::index width,
                                                   const double* point, const double* origin, double* table,
                                                   double* offset, double* squares) {
    parzen::tabulate(count, columns, width, point, origin, table, offset, squares);
    return parzen::OK;
}

#define PARZEN_CSR_CENTRES(T, I, suffix)                                                                              \
    PARZEN_EXPORT parzen::index parzen_csr_distances_##suffix(                                                        \
        const T* data, const I* indices, const I* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, parzen::index count, parzen::index width, parzen::index about, const double* table,     \
        const double* offset, const double* point, const double* squares, std::int32_t* codes, double* nearest,       \
        double* every) {                                                                                              \
        return parzen::read(data, indices, indptr, n, columns, stored, count, width, about != 0, table, offset,       \
                            point, squares, codes, nearest, every);                                                   \
    }

PARZEN_CSR_CENTRES(float, std::int32_t, f32_i32)
PARZEN_CSR_CENTRES(float, std::int64_t, f32_i64)
PARZEN_CSR_CENTRES(double, std::int32_t, f64_i32)
PARZEN_CSR_CENTRES(double, std::int64_t, f64_i64)
