// The log-likelihood of labels of two classes, its slope and its curvature in one pass over the rows.
//
// Two classes need one score, the log-odds of the second. Some rows at a time are copied less the origin, with a 1 for
// the intercept after their cells: they stay in cache from their scores to their products.
#pragma once
#include "curvature.h"
#include "exp.h"

namespace parzen {

inline vec load_cells(const double* p) { return load(p); }
inline vec load_cells(const float* p) {
    typedef float half __attribute__((vector_size(lanes * sizeof(float))));
    half v;
    std::memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, vec);
}

struct Logit {
    index d, width, capacity;
    Scratch<double> rows, from, beta, sums;           // (capacity, width): rows; (width): origin, weights, slope
    Scratch<double> w, side, score, bend;             // of each row; side is 1 for the second class and -1 for the first
    vec heavy = {}, likely = {};

    Logit(index columns, const double* origin, const double* table, const double* offset)
        : d(columns), width(Curvature::room_for(columns)), capacity(Curvature::room(width)),
          rows(capacity * width), from(width), beta(width), sums(width), w(capacity), side(capacity), score(capacity),
          bend(capacity) {
        if (!*this) return;
        if (origin) std::memcpy(from, origin, sizeof(double) * d);
        for (index j = 0; j < d; ++j) beta[j] = table[2 * j + 1] - table[2 * j];
        beta[d] = offset[1] - offset[0];
    }
    explicit operator bool() const {
        return rows.data && from.data && beta.data && sums.data && w.data && side.data && score.data && bend.data;
    }

    // Copies a row; one that does not count is zero, whatever it holds.
    template <class T>
    inline void copy(const T* x, double* row, bool counts) {
        if (!counts) std::memset(row, 0, sizeof(double) * width);
        else if (d < lanes) for (index j = 0; j < d; ++j) row[j] = static_cast<double>(x[j]) - from[j];
        else {
            for (index j = 0; j + lanes <= d; j += lanes) store(row + j, load_cells(x + j) - load(from + j));
            store(row + d - lanes, load_cells(x + d - lanes) - load(from + d - lanes));
        }
        if (counts) row[d] = 1.0;
    }

    template <class T>
    void take(const T* X, index count, index stride, const std::int32_t* codes, const double* weights) {
        for (index r = 0; r < count; ++r) {
            const bool counts = (codes[r] == 0 || codes[r] == 1) && (!weights || weights[r] != 0);
            w[r] = !counts ? 0.0 : weights ? weights[r] : 1.0;
            side[r] = codes[r] == 1 ? 1.0 : -1.0;
            copy(X + r * stride, rows + r * width, counts);
        }
        for (index r = count; r < rounded_up(count, Curvature::tile); ++r) {
            w[r] = 0.0;
            copy(X, rows + r * width, false);
        }
    }

    void scores(index count) {
        constexpr index R = 4;
        for (index r = 0; r < count; r += R) {
            vec sum[R] = {};
            const double* row = rows + r * width;
            for (index j = 0; j < width; j += lanes) {
                const vec b = load(beta + j);
                for (index s = 0; s < R; ++s) sum[s] += b * load(row + s * width + j);
            }
            for (index s = 0; s < R; ++s) score[r + s] = sum_of(sum[s]);
        }
    }

    // Scores become w (p - y), and bend w p (1 - p), of the second class; adds the weights and the log-likelihood.
    void residuals(index count) {
        for (index r = 0; r < count; r += lanes) {
            const vec own = load(side + r), weight = load(w + r), margin = own * load(score + r), none = {};
            const vec e = exponential(margin > none ? -margin : margin), total = splat(1.0) + e;
            const vec inverse = splat(1.0) / total, share = weight * inverse;
            // log(1 + e) with the part of e that 1 + e rounds away
            const vec log_total = logarithm(total) + (e - (total - splat(1.0))) * inverse;
            heavy += weight;
            likely -= weight * (log_total - (margin < none ? margin : none));
            store(score + r, -own * share * (margin > none ? e : splat(1.0)));
            store(bend + r, share * (e * inverse));
        }
    }

    template <index V>
    inline void slopes(index count, index j) {
        vec acc[2][V] = {};
        for (index r = 0; r < count; r += 2)
            for (index s = 0; s < 2; ++s) {
                const vec residual = splat(score[r + s]);
                for (index v = 0; v < V; ++v) acc[s][v] += residual * load(rows + (r + s) * width + j + v * lanes);
            }
        for (index v = 0; v < V; ++v) {
            double* to = sums + j + v * lanes;
            store(to, load(to) + (acc[0][v] + acc[1][v]));
        }
    }
    void slopes(index count) {
        for (index j = 0; j < width;) {
            const index left = (width - j) / lanes;
            if (left >= 4) slopes<4>(count, j);
            else if (left == 3) slopes<3>(count, j);
            else if (left == 2) slopes<2>(count, j);
            else slopes<1>(count, j);
            j += (left < 4 ? left : 4) * lanes;
        }
    }
};

template <class T>
index logit(const T* X, index n, index d, index stride, const std::int32_t* codes, const double* weights,
            const double* origin, const double* table, const double* offset, double* weight, double* likelihood,
            double* gradient, double* slope, double least, double* curvature) {
    Logit model(d, origin, table, offset);
    Curvature second(curvature ? d : 0, curvature ? 2 : 0, least);
    if (!model || !second) return NO_MEMORY;
    for (index i = 0; i < n; i += model.capacity) {
        const index count = n - i < model.capacity ? n - i : model.capacity;
        const index padded = rounded_up(count, Curvature::tile);
        model.take(X + i * stride, count, stride, codes + i, weights ? weights + i : nullptr);
        model.scores(padded);
        model.residuals(padded);
        model.slopes(padded);
        if (curvature) second.weigh(model.rows, padded, model.bend);
    }
    *weight = sum_of(model.heavy);
    *likelihood = sum_of(model.likely);
    for (index j = 0; j <= d; ++j) {
        double* to = j < d ? gradient + 2 * j : slope;
        to[0] = -model.sums[j];
        to[1] = model.sums[j];
    }
    if (curvature) second.finish(curvature);
    return OK;
}

}  // namespace parzen
