// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/use.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace laneway {
namespace {

/// Copies a piece. Most pieces are short, and take no call.
void copy_piece(std::byte* to, const std::byte* from, std::int64_t bytes)
{
    constexpr std::int64_t word = 4, two = 8;
    if (bytes == word)
        std::memcpy(to, from, word);
    else if (bytes == two)
        std::memcpy(to, from, two);
    else
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
}

/// Calls `body(data, bytes)` for the pieces of elements, in the order of a message.
template <class Body>
void for_pieces(std::byte* data, std::int64_t count, const Footprint& type, const Body& body)
{
    for (std::int64_t element = 0; element < count; ++element, data += type.extent)
        for (const auto& [first, last] : type.pieces) body(data + first, last - first);
}

/// Whether some byte of `use` lies in [first, last).
bool touches(const Use& use, std::intptr_t first, std::intptr_t last)
{
    const auto& runs = use.type->runs();
    const auto is_in = [&](std::int64_t element) {
        const std::intptr_t start = use.address + element * use.type->extent;
        const auto run = std::ranges::partition_point(
            runs, [&](const auto& one) { return start + one.last <= first; });
        return run != runs.end() && start + run->first < last;
    };
    const std::int64_t extent = use.type->extent;
    if (use.count == 1 || extent == 0) return is_in(0);
    // Elements whose hull, moved by a multiple of the extent, meets [first, last).
    const std::int64_t least = first - use.address - runs.back().last;
    const std::int64_t most = last - use.address - runs.front().first;
    const std::int64_t from = (extent > 0 ? least : most) / extent - 1;
    const std::int64_t to = (extent > 0 ? most : least) / extent + 1;
    for (std::int64_t i = std::max<std::int64_t>(0, from); i <= std::min(to, use.count - 1); ++i)
        if (is_in(i)) return true;
    return false;
}

}  // namespace

void transfer(const void* from, std::int64_t from_count, const Footprint& from_type, void* to,
              std::int64_t to_count, const Footprint& to_type)
{
    static const Footprint as_bytes{1, 1, true, {{0, 1}}, {}};
    const std::int64_t bytes = from_count * from_type.size;
    if (from_type.dense && to_type.dense) {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        return;
    }
    auto* source = static_cast<std::byte*>(const_cast<void*>(from));
    auto* target = static_cast<std::byte*>(to);
    if (from_type.dense) {
        for_pieces(target, to_count, to_type, [&](std::byte* piece, std::int64_t length) {
            copy_piece(piece, source, length);
            source += length;
        });
        return;
    }
    if (to_type.dense) {
        for_pieces(source, from_count, from_type, [&](std::byte* piece, std::int64_t length) {
            copy_piece(target, piece, length);
            target += length;
        });
        return;
    }
    // Where both have gaps, the data go by way of a message.
    static thread_local std::vector<std::byte> message;
    message.resize(std::max(message.size(), static_cast<std::size_t>(bytes)));
    transfer(from, from_count, from_type, message.data(), bytes, as_bytes);
    transfer(message.data(), bytes, as_bytes, to, to_count, to_type);
}

bool Use::overlaps(const Use& other) const
{
    const auto [first, last] = hull();
    const auto [other_first, other_last] = other.hull();
    const std::intptr_t from = std::max(first, other_first), to = std::min(last, other_last);
    if (from >= to) return false;
    if (type->dense && other.type->dense) return true;
    if (type->dense) return touches(other, from, to);
    if (other.type->dense) return touches(*this, from, to);
    for (std::int64_t element = 0; element < count; ++element) {
        const std::intptr_t start = address + element * type->extent;
        for (const auto& run : type->runs()) {
            if (start + run.last <= from) continue;
            if (start + run.first >= to) break;
            if (touches(other, start + run.first, start + run.last)) return true;
        }
    }
    return false;
}

}  // namespace laneway
