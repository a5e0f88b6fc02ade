// S += A'A for a tall panel A of padded rows: the inner loop of every full scatter.
//
// The panel's row is [sqrt(w) (x - shift), sqrt(w), 0...]: the last column makes the same product give the first moments
// and the weight as well.
#pragma once
#include "common.h"

namespace parzen {

struct Panel {
    static constexpr index across = 4;             // rows of a register tile of S
    static constexpr index down = 2 * lanes;       // columns of it
    index d, width, capacity, filled = 0;
    double *rows, *sums;                           // (capacity, width) and (width, width), zeroed

    static index padded(index columns) { return rounded_up(columns + 1, down); }

    // Upper triangle only, a tile of `across` x `down` accumulators in registers at a time.
    __attribute__((noinline)) void flush() {
        for (index i = 0; i < d + 1; i += across) {
            for (index j = i / down * down; j < width; j += down) {
                vec acc[across][2] = {};
                const double* a = rows;
                for (index r = 0; r < filled; ++r, a += width) {
                    const vec left = load(a + j), right = load(a + j + lanes);
                    for (index s = 0; s < across; ++s) {
                        const vec scale = splat(a[i + s]);
                        acc[s][0] += scale * left;
                        acc[s][1] += scale * right;
                    }
                }
                for (index s = 0; s < across; ++s) {
                    double* out = sums + (i + s) * width + j;
                    store(out, load(out) + acc[s][0]);
                    store(out + lanes, load(out + lanes) + acc[s][1]);
                }
            }
        }
        filled = 0;
    }

    // Reads the sums about `shift` as weight, mean (and its rounding error) and centred scatter, then empties them.
    __attribute__((noinline)) void finish(const double* shift, double* weight, double* mean, double* carry, double* scatter) {
        flush();
        const double w = sums[d * width + d];
        *weight = w;
        for (index i = 0; i < d; ++i) {
            const double step = w != 0 ? sums[i * width + d] / w : 0.0;
            mean[i] = w != 0 ? shift[i] + step : 0.0;
            carry[i] = w != 0 ? step - (mean[i] - shift[i]) : 0.0;
        }
        for (index i = 0; i < d; ++i) {
            for (index j = i; j < d; ++j) {
                const double drift = w != 0 ? sums[i * width + d] * (sums[j * width + d] / w) : 0.0;
                scatter[i * d + j] = scatter[j * d + i] = sums[i * width + j] - drift;
            }
        }
        std::memset(sums, 0, sizeof(double) * width * width);
    }
};

// A panel for each group, so that rows can be taken in the order in which they come.
struct Panels {
    index d, width, capacity, count;
    Scratch<double> rows, sums;
    Scratch<index> filled;

    Panels(index columns, index groups)
        : d(columns), width(Panel::padded(columns)), capacity(room(groups, width)), count(groups),
          rows(groups * capacity * width), sums(groups * width * width), filled(groups) {}
    explicit operator bool() const { return rows.data && sums.data && filled.data; }

    // Enough rows to make a flush worthwhile, few enough for all panels to stay in cache.
    static index room(index groups, index width) {
        const index fits = (index{1} << 13) / (groups * width);
        return fits < 16 ? 16 : fits > 128 ? 128 : fits;
    }

    Panel at(index k) { return {d, width, capacity, filled[k], rows + k * capacity * width, sums + k * width * width}; }

    // Whether visit(sum of w y, weight, sum of w y^2) holds for a column of a group. Flushes all panels.
    template <class Visit>
    bool any(Visit visit) {
        bool found = false;
        for (index k = 0; k < count; ++k) {
            at(k).flush();
            filled[k] = 0;
            const double* s = sums + k * width * width;
            for (index j = 0; j < d; ++j) found |= visit(s[j * width + d], s[d * width + d], s[j * width + j]);
        }
        return found;
    }
    void empty() { std::memset(sums, 0, sizeof(double) * count * width * width); }

    double* next(index k) {
        if (filled[k] == capacity) {
            at(k).flush();
            filled[k] = 0;
        }
        return rows + (k * capacity + filled[k]++) * width;
    }
};

}  // namespace parzen
