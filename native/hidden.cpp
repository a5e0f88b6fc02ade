// Hidden Markov models: filtering, smoothing (forward-backward) and the likeliest path (Viterbi) of sequences, from the
// log-densities of rows in each state.
//
// Rows of a sequence lie one after another, sequences too. Probabilities are scaled at every step, so that no length
// underflows; a step at which all states that can be reached are far less likely than one that can't is scaled by the
// likeliest of the former. Where a state that can be reached has a probability too small for that, and nothing likelier
// leads where it leads (an absorbing state, a path that may not turn back), the sequence is computed again in logarithms.
// Vectors run over the states, of which there are `wide` in memory: K, filled up with states that are never reached.
#include <algorithm>
#include <limits>
#include "exp.h"

namespace parzen {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double missing = std::numeric_limits<double>::quiet_NaN();
// Least predicted probability of a reachable state: then what a step loses, below 1e-308 of its likeliest
// density, is below 1e-208 after scaling, and nothing beside what the next step predicts.
constexpr double least = 1e-100;

struct Chain {
    index K, wide;
    const double* start;       // (K)
    const double* transition;  // (K, K)
};

// Probabilities in rows of `wide`: what vectors read.
struct Wide {
    Scratch<double> start, forward, backward;  // forward[i] is what follows state i; backward[j] what precedes state j
    explicit Wide(const Chain& chain)
        : start(chain.wide), forward(chain.wide * chain.wide), backward(chain.wide * chain.wide) {
        if (!*this) return;
        for (index i = 0; i < chain.K; ++i) {
            start[i] = chain.start[i];
            for (index j = 0; j < chain.K; ++j)
                forward[i * chain.wide + j] = backward[j * chain.wide + i] = chain.transition[i * chain.K + j];
        }
    }
    explicit operator bool() const { return start.data && forward.data && backward.data; }
};

// Densities of a row relative to its likeliest state, into b (wide); returns the logarithm of what they are relative to.
inline double scaled(const double* row, index K, index wide, double* b) {
    double top = -infinity;
    for (index k = 0; k < K; ++k) top = row[k] > top ? row[k] : top;
    if (!(top > -infinity)) top = 0;
    for (index k = 0; k < K; ++k) b[k] = row[k] - top;
    for (index k = K; k < wide; ++k) b[k] = -infinity;
    for (index k = 0; k < wide; k += lanes) store(b + k, exponential(load(b + k)));
    return top;
}

// One step: what was predicted times b, which becomes a; returns the logarithm of their sum, -inf where it is zero, or
// NaN where the likeliest state is so unlikely beforehand that the others have lost their digits.
inline double advance(const double* predicted, const double* row, index K, index wide, double* b, double top, double* a) {
    vec total{};
    for (index k = 0; k < wide; k += lanes) {
        const vec before = load(predicted + k), density = before > vec{} ? load(b + k) : vec{};
        const vec product = before * density;
        store(b + k, density);  // an unreachable state doesn't matter in the backward pass
        store(a + k, product);
        total += product;
    }
    double sum = sum_of(total);
    if (!(sum > least)) {  // the likeliest states can't be reached: scaled by the likeliest that can
        double best = -infinity;
        for (index k = 0; k < K; ++k)
            if (predicted[k] > 0) best = std::max(best, row[k]);
        if (!(best > -infinity)) return -infinity;
        sum = 0;
        for (index k = 0; k < wide; ++k) {
            b[k] = k < K && predicted[k] > 0 ? std::exp(row[k] - best) : 0.0;
            a[k] = predicted[k] * b[k];
            sum += a[k];
        }
        top = best;
        if (!(sum > least)) return missing;
    }
    const vec inverse = splat(1.0 / sum);
    for (index k = 0; k < wide; k += lanes) {
        store(a + k, load(a + k) * inverse);
        store(b + k, load(b + k) * inverse);  // so that the backward pass needs no division
    }
    return std::log(sum) + top;
}

// next = a A, for one row.
template <int V>
inline void predict(const double* a, const double* forward, index K, index wide, double* next) {
    const index many = V ? V : wide / lanes;
    if constexpr (V > 0) {
        vec even[V] = {}, odd[V] = {};
        index i = 0;
        for (; i + 2 <= K; i += 2)
            for (index v = 0; v < V; ++v) {
                even[v] += splat(a[i]) * load(forward + i * wide + v * lanes);
                odd[v] += splat(a[i + 1]) * load(forward + (i + 1) * wide + v * lanes);
            }
        for (; i < K; ++i)
            for (index v = 0; v < V; ++v) even[v] += splat(a[i]) * load(forward + i * wide + v * lanes);
        for (index v = 0; v < V; ++v) store(next + v * lanes, even[v] + odd[v]);
    } else {
        for (index v = 0; v < many; ++v) {
            vec sum{};
            for (index i = 0; i < K; ++i) sum += splat(a[i]) * load(forward + i * wide + v * lanes);
            store(next + v * lanes, sum);
        }
    }
}

// Which states can be reached, whatever their probability.
struct Reach {
    const Chain& chain;
    Scratch<unsigned char> now, next;
    bool apart = false;  // whether some transition is so unlikely that a state may vanish which matters
    explicit Reach(const Chain& chain) : chain(chain), now(chain.K), next(chain.K) {
        const index K = chain.K;
        for (index c = 0; c < K * K; ++c) apart |= chain.transition[c] < 1e-90;
    }
    explicit operator bool() const { return now.data && next.data; }
    void begin(const double* row) {
        for (index k = 0; apart && k < chain.K; ++k) now[k] = chain.start[k] > 0 && row[k] > -infinity;
    }
    // Whether a state that can be reached was predicted with too little.
    bool vanished(const double* predicted, const double* row) {
        if (!apart) return false;
        const index K = chain.K;
        bool found = false;
        for (index j = 0; j < K; ++j) next[j] = predicted[j] >= least;
        for (index j = 0; j < K; ++j)
            for (index i = 0; i < K && !next[j]; ++i)
                if (now[i] && chain.transition[i * K + j] > 0) {
                    next[j] = 1;
                    found = true;
                }
        for (index j = 0; j < K; ++j) now[j] = next[j] && row[j] > -infinity;
        return found;
    }
};

// Forward over one sequence: filtered states into a (n, wide), scaled densities into b (n, wide), log p(x_t | before)
// into steps where it is given. Returns the log-likelihood, or NaN where it must be done in logarithms.
template <int V>
double filter(const Chain& chain, Wide& w, Reach& reach, const double* rows, index n, double* a, double* b, double* next,
              double* steps) {
    const index K = chain.K, wide = chain.wide;
    double total = 0;
    for (index t = 0; t < n; ++t) {
        double* own = b + t * wide;
        const double top = scaled(rows + t * K, K, wide, own);
        if (!t) reach.begin(rows);
        if (t) predict<V>(a + (t - 1) * wide, w.forward, K, wide, next);
        if (t && reach.vanished(next, rows + t * K)) return missing;
        const double step = advance(t ? next : static_cast<double*>(w.start), rows + t * K, K, wide, own, top, a + t * wide);
        if (steps) steps[t] = step;
        total += step;
        if (std::isnan(step)) return missing;
        if (!(step > -infinity)) {
            for (; steps && t < n; ++t) steps[t] = -infinity;
            return -infinity;
        }
    }
    return total;
}

// log(sum of exp) of K numbers.
template <class Term>
double log_sum(index K, Term term) {
    double top = -infinity, sum = 0;
    for (index k = 0; k < K; ++k) top = std::max(top, term(k));
    if (!(top > -infinity)) return -infinity;
    for (index k = 0; k < K; ++k) sum += std::exp(term(k) - top);
    return top + std::log(sum);
}

// The same in logarithms: slow, and never in need of a scale. What is known of a state is kept relative to all states, so
// that no row, however unlikely, costs digits of the others.
struct Logs {
    const Chain& chain;
    Scratch<double> start, transition, alpha, beta, term;
    Logs(const Chain& chain, index n)
        : chain(chain), start(chain.K), transition(chain.K * chain.K), alpha(n * chain.K), beta(chain.K), term(chain.K) {
        if (!*this) return;
        for (index k = 0; k < chain.K; ++k) start[k] = std::log(chain.start[k]);
        for (index c = 0; c < chain.K * chain.K; ++c) transition[c] = std::log(chain.transition[c]);
    }
    explicit operator bool() const {
        return start.data && transition.data && alpha.data && beta.data && term.data;
    }
    // Divides numbers by their sum; returns its logarithm.
    double relative(double* values) {
        const index K = chain.K;
        const double total = log_sum(K, [&](index k) { return values[k]; });
        for (index k = 0; total > -infinity && k < K; ++k) values[k] -= total;
        return total;
    }
    double forward(const double* rows, index n, double* steps) {
        const index K = chain.K;
        double total = 0;
        for (index t = 0; t < n; ++t) {
            const double* last = alpha + (t - 1) * K;
            double* now = alpha + t * K;
            for (index j = 0; j < K; ++j)
                now[j] = t ? log_sum(K, [&](index i) { return last[i] + transition[i * K + j]; }) : start[j];
            double top = -infinity;  // of the states that can be reached, so that the sum keeps their digits
            for (index j = 0; j < K; ++j)
                if (now[j] > -infinity) top = std::max(top, rows[t * K + j]);
            for (index j = 0; j < K; ++j) now[j] = now[j] > -infinity && top > -infinity ? now[j] + (rows[t * K + j] - top) : -infinity;
            const double step = top > -infinity ? relative(now) + top : -infinity;
            if (steps) steps[t] = step;
            total += step;
            if (!(step > -infinity)) {
                for (index c = t * K; c < n * K; ++c) alpha[c] = -infinity;
                for (; steps && t < n; ++t) steps[t] = -infinity;
                return -infinity;
            }
        }
        return total;
    }
    void backward(const double* rows, index n, double* posterior, double* pairs, double weight) {
        const index K = chain.K;
        for (index k = 0; k < K; ++k) beta[k] = 0;
        for (index t = n - 1;; --t) {
            const double* now = alpha + t * K;
            for (index k = 0; k < K; ++k) term[k] = now[k] + beta[k];
            relative(term);
            for (index k = 0; k < K; ++k) posterior[t * K + k] = std::exp(term[k]);
            if (!t) break;
            const double* last = alpha + (t - 1) * K;
            double top = -infinity;
            for (index j = 0; j < K; ++j)
                if (now[j] > -infinity) top = std::max(top, rows[t * K + j]);
            for (index j = 0; j < K; ++j) term[j] = now[j] > -infinity ? rows[t * K + j] - top + beta[j] : -infinity;
            const double total = log_sum(K, [&](index i) {
                return last[i] + log_sum(K, [&](index j) { return transition[i * K + j] + term[j]; });
            });
            for (index i = 0; i < K; ++i) {
                beta[i] = log_sum(K, [&](index j) { return transition[i * K + j] + term[j]; });
                for (index j = 0; j < K; ++j)
                    pairs[i * K + j] += weight * std::exp(last[i] + transition[i * K + j] + term[j] - total);
            }
            relative(beta);
        }
    }
};

template <int V>
index smooth(const Chain& chain, const double* rows, const index* lengths, const double* weights, index sequences,
             double* posterior, double* first, double* pairs, double* likelihood) {
    const index K = chain.K, wide = chain.wide;
    index longest = 0;
    for (index s = 0; s < sequences; ++s) longest = std::max(longest, lengths[s]);
    Wide w(chain);
    Reach reach(chain);
    Scratch<double> a(longest * wide), b(longest * wide), next(wide), beta(wide), sums(wide * wide), own(wide * wide);
    if (!w || !reach || !a || !b || !next || !beta || !sums || !own) return NO_MEMORY;
    for (index s = 0; s < sequences; ++s) {
        const index n = lengths[s];
        const double weight = weights ? weights[s] : 1.0;
        likelihood[s] = filter<V>(chain, w, reach, rows, n, a, b, next, nullptr);
        if (std::isnan(likelihood[s])) {
            Logs logs(chain, n);
            if (!logs) return NO_MEMORY;
            likelihood[s] = logs.forward(rows, n, nullptr);
            if (likelihood[s] > -infinity) {
                logs.backward(rows, n, posterior, pairs, weight);
                for (index k = 0; k < K; ++k) first[k] += weight * posterior[k];
            } else {
                for (index c = 0; c < n * K; ++c) posterior[c] = missing;
            }
        } else if (likelihood[s] > -infinity && n) {
            for (index k = 0; k < wide; ++k) beta[k] = k < K ? 1.0 : 0.0;
            for (index c = 0; c < wide * wide; ++c) own[c] = 0;
            for (index t = n - 1;; --t) {
                const double* filtered = a + t * wide;
                double total = 0;
                for (index k = 0; k < K; ++k) total += filtered[k] * beta[k];
                for (index k = 0; k < K; ++k) posterior[t * K + k] = filtered[k] * beta[k] / total;
                if (!t) break;
                const double* before = a + (t - 1) * wide;
                double* scaled_row = b + t * wide;
                for (index k = 0; k < wide; k += lanes) store(next + k, load(scaled_row + k) * load(beta + k));
                for (index i = 0; i < K; ++i)
                    for (index k = 0; k < wide; k += lanes)
                        store(own + i * wide + k, load(own + i * wide + k) + splat(before[i]) * load(next + k));
                predict<V>(next, w.backward, K, wide, beta);
            }
            for (index k = 0; k < K; ++k) first[k] += weight * posterior[k];
            for (index c = 0; c < wide * wide; ++c) sums[c] += weight * own[c];
        } else {
            for (index c = 0; c < n * K; ++c) posterior[c] = missing;
        }
        rows += n * K;
        posterior += n * K;
    }
    for (index i = 0; i < K; ++i)
        for (index j = 0; j < K; ++j) pairs[i * K + j] += sums[i * wide + j] * chain.transition[i * K + j];
    return OK;
}

template <int V>
index filtered(const Chain& chain, const double* rows, const index* lengths, index sequences, double* out, double* steps) {
    const index K = chain.K, wide = chain.wide;
    index longest = 0;
    for (index s = 0; s < sequences; ++s) longest = std::max(longest, lengths[s]);
    Wide w(chain);
    Reach reach(chain);
    Scratch<double> a(longest * wide), b(longest * wide), next(wide);
    if (!w || !reach || !a || !b || !next) return NO_MEMORY;
    for (index s = 0; s < sequences; ++s) {
        const index n = lengths[s];
        for (index c = 0; c < n * wide; ++c) a[c] = 0;
        if (std::isnan(filter<V>(chain, w, reach, rows, n, a, b, next, steps))) {
            Logs logs(chain, n);
            if (!logs) return NO_MEMORY;
            logs.forward(rows, n, steps);
            for (index t = 0; t < n; ++t)
                for (index k = 0; k < K; ++k) a[t * wide + k] = std::exp(logs.alpha[t * K + k]);
        }
        for (index t = 0; out && t < n; ++t)
            for (index k = 0; k < K; ++k) out[t * K + k] = a[t * wide + k];
        rows += n * K;
        steps += n;
        if (out) out += n * K;
    }
    return OK;
}

// The likeliest path of each sequence, in logarithms; `from` remembers the best state before each.
index viterbi(index K, const double* log_start, const double* log_transition, const double* rows, const index* lengths,
              index sequences, index* path, double* best) {
    const index wide = rounded_up(K, lanes);
    index longest = 0;
    for (index s = 0; s < sequences; ++s) longest = std::max(longest, lengths[s]);
    Scratch<double> now(wide), next(wide), table(K * wide), origin(wide);
    Scratch<std::int32_t> from(longest * K);
    if (!now || !next || !table || !origin || !from) return NO_MEMORY;
    for (index i = 0; i < K; ++i)
        for (index j = 0; j < wide; ++j) table[i * wide + j] = j < K ? log_transition[i * K + j] : -infinity;
    for (index s = 0; s < sequences; ++s) {
        const index n = lengths[s];
        for (index k = 0; k < wide; ++k) now[k] = k < K && n ? log_start[k] + rows[k] : -infinity;
        for (index t = 1; t < n; ++t) {
            for (index v = 0; v < wide; v += lanes) {
                vec top = splat(now[0]) + load(table + v), place{};
                for (index i = 1; i < K; ++i) {
                    const vec value = splat(now[i]) + load(table + i * wide + v);
                    place = value > top ? splat(static_cast<double>(i)) : place;
                    top = value > top ? value : top;
                }
                store(next + v, top);
                store(origin + v, place);
            }
            for (index k = 0; k < K; ++k) {
                now[k] = next[k] + rows[t * K + k];
                from[t * K + k] = static_cast<std::int32_t>(origin[k]);
            }
        }
        index state = 0;
        for (index k = 1; k < K; ++k)
            if (now[k] > now[state]) state = k;
        best[s] = n ? now[state] : 0.0;
        for (index t = n - 1; t >= 0; --t) {
            path[t] = state;
            if (t) state = from[t * K + state];
        }
        rows += n * K;
        path += n;
    }
    return OK;
}

}  // namespace

#define PARZEN_BY_WIDTH(call)                                                                                          \
    switch (chain.wide / lanes) {                                                                                      \
        case 1: { constexpr int V = 1; return call; }                                                                  \
        case 2: { constexpr int V = 2; return call; }                                                                  \
        default: { constexpr int V = 0; return call; }                                                                 \
    }

PARZEN_EXPORT index parzen_hidden_smooth_f64(index K, const double* start, const double* transition, const double* rows,
                                             const index* lengths, const double* weights, index sequences,
                                             double* posterior, double* first, double* pairs, double* likelihood) {
    const Chain chain{K, rounded_up(K, lanes), start, transition};
    PARZEN_BY_WIDTH(smooth<V>(chain, rows, lengths, weights, sequences, posterior, first, pairs, likelihood))
}

PARZEN_EXPORT index parzen_hidden_filter_f64(index K, const double* start, const double* transition, const double* rows,
                                             const index* lengths, index sequences, double* out, double* steps) {
    const Chain chain{K, rounded_up(K, lanes), start, transition};
    PARZEN_BY_WIDTH(filtered<V>(chain, rows, lengths, sequences, out, steps))
}

// Continues the filter of one sequence: from log-probabilities predicted for its first row to those at its last row.
PARZEN_EXPORT index parzen_hidden_follow_f64(index K, const double* log_next, const double* transition, const double* rows,
                                             index n, double* steps, double* log_states) {
    const Chain chain{K, K, log_next, transition};
    Logs logs(chain, n);
    if (!logs) return NO_MEMORY;
    for (index k = 0; k < K; ++k) logs.start[k] = log_next[k];
    logs.forward(rows, n, steps);
    for (index k = 0; k < K; ++k) log_states[k] = logs.alpha[(n - 1) * K + k];
    return OK;
}

PARZEN_EXPORT index parzen_hidden_path_f64(index K, const double* log_start, const double* log_transition,
                                           const double* rows, const index* lengths, index sequences, index* path,
                                           double* best) {
    return viterbi(K, log_start, log_transition, rows, lengths, sequences, path, best);
}

}  // namespace parzen
