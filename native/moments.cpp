// Weight, mean and centred scatter of each group: two passes over a block that stays in cache, so that an offset of
// 1e8 costs no digit; the second pass also corrects the rounding of the first (Chan, Golub & LeVeque 1983), and what the
// mean's own rounding loses is handed on, so that adding blocks loses nothing either.
//
// Rows are visited a group at a time: a vector of columns then stays in registers over all rows of its group.
#include "scatter.h"

namespace parzen {
namespace {

// The rows of one group: their positions and weights.
struct Rows {
    const index* at;
    const double* weight;
    index count;
};

inline vec known(vec x, vec value) { return x == x ? value : vec{}; }
inline double known(double x, double value) { return x == x ? value : 0.0; }

// totals = sum w x and weight = sum w over the rows; with Missing, cell by cell, a NaN weighing nothing.
template <bool Missing, class T>
void sums(const T* X, index d, index stride, const Rows& rows, double* weight, double* totals) {
    constexpr index chains = 4;       // rows whose additions don't wait for each other
    auto column = [&](index j, auto zero, auto read) {
        decltype(zero) total[chains] = {}, cells[chains] = {};
        auto add = [&](index r, index c) {
            const auto x = read(X + rows.at[r] * stride + j);
            const double w = rows.weight[r];
            total[c] += Missing ? known(x, w * x) : w * x;
            cells[c] += Missing ? known(x, zero + w) : zero + w;
        };
        index r = 0;
        for (; r + chains <= rows.count; r += chains)
            for (index c = 0; c < chains; ++c) add(r + c, c);
        for (; r < rows.count; ++r) add(r, 0);
        const auto all = (total[0] + total[1]) + (total[2] + total[3]);
        const auto in = (cells[0] + cells[1]) + (cells[2] + cells[3]);
        std::memcpy(totals + j, &all, sizeof all);
        std::memcpy(weight + j, &in, sizeof in);
    };
    if (d >= lanes) each_vector(d, [&](index j) { column(j, vec{}, [](const T* p) { return load(p); }); });
    else for (index j = 0; j < d; ++j) column(j, 0.0, [](const T* p) { return static_cast<double>(*p); });
}

// drift = sum w (x - mean), scatter = sum w (x - mean)^2; a NaN adds nothing.
template <bool Missing, class T>
void centred(const T* X, index d, index stride, const Rows& rows, const double* mean, double* drift, double* scatter) {
    constexpr index chains = 2;
    auto column = [&](index j, auto zero, auto read) {
        decltype(zero) first[chains] = {}, second[chains] = {};
        const auto m = [&] { decltype(zero) v; std::memcpy(&v, mean + j, sizeof v); return v; }();
        auto add = [&](index r, index c) {
            auto u = read(X + rows.at[r] * stride + j) - m;
            if constexpr (Missing) u = known(u, u);
            const auto weighted = rows.weight[r] * u;
            first[c] += weighted;
            second[c] += weighted * u;
        };
        index r = 0;
        for (; r + chains <= rows.count; r += chains)
            for (index c = 0; c < chains; ++c) add(r + c, c);
        for (; r < rows.count; ++r) add(r, 0);
        const auto one = first[0] + first[1], two = second[0] + second[1];
        std::memcpy(drift + j, &one, sizeof one);
        std::memcpy(scatter + j, &two, sizeof two);
    };
    if (d >= lanes) each_vector(d, [&](index j) { column(j, vec{}, [](const T* p) { return load(p); }); });
    else for (index j = 0; j < d; ++j) column(j, 0.0, [](const T* p) { return static_cast<double>(*p); });
}

// Sums, taking the careful road only where a NaN has shown itself in the totals. Returns whether it did.
template <class T>
bool careful_sums(const T* X, index d, index stride, const Rows& rows, double* weight, double* totals) {
    sums<false>(X, d, stride, rows, weight, totals);
    bool missing = false;
    for (index j = 0; j < d; ++j) missing |= totals[j] != totals[j];
    if (missing) sums<true>(X, d, stride, rows, weight, totals);
    return missing;
}

template <class T>
index totals_of(const T* X, index n, index d, index stride, const Members& members, double* weight, double* totals) {
    Grouping grouping(members, n);
    if (!grouping) return NO_MEMORY;
    for (index k = 0; k < members.groups; ++k) {
        const index m = grouping.gather(k);
        careful_sums(X, d, stride, {grouping.picked, grouping.weight, m}, weight + k * d, totals + k * d);
    }
    return OK;
}

template <class T>
index diagonal(const T* X, index n, index d, index stride, const Members& members, double* weight, double* mean,
               double* carry, double* scatter) {
    Grouping grouping(members, n);
    Scratch<double> shift(d), drift(d);
    if (!grouping || !shift || !drift) return NO_MEMORY;
    for (index k = 0; k < members.groups; ++k) {
        double *w = weight + k * d, *m = mean + k * d, *c = carry + k * d, *s = scatter + k * d;
        const Rows rows{grouping.picked, grouping.weight, grouping.gather(k)};
        const bool missing = careful_sums(X, d, stride, rows, w, shift);
        for (index j = 0; j < d; ++j) shift[j] = w[j] != 0 ? shift[j] / w[j] : 0.0;
        if (missing) centred<true>(X, d, stride, rows, shift, drift, s);
        else centred<false>(X, d, stride, rows, shift, drift, s);
        for (index j = 0; j < d; ++j) {
            const double step = w[j] != 0 ? drift[j] / w[j] : 0.0;
            m[j] = shift[j] + step;
            c[j] = step - (m[j] - shift[j]);
            s[j] -= drift[j] * step;
        }
    }
    return OK;
}

template <class T>
index full(const T* X, index n, index d, index stride, const Members& members, double* weight, double* mean,
           double* carry, double* scatter) {
    Grouping grouping(members, n);
    Scratch<double> shift(d), cells(d);
    Panel panel(d);
    if (!grouping || !shift || !cells || !panel) return NO_MEMORY;
    for (index k = 0; k < members.groups; ++k) {
        const index m = grouping.gather(k);
        sums<false>(X, d, stride, {grouping.picked, grouping.weight, m}, cells, shift);
        for (index j = 0; j < d; ++j) shift[j] = cells[j] != 0 ? shift[j] / cells[j] : 0.0;
        for (index r = 0; r < m; ++r) {
            const T* x = X + grouping.picked[r] * stride;
            const double root = std::sqrt(grouping.weight[r]);
            double* row = panel.next();
            if (d >= lanes) each_vector(d, [&](index j) { store(row + j, root * (load(x + j) - load(shift + j))); });
            else for (index j = 0; j < d; ++j) row[j] = root * (x[j] - shift[j]);
            row[d] = root;
        }
        panel.finish(shift, weight + k, mean + k * d, carry + k * d, scatter + k * d * d);
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_MOMENTS(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_moments_diagonal_##suffix(                                                     \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* mean,               \
        double* carry, double* scatter) {                                                                             \
        return parzen::diagonal(X, n, d, stride, {codes, weights, dense, groups}, weight, mean, carry, scatter);      \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_moments_full_##suffix(                                                         \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* mean,               \
        double* carry, double* scatter) {                                                                             \
        return parzen::full(X, n, d, stride, {codes, weights, dense, groups}, weight, mean, carry, scatter);          \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_sums_##suffix(                                                                 \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* totals) {           \
        return parzen::totals_of(X, n, d, stride, {codes, weights, dense, groups}, weight, totals);                   \
    }

PARZEN_MOMENTS(float, f32)
PARZEN_MOMENTS(double, f64)
