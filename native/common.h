// What every compiled routine shares: vectors (lanes.h), scratch memory, memberships, exports.
//
// A routine is a plain C function over one block of rows. It keeps no state, throws nothing, starts no thread, and reads
// exactly the arrays that it is given: parzen/compute/*.py has checked dtype, shape and layout before.
#pragma once
#include "lanes.h"
#include "scratch.h"

#if defined(_WIN32)
#define PARZEN_EXPORT extern "C" __declspec(dllexport)
#else
#define PARZEN_EXPORT extern "C" __attribute__((visibility("default")))
#endif

namespace parzen {

// What a routine returns. Values above OK are positions + 1 of an invalid cell.
constexpr index OK = 0;
constexpr index NO_MEMORY = -1;

constexpr double half_log_two_pi = 0.91893853320467274178;
constexpr double pi = 3.14159265358979323846;

// Memberships of rows. One of: a dense (n, groups) matrix; codes with optional weights (a negative code: no group);
// neither, when every row belongs to group 0.
struct Members {
    const std::int32_t* codes;
    const double* weights;
    const double* dense;
    index groups;

    // Calls visit(row, group, weight) for each row and each group in which its weight is not zero, in the order of rows.
    template <class Visit>
    inline void each(index n, Visit visit) const {
        if (dense) {
            for (index i = 0; i < n; ++i)
                for (index k = 0; k < groups; ++k)
                    if (dense[i * groups + k] != 0) visit(i, k, dense[i * groups + k]);
        } else if (weights) {
            for (index i = 0; i < n; ++i) {
                const index k = codes ? codes[i] : 0;
                if (k >= 0 && k < groups && weights[i] != 0) visit(i, k, weights[i]);
            }
        } else {
            for (index i = 0; i < n; ++i) {
                const index k = codes ? codes[i] : 0;
                if (k >= 0 && k < groups) visit(i, k, 1.0);
            }
        }
    }
};

// The rows of each group, one group at a time: gather(k, rows, weights) returns how many there are.
struct Grouping {
    const Members& members;
    index n;
    Scratch<index> order, begin, picked;
    Scratch<double> weight;

    Grouping(const Members& m, index rows)
        : members(m), n(rows), order(m.dense ? 0 : rows), begin(m.groups + 2), picked(rows), weight(rows) {
        if (m.dense || !*this) return;
        m.each(n, [&](index, index k, double) { ++begin[k + 2]; });
        for (index k = 2; k < m.groups + 2; ++k) begin[k] += begin[k - 1];
        m.each(n, [&](index i, index k, double) { order[begin[k + 1]++] = i; });
    }
    explicit operator bool() const { return order.data && begin.data && picked.data && weight.data; }

    index gather(index k) {
        index m = 0;
        if (members.dense) {
            for (index i = 0; i < n; ++i) {
                const double w = members.dense[i * members.groups + k];
                if (w != 0) { picked[m] = i; weight[m++] = w; }
            }
        } else {
            for (index at = begin[k]; at < begin[k + 1]; ++at) {
                const index i = order[at];
                picked[m] = i;
                weight[m++] = members.weights ? members.weights[i] : 1.0;
            }
        }
        return m;
    }
};

}  // namespace parzen
