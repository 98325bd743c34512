// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <optional>

#include "call/front/data.hpp"

namespace laneway {

/// The two buffers of a gather or scatter in wire form. The `whole` is a row of blocks in rank order,
/// which not every rank has. `mine` is the caller's own block, which may stand in the whole
/// (MPI_IN_PLACE).
class Row {
public:
    /// `whole` is null where it is insignificant: there it has the count of the whole and no data.
    Row(const Data* whole, const Data& mine, std::int64_t block_bytes, const Comm& world)
        // NOLINTNEXTLINE(bugprone-unchecked-optional-access): facts() found one
        : unit_(*Unit::dividing(block_bytes, world.size())),
          first_(mine.in_place() ? whole->count * world.rank() : 0),
          own_(mine.in_place() ? whole->count : mine.count),
          length_(block_bytes / unit_.size()),
          rank_(world.rank()),
          whole_{nullptr, length_ * world.size(), unit_.type(), static_cast<MPI_Aint>(unit_.size())}
    {
        if (whole) {
            whole_wire_.emplace(whole->buffer(world.size()), unit_, world);
            whole_ = whole_wire_->buffer();
        }
        if (!mine.in_place()) mine_wire_.emplace(mine.buffer(), unit_, world);
    }

    const Buffer& whole() const { return whole_; }
    Buffer mine() const
    {
        return mine_wire_ ? mine_wire_->buffer() : whole_.slice(rank_ * length_, length_);
    }

    /// The own block goes out, and the whole comes in.
    std::array<Packing, 2> mine_to_whole() const
    {
        if (!mine_wire_) return {{{pointer(whole_wire_), {first_, own_}, all(whole_wire_)}, {}}};
        return {{{pointer(mine_wire_), all(mine_wire_), {}},
                 {pointer(whole_wire_), {}, all(whole_wire_)}}};
    }
    std::array<Packing, 2> whole_to_mine() const
    {
        return {{{pointer(whole_wire_), all(whole_wire_), {}},
                 {pointer(mine_wire_), {}, all(mine_wire_)}}};
    }

private:
    static const Wire* pointer(const std::optional<Wire>& wire) { return wire ? &*wire : nullptr; }
    static Stretch all(const std::optional<Wire>& wire) { return {0, wire ? wire->count() : 0}; }

    Unit unit_;
    std::int64_t first_;  ///< the own block in the caller's elements
    std::int64_t own_;
    std::int64_t length_;  ///< the length of a block in units
    int rank_;
    Buffer whole_;
    std::optional<Wire> whole_wire_, mine_wire_;
};

}  // namespace laneway
