// Squared distances of rows in CSR form to dense points, and the nearest of them.
//
// |x - p|^2 = |x|^2 - 2 s,  s = x p - |p|^2 / 2: products of the stored cells with a table of the points, a row of it for
// each column of X. The largest s is the nearest point. Where that is a small difference of large numbers (rows and points
// that are long, and close together), it is taken anew, of all points that may be the nearest: squared differences of the
// stored cells, and what the others have of |p|^2, in twice the precision. It is zero where row and point are equal.
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
    const double *table, *offset;         // (columns, width) and (width): p and -|p|^2 / 2
    const double *point, *squares;        // (count, columns) and (count, 2): p and |p|^2 in twice the precision
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

template <class T>
double exact(const T* data, const std::int32_t* indices, index begin, index end, const double* p, const double* squares) {
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
template <index N, bool Ahead, class T>
inline void products(const T* data, const std::int32_t* indices, index begin, index end, index last, const Points& points, index first,
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

template <bool Ahead, class T>
void score(const T* data, const std::int32_t* indices, index begin, index end, index last, const Points& points, double* scores) {
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

// A row in CSR form, with its squared length.
template <class T>
struct Row {
    const T* data;
    const std::int32_t* indices;
    index begin, end;
    double square;

    // Whether |x - p|^2 is a small part of |x|^2 and |p|^2, of which rounding takes more than is good.
    bool close(const Points& points, index k, double s) const {
        return !(square - 2 * s > 1e-6 * (square + points.squares[2 * k]));
    }
    double distance(const Points& points, index k) const {
        return exact(data, indices, begin, end, points.point + k * points.columns, points.squares + 2 * k);
    }
    double distance(const Points& points, index k, double s) const {
        return close(points, k, s) ? distance(points, k) : square - 2 * s;
    }
    // The nearest of the points whose scores may be the best but for rounding.
    index nearest(const Points& points, index best, const double* scores) const {
        const double unsure = 1e-15 * static_cast<double>(end - begin + 8) * (square + points.squares[2 * best]);
        index nearest = best;
        double least = HUGE_VAL;
        for (index k = 0; k < points.count; ++k) {
            if (scores[k] < scores[best] - unsure) continue;
            const double now = distance(points, k);
            if (now < least) { least = now; nearest = k; }
        }
        return nearest;
    }
};

template <bool Ahead, class T>
index rows(const T* data, const std::int32_t* indices, const index* indptr, index n, const Points& points, std::int32_t* codes,
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
        const Row<T> row = {data, indices, begin, end, own};
        if (every)
            for (index k = 0; k < points.count; ++k) every[i * points.count + k] = row.distance(points, k, scores[k]);
        if (!codes) continue;
        index best = 0;
        for (index k = 1; k < points.count; ++k) best = scores[k] > scores[best] ? k : best;
        if (row.close(points, best, scores[best])) best = row.nearest(points, best, scores);
        codes[i] = static_cast<std::int32_t>(best);
        if (nearest) nearest[i] = row.distance(points, best, scores[best]);
    }
    return OK;
}

template <class T>
index read(const T* data, const std::int32_t* indices, const index* indptr, index n, index columns, index stored, index count, index width,
           const double* table, const double* offset, const double* point, const double* squares,
           std::int32_t* codes, double* nearest, double* every) {
    if (!sound(indptr, n, stored)) return 1;
    const Points points = {columns, count, width, table, offset, point, squares};
    if (columns * width > index{1} << 15) {               // a column may be asked for ahead of its row: all are looked at first
        for (index at = 0; at < stored; ++at) if (outside(indices[at], columns)) return 1;
        return rows<true>(data, indices, indptr, n, points, codes, nearest, every);
    }
    return rows<false>(data, indices, indptr, n, points, codes, nearest, every);
}

// The table of points, and what else `Points` holds.
inline void tabulate(index count, index columns, index width, const double* point, double* table, double* offset,
                     double* squares) {
    std::memset(offset, 0, sizeof(double) * width);
    std::memset(table, 0, sizeof(double) * width * columns);
    constexpr index tile = 8;
    for (index first = 0; first < columns; first += tile)
        for (index k = 0; k < count; ++k)
            for (index j = first; j < columns && j < first + tile; ++j) table[j * width + k] = point[k * columns + j];
    for (index k = 0; k < count; ++k) {
        const Twice square = square_of(point + k * columns, columns);
        squares[2 * k] = square.high;
        squares[2 * k + 1] = square.low;
        offset[k] = -0.5 * square.high;
    }
}

}  // namespace
}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_point_table_f64(parzen::index count, parzen::index columns, parzen::index width,
                                                   const double* point, double* table, double* offset,
                                                   double* squares) {
    parzen::tabulate(count, columns, width, point, table, offset, squares);
    return parzen::OK;
}

#define PARZEN_CSR_CENTRES(T, suffix)                                                                              \
    PARZEN_EXPORT parzen::index parzen_csr_distances_##suffix(                                                        \
        const T* data, const std::int32_t* indices, const parzen::index* indptr, parzen::index n, parzen::index columns,                     \
        parzen::index stored, parzen::index count, parzen::index width, const double* table,                          \
        const double* offset, const double* point, const double* squares, std::int32_t* codes, double* nearest,       \
        double* every) {                                                                                              \
        return parzen::read(data, indices, indptr, n, columns, stored, count, width, table, offset,                   \
                            point, squares, codes, nearest, every);                                                   \
    }

PARZEN_CSR_CENTRES(float, f32)
PARZEN_CSR_CENTRES(double, f64)
