// Partitions of a few thousand rows, where EM may begin, each in one call: k-means from several seeds, and small clusters
// merged in the order in which that costs a mixture of Gaussians least. Random numbers are drawn by the caller.
#include <algorithm>

#include "common.h"

namespace parzen {
namespace {

constexpr index tile = 256;

// Rows about their mean, column by column and row by row, and their weights.
struct Points {
    index n, d;
    Scratch<double> x, rows, w, origin;
    double total = 0;

    Points(index count, index columns)
        : n(count), d(columns), x(count * columns), rows(count * columns), w(count), origin(columns) {}
    explicit operator bool() const { return x.data && rows.data && w.data && origin.data; }

    void lay(const double* X, index stride, const double* weights, const index* some) {
        for (index i = 0; i < n; ++i) {
            w[i] = weights ? weights[some ? some[i] : i] : 1.0;
            total += w[i];
        }
        const double* first = X + (some ? some[0] : 0) * stride;
        for (index i = 0; i < n; ++i) {
            const double *row = X + (some ? some[i] : i) * stride, share = w[i] / total;
            for (index j = 0; j < d; ++j) origin[j] += share * (row[j] - first[j]);
        }
        for (index j = 0; j < d; ++j) origin[j] += first[j];
        for (index i = 0; i < n; ++i) {
            const double* row = X + (some ? some[i] : i) * stride;
            for (index j = 0; j < d; ++j) x[j * n + i] = rows[i * d + j] = row[j] - origin[j];
        }
    }

    // Squared distances of the rows from `begin` on to a point.
    void squares(index begin, index count, const double* to, double* out) const {
        for (index r = 0; r < count; ++r) out[r] = 0;
        for (index j = 0; j < d; ++j) {
            const double *column = x.data + j * n + begin, c = to[j];
#pragma omp simd
            for (index r = 0; r < count; ++r) out[r] += (column[r] - c) * (column[r] - c);
        }
    }

    const double* row(index i) const { return rows.data + i * d; }
};

// The nearest of K centres of each row, the first of equals. Returns the sum of squared distances; `moved` counts rows
// whose centre has changed.
double nearest(const Points& points, const double* centre, index K, std::int32_t* codes, index* moved) {
    double inertia = 0, best[tile], square[tile] = {}, at[tile];
    *moved = 0;
    for (index begin = 0; begin < points.n; begin += tile) {
        const index count = std::min(tile, points.n - begin);
        for (index r = 0; r < tile; ++r) best[r] = HUGE_VAL, at[r] = 0;
        for (index k = 0; k < K; ++k) {
            points.squares(begin, count, centre + k * points.d, square);
            const vec own = splat(static_cast<double>(k));  // as wide as the squares: one comparison serves both
            for (index r = 0; r < count; r += lanes) {
                const vec now = load(square + r), before = load(best + r);
                store(best + r, now < before ? now : before);
                store(at + r, now < before ? own : load(at + r));
            }
        }
        for (index r = 0; r < count; ++r) {
            const auto code = static_cast<std::int32_t>(at[r]);
            inertia += points.w.data[begin + r] * best[r];
            *moved += codes[begin + r] != code;
            codes[begin + r] = code;
        }
    }
    return inertia;
}

// Means of the clusters; one without weight gets the mean of all rows, which is zero.
void centres_of(const Points& points, const std::int32_t* codes, index K, double* centre, double* weight) {
    std::memset(weight, 0, sizeof(double) * K);
    std::memset(centre, 0, sizeof(double) * K * points.d);
    for (index i = 0; i < points.n; ++i) {
        const double *row = points.row(i), w = points.w.data[i];
        double* sum = centre + codes[i] * points.d;
        weight[codes[i]] += w;
#pragma omp simd
        for (index j = 0; j < points.d; ++j) sum[j] += w * row[j];
    }
    for (index k = 0; k < K; ++k)
        for (index j = 0; j < points.d; ++j) centre[k * points.d + j] *= weight[k] > 0 ? 1 / weight[k] : 0.0;
}

// At most so many steps of k-means; the inertia of what is left.
double lloyd(const Points& points, double* centre, index K, index steps, std::int32_t* codes, double* weight) {
    index moved = 0;
    double inertia = nearest(points, centre, K, codes, &moved);
    for (index step = 0; step < steps; ++step) {
        centres_of(points, codes, K, centre, weight);
        inertia = nearest(points, centre, K, codes, &moved);
        if (!moved) break;
    }
    return inertia;
}

// The row at a quantile of a mass.
index drawn(const double* mass, index n, double total, double at) {
    double sum = 0;
    index last = 0;
    for (index i = 0; i < n; ++i) {
        if (!(mass[i] > 0)) continue;
        sum += mass[i];
        last = i;
        if (sum > at * total) return i;
    }
    return last;
}

// Greedy k-means++ (Arthur & Vassilvitskii 2007) from 1 + (K - 1) * trials uniform numbers.
void plus_plus(const Points& points, index K, index trials, const double* uniform, double* centre, double* far,
               double* mass, double* square, double* kept) {
    const index n = points.n, d = points.d;
    std::memcpy(centre, points.row(drawn(points.w.data, n, points.total, *uniform++)), sizeof(double) * d);
    points.squares(0, n, centre, far);
    for (index k = 1; k < K; ++k, uniform += trials) {
        double total = 0;
        for (index i = 0; i < n; ++i) total += mass[i] = points.w.data[i] * far[i];
        if (!(total > 0)) {  // every row lies on a centre
            const index at = drawn(points.w.data, n, points.total, *uniform);
            std::memcpy(centre + k * d, points.row(at), sizeof(double) * d);
            continue;
        }
        double least = HUGE_VAL;
        for (index t = 0; t < trials; ++t) {
            double sum = 0;
            const double* candidate = points.row(drawn(mass, n, total, uniform[t]));
            points.squares(0, n, candidate, square);
#pragma omp simd reduction(+ : sum)
            for (index i = 0; i < n; ++i) {
                square[i] = square[i] < far[i] ? square[i] : far[i];
                sum += points.w.data[i] * square[i];
            }
            if (sum < least || t == 0) {
                least = sum;
                std::memcpy(kept, square, sizeof(double) * n);
                std::memcpy(centre + k * d, candidate, sizeof(double) * d);
            }
        }
        std::memcpy(far, kept, sizeof(double) * n);
    }
}

// The log-determinant of a covariance in `a` (d, d), of which the upper triangle is read and lost: the logarithms of the
// pivots of Gauss's elimination.
double log_determinant(double* a, index d) {
    double largest = 0, logs = 0;
    for (index i = 0; i < d; ++i) largest = std::max(largest, a[i * d + i]);
    const double least = 2.220446049250313e-16 * largest;  // below, a pivot is rounding
    for (index k = 0; k < d; ++k) {
        const double* row = a + k * d;
        const double pivot = row[k] > least ? row[k] : least > 0 ? least : 1.0, inverse = 1 / pivot;
        logs += std::log(pivot);
        for (index i = k + 1; i < d; ++i) {
            const double scale = row[i] * inverse;
            double* other = a + i * d;
#pragma omp simd
            for (index j = i; j < d; ++j) other[j] -= scale * row[j];
        }
    }
    return logs;
}

// Clusters with their moments, which are merged two by two.
struct Clusters {
    index M, d;
    Scratch<double> weight, mean, scatter, value, ridge, work;

    Clusters(index count, index columns)
        : M(count), d(columns), weight(count), mean(count * columns), scatter(count * columns * columns), value(count),
          ridge(columns * columns), work(columns * columns) {}
    explicit operator bool() const {
        return weight.data && mean.data && scatter.data && value.data && ridge.data && work.data;
    }

    // Scatter of a cluster with another one joined to it (or alone), of which the upper triangle is written to `sum`.
    double joint(index a, index b, double* sum) const {
        const double wa = weight.data[a], wb = b < 0 ? 0.0 : weight.data[b], w = wa + wb;
        const double between = w > 0 ? wa * (wb / w) : 0.0;
        const double *ma = mean.data + a * d, *mb = b < 0 ? ma : mean.data + b * d;
        const double *sa = scatter.data + a * d * d, *sb = b < 0 ? nullptr : scatter.data + b * d * d;
        for (index i = 0; i < d; ++i) {
            const double off = between * (ma[i] - mb[i]);
            if (!sb) std::memcpy(sum + i * d + i, sa + i * d + i, sizeof(double) * (d - i));
            else
#pragma omp simd
                for (index j = i; j < d; ++j) sum[i * d + j] = sa[i * d + j] + sb[i * d + j] + off * (ma[j] - mb[j]);
        }
        return w;
    }

    // Twice what a cluster takes from the likelihood: n log |S / n|, with a few rows of an average small cluster.
    double cost(index a, index b) {
        const double w = joint(a, b, work), few = d + 1.0, share = 1 / (w + few);
        for (index i = 0; i < d; ++i)
#pragma omp simd
            for (index j = i; j < d; ++j) work[i * d + j] = (work[i * d + j] + few * ridge[i * d + j]) * share;
        return w * log_determinant(work, d);
    }

    void merge(index into, index gone) {
        const double w = joint(into, gone, work), share = w > 0 ? weight[gone] / w : 0.0;
        std::memcpy(scatter + into * d * d, work, sizeof(double) * d * d);
        for (index j = 0; j < d; ++j) mean[into * d + j] += share * (mean[gone * d + j] - mean[into * d + j]);
        weight[into] = w;
        value[into] = cost(into, -1);
    }
};

}  // namespace

// The best of several k-means on some of the rows, each from seeds of its own; codes (n,) are the nearest of its centres.
index kmeans_partition(const double* X, index n, index d, index stride, const double* weights, const index* some,
                       index sampled, index K, index seeds, index trials, index steps, const double* uniform,
                       std::int32_t* codes) {
    Points points(sampled, d), all(n, d);
    Scratch<double> centre(K * d), best(K * d), weight(K), far(sampled), mass(sampled), square(sampled), kept(sampled);
    Scratch<std::int32_t> own(sampled);
    if (!points || !all || !centre || !best || !weight || !far || !mass || !square || !kept || !own) return NO_MEMORY;
    points.lay(X, stride, weights, some);
    double least = HUGE_VAL;
    for (index s = 0; s < seeds; ++s, uniform += 1 + (K - 1) * trials) {
        plus_plus(points, K, trials, uniform, centre, far, mass, square, kept);
        const double inertia = lloyd(points, centre, K, steps, own, weight);
        if (inertia < least || s == 0) {
            least = inertia;
            std::memcpy(best, centre, sizeof(double) * K * d);
        }
    }
    all.lay(X, stride, weights, nullptr);
    for (index k = 0; k < K; ++k)
        for (index j = 0; j < d; ++j) best[k * d + j] += points.origin[j] - all.origin[j];
    index moved = 0;
    nearest(all, best, K, codes, &moved);
    return OK;
}

// Small clusters about `first` (M rows), after a few steps of k-means, merged until C are left.
index merged_partition(const double* X, index n, index d, index stride, const double* weights, const index* first,
                       index M, index steps, index C, std::int32_t* codes) {
    Points points(n, d);
    Clusters clusters(M, d);
    Scratch<double> price(M * M), y(d);
    Scratch<index> of(M), name(M);
    if (!points || !clusters || !price || !y || !of || !name) return NO_MEMORY;
    points.lay(X, stride, weights, nullptr);
    for (index k = 0; k < M; ++k) std::memcpy(clusters.mean + k * d, points.row(first[k]), sizeof(double) * d);
    lloyd(points, clusters.mean, M, steps, codes, clusters.weight);
    centres_of(points, codes, M, clusters.mean, clusters.weight);
    for (index i = 0; i < n; ++i) {
        const double w = points.w[i];
        double* scatter = clusters.scatter + codes[i] * d * d;
        for (index j = 0; j < d; ++j) y[j] = points.row(i)[j] - clusters.mean[codes[i] * d + j];
        for (index j = 0; j < d; ++j)
#pragma omp simd
            for (index l = j; l < d; ++l) scatter[j * d + l] += w * y[j] * y[l];
    }
    for (index k = 0; k < M; ++k)
        for (index c = 0; c < d * d; ++c) clusters.ridge[c] += clusters.scatter[k * d * d + c] / points.total;
    for (index j = 0; j < d; ++j) clusters.ridge[j * d + j] += 1e-9;
    index left = 0;
    for (index k = 0; k < M; ++k) {
        of[k] = clusters.weight[k] > 0 ? k : -1;
        left += of[k] >= 0;
        if (of[k] >= 0) clusters.value[k] = clusters.cost(k, -1);
        for (index l = 0; l < k; ++l)
            price[k * M + l] = of[k] < 0 || of[l] < 0
                                   ? HUGE_VAL
                                   : clusters.cost(k, l) - clusters.value[k] - clusters.value[l];
    }
    for (; left > C; --left) {
        index gone = -1, into = -1;
        for (index k = 0; k < M; ++k)
            for (index l = 0; l < k; ++l)
                if (gone < 0 || price[k * M + l] < price[gone * M + into]) { gone = k; into = l; }
        clusters.merge(into, gone);
        for (index k = 0; k < M; ++k) of[k] = of[k] == gone ? into : of[k];
        for (index k = 0; k < M; ++k) {
            if (k < gone) price[gone * M + k] = HUGE_VAL;
            if (k > gone) price[k * M + gone] = HUGE_VAL;
            if (k == into || of[k] != k) continue;
            price[std::max(k, into) * M + std::min(k, into)] =
                clusters.cost(into, k) - clusters.value[into] - clusters.value[k];
        }
    }
    index next = 0;
    for (index k = 0; k < M; ++k) name[k] = of[k] == k ? next++ : -1;
    for (index i = 0; i < n; ++i) codes[i] = static_cast<std::int32_t>(of[codes[i]] < 0 ? 0 : name[of[codes[i]]]);
    return OK;
}

}  // namespace parzen

PARZEN_EXPORT parzen::index parzen_kmeans_partition_f64(
    const double* X, parzen::index n, parzen::index d, parzen::index stride, const double* weights,
    const parzen::index* some, parzen::index sampled, parzen::index K, parzen::index seeds, parzen::index trials,
    parzen::index steps, const double* uniform, std::int32_t* codes) {
    return parzen::kmeans_partition(X, n, d, stride, weights, some, sampled, K, seeds, trials, steps, uniform, codes);
}

PARZEN_EXPORT parzen::index parzen_merged_partition_f64(const double* X, parzen::index n, parzen::index d,
                                                        parzen::index stride, const double* weights,
                                                        const parzen::index* first, parzen::index M,
                                                        parzen::index steps, parzen::index C, std::int32_t* codes) {
    return parzen::merged_partition(X, n, d, stride, weights, first, M, steps, C, codes);
}
