// Propagation in a junction tree, for many rows of evidence at once.
//
// A clique's table is a product of a fixed table and of signals: what is known of a node, factors of the row, messages of
// its children. Each signal has a map from the clique's cells to its own. Cliques come in an order in which parents
// follow their children, so that one walk forward collects and one backward distributes. Rows go in blocks, side by side
// in the innermost dimension; messages are divided by their maximum, whose logarithm is kept.
#include "common.h"

namespace parzen {
namespace {

constexpr index width = 16;                        // rows of a block

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
};

inline void multiply(double* a, const double* b) {
    for (index l = 0; l < width; ++l) a[l] *= b[l];
}

// One cell of a clique: its fixed value times all signals, except that of input `left_out`.
inline void cell(const Tree& tree, index c, index e, const double* signals, double* value) {
    const double fixed = tree.base[tree.cells[c] + e];
    for (index l = 0; l < width; ++l) value[l] = fixed;
    if (fixed == 0) return;
    for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i)
        multiply(value, signals + (tree.slot[i] + tree.maps[tree.map[i] + e]) * width);
}

void collect(const Tree& tree, double* signals, double* log_scale) {
    for (index l = 0; l < width; ++l) log_scale[l] = 0;
    for (index c = 0; c < tree.cliques; ++c) {
        double* message = signals + tree.up_slot[c] * width;
        const std::int32_t* to = tree.maps + tree.up_map[c];
        const index cells = tree.cells[c + 1] - tree.cells[c];
        std::memset(message, 0, sizeof(double) * tree.up_size[c] * width);
        for (index e = 0; e < cells; ++e) {
            double value[width];
            cell(tree, c, e, signals, value);
            double* own = message + to[e] * width;
            for (index l = 0; l < width; ++l) own[l] += value[l];
        }
        double largest[width] = {};
        for (index s = 0; s < tree.up_size[c]; ++s)
            for (index l = 0; l < width; ++l) largest[l] = largest[l] < message[s * width + l] ? message[s * width + l] : largest[l];
        for (index l = 0; l < width; ++l) {
            log_scale[l] += std::log(largest[l]);
            largest[l] = largest[l] > 0 ? 1 / largest[l] : 0;
        }
        for (index s = 0; s < tree.up_size[c]; ++s) multiply(message + s * width, largest);
    }
}

// Posterior of a clique's cells, put together as its outputs and as messages to those children that need one.
void distribute(const Tree& tree, double* signals, double* down, double* out) {
    for (index c = tree.cliques - 1; c >= 0; --c) {
        if (!tree.needed[c]) continue;
        const index cells = tree.cells[c + 1] - tree.cells[c];
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
            double value[width];
            cell(tree, c, e, signals, value);
            multiply(value, above + from[e] * width);
            for (index l = 0; l < width; ++l) total[l] += value[l];
            for (index i = tree.inputs[c]; i < tree.inputs[c + 1]; ++i) {
                if (tree.child[i] < 0 || !tree.needed[tree.child[i]]) continue;
                double* sum = down + (tree.slot[i] + tree.maps[tree.map[i] + e]) * width;
                for (index l = 0; l < width; ++l) sum[l] += value[l];
            }
            for (index o = tree.outputs[c]; o < tree.outputs[c + 1]; ++o) {
                double* sum = out + (tree.out_slot[o] + tree.maps[tree.out_map[o] + e]) * width;
                for (index l = 0; l < width; ++l) sum[l] += value[l];
            }
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
        }
    }
}

// What is known of nodes and the row's own factors, in the first slots of the signals.
void read(const std::int32_t* codes, index nodes, const index* first, const double* factors, index extra, index row,
          index rows, double* signals) {
    for (index v = 0; v < nodes; ++v) {
        const index size = first[v + 1] - first[v];
        double* own = signals + first[v] * width;
        for (index l = 0; l < width; ++l) {
            const index code = l < rows ? codes[(row + l) * nodes + v] : -1;
            for (index s = 0; s < size; ++s) own[s * width + l] = code < 0 || code == s;
        }
    }
    double* own = signals + first[nodes] * width;
    for (index s = 0; s < extra; ++s)
        for (index l = 0; l < width; ++l) own[s * width + l] = l < rows ? factors[(row + l) * extra + s] : 1;
}

index propagate(const Tree& tree, const std::int32_t* codes, index n, index nodes, const index* first,
                const double* factors, index extra, index slots, index out_slots, const double* weights,
                double* log_evidence, double* marginals, double* counts) {
    Scratch<double> signals(slots * width), down(slots * width), out(out_slots * width);
    if (!signals || !down || !out) return NO_MEMORY;
    if (counts) std::memset(counts, 0, sizeof(double) * out_slots);
    for (index row = 0; row < n; row += width) {
        const index rows = n - row < width ? n - row : width;
        read(codes, nodes, first, factors, extra, row, rows, signals);
        double log_scale[width];
        collect(tree, signals, log_scale);
        for (index l = 0; l < rows; ++l) log_evidence[row + l] = log_scale[l];
        if (!marginals && !counts) continue;
        for (index s = 0; s < slots * width; ++s) down[s] = 1;      // nothing comes from above a root
        distribute(tree, signals, down, out);
        if (marginals)
            for (index l = 0; l < rows; ++l)
                for (index s = 0; s < out_slots; ++s) marginals[(row + l) * out_slots + s] = out[s * width + l];
        if (counts)
            for (index s = 0; s < out_slots; ++s)
                for (index l = 0; l < rows; ++l) counts[s] += (weights ? weights[row + l] : 1) * out[s * width + l];
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
                              output, output + count, output + 2 * count, needed, maps, base},
                             codes, n, nodes, first, factors, extra, slots, out_slots, weights, log_evidence, marginals,
                             counts);
}
