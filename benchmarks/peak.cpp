// What the processor can do at most: multiplications with additions, and powers of two as Gaussian sums need them.
//
// Both run on numbers in registers alone. Rates are per second of the calling thread's own processor time, so that other
// work on the machine doesn't count.
#include <ctime>
#include "power.h"

namespace parzen {
namespace {

// The same value; the compiler must not know.
template <class V>
inline V opaque(V v) {
    __asm__ volatile("" : "+x"(v));
    return v;
}

double seconds() {
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

constexpr int chains = 12;  // enough to hide the latency of two units, and as many as registers hold

template <class V, class Real>
double products(index rounds, Real start, double* check) {
    V sums[chains];
    for (int k = 0; k < chains; ++k) sums[k] = all<V>(start * static_cast<Real>(k + 1));
    const V factor = all<V>(static_cast<Real>(1 - 1e-6) * (start / start)), step = all<V>(start);
    const double begin = seconds();
    for (index r = 0; r < rounds; ++r)
        for (int k = 0; k < chains; ++k) sums[k] = opaque(sums[k] * factor + step);
    const double spent = seconds() - begin;
    for (int k = 0; k < chains; ++k) *check += static_cast<double>(sums[k][0]);
    return static_cast<double>(rounds) * chains * static_cast<double>(sizeof(V) / sizeof(Real)) / spent;
}

template <class V, class Real>
double powers(index rounds, Real start, double* check) {
    V t[4], sums[4] = {};
    for (int k = 0; k < 4; ++k) t[k] = all<V>(start * static_cast<Real>(k + 1));
    const double begin = seconds();
    for (index r = 0; r < rounds; ++r) {
        V values[4];
        for (int k = 0; k < 4; ++k) values[k] = opaque(t[k]);
        powers_near(values);
        for (int k = 0; k < 4; ++k) sums[k] = opaque(sums[k] + values[k]);
    }
    const double spent = seconds() - begin;
    for (int k = 0; k < 4; ++k) *check += static_cast<double>(sums[k][0]);
    return static_cast<double>(rounds) * 4 * static_cast<double>(sizeof(V) / sizeof(Real)) / spent;
}

}  // namespace

// rates: products and powers in double precision, products and powers in single precision, per second.
PARZEN_EXPORT void peak(index rounds, double start, double* rates) {
    double check = 0;
    const float narrow = static_cast<float>(start);
    rates[0] = products<vec>(4 * rounds, start, &check);
    rates[1] = powers<vec>(rounds, start, &check);
    rates[2] = products<vecf>(4 * rounds, narrow, &check);
    rates[3] = powers<vecf>(rounds, narrow, &check);
    rates[4] = check;
}

}  // namespace parzen
