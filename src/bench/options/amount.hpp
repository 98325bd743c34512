// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace laneway::bench {

/// How much is communicated, as asked for: elements, elements times the number of ranks, or bytes.
struct Amount {
    enum class Unit { elements, ranks, bytes };
    std::int64_t number;
    Unit unit = Unit::elements;

    /// The count of the MPI call; none where the bytes are no multiple of `size`, or MPI cannot count so far.
    std::optional<int> count(int ranks, std::size_t size) const;

    std::string text() const;
};

/// "1,1000,2p": counts, and multiples of the number of ranks. Throw Misunderstood.
std::vector<Amount> counts(const std::string& option, const std::string& list);

/// "MIN:MAX", "MAX" or ":MAX" (from 1), "MIN:" (to 4M): bytes by powers of two, 0 before them where
/// MIN is 0; "8,64,4K": just these.
std::vector<Amount> sizes(const std::string& option, const std::string& text);

/// "MIN:MAX", "MAX" or ":MAX" (from 0), "MIN:" (to 22): 0 bytes, and those of 2^MIN to 2^MAX.
std::vector<Amount> log_sizes(const std::string& option, const std::string& text);

/// Bytes, with or without a unit: text/text.hpp.
std::int64_t bytes(const std::string& option, std::string_view text);

/// A time in seconds, likewise.
double duration(const std::string& option, std::string_view text);

}  // namespace laneway::bench
