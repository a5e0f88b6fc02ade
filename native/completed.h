// Rows with missing cells, completed by their conditional means under every component (gaps.h): a tile of them is then
// scored and learnt as complete rows are, and the conditional covariances are added once for rows of one pattern that
// follow one another.
#pragma once
#include "em.h"
#include "gaps.h"
#include "rows.h"
#include "triangles.h"

namespace parzen {

// Sums about a component's current mean, (d + 1) x (d + 1) by rows: the last column is one. And those of the observed
// cells, column by column: weight, first and second moment.
struct Sums {
    index d;
    Scratch<double> whole, cells;
    Sums(index columns, index groups) : d(columns), whole(groups * (d + 1) * (d + 1)), cells(groups * 3 * d) {}
    explicit operator bool() const { return whole.data && cells.data; }
};

inline void finish(const Sums& sums, index groups, const double* mean, double* weight, double* means, double* carry,
            double* scatter, double* cell_weight, double* cell_mean, double* cell_carry, double* cell_scatter) {
    const index d = sums.d, width = d + 1;
    const auto centre = [](double shift, double drift, double w, double* m, double* lost) {
        const double step = w != 0 ? drift / w : 0.0;
        *m = w != 0 ? shift + step : 0.0;
        *lost = w != 0 ? step - (*m - shift) : 0.0;
    };
    for (index k = 0; k < groups; ++k) {
        const double *whole = sums.whole.data + k * width * width, *cells = sums.cells.data + k * 3 * d;
        const double w = whole[d * width + d];
        weight[k] = w;
        for (index i = 0; i < d; ++i) {
            const index c = k * d + i;
            centre(mean[c], whole[i * width + d], w, means + c, carry + c);
            for (index j = 0; j < d; ++j)
                scatter[c * d + j] = whole[i * width + j] - (w != 0 ? whole[i * width + d] * (whole[j * width + d] / w) : 0.0);
            cell_weight[c] = cells[i];
            centre(mean[c], cells[d + i], cells[i], cell_mean + c, cell_carry + c);
            const double left = cells[2 * d + i] - (cells[i] != 0 ? cells[d + i] * (cells[d + i] / cells[i]) : 0.0);
            cell_scatter[c] = left < 0 ? 0.0 : left;
        }
    }
}

struct Completed {
    static constexpr index rows = Wide<double>::rows;
    index d, groups, wide, across;  // members and columns of whole vectors
    Gaps gaps;
    Triangles<double> triangles;
    Scatters<double> scatters;
    Scratch<double> x, there, y, filled, scores, shares, marginal, constant, held, covariance, extra, seen, guessed, zero;
    const double *mean = nullptr, *log_weight = nullptr;
    std::uint64_t keys[rows];
    index count = 0;

    Completed(index columns, index K)
        : d(columns), groups(K), wide(rounded_up(K, lanes)), across(rounded_up(d, lanes)), gaps(d, K, 4), triangles(d, K),
          scatters(d, K), x(d * rows), there(rows * across), y(K * d * rows), filled(rows * d * wide), scores(K * rows),
          shares(rows * wide), marginal(K * rows), constant(K), held(wide), covariance(d * (d + 1) / 2 * lanes),
          extra(d * d * wide), seen(K * across), guessed(2 * d * wide), zero(d) {}
    explicit operator bool() const {
        return gaps && triangles && scatters && x.data && there.data && y.data && filled.data && scores.data && shares.data &&
               marginal.data && constant.data && held.data && covariance.data && extra.data && seen.data && guessed.data &&
               zero.data;
    }

    // Takes up the components; false where conditional means could lose digits.
    __attribute__((cold)) bool prepare(const double* mean_, const double* factor, const double* log_weight_) {
        mean = mean_;
        log_weight = log_weight_;
        gaps.prepare(mean, factor);
        if (!gaps.exact()) return false;
        Scratch<double> inverse(groups * d * d), none(groups * d);
        if (!inverse || !none) return false;
        const double half = std::sqrt(0.5 / log_two);
        for (index k = 0; k < groups; ++k) {
            constant[k] = log_weight[k] - half_log_two_pi * d;
            for (index i = 0; i < d; ++i) {
                constant[k] -= std::log(factor[(k * d + i) * d + i]);
                for (index j = 0; j <= i; ++j) {
                    const double own = gaps.inverse[(i * d + j) * gaps.wide + k] * gaps.scale[j * gaps.wide + k];
                    inverse[(k * d + i) * d + j] = half * own;
                }
            }
        }
        triangles.pack(inverse, none);
        return true;
    }

    // Deviations of a tile of rows from each mean; zero where a cell is missing.
    bool lay_out(const double* X, index stride) {
        std::uint64_t any = 0;
        for (index r = 0; r < rows; ++r) {
            const double* row = X + (r < count ? r : count - 1) * stride;
            double* own = there + r * across;
            keys[r] = holes(row, d, [&](index j, vec cells) { store(own + j, cells == cells ? splat(1.0) : vec{}); });
            any |= keys[r];
            for (index j = 0; j < d; ++j) x[j * rows + r] = row[j];
        }
        for (index k = 0; k < groups; ++k)
            for (index j = 0; j < d; ++j) {
                const vec m = splat(mean[k * d + j]);
                for (index v = 0; v < rows; v += lanes) {
                    const vec t = load(x + j * rows + v) - m;
                    store(y + (k * d + j) * rows + v, load(x + j * rows + v) == load(x + j * rows + v) ? t : vec{});
                }
            }
        return any != 0;
    }

    void score(const double* X, index stride, bool gappy) {
        if (gappy) std::memset(marginal, 0, sizeof(double) * groups * rows);
        for (index r = 0; gappy && r < count; ++r) {
            if (!keys[r]) continue;
            const bool known = gaps.pattern(X + r * stride, keys[r], r);
            gaps.fill(X + r * stride, filled + r * d * wide, known);
            place(r);
            const double two_pi = half_log_two_pi * gaps.missing;
            for (index k = 0; k < groups; ++k)
                marginal[k * rows + r] = gaps.missing < d ? (two_pi - gaps.logs[k]) / log_two : (log_weight[k] - constant[k]) / log_two;
        }
        for (index k = 0; k < groups; ++k) {
            double* to = scores + k * rows;
            triangles.score(y + k * d * rows, k, constant[k] / log_two, to);
            if (gappy)
                for (index v = 0; v < rows; v += lanes) store(to + v, load(to + v) + load(marginal + k * rows + v));
        }
    }

    // The filled cells of a row among those of its tile.
    void place(index r) {
        const double* from = filled + r * d * wide;
        for (index a = 0; a < gaps.missing; ++a, from += wide) {
            double* to = y + gaps.gone[a] * rows + r;
            for (index k = 0; k < groups; ++k) to[k * d * rows] = from[k];
        }
    }

    // Moments of the completed rows; and what the missing cells of a row have in them, which were not observed.
    void learn() {
        for (index k = 0; k < groups; ++k) {
            scatters.add(y + k * d * rows, scores + k * rows, k, zero);
            for (index r = 0; r < count; ++r) shares[r * wide + k] = scores[k * rows + r];
        }
    }
    void set_apart(index r) {
        const double *cells = filled + r * d * wide, *own = shares + r * wide;
        for (index a = 0; a < gaps.missing; ++a, cells += wide) {
            double *first = guessed + 2 * gaps.gone[a] * wide, *second = first + wide;
            for (index k = 0; k < wide; k += lanes) {
                const vec cell = load(cells + k), t = load(own + k) * cell;
                store(first + k, load(first + k) + t);
                store(second + k, load(second + k) + t * cell);
            }
        }
    }

    // Conditional covariances, and the weights of observed cells, for rows of one pattern at once.
    void spread(const double* X, index stride) {
        for (index r = 0; r < count;) {
            const index begin = r;
            if (keys[begin] && !gaps.pattern(X + begin * stride, keys[begin], begin))
                gaps.factorise();
            std::memset(held, 0, sizeof(double) * wide);
            do {
                for (index k = 0; k < wide; k += lanes) store(held + k, load(held + k) + load(shares + r * wide + k));
                if (keys[begin]) set_apart(r);
                ++r;
            } while (r < count && d <= 64 && keys[r] == keys[begin]);
            const double* mask = there + begin * across;
            for (index k = 0; k < groups; ++k) {
                const double w = held[k];
                double* to = seen + k * across;
                if (w == 0) continue;
                for (index j = 0; j < d; j += lanes) store(to + j, load(to + j) + splat(w) * load(mask + j));
            }
            if (keys[begin]) gaps.spread(held, covariance, extra);
        }
    }

    index observe(Rows& X, index n, const double* weights, Sums& sums, double* likelihood) {
        double w[rows];
        *likelihood = 0;
        for (index i = 0; i < n; i += rows) {
            count = n - i < rows ? n - i : rows;
            const auto [block, stride] = X.some(i, count);
            lay_weights<double>(weights, i, count, w);
            score(block, stride, lay_out(block, stride));
            const index odd = posteriors<double>(scores, groups, w, nullptr, likelihood);
            if (odd) return odd;
            learn();
            spread(block, stride);
        }
        add_to(sums);
        return OK;
    }

    void add_to(Sums& sums) {
        const index side = d + 1;
        for (index k = 0; k < groups; ++k) {
            scatters.flush(k);
            double *whole = sums.whole + k * side * side, *cells = sums.cells + k * 3 * d;
            for (index i = 0; i <= d; ++i)
                for (index j = 0; j <= i; ++j) {
                    double t = scatters.sum(k, i, j);
                    if (i < d) t += extra[(i * d + j) * wide + k] * gaps.deviation[i * wide + k] * gaps.deviation[j * wide + k];
                    whole[i * side + j] = whole[j * side + i] = t;
                }
            for (index j = 0; j < d; ++j) {
                const double w = seen[k * across + j], *apart = guessed + 2 * j * wide + k;
                cells[j] = w;
                cells[d + j] = w != 0 ? scatters.sum(k, d, j) - apart[0] : 0.0;
                cells[2 * d + j] = w != 0 ? scatters.sum(k, j, j) - apart[wide] : 0.0;
            }
        }
    }
};

}  // namespace parzen
