// EM (Baum-Welch) of a hidden Markov model whose states emit counts, all steps in one call: a step of a short series takes
// less time than the calls around it.
//
// The log-density of a row x in state k is its base measure and an affine function of x: sum_j x_j log p_kj of symbols
// (rows with a single one) and of multinomial counts, sum_j x_j log r_kj - r_kj of Poisson counts. The statistic of a
// state is then its weight and its totals. The updates are hmmlearn's. A sequence that is impossible is left to the caller.
#include <algorithm>
#include "common.h"

PARZEN_EXPORT parzen::index parzen_hidden_smooth_f64(parzen::index, const double*, const double*, const double*,
                                                     const parzen::index*, const double*, parzen::index, double*, double*,
                                                     double*, double*);

namespace parzen {
namespace {

enum Emission : index { symbols, multinomial, poisson };
enum Update : index { update_start = 1, update_transition = 2, update_emission = 4 };

// Mode of a Dirichlet posterior where `before` is not zero; uniform there without any weight. `prior` is a concentration.
void mode(const double* counts, const double* prior, const double* before, index size, double* out) {
    double total = 0, ways = 0;
    for (index c = 0; c < size; ++c) {
        const bool open = !before || before[c] > 0;
        out[c] = open ? std::max(counts[c] + (prior[c] - 1.0), 0.0) : 0.0;
        total += out[c];
        ways += open;
    }
    for (index c = 0; c < size; ++c) out[c] = total > 0 ? out[c] / total : (!before || before[c] > 0) / ways;
}

struct Counts {
    const double* X;
    index n, d, stride, K;
    Emission kind;
    const double* base;        // (n)
    const double *shape, *rate;  // priors of the emissions, (K, d)

    // Log-densities (n, K) of the rows, with the logarithms of the parameters (K, d) in `logs`, transposed.
    void evaluate(const double* parameter, double* logs, double* rows) const {
        for (index k = 0; k < K; ++k)
            for (index j = 0; j < d; ++j) logs[j * K + k] = std::log(parameter[k * d + j]);
        for (index i = 0; i < n; ++i) {
            double* row = rows + i * K;
            for (index k = 0; k < K; ++k) row[k] = base[i];
            for (index j = 0; j < d; ++j) {
                const double x = X[i * stride + j];
                for (index k = 0; x != 0 && k < K; ++k) row[k] += x * logs[j * K + k];
            }
        }
        for (index k = 0; kind == poisson && k < K; ++k) {
            double offset = 0;
            for (index j = 0; j < d; ++j) offset += parameter[k * d + j];
            for (index i = 0; i < n; ++i) rows[i * K + k] -= offset;
        }
    }

    // Weight (K) of each state and totals (d, K) of its columns.
    void observe(const double* posterior, double* weight, double* totals) const {
        std::fill(weight, weight + K, 0.0);
        std::fill(totals, totals + K * d, 0.0);
        for (index i = 0; i < n; ++i) {
            const double* share = posterior + i * K;
            for (index k = 0; k < K; ++k) weight[k] += share[k];
            for (index j = 0; j < d; ++j) {
                const double x = X[i * stride + j];
                for (index k = 0; x != 0 && k < K; ++k) totals[j * K + k] += x * share[k];
            }
        }
    }

    // New parameters (K, d); those of a state without any weight are the `first` ones.
    void maximise(const double* weight, const double* totals, const double* first, double* own, double* parameter) const {
        double everything = 0;
        for (index k = 0; k < K; ++k) everything += weight[k];
        for (index k = 0; k < K; ++k) {
            double whole = 0;
            for (index j = 0; j < d; ++j) whole += own[j] = totals[j * K + k];
            double* out = parameter + k * d;
            if (kind == symbols) mode(own, shape + k * d, nullptr, d, out);
            for (index j = 0; kind == multinomial && j < d; ++j) out[j] = whole > 0 ? own[j] / whole : first[k * d + j];
            for (index j = 0; kind == poisson && j < d; ++j) {
                const double mean = weight[k] > 0 ? own[j] / weight[k] : first[k * d + j];
                out[j] = (shape[k * d + j] + everything * mean) / std::max(rate[k * d + j] + everything, 1e-300);
            }
        }
    }
};

}  // namespace

// start (K), transition (K, K) and parameter (K, d) are where EM begins, and where it ends. `history` has the
// log-likelihood before each M-step; a step that raises it by less than tol is the last one.
PARZEN_EXPORT index parzen_hidden_counts_f64(const double* X, index n, index d, index stride, const double* base,
                                             const index* lengths, index sequences, index K, index kind, index updates,
                                             const double* start_prior, const double* transition_prior,
                                             const double* shape, const double* rate, index steps, double tol,
                                             double* start, double* transition, double* parameter, double* history) {
    const Counts counts{X, n, d, stride, K, static_cast<Emission>(kind), base, shape, rate};
    Scratch<double> rows(n * K), posterior(n * K), logs(K * d), weight(K), totals(K * d), own(d), first(K), pairs(K * K),
        likelihood(sequences), old_start(K), old_transition(K * K), old_parameter(K * d);
    if (!rows || !posterior || !logs || !weight || !totals || !own || !first || !pairs || !likelihood || !old_start ||
        !old_transition || !old_parameter)
        return NO_MEMORY;
    std::copy(start, start + K, old_start.data);
    std::copy(transition, transition + K * K, old_transition.data);
    std::copy(parameter, parameter + K * d, old_parameter.data);
    for (index step = 0; step < steps; ++step) {
        counts.evaluate(parameter, logs, rows);
        std::fill(first.data, first.data + K, 0.0);
        std::fill(pairs.data, pairs.data + K * K, 0.0);
        const index status = parzen_hidden_smooth_f64(K, start, transition, rows, lengths, nullptr, sequences, posterior,
                                                      first, pairs, likelihood);
        if (status != OK) return status;
        history[step] = 0;
        for (index s = 0; s < sequences; ++s) history[step] += likelihood[s];
        if (!std::isfinite(history[step])) return 1;
        if (updates & update_start) mode(first, start_prior, old_start, K, start);
        for (index k = 0; (updates & update_transition) && k < K; ++k)
            mode(pairs + k * K, transition_prior + k * K, old_transition + k * K, K, transition + k * K);
        if (updates & update_emission) {
            counts.observe(posterior, weight, totals);
            counts.maximise(weight, totals, old_parameter, own, parameter);
        }
        if (step && !(history[step] - history[step - 1] >= tol)) break;
    }
    return OK;
}

}  // namespace parzen
