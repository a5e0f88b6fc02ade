// Codes of texts as Arrow stores them: equal texts have one code, in the order in which they first appear.
#include <utility>
#include "common.h"

namespace parzen {
namespace {

struct Text {
    const char* begin;
    index size;
};

// Texts one after the other: text i is bytes[offsets[i]] ... bytes[offsets[i + 1] - 1].
template <class Offset>
struct Packed {
    const Offset* offsets;
    const char* bytes;
    Text operator[](index i) const { return {bytes + offsets[i], static_cast<index>(offsets[i + 1] - offsets[i])}; }
};

// Views of 16 bytes each: the size, then up to 12 bytes of text, or its first four, a buffer and a position in it.
struct Views {
    const char* views;
    const char* const* buffers;
    Text operator[](index i) const {
        const char* view = views + 16 * i;
        std::int32_t part[4];
        std::memcpy(part, view, sizeof part);
        return {part[0] <= 12 ? view + 4 : buffers[part[2]] + part[3], part[0]};
    }
};

inline std::uint64_t word(const char* p, index size) {
    std::uint64_t w = 0;
    std::memcpy(&w, p, static_cast<std::size_t>(size));
    return w;
}

inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t w) {
    hash = (hash ^ w) * 0x9e3779b97f4a7c15ULL;
    return hash ^ (hash >> 29);
}

inline std::uint64_t hash_of(Text text) {
    std::uint64_t hash = static_cast<std::uint64_t>(text.size);
    if (text.size < 8) {                       // two halves that may overlap, so that their sizes are fixed
        if (text.size >= 4) return mixed(mixed(hash, word(text.begin, 4)), word(text.begin + text.size - 4, 4));
        for (index s = 0; s < text.size; ++s) hash = (hash << 8) | static_cast<unsigned char>(text.begin[s]);
        return mixed(hash, 0);
    }
    for (index s = 0; s + 8 < text.size; s += 8) hash = mixed(hash, word(text.begin + s, 8));
    return mixed(hash, word(text.begin + text.size - 8, 8));
}

inline bool same(Text a, Text b) {
    if (a.size != b.size) return false;
    if (a.size < 8) {
        if (a.size >= 4)
            return word(a.begin, 4) == word(b.begin, 4) && word(a.begin + a.size - 4, 4) == word(b.begin + a.size - 4, 4);
        for (index s = 0; s < a.size; ++s)
            if (a.begin[s] != b.begin[s]) return false;
        return true;
    }
    for (index s = 0; s + 8 < a.size; s += 8)
        if (word(a.begin + s, 8) != word(b.begin + s, 8)) return false;
    return word(a.begin + a.size - 8, 8) == word(b.begin + a.size - 8, 8);
}

// Different texts, each with a code; `starts` and `sizes` say where the text of each code lies.
class Codes {
public:
    Codes(const char** starts, index* sizes) : starts_(starts), sizes_(sizes) {}

    // The code of a text, a new one where it has none yet; negative where memory is lacking.
    std::int32_t of(Text text) {
        if (4 * count_ >= 3 * size() && !grow()) return -1;
        const std::uint64_t slot = slot_of(text);
        if (!table_.data[slot]) {
            starts_[count_] = text.begin;
            sizes_[count_] = text.size;
            table_.data[slot] = ++count_;
        }
        return table_.data[slot] - 1;
    }

    std::int32_t count() const { return count_; }

private:
    index size() const { return bits_ ? index{1} << bits_ : 0; }

    std::uint64_t slot_of(Text text) const {
        const std::uint64_t mask = static_cast<std::uint64_t>(size() - 1);
        std::uint64_t slot = hash_of(text) & mask;
        while (table_.data[slot] && !same(text, known(table_.data[slot] - 1))) slot = (slot + 1) & mask;
        return slot;
    }

    Text known(std::int32_t code) const { return {starts_[code], sizes_[code]}; }

    // A larger table: small as long as few texts differ, so that it stays in the first cache.
    bool grow() {
        bits_ = bits_ ? bits_ + 2 : 8;
        Scratch<std::int32_t> larger(size());
        if (!larger) return false;
        std::swap(table_.data, larger.data);
        for (std::int32_t code = 0; code < count_; ++code) table_.data[slot_of(known(code))] = code + 1;
        return true;
    }

    const char** starts_;
    index* sizes_;
    Scratch<std::int32_t> table_{0};           // code + 1 of the text in each slot, 0 where it is free
    int bits_ = 0;
    std::int32_t count_ = 0;
};

// Texts first ... first + n - 1; those whose bit in `valid` is 0 are missing (code -1). Writes the code of each, and
// where the text of each code lies; returns how many codes there are.
template <class Texts>
index text_codes(const Texts& texts, const std::uint8_t* valid, index first, index n, std::int32_t* codes,
                 const char** starts, index* sizes) {
    Codes known(starts, sizes);
    for (index i = 0; i < n; ++i) {
        const index at = first + i;
        if (valid && !(valid[at >> 3] >> (at & 7) & 1)) { codes[i] = -1; continue; }
        codes[i] = known.of(texts[at]);
        if (codes[i] < 0) return NO_MEMORY;
    }
    return known.count();
}

}  // namespace
}  // namespace parzen

#define PARZEN_TEXT(suffix, Texts, Start, Data)                                                                       \
    PARZEN_EXPORT parzen::index parzen_text_codes_##suffix(                                                           \
        const void* start, const void* data, const std::uint8_t* valid, parzen::index first, parzen::index n,         \
        std::int32_t* codes, const char** starts, parzen::index* sizes) {                                             \
        const Texts texts{static_cast<Start>(start), static_cast<Data>(data)};                                        \
        return parzen::text_codes(texts, valid, first, n, codes, starts, sizes);                                      \
    }

PARZEN_TEXT(i32, parzen::Packed<std::int32_t>, const std::int32_t*, const char*)
PARZEN_TEXT(i64, parzen::Packed<std::int64_t>, const std::int64_t*, const char*)
PARZEN_TEXT(view, parzen::Views, const char*, const char* const*)
