// Markov chains of symbols: counts of each symbol after each context, and log-probabilities of sequences.
//
// A context is the last `order` symbols, or as many as there have been: those of length j are numbered from
// (S^j - 1) / (S - 1) on, in the order of their digits; the empty one comes first. Sequences lie one after another.
#include "common.h"

namespace parzen {
namespace {

// Calls visit(sequence, cell) for each symbol of each sequence, cell = context * S + symbol. Codes have been checked.
template <class Code, class Visit>
void each_symbol(const Code* codes, const index* lengths, index sequences, index S, index order, Visit visit) {
    index last = 1, offset = 0;
    for (index j = 0; j < order; ++j) { offset += last; last *= S; }
    for (index s = 0; s < sequences; ++s) {
        const index n = lengths[s];
        index context = 0, begin = 0, many = 1, t = 0;
        for (; t < n && t < order; ++t) {  // contexts that are still growing
            const index x = codes[t];
            visit(s, (begin + context) * S + x);
            begin += many;
            many *= S;
            context = context * S + x;
        }
        if (order == 1) {
            index row = (1 + context) * S;
            for (; t < n; ++t) {
                const index x = codes[t];
                visit(s, row + x);
                row = (1 + x) * S;
            }
        } else {
            for (; t < n; ++t) {
                const index x = codes[t];
                visit(s, (offset + context) * S + x);
                context = order ? (context * S + x) % last : 0;
            }
        }
        codes += n;
    }
}

template <class Code>
index count(const Code* codes, const index* lengths, const double* weights, index sequences, index S, index order,
            index cells, double* out) {
    if (weights) {
        each_symbol(codes, lengths, sequences, S, order, [&](index s, index cell) { out[cell] += weights[s]; });
        return OK;
    }
    // Two tables in turn, so that a cell that follows itself needn't wait for its own sum.
    Scratch<index> tables(2 * cells);
    if (!tables) return NO_MEMORY;
    index turn = 0;
    each_symbol(codes, lengths, sequences, S, order, [&](index, index cell) {
        ++tables[turn + cell];
        turn = cells - turn;
    });
    for (index c = 0; c < cells; ++c) out[c] += static_cast<double>(tables[c] + tables[cells + c]);
    return OK;
}

template <class Code>
index score(const Code* codes, const index* lengths, index sequences, index S, index order, const double* logs, double* out) {
    for (index s = 0; s < sequences; ++s) out[s] = 0;
    each_symbol(codes, lengths, sequences, S, order, [&](index s, index cell) { out[s] += logs[cell]; });
    return OK;
}

}  // namespace

#define PARZEN_CHAIN(suffix, Code)                                                                                     \
    PARZEN_EXPORT index parzen_chain_count_##suffix(const Code* codes, const index* lengths, const double* weights,    \
                                                    index sequences, index S, index order, index cells, double* out) { \
        return count(codes, lengths, weights, sequences, S, order, cells, out);                                        \
    }                                                                                                                  \
    PARZEN_EXPORT index parzen_chain_score_##suffix(const Code* codes, const index* lengths, index sequences, index S, \
                                                    index order, const double* logs, double* out) {                    \
        return score(codes, lengths, sequences, S, order, logs, out);                                                  \
    }
PARZEN_CHAIN(u8, std::uint8_t)
PARZEN_CHAIN(i32, std::int32_t)
PARZEN_CHAIN(i64, index)

}  // namespace parzen
