// Zeroed scratch memory, aligned for vectors, freed at the end of the scope.
#pragma once
#include <cstdlib>
#include "lanes.h"

#if defined(_WIN32)
#include <malloc.h>
#endif

namespace parzen {

inline index rounded_up(index n, index to) { return (n + to - 1) / to * to; }

// The compiler knows what std::aligned_alloc returns: memory that nothing else points to, aligned. Windows has none; macOS
// since 10.15.
inline void* allocate(std::size_t bytes) {
#if defined(_WIN32)
    return __builtin_assume_aligned(_aligned_malloc(bytes, 64), 64);
#else
    return std::aligned_alloc(64, bytes);
#endif
}
inline void release(void* memory) {
#if defined(_WIN32)
    _aligned_free(memory);
#else
    std::free(memory);
#endif
}

// Check it before use: there are no exceptions here.
template <class T>
struct Scratch {
    T* data;
    explicit Scratch(index n) {
        const std::size_t bytes = rounded_up((n > 0 ? n : 1) * static_cast<index>(sizeof(T)), 64);
        data = static_cast<T*>(allocate(bytes));
        if (data) std::memset(data, 0, bytes);
    }
    ~Scratch() { release(data); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    explicit operator bool() const { return data != nullptr; }
    operator T*() { return data; }
};

}  // namespace parzen
