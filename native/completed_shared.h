// The same with one covariance for all components. With c a point among the means, P the inverse covariance and
// s_k the missing cells of P (mean_k - c), a row's conditional mean under component k is
//
//     c + u + h_k,   u the conditional mean under a Gaussian at c,   h_k = P_mm^-1 s_k at the missing cells alone:
//
// u is filled in once, the h_k are those of the pattern, and scores are affine in u as they are for complete rows, but for
// s_k' h_k / 2. The scatter is that of u + sum of r_k h_k, and what the h_k have about that sum.
#pragma once
#include "em.h"
#include "filling.h"
#include "rows.h"
#include "triangles.h"

namespace parzen {

struct CompletedShared {
    static constexpr index rows = Wide<double>::rows;
    static constexpr double farthest = 1e6;  // squared distance of a mean from c: squares are subtracted
    index d, groups, wide;
    Fillings fillings;
    Triangles<double> triangle;
    Scatters<double> scatters;
    Scratch<double> origin, shift, table, constant, x, y, row, scores, base, w, zero;
    Scratch<double> h, marginal, shares, about, sums, moved, guessed, seen, squares, held;
    Scratch<std::int32_t> columns;
    index missing[rows], order[rows];
    index source[rows];  // of the row whose h_k a row shares, or -1
    std::uint64_t keys[rows];
    index count = 0;

    CompletedShared(index columns, index K)
        : d(columns), groups(K), wide(rounded_up(K, lanes)), fillings(d, 1), triangle(d, 1), scatters(d, 1), origin(fillings.wide),
          shift(d * wide), table(K * d), constant(K), x(d * rows), y(rows * fillings.wide), row(fillings.wide), scores(K * rows), base(rows),
          w(rows), zero(d), h(rows * d * wide), marginal(rows * wide), shares(rows * wide), about(d * wide),
          sums(K * (d + 1) * lanes), moved(d * wide), guessed(d * wide), seen(d * wide), squares(d), held(wide), columns(rows * d) {}
    explicit operator bool() const {
        return fillings && triangle && scatters && origin.data && shift.data && table.data && constant.data && x.data && y.data &&
               row.data && scores.data && base.data && w.data && zero.data && h.data && marginal.data && shares.data &&
               about.data && sums.data && moved.data && guessed.data && seen.data && squares.data && held.data && columns.data;
    }

    // Takes up the components; false where digits could be lost.
    __attribute__((cold)) bool prepare(const double* mean, const double* factor, const double* log_weight) {
        Scratch<double> inverse(d * d), off(d), none(d);
        if (!inverse || !off || !none || !fillings.prepare(0, factor, inverse)) return false;
        double most = log_weight[0], total = 0, norm = -half_log_two_pi * d;
        for (index k = 1; k < groups; ++k) most = log_weight[k] > most ? log_weight[k] : most;
        for (index k = 0; k < groups; ++k) total += std::exp(log_weight[k] - most);
        for (index k = 0; k < groups; ++k)
            for (index j = 0; j < d; ++j) origin[j] += std::exp(log_weight[k] - most) / total * mean[k * d + j];
        for (index i = 0; i < d; ++i) norm -= std::log(factor[i * d + i]);
        bool near = true;
        for (index k = 0; k < groups; ++k) {
            double square = 0;
            for (index j = 0; j < d; ++j) off[j] = mean[k * d + j] - origin[j];
            for (index i = 0; i < d; ++i) {
                double z = 0, t = 0;
                for (index j = 0; j <= i; ++j) z += inverse[i * d + j] * off[j];
                for (index j = 0; j < d; ++j) t += fillings.precision[i * fillings.wide + j] * (off[j] * fillings.scale[j]);
                square += z * z;
                shift[i * wide + k] = t;
            }
            constant[k] = (log_weight[k] + norm - 0.5 * square) / log_two;
            near &= square <= farthest;
        }
        in_fours(groups, [&](index first, auto number) {
            constexpr index E = decltype(number)::value;
            for (index j = 0; j < d; ++j)
                for (index e = 0; e < E; ++e)
                    table[first * d + j * E + e] = shift[j * wide + first + e] * fillings.scale[j] / log_two;
        });
        for (index c = 0; c < d * d; ++c) inverse[c] *= std::sqrt(0.5 / log_two);
        triangle.pack(inverse, none);
        return near;
    }

    // A tile of rows about c, completed.
    bool lay_out(const double* X, index stride) {
        std::uint64_t any = 0;
        for (index r = 0; r < rows; ++r) {
            const double* cells = X + (r < count ? r : count - 1) * stride;
            double *to = x + r, *scaled = y + r * fillings.wide;
            const double *about_c = origin, *scale = fillings.scale;
            double* off = row;
            const std::uint64_t key = holes(cells, d, [&](index j, vec own) {
                const vec t = own == own ? own - load(about_c + j) : vec{};
                store(off + j, t);
                store(scaled + j, t * load(scale + j));
            });
            for (index j = 0; j < d; ++j) to[j * rows] = off[j];
            missing[r] = fillings.columns(cells, key, columns + r * d);
            any |= keys[r] = key;
        }
        if (!any) return false;
        index last = -1;
        const index none = fillings.sorted(missing, rows, order);
        for (index i = 0; i < none; ++i) source[order[i]] = -1;
        for (index first = none / lanes * lanes; first < rows; first += lanes) complete(order + first, last);
        return true;
    }

    // Fills in the missing cells of as many rows as there are lanes; `last` is the row with some before.
    void complete(const index* some, index& last) {
        fillings.patterns(0, some, keys, columns, missing);
        fillings.solve(some, y);
        const double* weights = w;
        store(fillings.held, load(fillings.held) + gather(weights, some));
        for (index l = 0; l < lanes; ++l) {
            const index r = some[l];
            if (!keys[r]) continue;
            for (index a = 0; a < missing[r]; ++a) {
                const index j = columns[r * d + a];
                x[j * rows + r] = -fillings.solved[a * lanes + l] * fillings.deviation[j];
            }
            source[r] = last >= 0 && d <= 64 && keys[last] == keys[r] ? source[last] : r;
            if (source[r] == r) displace(r, l);
            last = r;
        }
    }

    // h_k of a row, in units of the deviations, and what scores of its pattern's rows have more than those of others.
    void displace(index r, index lane) {
        double* more = marginal + r * wide;
        fillings.displaced(lane, shift, wide, more, h + r * d * wide);
        const vec rest = splat(half_log_two_pi * missing[r] - fillings.logs[lane]);
        for (index k = 0; k < wide; k += lanes) store(more + k, (splat(0.5) * load(more + k) + rest) * splat(1.0 / log_two));
    }

    void score(bool holes) {
        triangle.score(x, 0, 0.0, base);
        in_fours(groups, [&](index first, auto number) {
            constexpr index E = decltype(number)::value;
            vec found[E][chains];
            affine<double, E>(x, table + first * d, constant + first, d, found);
            for (index e = 0; e < E; ++e)
                for (index v = 0; v < chains; ++v) write<double>(scores + (first + e) * rows + v * lanes, found[e][v]);
        });
        for (index r = 0; holes && r < rows; ++r) {
            if (source[r] < 0) continue;
            const double* more = marginal + source[r] * wide;
            for (index k = 0; k < groups; ++k) scores[k * rows + r] += more[k];
        }
    }

    // Sums of the rows about c, in each component.
    void learn() {
        for (index k = 0; k < groups; ++k) {
            double* own = sums + k * (d + 1) * lanes;
            for (index row = 0; row < rows; ++row) shares[row * wide + k] = scores[k * rows + row];
            vec r[chains], sum = {};
            for (index v = 0; v < chains; ++v) sum += r[v] = load(scores + k * rows + v * lanes);
            if (!Chosen<double>(sum).count) continue;
            add_lanes<double>(own + d * lanes, sum);
            for (index j = 0; j < d; ++j) {
                vec total = {};
                for (index v = 0; v < chains; ++v) total += r[v] * load(x + j * rows + v * lanes);
                add_lanes<double>(own + j * lanes, total);
            }
        }
    }

    // What the missing cells of a row add to its components, and to the scatter within them.
    void displaced(index r) {
        const double *own = h + source[r] * d * wide, *share = shares + r * wide, weight = w[r];
        if (weight == 0) return;
        const index m = missing[r];
        const std::int32_t* gone = columns + r * d;
        for (index a = 0; a < m; ++a) {
            const index j = gone[a];
            const double *at = own + a * wide, filled = x[j * rows + r];
            vec sum = {};
            for (index k = 0; k < wide; k += lanes) {
                const vec s = load(share + k), t = s * load(at + k);
                sum += t;
                store(moved + j * wide + k, load(moved + j * wide + k) + t);
                store(guessed + j * wide + k, load(guessed + j * wide + k) + s * splat(filled));
            }
            const double middle = sum_of(sum) / weight, whole = filled + middle * fillings.deviation[j];
            for (index k = 0; k < wide; k += lanes) store(about + a * wide + k, load(at + k) - splat(middle));
            x[j * rows + r] = whole;
            squares[j] += weight * whole * whole;
        }
        vec sums[lanes] = {};
        double* to[lanes];
        index pairs = 0;
        const auto add = [&] {
            const vec total = sums_of(sums);
            for (index p = 0; p < pairs; ++p) *to[p] += total[p];
            pairs = 0;
        };
        for (index a = 0; a < m; ++a)
            for (index b = 0; b <= a; ++b) {
                vec sum = {};
                for (index k = 0; k < wide; k += lanes)
                    sum += load(share + k) * load(about + a * wide + k) * load(about + b * wide + k);
                sums[pairs] = sum;
                to[pairs++] = fillings.extra + gone[a] * fillings.side + gone[b];
                if (pairs == lanes) add();
            }
        add();
    }

    // Responsibilities row by row: the weights of observed cells, for rows of one pattern at once.
    void spread(const double* X, index stride) {
        for (index r = 0; r < count;) {
            const index begin = r;
            std::memset(held, 0, sizeof(double) * wide);
            do {
                for (index k = 0; k < wide; k += lanes) store(held + k, load(held + k) + load(shares + r * wide + k));
                if (keys[r]) displaced(r);
                ++r;
            } while (r < count && d <= 64 && keys[r] == keys[begin]);
            const double* cells = X + begin * stride;
            const auto see = [&](index j) {
                for (index k = 0; k < wide; k += lanes) store(seen + j * wide + k, load(seen + j * wide + k) + load(held + k));
            };
            if (d <= 64) {
                for (std::uint64_t left = ~keys[begin] & (~0ULL >> (64 - d)); left; left &= left - 1) see(__builtin_ctzll(left));
            } else {
                for (index j = 0; j < d; ++j)
                    if (cells[j] == cells[j]) see(j);
            }
        }
    }

    index observe(Rows& X, index n, const double* weights, double* likelihood) {
        *likelihood = 0;
        for (index i = 0; i < n; i += rows) {
            count = n - i < rows ? n - i : rows;
            const auto [block, stride] = X.some(i, count);
            lay_weights<double>(weights, i, count, w);
            const bool holes = lay_out(block, stride);
            score(holes);
            const index odd = posteriors<double>(scores, groups, w, base, likelihood);
            if (odd) return odd;
            learn();
            spread(block, stride);
            scatters.add(x, w, 0, zero);
        }
        fillings.spread();
        scatters.flush(0);
        return OK;
    }

    // Moments about the components' means; the scatter is that within all of them, of observed cells each one's share of it.
    void finish(double* weight, double* means, double* carry, double* scatter, double* cell_weight, double* cell_mean,
                double* cell_carry, double* cell_scatter) {
        Scratch<double>& step = row;
        const auto centre = [&](double drift, double total, index j, double* m, double* lost) {
            const double own = total != 0 ? drift / total : 0.0;
            *m = total != 0 ? origin[j] + own : 0.0;
            *lost = total != 0 ? own - (*m - origin[j]) : 0.0;
            return own;
        };
        for (index i = 0; i < d; ++i) {
            squares[i] = scatters.sum(0, i, i) - squares[i];
            for (index j = 0; j <= i; ++j) scatter[i * d + j] = scatters.sum(0, i, j) + fillings.spread_of(0, i, j);
        }
        for (index k = 0; k < groups; ++k) {
            const double* own = sums + k * (d + 1) * lanes;
            weight[k] = total_of<double>(own + d * lanes);
            for (index j = 0; j < d; ++j) {
                const index c = k * d + j;
                const double first = total_of<double>(own + j * lanes), w = seen[j * wide + k];
                step[j] = centre(first + moved[j * wide + k] * fillings.deviation[j], weight[k], j, means + c, carry + c);
                const double off = centre(first - guessed[j * wide + k], w, j, cell_mean + c, cell_carry + c);
                cell_weight[c] = w;
                squares[j] -= w * off * off;
            }
            for (index i = 0; i < d; ++i)
                for (index j = 0; j <= i; ++j) scatter[i * d + j] -= weight[k] * step[i] * step[j];
        }
        for (index j = 0; j < d; ++j) {
            double total = 0;
            for (index k = 0; k < groups; ++k) total += seen[j * wide + k];
            for (index k = 0; k < groups; ++k)
                cell_scatter[k * d + j] = total > 0 && squares[j] > 0 ? squares[j] * (seen[j * wide + k] / total) : 0.0;
            for (index i = 0; i < j; ++i) scatter[i * d + j] = scatter[j * d + i];
        }
    }
};

}  // namespace parzen
