// The instruction-set level of this processor: 1, 2, 3 or 4 as in x86-64-v2, -v3, -v4 (1: less than v2); 0 where there are
// no levels. It is asked of the lowest library before any other routine, and uses nothing that a processor may lack.
#include "common.h"

#if defined(__x86_64__)
#include <cpuid.h>

namespace parzen {
namespace {

struct Leaf {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    Leaf(unsigned number, unsigned part) { __get_cpuid_count(number, part, &eax, &ebx, &ecx, &edx); }
};

// Which registers the operating system saves: bits 1 and 2 are those of AVX, 5 to 7 those of AVX-512.
inline unsigned saved() {
    unsigned low, high;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

inline bool has(unsigned flags, unsigned all) { return (flags & all) == all; }

int level() {
    const Leaf basic(1, 0), extended(7, 0), more(0x80000001u, 0);
    const unsigned v2 = bit_SSE3 | bit_SSSE3 | bit_SSE4_1 | bit_SSE4_2 | bit_POPCNT | bit_CMPXCHG16B;
    if (!has(basic.ecx, v2)) return 1;
    const unsigned v3 = bit_OSXSAVE | bit_AVX | bit_FMA | bit_F16C | bit_MOVBE;
    if (!has(basic.ecx, v3) || !has(extended.ebx, bit_AVX2 | bit_BMI | bit_BMI2) || !has(more.ecx, bit_LZCNT)) return 2;
    const unsigned registers = saved();
    if (!has(registers, 0x6)) return 2;
    const unsigned v4 = bit_AVX512F | bit_AVX512BW | bit_AVX512CD | bit_AVX512DQ | bit_AVX512VL;
    return has(extended.ebx, v4) && has(registers, 0xe6) ? 4 : 3;
}

}  // namespace
}  // namespace parzen
#endif

PARZEN_EXPORT int parzen_processor_level() {
#if defined(__x86_64__)
    return parzen::level();
#else
    return 0;
#endif
}
