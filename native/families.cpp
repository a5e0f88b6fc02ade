// Log-likelihoods of a node given its parents, for many candidates of one more parent, and the best change of a graph.
//
// Codes lie column by column, (d, n), and have been checked: 0 <= code < sizes[column].
#include "common.h"

namespace parzen {
namespace {

// A cell counted by bits costs a pass over n / 64 words, one counted row by row a pass over n rows: up to so many cells
// bits are cheaper.
constexpr index FEW_CELLS = 64;
// Largest table that is counted in four copies, which together stay in the first cache.
constexpr index FEW_COPIES = 1024;

inline double x_log_x(double x) { return x > 0 ? x * std::log(x) : 0.0; }

// One bit for each row, for each of `size` codes: bit i of bits[c] says whether code[i] == c.
void bitmaps(const std::int32_t* code, index n, index words, std::uint64_t* bits) {
    for (index i = 0; i < n; ++i) bits[code[i] * words + (i >> 6)] |= std::uint64_t{1} << (i & 63);
}

inline double common(const std::uint64_t* a, const std::uint64_t* b, index words) {
    index first = 0, second = 0, w = 0;
    for (; w + 2 <= words; w += 2) {
        first += __builtin_popcountll(a[w] & b[w]);
        second += __builtin_popcountll(a[w + 1] & b[w + 1]);
    }
    if (w < words) first += __builtin_popcountll(a[w] & b[w]);
    return static_cast<double>(first + second);
}

// Rows in four copies of a small table, so that equal neighbours don't wait for each other's sum.
void count(const std::int32_t* state, const std::int32_t* code, index n, std::int32_t states, index cells,
           std::uint32_t* copies, double* table) {
    std::memset(copies, 0, sizeof(std::uint32_t) * 4 * cells);
    index i = 0;
    for (; i + 4 <= n; i += 4)
        for (index u = 0; u < 4; ++u) ++copies[u * cells + code[i + u] * states + state[i + u]];
    for (; i < n; ++i) ++copies[code[i] * states + state[i]];
    for (index s = 0; s < cells; ++s)
        table[s] = static_cast<double>(copies[s]) + copies[cells + s] + copies[2 * cells + s] + copies[3 * cells + s];
}

// A node with its parents: the state of each row, and how often each state comes.
struct Node {
    const std::int32_t* columns;
    index n, size, states, words;
    const double* weights;
    Scratch<std::int32_t> state;
    Scratch<double> counts;
    Scratch<std::uint64_t> bits;
    bool by_bits;

    Node(const std::int32_t* columns, index n, const index* sizes, const index* parents, index p, index node,
         index states, const double* weights)
        : columns(columns), n(n), size(sizes[node]), states(states), words((n + 63) / 64), weights(weights), state(n),
          counts(states), bits(weights || states > FEW_CELLS ? 0 : states * words),
          by_bits(!weights && states <= FEW_CELLS) {
        if (!*this) return;
        for (index at = 0; at <= p; ++at) {
            const index column = at < p ? parents[at] : node;
            const std::int32_t* code = columns + column * n;
            const std::int32_t wide = static_cast<std::int32_t>(sizes[column]);
            for (index i = 0; i < n; ++i) state[i] = state[i] * wide + code[i];
        }
        for (index i = 0; i < n; ++i) counts[state[i]] += weights ? weights[i] : 1.0;
        if (by_bits) bitmaps(state, n, words, bits);
    }
    explicit operator bool() const { return state.data && counts.data && bits.data; }

    // Counts [code, state] of one more column.
    void tabulate(index column, index codes, const std::uint64_t* own, std::uint32_t* copies, double* table) {
        const std::int32_t* code = columns + column * n;
        const index cells = codes * states;
        if (by_bits && (codes - 1) * states <= FEW_CELLS) {
            double* last = table + (codes - 1) * states;
            std::memcpy(last, counts.data, sizeof(double) * states);
            for (index c = 0; c + 1 < codes; ++c)
                for (index s = 0; s < states; ++s) {
                    table[c * states + s] = common(own + c * words, bits + s * words, words);
                    last[s] -= table[c * states + s];
                }
        } else if (!weights && cells <= FEW_COPIES && n < (index{1} << 32)) {
            count(state, code, n, static_cast<std::int32_t>(states), cells, copies, table);
        } else {
            std::memset(table, 0, sizeof(double) * cells);
            for (index i = 0; i < n; ++i) table[code[i] * states + state[i]] += weights ? weights[i] : 1.0;
        }
    }

    // Sum of N log(N / N of its configuration) over a table whose last axis is the node's own states.
    double likelihood(const double* table, index cells) const {
        double found = 0;
        for (index at = 0; at < cells; at += size) {
            double whole = 0;
            for (index c = 0; c < size; ++c) {
                whole += table[at + c];
                found += x_log_x(table[at + c]);
            }
            found -= x_log_x(whole);
        }
        return found;
    }
};

// Pairs with a path from the one to the other, in an acyclic graph: each node reaches its children and what they reach.
bool paths(const std::uint8_t* edges, index d, std::uint8_t* reach) {
    Scratch<index> left(d), ready(d);
    if (!left || !ready) return false;
    std::memset(reach, 0, d * d);
    index found = 0;
    for (index i = 0; i < d; ++i) {
        for (index j = 0; j < d; ++j) left[i] += edges[i * d + j];
        if (!left[i]) ready[found++] = i;
    }
    for (index at = 0; at < found; ++at) {                     // a node comes after all of its children
        const index j = ready[at];
        for (index i = 0; i < d; ++i) {
            if (!edges[i * d + j]) continue;
            for (index k = 0; k < d; ++k) reach[i * d + k] |= reach[j * d + k];
            reach[i * d + j] = 1;
            if (!--left[i]) ready[found++] = i;
        }
    }
    return true;
}

inline bool among(std::uint64_t mark, const std::uint64_t* seen, index many) {
    for (index s = 0; s < many; ++s)
        if (seen[s] == mark) return true;
    return false;
}

}  // namespace

// Bitmaps of the codes of d columns, those of column j from row offsets[j] on; a column without
// any is not read. out (slots, words) is zeros before.
PARZEN_EXPORT index parzen_bitmaps_i32(const std::int32_t* columns, index d, index n, const index* offsets,
                                       std::uint64_t* out) {
    const index words = (n + 63) / 64;
    for (index j = 0; j < d; ++j)
        if (offsets[j + 1] > offsets[j]) bitmaps(columns + j * n, n, words, out + offsets[j] * words);
    return OK;
}

// Log-likelihood of a node with p parents, out[0], and with each of `many` columns as one more, out[1], ...
PARZEN_EXPORT index parzen_family_likelihoods_i32(const std::int32_t* columns, index n, const index* sizes,
                                                  const index* parents, index p, index node, index states,
                                                  const index* chosen, index many, const double* weights,
                                                  const std::uint64_t* bits, const index* offsets, double* out) {
    index largest = 1;
    for (index c = 0; c < many; ++c) largest = sizes[chosen[c]] > largest ? sizes[chosen[c]] : largest;
    Node own(columns, n, sizes, parents, p, node, states, weights);
    Scratch<double> table(largest * states);
    Scratch<std::uint32_t> copies(4 * FEW_COPIES);
    if (!own || !table || !copies) return NO_MEMORY;
    out[0] = own.likelihood(own.counts, states);
    for (index c = 0; c < many; ++c) {
        const index codes = sizes[chosen[c]];
        own.tabulate(chosen[c], codes, bits + offsets[chosen[c]] * own.words, copies, table);
        out[c + 1] = own.likelihood(table, codes * states);
    }
    return OK;
}

// The change of an edge with the highest gain that makes no cycle and no graph whose mark was seen: what it is (0: add,
// 1: cut, 2: turn), its parent and child, and the gain. Of gains within `least` of each other the first is taken, so that
// equal ones are not told apart by rounding. `reach` gets the pairs with a path between them.
PARZEN_EXPORT index parzen_best_change_f64(index d, const double* add, const double* cut, const std::uint8_t* edges,
                                           const std::uint8_t* room, const std::uint64_t* marks, std::uint64_t mark,
                                           const std::uint64_t* seen, index many, double least, std::uint8_t* reach,
                                           index* change, double* gain) {
    if (!paths(edges, d, reach)) return NO_MEMORY;
    *gain = -HUGE_VAL;
    change[0] = change[1] = change[2] = 0;
    const auto take = [&](double value, index kind, index i, index j) {
        *gain = value;
        change[0] = kind; change[1] = i; change[2] = j;
    };
    for (index i = 0; i < d; ++i)
        for (index j = 0; j < d; ++j)
            if (i != j && add[i * d + j] > *gain + least && !edges[i * d + j] && !reach[j * d + i] &&
                !among(mark ^ marks[i * d + j], seen, many))
                take(add[i * d + j], 0, i, j);
    for (index i = 0; i < d; ++i)
        for (index j = 0; j < d; ++j)
            if (edges[i * d + j] && cut[i * d + j] > *gain + least && !among(mark ^ marks[i * d + j], seen, many))
                take(cut[i * d + j], 1, i, j);
    for (index i = 0; i < d; ++i)
        for (index j = 0; j < d; ++j) {
            if (!edges[i * d + j] || !room[i]) continue;
            const double value = cut[i * d + j] + add[j * d + i];
            if (!(value > *gain + least) || among(mark ^ marks[i * d + j] ^ marks[j * d + i], seen, many)) continue;
            bool cycle = false;                                // another path from i to j
            for (index k = 0; k < d; ++k) cycle |= k != j && edges[i * d + k] && reach[k * d + j];
            if (!cycle) take(value, 2, i, j);
        }
    return OK;
}

}  // namespace parzen
