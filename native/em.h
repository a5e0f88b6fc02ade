// What E-steps share: responsibilities of a tile of rows, and the scatter of the rows of positive weight in each group.
#pragma once
#include "tile.h"

namespace parzen {

// From scores[k * rows + r] of a tile to memberships: responsibilities times weights. Adds the rows' log-likelihood to *total;
// `base` (or null) is what the scores lack, row by row, to base 2.
template <class C>
inline index posteriors(C* scores, index groups, const double* w, const C* base, double* total) {
    using V = Vector<C>;
    constexpr index count = Wide<C>::count, rows = Wide<C>::rows;
    V most[chains], sum[chains] = {};
    for (index v = 0; v < chains; ++v) most[v] = read<V>(scores + v * count);
    for (index k = 1; k < groups; ++k)
        for (index v = 0; v < chains; ++v) {
            const V s = read<V>(scores + k * rows + v * count);
            most[v] = s > most[v] ? s : most[v];
        }
    for (index k = 0; k < groups; ++k)
        for (index v = 0; v < chains; ++v) {
            C* at = scores + k * rows + v * count;
            const V below = most[v] - read<V>(at);
            const V share = below > all<V>(C(66)) ? V{} : power_near(below > all<V>(C(66)) ? all<V>(C(66)) : below);
            sum[v] += share;
            write<C>(at, share);
        }
    static constexpr C nothing[rows] = {};
    const C* lacking = base ? base : nothing;
    C highest[rows], sums[rows];
    double scale[rows], logs[rows];
    index odd = 0;
    for (index v = 0; v < chains; ++v) {
        write<C>(highest + v * count, most[v]);
        write<C>(sums + v * count, sum[v]);
    }
#pragma omp simd reduction(+ : odd)
    for (index r = 0; r < rows; ++r) {
        odd += !(highest[r] - highest[r] == 0) | !(lacking[r] - lacking[r] == 0);
        logs[r] = sums[r];
        scale[r] = w[r] / sums[r];
    }
    if (odd) return odd;
    for (index r = 0; r < rows; r += lanes) store(logs + r, logarithm(load(logs + r)));
    double likelihood = 0;
#pragma omp simd reduction(+ : likelihood)
    for (index r = 0; r < rows; ++r)
        likelihood += w[r] * (logs[r] + log_two * (static_cast<double>(highest[r]) + lacking[r]));
    *total += likelihood;
    C narrow[rows];
    for (index r = 0; r < rows; ++r) narrow[r] = static_cast<C>(scale[r]);
    V factor[chains];
    for (index v = 0; v < chains; ++v) factor[v] = read<V>(narrow + v * count);
    for (index k = 0; k < groups; ++k)
        for (index v = 0; v < chains; ++v) {
            C* at = scores + k * rows + v * count;
            write<C>(at, read<V>(at) * factor[v]);
        }
    return 0;
}

// Weighted scatter of each group. Rows of positive weight, less the group's mean and times the root of their weight, wait
// column by column in a small panel, with the root as last column; a full one is multiplied with itself, four columns by
// four, sums staying in lanes until the end.
template <class C>
struct Scatters {
    static constexpr index count = Wide<C>::count, capacity = 8 * count, room = capacity + count;
    index d, columns, blocks, size;
    Scratch<C> panels;
    Scratch<double> sums;
    Scratch<index> filled;

    Scatters(index columns_, index groups)
        : d(columns_), columns(columns_ + 1), blocks((columns + 3) / 4), size(blocks * (blocks + 1) / 2 * 16 * count),
          panels(groups * blocks * 4 * room), sums(groups * size), filled(groups) {}
    explicit operator bool() const { return panels.data && sums.data && filled.data; }

    // Begins again, with no more columns than there is room for.
    void reset(index columns_, index groups) {
        d = columns_;
        columns = d + 1;
        blocks = (columns + 3) / 4;
        size = blocks * (blocks + 1) / 2 * 16 * count;
        std::memset(sums, 0, sizeof(double) * groups * size);
        std::memset(filled, 0, sizeof(index) * groups);
    }

    void add(const C* x, const C* weights, index k, const C* mean) {
        using V = Vector<C>;
        for (index v = 0; v < chains; ++v) {
            const V w = read<V>(weights + v * count);
            const Chosen<C> chosen(w);
            if (!chosen.count) continue;
            if (filled[k] + chosen.count > capacity) flush(k);
            C* panel = panels + k * blocks * 4 * room + filled[k];
            const V root = square_root<C>(w);
            for (index j = 0; j < d; ++j) {
                const V y = root * (read<V>(x + j * Wide<C>::rows + v * count) - all<V>(mean[j]));
                chosen.squeeze(y, panel + j * room);
            }
            chosen.squeeze(root, panel + d * room);
            filled[k] += chosen.count;
        }
    }

    // Columns on the right whose sums with four on the left stay in registers.
    static constexpr index abreast = registers == 32 ? 4 : 2;

    template <index A, index B>
    static void multiply(const C* left, const C* right, index vectors, double* out) {
        if constexpr (B > abreast) {
            multiply_few<A, abreast>(left, right, vectors, out);
            multiply<A, B - abreast>(left, right + abreast * room, vectors, out + abreast * count);
        } else {
            multiply_few<A, B>(left, right, vectors, out);
        }
    }

    // Columns with themselves: the sums of those before are left out.
    template <index A>
    static void square(const C* panel, index vectors, double* out) {
        if constexpr (A > abreast) {
            multiply_few<A, abreast>(panel, panel, vectors, out);
            square<A - abreast>(panel + abreast * room, vectors, out + (4 + 1) * abreast * count);
        } else {
            multiply_few<A, A>(panel, panel, vectors, out);
        }
    }

    template <index A, index B>
    __attribute__((noinline)) static void multiply_few(const C* left, const C* right, index vectors, double* out) {
        using V = Vector<C>;
        V acc[A][B];
        for (index i = 0; i < A; ++i)
            for (index j = 0; j < B; ++j) acc[i][j] = read<V>(left + i * room) * read<V>(right + j * room);
        for (index v = 1; v < vectors; ++v) {
            V b[B];
            for (index j = 0; j < B; ++j) b[j] = read<V>(right + j * room + v * count);
            for (index i = 0; i < A; ++i) {
                const V a = read<V>(left + i * room + v * count);
                for (index j = 0; j < B; ++j) acc[i][j] += a * b[j];
            }
        }
        for (index i = 0; i < A; ++i)
            for (index j = 0; j < B; ++j) add_lanes<C>(out + (i * 4 + j) * count, acc[i][j]);
    }

    void flush(index k) {
        C* panel = panels + k * blocks * 4 * room;
        const index vectors = (filled[k] + count - 1) / count;
        if (!vectors) return;
        for (index j = 0; j < columns; ++j)
            for (index r = filled[k]; r < vectors * count; ++r) panel[j * room + r] = 0;
        double* out = sums + k * size;
        for (index i = 0; i < blocks; ++i) {
            const C* left = panel + 4 * i * room;
            const index across = columns - 4 * i < 4 ? columns - 4 * i : 4;
            for (index j = 0; j <= i; ++j, out += 16 * count) {
                const C* right = panel + 4 * j * room;
                switch (across * 2 + (i == j)) {
                    case 2: multiply<1, 4>(left, right, vectors, out); break;
                    case 3: square<1>(left, vectors, out); break;
                    case 4: multiply<2, 4>(left, right, vectors, out); break;
                    case 5: square<2>(left, vectors, out); break;
                    case 6: multiply<3, 4>(left, right, vectors, out); break;
                    case 7: square<3>(left, vectors, out); break;
                    case 8: multiply<4, 4>(left, right, vectors, out); break;
                    default: square<4>(left, vectors, out); break;
                }
            }
        }
        filled[k] = 0;
    }

    // Sum of w y_i y_j of group k, j <= i; the last column is one.
    double sum(index k, index i, index j) const {
        const index block = (i / 4) * (i / 4 + 1) / 2 + j / 4;
        return total_of<C>(sums.data + k * size + (block * 16 + i % 4 * 4 + j % 4) * count);
    }

    // Sums about `shift` as weight, mean (and its rounding error) and centred scatter.
    void finish(index k, const double* shift, double* weight, double* mean, double* carry, double* scatter) {
        flush(k);
        const double w = sum(k, d, d);
        *weight = w;
        for (index i = 0; i < d; ++i) {
            const double step = w != 0 ? sum(k, d, i) / w : 0.0;
            mean[i] = w != 0 ? shift[i] + step : 0.0;
            carry[i] = w != 0 ? step - (mean[i] - shift[i]) : 0.0;
        }
        for (index i = 0; i < d; ++i)
            for (index j = 0; j <= i; ++j) {
                const double drift = w != 0 ? sum(k, d, i) * (sum(k, d, j) / w) : 0.0;
                scatter[i * d + j] = scatter[j * d + i] = sum(k, i, j) - drift;
            }
    }
};

}  // namespace parzen
