// Second derivatives of a softmax: for each two classes k < l the sum of w p_k p_l y y', where y is a row and a 1.
//
// They are all that there is: the block of one class k is the sum of those of k with each other class.
#pragma once
#include "common.h"

namespace parzen {

struct Curvature {
    static constexpr index vectors = 4, tile = vectors * lanes;  // rows that come together, side by side in lanes
    static constexpr index across = 4;                           // rows of a register tile of the sums
    index d, groups, pairs, width, capacity, filled = 0;
    double least;                                                // rows of smaller w p_k p_l are left out
    Scratch<double> rows, shares, scaled, sums;                  // shares: w p of each class and 1 / w, of each row
    Scratch<index> kept;

    Curvature(index columns, index classes, double smallest)
        : d(columns), groups(classes), pairs(classes * (classes - 1) / 2),
          width(room_for(columns)), capacity(room(width)), least(smallest),
          rows(classes ? capacity * width : 0), shares(classes ? (classes + 1) * capacity : 0),
          scaled(classes ? capacity * width : 0), sums(pairs * width * width),
          kept(capacity) {}
    explicit operator bool() const { return rows.data && shares.data && scaled.data && sums.data && kept.data; }

    // Cells of a row and a 1, in whole vectors.
    static index room_for(index columns) { return rounded_up(columns + 1, lanes < across ? across : lanes); }

    // A multiple of a tile; few enough rows to stay in cache while all pairs are summed.
    static index room(index width) {
        const index fits = (index{1} << 13) / width / tile * tile;
        return fits < 2 * tile ? 2 * tile : fits > 8 * tile ? 8 * tile : fits;
    }

    // A tile of rows less an origin (null for zero), with w p_k at expected[k * tile + r] and weights w.
    template <class T>
    void take(const T* X, index count, index stride, const double* origin, const double* expected, const double* w) {
        for (index r = 0; r < count; ++r) {
            double* row = rows + (filled + r) * width;
            if (origin) for (index j = 0; j < d; ++j) row[j] = static_cast<double>(X[r * stride + j]) - origin[j];
            else for (index j = 0; j < d; ++j) row[j] = static_cast<double>(X[r * stride + j]);
            row[d] = 1.0;
        }
        for (index k = 0; k < groups; ++k)
            std::memcpy(shares + k * capacity + filled, expected + k * tile, sizeof(double) * tile);
        double* inverse = shares + groups * capacity + filled;
        for (index r = 0; r < tile; ++r) inverse[r] = w[r] != 0 ? 1.0 / w[r] : 0.0;
        filled += tile;
        if (filled == capacity) flush();
    }

    __attribute__((noinline)) void flush() {
        const double* inverse = shares + groups * capacity;
        double* out = sums;
        for (index k = 0; k < groups; ++k)
            for (index l = k + 1; l < groups; ++l, out += width * width) {
                add(rows, filled, out, [&](index r) {
                    return shares[k * capacity + r] * shares[l * capacity + r] * inverse[r];
                });
            }
        filled = 0;
    }

    // Of two classes: rows of this width, at most as many as the capacity, with their w p (1 - p).
    void weigh(const double* all, index count, const double* weights) {
        add(all, count, sums, [&](index r) { return weights[r]; });
    }

    // out += sum of weights times products of rows, where the weight of a row is above the least.
    template <class Weight>
    void add(const double* all, index available, double* out, Weight weigh) {
        index count = 0;
        for (index r = 0; r < available; ++r) {
            const double weight = weigh(r);
            if (!(weight > least)) continue;
            const double* row = all + r * width;
            double* to = scaled + count * width;
            const vec scale = splat(weight);
            for (index j = 0; j < width; j += lanes) store(to + j, scale * load(row + j));
            kept[count++] = r;
        }
        add(all, count, out);
    }

    // out += sum of scaled rows times rows; its upper triangle, a tile of accumulators in registers at a time.
    void add(const double* all, index count, double* out) {
        for (index i = 0; i < d + 1; i += across)
            for (index j = i / lanes * lanes; j < width;) {
                const index left = (width - j) / lanes;
                if (left >= 3) block<3>(all, count, i, j, out);
                else if (left == 2) block<2>(all, count, i, j, out);
                else block<1>(all, count, i, j, out);
                j += (left < 3 ? left : 3) * lanes;
            }
    }

    template <index V>
    inline void block(const double* all, index count, index i, index j, double* out) {
        vec acc[across][V] = {};
        for (index r = 0; r < count; ++r) {
            const double *right = all + kept[r] * width + j, *left = scaled + r * width + i;
            vec column[V];
            for (index v = 0; v < V; ++v) column[v] = load(right + v * lanes);
            for (index s = 0; s < across; ++s) {
                const vec scale = splat(left[s]);
                for (index v = 0; v < V; ++v) acc[s][v] += scale * column[v];
            }
        }
        for (index s = 0; s < across; ++s)
            for (index v = 0; v < V; ++v) {
                double* to = out + (i + s) * width + j + v * lanes;
                store(to, load(to) + acc[s][v]);
            }
    }

    // The sums of all pairs, (pairs, d + 1, d + 1).
    void finish(double* out) {
        flush();
        for (index k = 0; k < pairs; ++k)
            for (index i = 0; i < d + 1; ++i)
                for (index j = i; j < d + 1; ++j) {
                    const double value = sums[k * width * width + i * width + j];
                    out[(k * (d + 1) + i) * (d + 1) + j] = out[(k * (d + 1) + j) * (d + 1) + i] = value;
                }
    }
};

}  // namespace parzen
