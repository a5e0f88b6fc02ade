// Propagation in a junction tree, for many rows of evidence at once.
//
// A clique's table is a product of a fixed table and of signals: what is known of a node, factors of the row, messages of
// its children. Each signal has a map from the clique's cells to its own. Cliques come in an order in which parents
// follow their children, so that one walk forward collects and one backward distributes. Rows go in blocks, side by side
// in the innermost dimension; messages are divided by their maximum, whose logarithm is kept. The least product that a
// clique can hold is bounded by the least of its factors: a row for which it could round to zero is done in logarithms.
#include "common.h"

#include <algorithm>

namespace parzen {
namespace {

constexpr index width = 16;                        // rows of a block
constexpr double tiny = 1e-280;                    // products below it may lose digits

struct Tree {
    index cliques;
    const index* cells;                            // (cliques + 1): first cell of each clique's table
    const index* inputs;                           // (cliques + 1): first input of each clique
    const index* slot;                             // (inputs): first slot of the signal
    const index* map;                              // (inputs): where its map begins in `maps`
    const index* up_slot;                          // (cliques): first slot of the message to the parent
    const index* up_map;
    const index* up_size;
    const index* child;                            // (inputs): the child whose message it is, or -1
    const index* outputs;                          // (cliques + 1): first output of each clique
    const index* out_slot;
    const index* out_map;
    const index* out_size;
    const unsigned char* needed;                   // (cliques): whether an output lies in the clique or below it
    const std::int32_t* maps;
    const double* base;
    const index* first;                            // (nodes + 1): first slot of each node; then come the rows' own factors
    index nodes;

    index size(index c) const { return cells[c + 1] - cells[c]; }
};

// The least value above zero of each signal, for each row of a block: of messages, by clique, and of the rows' factors.
struct Least {
    double* up;
    double* down;
    const double* base;                            // (cliques): of the fixed tables
    double factors[width];
};

inline void multiply(double* a, const double* b) {
    for (index l = 0; l < width; ++l) a[l] *= b[l];
}

// A number of each row of a block, in registers.
struct Numbers {
    static constexpr index parts = width / lanes;
    vec part[parts];

    explicit Numbers(double value) { for (index p = 0; p < parts; ++p) part[p] = splat(value); }
    void multiply(const double* by) { for (index p = 0; p < parts; ++p) part[p] *= load(by + p * lanes); }
    void add_to(double* sums) const {
        for (index p = 0; p < parts; ++p) store(sums + p * lanes, load(sums + p * lanes) + part[p]);
    }
};

// One cell of a clique: its fixed value times all signals.
inline Numbers cell(const Tree& tree, index c, index e, const double* signals) {
    const double fixed = tree.base[tree.cells[c] + e];
    Numbers value(fixed);
    if (fixed == 0) return value;
    for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i)
        value.multiply(signals + (tree.slot[i] + tree.maps[tree.map[i] + e]) * width);
    return value;
}

// Divides a message by its maximum; returns that in `largest`, and the least value above zero.
void scale(double* message, index size, double* largest, double* least) {
    for (index l = 0; l < width; ++l) largest[l] = 0, least[l] = 1;
    for (index s = 0; s < size; ++s)
        for (index l = 0; l < width; ++l) largest[l] = std::max(largest[l], message[s * width + l]);
    double inverse[width];
    for (index l = 0; l < width; ++l) inverse[l] = largest[l] > 0 ? 1 / largest[l] : 0;
    for (index s = 0; s < size; ++s) {
        double* own = message + s * width;
        multiply(own, inverse);
        for (index l = 0; l < width; ++l) least[l] = own[l] > 0 && own[l] < least[l] ? own[l] : least[l];
    }
}

// The least product that a cell of a clique can hold, for each row.
inline void bound(const Tree& tree, const Least& least, index c, double* product) {
    for (index l = 0; l < width; ++l) product[l] = least.base[c];
    for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i) {
        if (tree.child[i] >= 0) multiply(product, least.up + tree.child[i] * width);
        else if (tree.slot[i] >= tree.first[tree.nodes]) multiply(product, least.factors);
    }
}

void collect(const Tree& tree, double* signals, Least& least, double* log_scale, bool* risky) {
    for (index l = 0; l < width; ++l) log_scale[l] = 0, risky[l] = false;
    for (index c = 0; c < tree.cliques; ++c) {
        double* message = signals + tree.up_slot[c] * width;
        const std::int32_t* to = tree.maps + tree.up_map[c];
        const index cells = tree.size(c);
        double product[width];
        bound(tree, least, c, product);
        for (index l = 0; l < width; ++l) risky[l] |= product[l] < tiny;
        std::memset(message, 0, sizeof(double) * tree.up_size[c] * width);
        for (index e = 0; e < cells; ++e) cell(tree, c, e, signals).add_to(message + to[e] * width);
        double largest[width];
        scale(message, tree.up_size[c], largest, least.up + c * width);
        for (index l = 0; l < width; ++l) log_scale[l] += std::log(largest[l]);
    }
}

// Posterior of a clique's cells, put together as its outputs and as messages to those children that need one.
void distribute(const Tree& tree, const double* signals, Least& least, double* down, double* out, bool* risky) {
    for (index c = tree.cliques - 1; c >= 0; --c) {
        if (!tree.needed[c]) continue;
        const index cells = tree.size(c);
        double product[width];
        bound(tree, least, c, product);
        for (index l = 0; l < width; ++l) risky[l] |= product[l] * least.down[c * width + l] < tiny;
        const std::int32_t* from = tree.maps + tree.up_map[c];
        double* above = down + tree.up_slot[c] * width;             // of a root: filled with ones by the caller
        for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i)
            if (tree.child[i] >= 0 && tree.needed[tree.child[i]])
                std::memset(down + tree.slot[i] * width, 0, sizeof(double) * tree.up_size[tree.child[i]] * width);
        for (index o = tree.outputs[c]; o < tree.outputs[c + 1]; ++o)
            std::memset(out + tree.out_slot[o] * width, 0, sizeof(double) * tree.out_size[o] * width);
        double total[width] = {};
        for (index e = 0; e < cells; ++e) {
            if (tree.base[tree.cells[c] + e] == 0) continue;
            Numbers value = cell(tree, c, e, signals);
            value.multiply(above + from[e] * width);
            value.add_to(total);
            for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i) {
                if (tree.child[i] < 0 || !tree.needed[tree.child[i]]) continue;
                value.add_to(down + (tree.slot[i] + tree.maps[tree.map[i] + e]) * width);
            }
            for (index o = tree.outputs[c]; o < tree.outputs[c + 1]; ++o)
                value.add_to(out + (tree.out_slot[o] + tree.maps[tree.out_map[o] + e]) * width);
        }
        for (index l = 0; l < width; ++l) total[l] = total[l] > 0 ? 1 / total[l] : 0;
        for (index o = tree.outputs[c]; o < tree.outputs[c + 1]; ++o)
            for (index s = 0; s < tree.out_size[o]; ++s) multiply(out + (tree.out_slot[o] + s) * width, total);
        for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i) {
            if (tree.child[i] < 0 || !tree.needed[tree.child[i]]) continue;
            for (index s = 0; s < tree.up_size[tree.child[i]]; ++s) {
                double* sum = down + (tree.slot[i] + s) * width;    // without what the child itself said
                const double* said = signals + (tree.slot[i] + s) * width;
                for (index l = 0; l < width; ++l) sum[l] = said[l] > 0 ? sum[l] * total[l] / said[l] : 0;
            }
            double largest[width];
            scale(down + tree.slot[i] * width, tree.up_size[tree.child[i]], largest, least.down + tree.child[i] * width);
        }
    }
}

// The same for one row, in logarithms ------------------------------------------------------------------------------

inline double log_cell(const Tree& tree, index c, index e, const double* logs) {
    double value = std::log(tree.base[tree.cells[c] + e]);
    for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i) value += logs[tree.slot[i] + tree.maps[tree.map[i] + e]];
    return value;
}

// log(exp(a) + exp(b))
inline double log_add(double a, double b) {
    const double high = a > b ? a : b, low = a > b ? b : a;
    return low == -INFINITY ? high : high + std::log1p(std::exp(low - high));
}

double collect_logs(const Tree& tree, double* logs) {
    double total = 0;
    for (index c = 0; c < tree.cliques; ++c) {
        double* message = logs + tree.up_slot[c];
        const std::int32_t* to = tree.maps + tree.up_map[c];
        for (index s = 0; s < tree.up_size[c]; ++s) message[s] = -INFINITY;
        for (index e = 0; e < tree.size(c); ++e) message[to[e]] = log_add(message[to[e]], log_cell(tree, c, e, logs));
        double largest = -INFINITY;
        for (index s = 0; s < tree.up_size[c]; ++s) largest = std::max(largest, message[s]);
        total += largest;
        if (largest == -INFINITY) return total;
        for (index s = 0; s < tree.up_size[c]; ++s) message[s] -= largest;
    }
    return total;
}

void distribute_logs(const Tree& tree, const double* logs, double* down, double* out) {
    for (index c = tree.cliques - 1; c >= 0; --c) {
        if (!tree.needed[c]) continue;
        const std::int32_t* from = tree.maps + tree.up_map[c];
        const double* above = down + tree.up_slot[c];
        const auto posterior = [&](index e) { return log_cell(tree, c, e, logs) + above[from[e]]; };
        double total = -INFINITY;
        for (index e = 0; e < tree.size(c); ++e) total = log_add(total, posterior(e));
        for (index o = tree.outputs[c]; o < tree.outputs[c + 1]; ++o) {
            double* own = out + tree.out_slot[o];
            for (index s = 0; s < tree.out_size[o]; ++s) own[s] = 0;
            for (index e = 0; e < tree.size(c); ++e) own[tree.maps[tree.out_map[o] + e]] += std::exp(posterior(e) - total);
        }
        for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i) {
            if (tree.child[i] < 0 || !tree.needed[tree.child[i]]) continue;
            double* own = down + tree.slot[i];
            const double* said = logs + tree.slot[i];
            const index size = tree.up_size[tree.child[i]];
            for (index s = 0; s < size; ++s) own[s] = -INFINITY;
            for (index e = 0; e < tree.size(c); ++e) {
                double& sum = own[tree.maps[tree.map[i] + e]];
                sum = log_add(sum, posterior(e) - total);
            }
            for (index s = 0; s < size; ++s) own[s] = said[s] > -INFINITY ? own[s] - said[s] : -INFINITY;
        }
    }
}

// Rows -------------------------------------------------------------------------------------------------------------

struct Evidence {
    const std::int32_t* codes;                     // (n, nodes), -1 where a state is not known
    const double* factors;                         // (n, extra)
    index extra;
};

// What is known of nodes and the rows' own factors, in the first slots of the signals.
void read(const Tree& tree, const Evidence& evidence, index row, index rows, double* signals, double* least) {
    for (index v = 0; v < tree.nodes; ++v) {
        const index size = tree.first[v + 1] - tree.first[v];
        double* own = signals + tree.first[v] * width;
        for (index l = 0; l < width; ++l) {
            const index code = l < rows ? evidence.codes[(row + l) * tree.nodes + v] : -1;
            for (index s = 0; s < size; ++s) own[s * width + l] = code < 0 || code == s;
        }
    }
    double* own = signals + tree.first[tree.nodes] * width;
    for (index l = 0; l < width; ++l) least[l] = 1;
    for (index s = 0; s < evidence.extra; ++s)
        for (index l = 0; l < width; ++l) {
            const double value = l < rows ? evidence.factors[(row + l) * evidence.extra + s] : 1;
            own[s * width + l] = value;
            if (value > 0 && value < least[l]) least[l] = value;
        }
}

void read_logs(const Tree& tree, const Evidence& evidence, index row, double* logs) {
    for (index v = 0; v < tree.nodes; ++v) {
        const index code = evidence.codes[row * tree.nodes + v];
        for (index s = tree.first[v]; s < tree.first[v + 1]; ++s)
            logs[s] = code < 0 || code == s - tree.first[v] ? 0 : -INFINITY;
    }
    for (index s = 0; s < evidence.extra; ++s)
        logs[tree.first[tree.nodes] + s] = std::log(evidence.factors[row * evidence.extra + s]);
}

index propagate(const Tree& tree, const Evidence& evidence, index n, index slots, index out_slots, const double* weights,
                double* log_evidence, double* marginals, double* counts) {
    Scratch<double> signals(slots * width), down(slots * width), out(out_slots * width), alone(out_slots);
    Scratch<double> up_least(tree.cliques * width), down_least(tree.cliques * width), base_least(tree.cliques);
    if (!signals || !down || !out || !alone || !up_least || !down_least || !base_least) return NO_MEMORY;
    if (counts) std::memset(counts, 0, sizeof(double) * out_slots);
    for (index c = 0; c < tree.cliques; ++c) {
        base_least[c] = 1;
        for (index e = tree.cells[c]; e < tree.cells[c + 1]; ++e)
            if (tree.base[e] > 0 && tree.base[e] < base_least[c]) base_least[c] = tree.base[e];
    }
    Least least{up_least, down_least, base_least, {}};
    const bool wanted = marginals || counts;
    for (index row = 0; row < n; row += width) {
        const index rows = n - row < width ? n - row : width;
        double log_scale[width];
        bool risky[width];
        read(tree, evidence, row, rows, signals, least.factors);
        collect(tree, signals, least, log_scale, risky);
        if (wanted) {
            for (index s = 0; s < slots * width; ++s) down[s] = 1;          // nothing comes from above a root
            for (index s = 0; s < tree.cliques * width; ++s) down_least[s] = 1;
            distribute(tree, signals, least, down, out, risky);
        }
        for (index l = 0; l < rows; ++l) {
            if (risky[l]) {
                double *logs = signals, *own = down;                        // free now; one row needs less than a block
                read_logs(tree, evidence, row + l, logs);
                log_scale[l] = collect_logs(tree, logs);
                const bool possible = log_scale[l] > -INFINITY;
                if (wanted && possible) {
                    for (index s = 0; s < slots; ++s) own[s] = 0;
                    distribute_logs(tree, logs, own, alone);
                }
                for (index s = 0; wanted && s < out_slots; ++s) out[s * width + l] = possible ? alone[s] : 0;
            }
            log_evidence[row + l] = log_scale[l];
            for (index s = 0; marginals && s < out_slots; ++s) marginals[(row + l) * out_slots + s] = out[s * width + l];
            for (index s = 0; counts && s < out_slots; ++s)
                counts[s] += (weights ? weights[row + l] : 1) * out[s * width + l];
        }
    }
    return OK;
}

}  // namespace
}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_propagate_f64(
    parzen::index cliques, const parzen::index* cells, const parzen::index* inputs, const parzen::index* slot,
    const parzen::index* map, const parzen::index* child, const parzen::index* up, const parzen::index* outputs,
    const parzen::index* output, const unsigned char* needed, const std::int32_t* maps, const double* base,
    const std::int32_t* codes, parzen::index n, parzen::index nodes, const parzen::index* first, const double* factors,
    parzen::index extra, parzen::index slots, parzen::index out_slots, const double* weights, double* log_evidence,
    double* marginals, double* counts) {
    const parzen::index count = outputs[cliques];
    return parzen::propagate({cliques, cells, inputs, slot, map, up, up + cliques, up + 2 * cliques, child, outputs,
                              output, output + count, output + 2 * count, needed, maps, base, first, nodes},
                             {codes, factors, extra}, n, slots, out_slots, weights, log_evidence, marginals, counts);
}
