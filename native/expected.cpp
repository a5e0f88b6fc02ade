// Expected moments of groups of rows with missing cells, under the current full Gaussians:
// they wait in a tile of their group, are completed there by their conditional means (filling.h), and learnt as complete
// rows are.
// Returns 1 where conditional means could lose digits: the caller then takes missing.cpp, which loses none.
#include "completed.h"
#include "filling.h"

namespace parzen {
namespace {

struct Tiles {
    static constexpr index rows = Wide<double>::rows;
    index d, wide;
    Fillings fillings;
    Scatters<double> scatters;
    Scratch<double> y, turned, weight, centre, zero, guessed, seen, constant, likelihood;  // y in units of the deviations
    Scratch<std::uint64_t> keys;
    Scratch<std::int32_t> gone;
    Scratch<index> missing, filled, order;

    Tiles(index columns, index K)
        : d(columns), wide(rounded_up(columns, lanes)), fillings(d, K), scatters(d, K), y(K * rows * wide), turned(d * rows),
          weight(K * rows), centre(K * wide), zero(d), guessed(2 * K * d), seen(K * wide), constant(K), likelihood(K), keys(K * rows),
          gone(K * rows * d), missing(K * rows), filled(K), order(rows) {}
    explicit operator bool() const {
        return fillings && scatters && y.data && turned.data && weight.data && centre.data && zero.data && guessed.data && seen.data &&
               constant.data && likelihood.data && keys.data && gone.data && missing.data && filled.data && order.data;
    }

    bool prepare(index factors, const double* mean, const double* factor) {
        Scratch<double> inverse(d * d);
        if (!inverse) return false;
        bool exact = true;
        for (index k = 0; k < fillings.groups; ++k) {
            const double* L = factor + (k < factors ? k : 0) * d * d;
            exact &= fillings.prepare(k, L, inverse);
            std::memcpy(centre + k * wide, mean + k * d, sizeof(double) * d);
            constant[k] = -half_log_two_pi * d;
            for (index i = 0; i < d; ++i) constant[k] -= std::log(L[i * d + i]);
        }
        return exact;
    }

    void add(const double* x, index k, double w) {
        const index at = k * rows + filled[k]++;
        double *to = y + at * wide, *own = seen + k * wide;
        const double *scale = fillings.scale + k * wide, *mean = centre + k * wide;
        const vec weights = splat(w);
        const std::uint64_t key = holes(x, d, [&](index j, vec cells) {
            const vec off = (cells - load(mean + j)) * load(scale + j);
            store(to + j, cells == cells ? off : vec{});
            store(own + j, load(own + j) + (cells == cells ? weights : vec{}));
        });
        keys[at] = key;
        missing[at] = fillings.columns(x, key, gone + at * d);
        weight[at] = w;
        if (filled[k] == rows) learn(k);
    }

    // Fills in the missing cells of as many rows of a tile as there are lanes.
    void complete(index k, const index* some) {
        const index begin = k * rows;
        const double* w = weight + begin;
        fillings.patterns(k, some, keys + begin, gone + begin * d, missing + begin);
        fillings.solve(some, y + begin * wide);
        store(fillings.held, load(fillings.held) + gather(w, some));
        double *apart = guessed + 2 * k * d, total = 0;
        for (index l = 0; l < lanes; ++l) {
            const index at = begin + some[l], m = missing[at];
            const std::int32_t* own = gone + at * d;
            for (index a = 0; a < m; ++a) {
                const double cell = -fillings.solved[a * lanes + l], t = weight[at] * cell;
                y[at * wide + own[a]] = cell;
                apart[2 * own[a]] += t;
                apart[2 * own[a] + 1] += t * cell;
            }
            total += weight[at] * (half_log_two_pi * m - fillings.logs[l]);
        }
        likelihood[k] += total;
    }

    void learn(index k) {
        double* tile = turned;
        for (index r = k * rows + filled[k]; r < (k + 1) * rows; ++r) {
            weight[r] = 0;
            keys[r] = missing[r] = 0;
            std::memset(y + r * wide, 0, sizeof(double) * wide);
        }
        const index none = fillings.sorted(missing + k * rows, rows, order);
        for (index first = none / lanes * lanes; first < rows; first += lanes) complete(k, order + first);
        lay(y + k * rows * wide, rows, d, wide, zero, tile);
        scatters.add(tile, weight + k * rows, k, zero);
        filled[k] = 0;
    }

    // The likelihood's squares are those of the completed rows: the trace of their scatter times the inverse covariance.
    void add_to(Sums& sums) {
        const index side = d + 1;
        for (index k = 0; k < fillings.groups; ++k) {
            if (filled[k]) learn(k);
            fillings.spread();
            scatters.flush(k);
            const double *deviation = fillings.deviation + k * side, *P = fillings.precision + k * fillings.block;
            double *whole = sums.whole + k * side * side, *cells = sums.cells + k * 3 * d, squares = 0;
            for (index i = 0; i <= d; ++i)
                for (index j = 0; j <= i; ++j) {
                    const double t = scatters.sum(k, i, j), unit = (i < d ? deviation[i] : 1.0) * (j < d ? deviation[j] : 1.0);
                    whole[i * side + j] = whole[j * side + i] = t * unit + (i < d ? fillings.spread_of(k, i, j) : 0.0);
                    if (i < d) squares += (i == j ? 1.0 : 2.0) * t * P[i * fillings.wide + j];
                }
            likelihood[k] += constant[k] * scatters.sum(k, d, d) - 0.5 * squares;
            for (index j = 0; j < d; ++j) {
                const double w = seen[k * wide + j], *apart = guessed + 2 * (k * d + j);
                cells[j] = w;
                cells[d + j] = w != 0 ? (scatters.sum(k, d, j) - apart[0]) * deviation[j] : 0.0;
                cells[2 * d + j] = w != 0 ? (scatters.sum(k, j, j) - apart[1]) * deviation[j] * deviation[j] : 0.0;
            }
        }
    }
};

PARZEN_ONCE index expected(Rows& X, index n, const Members& members, index factors, const double* mean,
               const double* factor, double* weight, double* means, double* carry, double* scatter, double* cell_weight,
               double* cell_mean, double* cell_carry, double* cell_scatter, double* log_likelihood) {
    const index d = X.d, K = members.groups;
    Tiles tiles(d, K);
    Sums sums(d, K);
    if (!tiles || !sums) return NO_MEMORY;
    if (!tiles.prepare(factors, mean, factor)) return 1;
    members.each(n, [&](index i, index k, double w) { tiles.add(X.row(i), k, w); });
    tiles.add_to(sums);
    finish(sums, K, mean, weight, means, carry, scatter, cell_weight, cell_mean, cell_carry, cell_scatter);
    std::memcpy(log_likelihood, tiles.likelihood, sizeof(double) * K);
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_EXPECTED(T, suffix)                                                                                    \
    PARZEN_EXPORT parzen::index parzen_expected_##suffix(                                                             \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, parzen::index factors, const double* mean,  \
        const double* factor, double* weight, double* means, double* carry, double* scatter, double* cell_weight,     \
        double* cell_mean, double* cell_carry, double* cell_scatter, double* log_likelihood) {                        \
        parzen::Rows rows(X, d, stride, 1);                                                                           \
        if (!rows) return parzen::NO_MEMORY;                                                                          \
        return parzen::expected(rows, n, {codes, weights, dense, groups}, factors, mean, factor, weight, means,       \
                                carry, scatter, cell_weight, cell_mean, cell_carry, cell_scatter, log_likelihood);    \
    }

PARZEN_EXPECTED(float, f32)
PARZEN_EXPECTED(double, f64)
