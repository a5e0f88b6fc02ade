// Weight, mean and centred scatter of each group.
//
// Sums about a point near the mean keep their digits, whatever the offset: first about the mean of the block's first rows,
// in one pass. Where that point turns out to be far off (what it added to a scatter outweighs the rest a thousandfold), a
// second pass takes the sums about the mean itself (Chan, Golub & LeVeque 1983). What the mean's own rounding loses is
// handed on, so that adding blocks loses nothing either.
//
// Rows are taken in the order in which they come, each added to its group's sums.
#include "layout.h"
#include "scatter.h"

#include <initializer_list>

namespace parzen {
namespace {

// A group's weight, kept in its first cell, to all of them.
inline void spread_weight(double* weight, index groups, index width) {
    for (index k = 0; k < groups; ++k)
        for (index c = 1; c < width; ++c) weight[k * width + c] = weight[k * width];
}

// totals += w x, and weight += w: of the group (its first cell), or with Missing of each cell that is there.
template <bool Missing, class T, class L>
void sums(const T* X, index n, index stride, const Members& members, const L layout, double* weight, double* totals) {
    members.each(n, [&](index i, index k, double w) __attribute__((always_inline)) {
        const T* x = X + i * stride;
        double *total = totals + k * layout.width, *cells = weight + k * layout.width;
        layout.each([&](index j, index at, auto zero) {
            const auto value = fetch(x + j, zero);
            add(total + at, Missing ? known(value, w * value) : w * value);
            if constexpr (Missing) add(cells + at, known(value, zero + w));
        });
        if constexpr (!Missing) cells[0] += w;
    });
    if constexpr (!Missing) spread_weight(weight, members.groups, layout.width);
}

// drift += w (x - mean), scatter += w (x - mean)^2, and with Weigh weight += w; with Missing a NaN adds nothing.
template <bool Missing, bool Weigh, class T, class L>
void centred(const T* X, index n, index stride, const Members& members, const L layout, const double* mean,
             double* weight, double* drift, double* scatter) {
    members.each(n, [&](index i, index k, double w) __attribute__((always_inline)) {
        const T* x = X + i * stride;
        const index group = k * layout.width;
        layout.each([&](index j, index at, auto zero) {
            auto u = fetch(x + j, zero) - fetch(mean + group + at, zero);
            if constexpr (Missing) u = known(u, u);
            const auto weighted = w * u;
            add(drift + group + at, weighted);
            add(scatter + group + at, weighted * u);
        });
        if constexpr (Weigh) weight[group] += w;
    });
    if constexpr (Weigh) spread_weight(weight, members.groups, layout.width);
}

void divide(double* totals, const double* weight, index cells) {
    for (index c = 0; c < cells; ++c) totals[c] = weight[c] != 0 ? totals[c] / weight[c] : 0.0;
}

// Sums, taking the careful road only where a NaN has shown itself in the totals. Returns whether it did. What few data
// need is compiled for any number of columns alone.
template <class T>
bool careful_sums(const T* X, index n, index stride, const Members& members, index d, double* weight, double* totals) {
    const Layout<0> layout(d);
    const index cells = members.groups * layout.width;
    sums<false>(X, n, stride, members, layout, weight, totals);
    bool missing = false;
    for (index c = 0; c < cells; ++c) missing |= totals[c] != totals[c];
    if (!missing) return false;
    std::memset(weight, 0, sizeof(double) * cells);
    std::memset(totals, 0, sizeof(double) * cells);
    sums<true>(X, n, stride, members, layout, weight, totals);
    return true;
}

template <class T, class L>
index totals_of(const T* X, index n, index stride, const Members& members, const L& layout, double* weight, double* totals) {
    const index d = layout.d;
    Scratch<double> w(members.groups * layout.width), t(members.groups * layout.width);
    if (!w || !t) return NO_MEMORY;
    careful_sums(X, n, stride, members, d, w, t);
    for (index k = 0; k < members.groups; ++k) {
        layout.unpack(w + k * layout.width, weight + k * d);
        layout.unpack(t + k * layout.width, totals + k * d);
    }
    return OK;
}

// Means of the groups over the first rows of the block: where to take sums about.
template <class T>
void guess(const T* X, index n, index stride, const Members& members, index d, double* weight, double* shift) {
    const Layout<0> layout(d);
    const index first = members.groups * 16 > 256 ? members.groups * 16 : 256, cells = members.groups * layout.width;
    sums<false>(X, n < first ? n : first, stride, members, layout, weight, shift);
    divide(shift, weight, cells);
    std::memset(weight, 0, sizeof(double) * cells);
}

// Whether what a wrong shift added to a scatter outweighs the scatter so far that digits are lost (or a NaN came along).
inline bool far_off(double drift, double weight, double scatter) {
    const double added = weight != 0 ? drift * (drift / weight) : 0.0;
    return !(added <= 1000 * (scatter - added)) && added != 0;
}

template <class T, class L>
index diagonal(const T* X, index n, index stride, const Members& members, const L& layout, double* weight, double* mean,
               double* carry, double* scatter) {
    const index d = layout.d, cells = members.groups * layout.width;
    const std::size_t bytes = sizeof(double) * cells;
    Scratch<double> w(cells), shift(cells), drift(cells), squares(cells);
    if (!w || !shift || !drift || !squares) return NO_MEMORY;
    guess(X, n, stride, members, d, w, shift);
    centred<false, true>(X, n, stride, members, layout, shift, w, drift, squares);
    bool again = false;
    for (index c = 0; c < cells; ++c) again |= far_off(drift[c], w[c], squares[c]);
    if (again) {
        for (double* part : {w.data, shift.data, drift.data, squares.data}) std::memset(part, 0, bytes);
        const bool missing = careful_sums(X, n, stride, members, d, w, shift);
        divide(shift, w, cells);
        const auto pass = missing ? centred<true, false, T, Layout<0>> : centred<false, false, T, Layout<0>>;
        pass(X, n, stride, members, Layout<0>(d), shift, nullptr, drift, squares);
    }
    for (index c = 0; c < cells; ++c) {
        const double step = w[c] != 0 ? drift[c] / w[c] : 0.0;
        const double m = w[c] != 0 ? shift[c] + step : 0.0;
        squares[c] -= drift[c] * step;
        drift[c] = w[c] != 0 ? step - (m - shift[c]) : 0.0;
        shift[c] = m;
    }
    for (index k = 0; k < members.groups; ++k) {
        layout.unpack(w + k * layout.width, weight + k * d);
        layout.unpack(shift + k * layout.width, mean + k * d);
        layout.unpack(drift + k * layout.width, carry + k * d);
        layout.unpack(squares + k * layout.width, scatter + k * d);
    }
    return OK;
}

// Every row, less its group's shift, into its group's panel.
template <class T, class L>
void fill(const T* X, index n, index stride, const Members& members, const L layout, const double* shift, Panels& panels) {
    members.each(n, [&](index i, index k, double w) __attribute__((always_inline)) {
        const T* x = X + i * stride;
        const double root = std::sqrt(w);
        double* row = panels.next(k);
        layout.each([&](index j, index at, auto zero) {
            const auto u = root * (fetch(x + j, zero) - fetch(shift + k * layout.width + at, zero));
            std::memcpy(row + j, &u, sizeof u);
        });
        row[layout.d] = root;
    });
}

template <class T, class L>
index full(const T* X, index n, index stride, const Members& members, const L& layout, double* weight, double* mean,
           double* carry, double* scatter) {
    const index d = layout.d, cells = members.groups * layout.width;
    Scratch<double> shift(cells), w(cells), column(d);
    Panels panels(d, members.groups);
    if (!shift || !w || !column || !panels) return NO_MEMORY;
    guess(X, n, stride, members, d, w, shift);
    fill(X, n, stride, members, layout, shift, panels);
    if (panels.any([](double drift, double whole, double square) { return far_off(drift, whole, square); })) {
        panels.empty();
        std::memset(shift, 0, sizeof(double) * cells);
        sums<false>(X, n, stride, members, Layout<0>(d), w, shift);
        divide(shift, w, cells);
        fill(X, n, stride, members, layout, shift, panels);
    }
    for (index k = 0; k < members.groups; ++k) {
        layout.unpack(shift + k * layout.width, column);
        panels.at(k).finish(column, weight + k, mean + k * d, carry + k * d, scatter + k * d * d);
    }
    return OK;
}

}  // namespace
}  // namespace parzen

#define PARZEN_MOMENTS_FULL(T, suffix)                                                                                \
    PARZEN_EXPORT parzen::index parzen_moments_full_##suffix(                                                         \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* mean,               \
        double* carry, double* scatter) {                                                                             \
        return parzen::with_layout(d, [&](auto layout) {                                                              \
            return parzen::full(X, n, stride, {codes, weights, dense, groups}, layout, weight, mean, carry, scatter); \
        });                                                                                                           \
    }

PARZEN_MOMENTS_FULL(float, f32)
PARZEN_MOMENTS_FULL(double, f64)

// Their vectors have 32 bytes at most (layout.h): at v4 these are called from the library of v3.
#if !defined(__AVX512F__)
#define PARZEN_MOMENTS(T, suffix)                                                                                     \
    PARZEN_EXPORT parzen::index parzen_moments_diagonal_##suffix(                                                     \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* mean,               \
        double* carry, double* scatter) {                                                                             \
        return parzen::with_layout(d, [&](auto layout) {                                                              \
            return parzen::diagonal(X, n, stride, {codes, weights, dense, groups}, layout, weight, mean, carry,       \
                                    scatter);                                                                         \
        });                                                                                                           \
    }                                                                                                                 \
    PARZEN_EXPORT parzen::index parzen_sums_##suffix(                                                                 \
        const T* X, parzen::index n, parzen::index d, parzen::index stride, const std::int32_t* codes,                \
        const double* weights, const double* dense, parzen::index groups, double* weight, double* totals) {           \
        const parzen::Layout<0> layout(d);                                                                            \
        return parzen::totals_of(X, n, stride, {codes, weights, dense, groups}, layout, weight, totals);              \
    }

PARZEN_MOMENTS(float, f32)
PARZEN_MOMENTS(double, f64)
#endif
