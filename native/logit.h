// The log-likelihood of labels of two classes, its slope and its curvature in one pass over the rows.
//
// Two classes need one score, the log-odds of the second. Where curvature is wanted some rows at a time are copied less
// the origin, with a 1 for the intercept after their cells: they stay in cache from their scores to their products. For
// a slope alone they are read twice where they lie.
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

// The sums of four vectors.
inline void sums_of(const vec (&v)[4], double* out) {
#if defined(__AVX__)
    typedef double quad __attribute__((vector_size(4 * sizeof(double))));
    const auto folded = [](const vec& all) {
        quad part[lanes / 4];
        std::memcpy(part, &all, sizeof all);
        return lanes == 8 ? part[0] + part[lanes / 4 - 1] : part[0];
    };
    const quad a = folded(v[0]), b = folded(v[1]), c = folded(v[2]), e = folded(v[3]);
    const quad ab = shuffled<0, 4, 2, 6>(a, b) + shuffled<1, 5, 3, 7>(a, b);
    const quad ce = shuffled<0, 4, 2, 6>(c, e) + shuffled<1, 5, 3, 7>(c, e);
    const quad all = shuffled<0, 1, 4, 5>(ab, ce) + shuffled<2, 3, 6, 7>(ab, ce);
    std::memcpy(out, &all, sizeof all);
#else
    for (index s = 0; s < 4; ++s) out[s] = sum_of(v[s]);
#endif
}

// Copied rows, less the origin and with a 1, and what belongs to each; side is 1 for the second class, -1 for the first.
struct Held {
    index width, count;
    Scratch<double> rows, w, side, score, bend;

    Held(index columns, index room)
        : width(Curvature::room_for(columns)), count(rounded_up(room, Curvature::tile)), rows(count * width), w(count),
          side(count), score(count), bend(count) {}
    explicit operator bool() const { return rows.data && w.data && side.data && score.data && bend.data; }
};

struct Logit {
    index d, width, capacity;
    Scratch<double> from, beta, sums;                 // (width): origin, weights, slope
    Held held;
    vec heavy = {}, likely = {};

    // With room for so many rows, or for those that stay in cache.
    Logit(index columns, const double* origin, index room = 0)
        : d(columns), width(Curvature::room_for(columns)), capacity(Curvature::room(width)), from(width), beta(width),
          sums(width), held(columns, room ? room : capacity) {
        if (origin && from.data) std::memcpy(from, origin, sizeof(double) * d);
    }
    explicit operator bool() const { return from.data && beta.data && sums.data && held; }

    void weights(const double* table, const double* offset) {
        for (index j = 0; j < d; ++j) beta[j] = table[2 * j + 1] - table[2 * j];
        beta[d] = offset[1] - offset[0];
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
            held.w[r] = !counts ? 0.0 : weights ? weights[r] : 1.0;
            held.side[r] = codes[r] == 1 ? 1.0 : -1.0;
            copy(X + r * stride, held.rows + r * width, counts);
        }
        for (index r = count; r < rounded_up(count, Curvature::tile); ++r) {
            held.w[r] = 0.0;
            copy(X, held.rows + r * width, false);
        }
    }

    // Of rows from the first on; a multiple of four.
    void scores(index first, index count, double* out) const {
        constexpr index R = 4;
        for (index r = first; r < first + count; r += R) {
            vec sum[R] = {};
            const double* row = held.rows.data + r * width;
            for (index j = 0; j < width; j += lanes) {
                const vec b = load(beta.data + j);
                for (index s = 0; s < R; ++s) sum[s] += b * load(row + s * width + j);
            }
            sums_of(sum, out + r);
        }
    }

    // Scores become w (p - y), and bend w p (1 - p), of the second class; adds the weights and the log-likelihood.
    // Where rows weigh one or nothing the logarithm of the product of some 1 + e is that of all of them.
    template <bool Weighted, bool Bends>
    void residuals(index first, index count) {
        vec product = splat(1.0);
        double* score = held.score;
        for (index r = first; r < first + count; r += lanes) {
            const vec own = load(held.side + r), weight = load(held.w + r), margin = own * load(score + r), none = {};
            const vec e = exponential(margin > none ? -margin : margin), total = splat(1.0) + e;
            const vec inverse = splat(1.0) / total, share = weight * inverse;
            // log(1 + e) with the part of e that 1 + e rounds away
            const vec rounded = (e - (total - splat(1.0))) * inverse - (margin < none ? margin : none);
            heavy += weight;
            if (Weighted) likely -= weight * (logarithm(total) + rounded);
            else {
                likely -= weight * rounded;
                product *= weight > none ? total : splat(1.0);
                if (((r - first) / lanes) % 64 == 63) {
                    likely -= logarithm(product);
                    product = splat(1.0);
                }
            }
            store(score + r, -own * share * (margin > none ? e : splat(1.0)));
            if (Bends) store(held.bend + r, share * (e * inverse));
        }
        if (!Weighted) likely -= logarithm(product);
    }
    template <bool Bends>
    void residuals(index first, index count, bool weighted) {
        if (weighted) residuals<true, Bends>(first, count);
        else residuals<false, Bends>(first, count);
    }

    template <index V>
    inline void slopes(index first, index count, index j) {
        vec acc[2][V] = {};
        for (index r = first; r < first + count; r += 2)
            for (index s = 0; s < 2; ++s) {
                const vec residual = splat(held.score[r + s]);
                const double* row = held.rows + (r + s) * width + j;
                for (index v = 0; v < V; ++v) acc[s][v] += residual * load(row + v * lanes);
            }
        for (index v = 0; v < V; ++v) {
            double* to = sums + j + v * lanes;
            store(to, load(to) + (acc[0][v] + acc[1][v]));
        }
    }
    void slopes(index first, index count) {
        for (index j = 0; j < width;) {
            const index left = (width - j) / lanes;
            if (left >= 4) slopes<4>(first, count, j);
            else if (left == 3) slopes<3>(first, count, j);
            else if (left == 2) slopes<2>(first, count, j);
            else slopes<1>(first, count, j);
            j += (left < 4 ? left : 4) * lanes;
        }
    }
};

// Rows where they lie, in vectors of which the last may overlap the one before: `fresh` is 1 where it does not.
struct InPlace {
    Logit& model;
    index d, vectors, rest;
    vec fresh, slope = {};

    explicit InPlace(Logit& m) : model(m), d(m.d), vectors((d + lanes - 1) / lanes), rest(vectors * lanes - d) {
        for (index s = 0; s < lanes; ++s) fresh[s] = s < rest ? 0.0 : 1.0;
    }

    // Rows that fit into the nearest cache, a multiple of a tile.
    static index room(const Logit& m) {
        const index fits = (index{1} << 11) / m.width / Curvature::tile * Curvature::tile;
        const index some = fits < Curvature::tile ? Curvature::tile : fits;
        return some < m.capacity ? some : m.capacity;
    }

    index at(index vector) const { return vector + 1 < vectors ? vector * lanes : d - lanes; }

    // Whether all rows count, so that their cells may be read; their weights and sides.
    bool take(index count, const std::int32_t* codes, const double* weights) {
        bool all = true;
        for (index r = 0; r < count; ++r) {
            all &= static_cast<std::uint32_t>(codes[r]) < 2;
            model.held.side[r] = codes[r] == 1 ? 1.0 : -1.0;
        }
        for (index r = 0; r < count; ++r) all &= !weights || weights[r] != 0;
        for (index r = 0; r < count; ++r) model.held.w[r] = weights ? weights[r] : 1.0;
        for (index r = count; r < rounded_up(count, Curvature::tile); ++r) model.held.w[r] = model.held.score[r] = 0.0;
        return all;
    }

    template <index R, class T>
    inline void score(const T* X, index stride, double* out) const {
        vec sum[4] = {};
        for (index v = 0; v < vectors; ++v) {
            const index j = at(v);
            const vec o = load(model.from.data + j);
            vec b = load(model.beta.data + j);
            if (v + 1 == vectors) b *= fresh;
            for (index s = 0; s < R; ++s) sum[s] += b * (load_cells(X + s * stride + j) - o);
        }
        double all[4];
        sums_of(sum, all);
        for (index s = 0; s < R; ++s) out[s] = all[s] + model.beta.data[d];
    }
    template <class T>
    void scores(const T* X, index count, index stride, double* out) const {
        index r = 0;
        for (; r + 4 <= count; r += 4) score<4>(X + r * stride, stride, out + r);
        for (; r < count; ++r) score<1>(X + r * stride, stride, out + r);
    }

    template <index V, class T>
    inline void slopes(const T* X, index count, index stride, index first) {
        vec sum[2][V] = {}, o[V];
        index j[V];
        for (index v = 0; v < V; ++v) {
            j[v] = at(first + v);
            o[v] = load(model.from.data + j[v]);
        }
        const auto add = [&](index r, vec (&to)[V]) __attribute__((always_inline)) {
            const vec residual = splat(model.held.score.data[r]);
            for (index v = 0; v < V; ++v) to[v] += residual * (load_cells(X + r * stride + j[v]) - o[v]);
        };
        index r = 0;
        for (; r + 2 <= count; r += 2) {
            add(r, sum[0]);
            add(r + 1, sum[1]);
        }
        if (r < count) add(r, sum[0]);
        for (index v = 0; v < V; ++v) {
            vec all = sum[0][v] + sum[1][v];
            if (first + v + 1 == vectors) all *= fresh;
            store(model.sums + j[v], load(model.sums + j[v]) + all);
        }
    }
    template <class T>
    void slopes(const T* X, index count, index stride) {
        for (index v = 0; v < vectors;) {
            const index left = vectors - v;
            if (left >= 4) slopes<4>(X, count, stride, v);
            else if (left == 3) slopes<3>(X, count, stride, v);
            else if (left == 2) slopes<2>(X, count, stride, v);
            else slopes<1>(X, count, stride, v);
            v += left < 4 ? left : 4;
        }
        for (index r = 0; r < rounded_up(count, Curvature::tile); r += lanes) slope += load(model.held.score + r);
    }
    void finish() { model.sums[d] += sum_of(slope); }
};

template <class T>
index logit(const T* X, index n, index d, index stride, const std::int32_t* codes, const double* weights,
            const double* origin, const double* table, const double* offset, double* weight, double* likelihood,
            double* gradient, double* slope, double least, double* curvature) {
    Logit model(d, origin);
    Curvature second(curvature ? d : 0, curvature ? 2 : 0, least);
    if (!model || !second) return NO_MEMORY;
    model.weights(table, offset);
    InPlace lying(model);
    const index room = !curvature && d >= lanes ? InPlace::room(model) : model.capacity;
    for (index i = 0; i < n; i += room) {
        const index count = n - i < room ? n - i : room;
        const index padded = rounded_up(count, Curvature::tile);
        const T* x = X + i * stride;
        const double* w = weights ? weights + i : nullptr;
        if (!curvature && d >= lanes && lying.take(count, codes + i, w)) {
            lying.scores(x, count, stride, model.held.score);
            model.residuals<false>(0, padded, weights);
            lying.slopes(x, count, stride);
            continue;
        }
        model.take(x, count, stride, codes + i, w);
        model.scores(0, padded, model.held.score);
        model.residuals<true>(0, padded, weights);
        model.slopes(0, padded);
        if (curvature) second.weigh(model.held.rows, padded, model.held.bend);
    }
    lying.finish();
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
