// One step of k-means in one pass: the nearest centre of each row, and the sums of the rows about their centres. And squared
// distances of rows to all of some points.
//
// |x - c|^2 is smallest where  c x - |c|^2 / 2  is largest: affine functions of the row, taken about an origin among the
// centres. Distances themselves are sums of squared differences, so that they keep their digits.
#include "layout.h"
#include "tile.h"

namespace parzen {
namespace {

template <class C>
struct Centres {
    index d, groups;
    Scratch<C> table, offset;

    Centres(index columns, index K) : d(columns), groups(K), table(columns * K), offset(K) {}
    explicit operator bool() const { return table.data && offset.data; }

    void pack(const double* centre, const double* origin) {
        for (index k = 0; k < groups; ++k) {
            double square = 0;
            for (index j = 0; j < d; ++j) square += (centre[k * d + j] - origin[j]) * (centre[k * d + j] - origin[j]);
            offset[k] = static_cast<C>(-0.5 * square);
        }
        in_fours(groups, [&](index first, auto number) {
            constexpr index E = decltype(number)::value;
            for (index j = 0; j < d; ++j)
                for (index e = 0; e < E; ++e)
                    table[first * d + j * E + e] = static_cast<C>(centre[(first + e) * d + j] - origin[j]);
        });
    }

    // The nearest centre of each row of a tile, the first of equals; returns whether a row has none.
    bool nearest(const C* x, std::int32_t* codes) {
        using V = Vector<C>;
        constexpr index count = Wide<C>::count;
        V best[chains], at[chains];
        for (index v = 0; v < chains; ++v) { best[v] = all<V>(static_cast<C>(-HUGE_VAL)); at[v] = all<V>(C(-1)); }
        in_fours(groups, [&](index first, auto number) {
            constexpr index E = decltype(number)::value;
            V found[E][chains];
            affine<C, E>(x, table + first * d, offset + first, d, found);
            for (index e = 0; e < E; ++e) {
                const V k = all<V>(static_cast<C>(first + e));
                for (index v = 0; v < chains; ++v) {
                    at[v] = found[e][v] > best[v] ? k : at[v];
                    best[v] = found[e][v] > best[v] ? found[e][v] : best[v];
                }
            }
        });
        using Whole = typename Codes<C>::V;
        Whole none = {};
        for (index v = 0; v < chains; ++v) {
            const Whole code = __builtin_convertvector(at[v], Whole);
            none |= code < 0;
            std::memcpy(codes + v * count, &code, sizeof code);
        }
        bool any = false;
        for (index l = 0; l < count; ++l) any |= none[l] != 0;
        return any;
    }
};

// Weights and sums of the rows about their nearest centres (null: only their codes are needed), and the inertia.
// Returns the number of the first tile with a row that has no nearest centre (a cell is missing or infinite), from 1.
template <class C, class L>
index centres(const C* X, index n, index stride, const double* weights, index groups, const double* origin,
              const double* centre, const L layout, double* weight, double* sums, double* inertia, std::int32_t* codes) {
    constexpr index rows = Wide<C>::rows;
    const index d = layout.d, width = layout.width;
    Centres<C> table(d, groups);
    Scratch<C> x(d * rows);
    Scratch<std::int32_t> own(rows);
    Scratch<double> drift(groups * width), middle(groups * width), squares(width);
    if (!table || !x || !own || !drift || !middle || !squares) return NO_MEMORY;
    table.pack(centre, origin);
    for (index k = 0; k < groups; ++k)
        layout.each([&](index j, index at, auto zero) { std::memcpy(middle + k * width + at, centre + k * d + j, sizeof zero); });
    for (index i = 0; i < n; i += rows) {
        const index count = n - i < rows ? n - i : rows;
        lay(X + i * stride, count, d, stride, origin, x.data);
        if (table.nearest(x, own)) return i / rows + 1;
        if (codes) std::memcpy(codes + i, own, sizeof(std::int32_t) * count);
        for (index r = 0; sums && r < count; ++r) {
            const double w = weights ? weights[i + r] : 1.0;
            const index k = own[r];
            const C* row = X + (i + r) * stride;
            double *group = drift + k * width, *c = middle + k * width;
            weight[k] += w;
            layout.each([&](index j, index at, auto zero) {
                const auto y = fetch(row + j, zero) - fetch(c + at, zero), weighted = w * y;
                add(group + at, weighted);
                add(squares + at, weighted * y);
            });
        }
    }
    if (!sums) return OK;
    for (index k = 0; k < groups; ++k) layout.unpack(drift + k * width, sums + k * d);
    Scratch<double> columns(d);
    if (!columns) return NO_MEMORY;
    layout.unpack(squares, columns);
    for (index j = 0; j < d; ++j) *inertia += columns[j];
    return OK;
}

// Squared distances of rows to points, (n, groups), as sums of squared differences: zero where both are equal, whatever their
// offset. A missing cell adds nothing.
template <class C>
index distances(const C* X, index n, index d, index stride, index groups, const double* origin, const double* point,
                double* out) {
    using V = Vector<C>;
    constexpr index rows = Wide<C>::rows, count = Wide<C>::count;
    Scratch<C> x(d * rows), table(d * groups);
    if (!x || !table) return NO_MEMORY;
    in_fours(groups, [&](index first, auto number) {
        constexpr index E = decltype(number)::value;
        for (index j = 0; j < d; ++j)
            for (index e = 0; e < E; ++e)
                table[first * d + j * E + e] = static_cast<C>(point[(first + e) * d + j] - origin[j]);
    });
    for (index i = 0; i < n; i += rows) {
        const index here = n - i < rows ? n - i : rows;
        lay(X + i * stride, here, d, stride, origin, x.data);
        in_fours(groups, [&](index first, auto number) {
            constexpr index E = decltype(number)::value;
            V sums[E][chains] = {};
            for (index j = 0; j < d; ++j)
                for (index v = 0; v < chains; ++v) {
                    const V column = read<V>(x + j * rows + v * count);
                    for (index e = 0; e < E; ++e) {
                        const V apart = column - all<V>(table[first * d + j * E + e]);
                        sums[e][v] += apart == apart ? apart * apart : V{};
                    }
                }
            for (index e = 0; e < E; ++e)
                for (index r = 0; r < here; ++r) out[(i + r) * groups + first + e] = sums[e][r / count][r % count];
        });
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_CENTRES(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_centres_##suffix(                                                              \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const double* weights,                    \
        parzen::index groups, const double* origin, const double* centre, double* weight, double* sums,               \
        double* inertia, std::int32_t* codes) {                                                                       \
        return parzen::with_layout(d, [&](auto layout) {                                                              \
            return parzen::centres(X, n, stride, weights, groups, origin, centre, layout, weight, sums, inertia, codes); \
        });                                                                                                           \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_distances_##suffix(                                                            \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, parzen::index groups,                     \
        const double* origin, const double* point, double* out) {                                                     \
        return parzen::distances(X, n, d, stride, groups, origin, point, out);                                        \
    }

PARZEN_CENTRES(float, f32)
PARZEN_CENTRES(double, f64)
