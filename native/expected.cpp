// Expected moments of groups of rows with missing cells, under the current full Gaussians: rows are completed by their
// conditional means (filling.h) and wait in a tile of their group, which is scored and learnt as one of complete rows.
// Returns 1 where conditional means could lose digits: the caller then takes missing.cpp, which loses none.
#include "completed.h"
#include "filling.h"

namespace parzen {
namespace {

struct Tiles {
    static constexpr index rows = Wide<double>::rows;
    index d;
    Fillings fillings;
    Triangles<double> triangles;
    Scatters<double> scatters;
    Scratch<double> y, turned, weight, marginal, zero, row, guessed, seen, constant, likelihood;
    Scratch<index> filled;

    Tiles(index columns, index K)
        : d(columns), fillings(d, K), triangles(d, K), scatters(d, K), y(K * d * rows), turned(d * rows), weight(K * rows),
          marginal(K * rows), zero(d), row(fillings.wide), guessed(2 * K * d), seen(K * d), constant(K), likelihood(K),
          filled(K) {}
    explicit operator bool() const {
        return fillings && triangles && scatters && y.data && turned.data && weight.data && marginal.data && zero.data && row.data &&
               guessed.data && seen.data && constant.data && likelihood.data && filled.data;
    }

    bool prepare(index factors, const double* factor) {
        const index K = fillings.groups;
        Scratch<double> inverse(K * d * d), none(K * d);
        if (!inverse || !none) return false;
        bool exact = true;
        for (index k = 0; k < K; ++k) {
            const double* L = factor + (k < factors ? k : 0) * d * d;
            exact &= fillings.prepare(k, L, inverse + k * d * d);
            constant[k] = -half_log_two_pi * d;
            for (index i = 0; i < d; ++i) constant[k] -= std::log(L[i * d + i]);
        }
        triangles.pack(inverse, none);
        return exact;
    }

    template <class T>
    void add(const T* x, index k, double w, const double* mean) {
        const index at = filled[k]++;
        double *to = y + (k * rows + at) * d, *own = seen + k * d, *scaled = row;
        const double* scale = fillings.scale + k * d;
        std::uint64_t key = 0;
#pragma omp simd
        for (index j = 0; j < d; ++j) {
            const double cell = x[j], off = cell == cell ? cell - mean[j] : 0.0;
            to[j] = off;
            scaled[j] = off * scale[j];
            own[j] += cell == cell ? w : 0.0;
        }
#pragma omp simd reduction(| : key)
        for (index j = 0; j < d; ++j) key |= static_cast<std::uint64_t>(x[j] != x[j]) << (j & 63);
        weight[k * rows + at] = w;
        marginal[k * rows + at] = 0;
        if (key) complete(x, key, k, w, to, marginal[k * rows + at]);
        if (at + 1 == rows) learn(k);
    }

    template <class T>
    void complete(const T* x, std::uint64_t key, index k, double w, double* to, double& marginal) {
        fillings.pattern(k, x, key);
        fillings.held[k] += w;
        fillings.solve(k, row);
        const index m = fillings.missing[k], *gone = fillings.gone + k * d;
        const double *found = fillings.solved, *deviation = fillings.deviation + k * d;
        double* apart = guessed + 2 * k * d;
        for (index a = 0; a < m; ++a) {
            const index j = gone[a];
            const double cell = -found[a] * deviation[j], t = w * cell;
            to[j] = cell;
            apart[2 * j] += t;
            apart[2 * j + 1] += t * cell;
        }
        marginal = m == d ? -constant[k] : half_log_two_pi * m - fillings.logs[k];
    }

    void learn(index k) {
        double score[rows], *w = weight + k * rows, *own = y + k * rows * d, *tile = turned, total = 0;
        for (index r = filled[k]; r < rows; ++r) {
            w[r] = marginal[k * rows + r] = 0;
            std::memset(own + r * d, 0, sizeof(double) * d);
        }
        for (index j = 0; j < d; ++j)
            for (index r = 0; r < rows; ++r) tile[j * rows + r] = own[r * d + j];
        triangles.score(tile, k, 0.0, score);
#pragma omp simd reduction(+ : total)
        for (index r = 0; r < rows; ++r) total += w[r] * (constant.data[k] + marginal.data[k * rows + r] + 0.5 * score[r]);
        likelihood[k] += total;
        scatters.add(tile, w, k, zero);
        filled[k] = 0;
    }

    void add_to(Sums& sums) {
        const index side = d + 1;
        for (index k = 0; k < fillings.groups; ++k) {
            if (filled[k]) learn(k);
            fillings.spread(k);
            scatters.flush(k);
            double *whole = sums.whole + k * side * side, *cells = sums.cells + k * 3 * d;
            for (index i = 0; i <= d; ++i)
                for (index j = 0; j <= i; ++j)
                    whole[i * side + j] = whole[j * side + i] = scatters.sum(k, i, j) + (i < d ? fillings.spread_of(k, i, j) : 0.0);
            for (index j = 0; j < d; ++j) {
                const double w = seen[k * d + j], *apart = guessed + 2 * (k * d + j);
                cells[j] = w;
                cells[d + j] = w != 0 ? scatters.sum(k, d, j) - apart[0] : 0.0;
                cells[2 * d + j] = w != 0 ? scatters.sum(k, j, j) - apart[1] : 0.0;
            }
        }
    }
};

template <class T>
index expected(const T* X, index n, index d, index stride, const Members& members, index factors, const double* mean,
               const double* factor, double* weight, double* means, double* carry, double* scatter, double* cell_weight,
               double* cell_mean, double* cell_carry, double* cell_scatter, double* log_likelihood) {
    const index K = members.groups;
    Tiles tiles(d, K);
    Sums sums(d, K);
    if (!tiles || !sums) return NO_MEMORY;
    if (!tiles.prepare(factors, factor)) return 1;
    members.each(n, [&](index i, index k, double w) { tiles.add(X + i * stride, k, w, mean + k * d); });
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
        return parzen::expected(X, n, d, stride, {codes, weights, dense, groups}, factors, mean, factor, weight,      \
                                means, carry, scatter, cell_weight, cell_mean, cell_carry, cell_scatter,              \
                                log_likelihood);                                                                      \
    }

PARZEN_EXPECTED(float, f32)
PARZEN_EXPECTED(double, f64)
