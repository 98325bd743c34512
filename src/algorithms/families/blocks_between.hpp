// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/families/block_matrix.hpp"
#include "decomposition/decomposition.hpp"

namespace laneway {

/// The size classes of rows, in bytes. The two nodes of a row know all of it, and no others do.
struct RowSizes {
    std::int64_t whole;  ///< up to these a row goes by one lane, see short_between
    std::int64_t straight =
        0;  ///< from these on its blocks go straight, see long_between; 0: never
};

/// How the row between two nodes is cut.
struct RowCut {
    RowSizes sizes;
    int segment = 0, segments = 1;  ///< the number of the part taken, of so many parts
    std::int64_t least = 1;         ///< bytes at least of such a part, but for the last
};

/// The row of blocks from one node to another one, or a segment of it: origin after origin, by rank. It knows where the
/// blocks of each origin begin, and looks at single blocks where somebody asks for them.
class BlocksBetween {
public:
    /// The row of nodes `from` and `to`, one of which is the calling process's. `element`: bytes of an element. The
    /// blocks must outlive this object.
    BlocksBetween(const BlockMatrix& blocks, int from, int to, const RowCut& cut,
                  std::int64_t element, const Decomposition& on);

    int from() const { return from_; }
    int to() const { return to_; }
    bool is_empty() const { return first_ == last_; }
    /// Whether it is long enough that all its blocks go from process to process, however many a process has.
    bool is_straight() const { return is_straight_; }

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
    /// The side of a row whose processes have the blocks of a run in one piece.
    enum class Side { origins, targets };
    /// The runs of a share in order; `only`: those of that process of the side's node alone.
    std::vector<Run> runs(int lane, Side side, std::optional<int> only = {}) const;
    /// The blocks of a short row, where no process has more than one of them: they need nobody between their origins
    /// and their targets.
    std::vector<Run> lone_blocks() const;

private:
    /// The place in the row where an origin's blocks for its first targets, so many, end.
    std::int64_t place(std::size_t origin, std::size_t processes) const
    {
        return begins_[origin] +
               blocks_->for_first(static_cast<int>(processes), to_, (*origins_)[origin]);
    }

    /// The target of an origin's block at a place of the row, where that origin has elements.
    std::size_t target_at(std::size_t origin, std::int64_t place) const;

    const BlockMatrix* blocks_;
    const std::vector<int>* origins_;
    const std::vector<int>* targets_;
    int from_, to_;
    const Decomposition* on_;
    LaneWeights
        weights_;  ///< how much each lane carries between the two nodes; empty: as on all nodes
    std::vector<std::int64_t> begins_;   ///< by origin, and where the row ends
    std::int64_t first_ = 0, last_ = 0;  ///< where the segment begins and ends in the row
    std::optional<int> only_lane_;
    bool is_straight_ = false;
};

}  // namespace laneway
