// log(1 + x) of a vector of numbers of at least 0, to the last bits also where 1 + x is rounded.
#pragma once
#include "exp.h"

namespace parzen {

inline vec log_one_plus(vec x) {
    const vec w = splat(1.0) + x;
    return logarithm(w) + (x - (w - splat(1.0))) / w;
}

}  // namespace parzen
