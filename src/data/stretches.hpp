// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "containers/few.hpp"
#include "data/buffer.hpp"
#include "data/partition.hpp"

namespace laneway {

/// Whether the pieces of one message are packed, as a type. Several short ones are; others go straight from place to
/// place. Both sides of a message decide alike, as their pieces have the same lengths.
inline bool are_packed(const std::vector<Buffer>& pieces)
{
    constexpr std::int64_t long_piece = 2048;
    std::int64_t bytes = 0;
    for (const Buffer& piece : pieces) bytes += piece.count * piece.extent;
    return pieces.size() > 1 && bytes < long_piece * static_cast<std::int64_t>(pieces.size());
}

/// Elements that lie in stretches of a buffer, as a row. A message of several blocks takes them in turn.
class Stretches {
public:
    /// A row without elements yet.
    explicit Stretches(const Buffer& whole) : whole_(whole) {}
    /// The row of these blocks.
    Stretches(const Buffer& whole, const Partition& part, std::span<const int> blocks)
        : whole_(whole)
    {
        for (const int block : blocks) add(part.first(block), part.size(block));
    }

    /// Adds the next elements. They lengthen the last stretch where they follow it in memory.
    void add(std::int64_t first, std::int64_t count)
    {
        if (count == 0) return;
        if (!stretches_.empty() && stretches_.back().first + stretches_.back().count == first)
            stretches_.back().count += count;
        else
            stretches_.push_back({first, count, count_});
        count_ += count;
    }

    /// Adds the elements of a part of the buffer.
    void add(const Buffer& part)
    {
        const auto bytes = static_cast<char*>(part.data) - static_cast<char*>(whole_.data);
        add(bytes / whole_.extent, part.count);
    }

    std::int64_t count() const { return count_; }
    MPI_Datatype type() const { return whole_.type; }

    /// Calls `body(buffer)` for each stretch in turn.
    template <class Body>
    void for_each(const Body& body) const
    {
        for (const Stretch& one : stretches_) body(whole_.slice(one.first, one.count));
    }

    /// A buffer that may need a datatype, which must live as long as the buffer is used.
    using Row = std::pair<Buffer, std::optional<Datatype>>;

    /// The whole row.
    Row all() const
    {
        if (count_ == 0) return {whole_.slice(0, 0), std::nullopt};
        return slice(0, count_);
    }

    /// `length` elements of the row from `start` on.
    Row slice(std::int64_t start, std::int64_t length) const
    {
        auto at = std::ranges::upper_bound(stretches_, start, {}, &Stretch::before) - 1;
        const std::int64_t skipped = start - at->before;
        if (skipped + length <= at->count)
            return {whole_.slice(at->first + skipped, length), std::nullopt};

        std::vector<Datatype::Piece> pieces;
        for (const std::int64_t end = start + length; start < end; ++at) {
            const std::int64_t inside = start - at->before;
            const std::int64_t count = std::min(end - start, at->count - inside);
            pieces.push_back(
                {count, static_cast<MPI_Aint>((at->first + inside) * whole_.extent), whole_.type});
            start += count;
        }
        Datatype type = Datatype::of_pieces(pieces);
        const Buffer buffer = Buffer::of(whole_.data, 1, type);
        return {buffer, std::move(type)};
    }

private:
    struct Stretch {
        std::int64_t first, count;
        std::int64_t before;  ///< elements of earlier stretches
    };

    Buffer whole_;
    Few<Stretch, 2> stretches_;
    std::int64_t count_ = 0;
};

}  // namespace laneway
