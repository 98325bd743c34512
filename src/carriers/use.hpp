// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "data/footprint.hpp"

namespace laneway {

/// Copies the data of `from_count` elements to those of `to_count`, as many bytes; they don't overlap.
void transfer(const void* from, std::int64_t from_count, const Footprint& from_type, void* to,
              std::int64_t to_count, const Footprint& to_type);

/// Memory that a message or a step uses: `count` elements of a type.
struct Use {
    std::intptr_t address;
    std::int64_t count;
    const Footprint* type;
    bool writes;

    struct Hull {
        std::intptr_t first;  ///< byte
        std::intptr_t last;   ///< past the end
    };
    std::int64_t bytes() const { return count * type->size; }
    Hull hull() const
    {
        if (type->dense) return {address, address + count * type->size};
        if (count == 0 || type->pieces.empty()) return {address, address};
        const std::int64_t last = (count - 1) * type->extent;
        return {address + (last < 0 ? last : 0) + type->runs().front().first,
                address + (last > 0 ? last : 0) + type->runs().back().last};
    }
    bool overlaps(const Use& other) const;
    bool conflicts(const Use& other) const { return (writes || other.writes) && overlaps(other); }
};

}  // namespace laneway
