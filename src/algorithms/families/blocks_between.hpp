// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/families/block_matrix.hpp"
#include "decomposition/decomposition.hpp"

namespace laneway {

/// How the row between two nodes is cut.
struct RowCut {
    std::int64_t whole;             ///< bytes up to which it goes by one lane, see short_between
    int segment = 0, segments = 1;  ///< the number of the part taken, of so many parts
    std::int64_t least = 1;         ///< bytes at least of such a part, but for the last
};

/// The row of blocks from one node to another one, or a segment of it: origin after origin, by rank.
class BlocksBetween {
public:
    /// The row of nodes `from` and `to`, one of which is the calling process's. `element`: bytes of an element.
    BlocksBetween(const BlockMatrix& blocks, int from, int to, const RowCut& cut,
                  std::int64_t element, const Decomposition& on);

    int from() const { return from_; }
    int to() const { return to_; }
    bool is_empty() const { return first_ == last_; }

    /// A stretch of the row.
    struct Share {
        std::int64_t first, count;
    };
    /// The share of a lane.
    Share share(int lane) const;

    /// A part of a share that lies in successive blocks of one process, for others or from others. It stands with that
    /// process in one piece.
    struct Run {
        int origin, target;     ///< ranks of the first of these blocks
        std::int64_t in_block;  ///< where the run begins in that block
        std::int64_t in_share;
        std::int64_t count;
    };
    /// The runs in order: of blocks that follow each other with their origins, or, if not `by_origin`, with their
    /// targets.
    std::vector<Run> runs(int lane, bool by_origin) const;
    /// The only block of a short row: it needs nobody between its origin and its target.
    std::optional<Run> lone_block() const;

private:
    const std::vector<int>* origins_;
    const std::vector<int>* targets_;
    int from_, to_, lanes_;
    std::vector<std::int64_t> begins_;   ///< where blocks begin in the row, and where the row ends
    std::int64_t first_ = 0, last_ = 0;  ///< where the segment begins and ends in the row
    std::optional<int> only_lane_;
};

}  // namespace laneway
