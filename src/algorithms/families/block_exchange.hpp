// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "algorithms/families/block_matrix.hpp"
#include "algorithms/families/blocks_between.hpp"
#include "collectives/tunables.hpp"
#include "data/scratch.hpp"
#include "decomposition/decomposition.hpp"
#include "decomposition/segmented.hpp"
#include "messages/exchange.hpp"

/// Vector collectives by the blocks that pairs of nodes have between them. Both nodes of a pair know all of these,
/// their lengths and owners. So both see them as one row, block after block. They cut it into equal shares, one a lane,
/// and agree on every message.
namespace laneway {

/// Bytes up to which all blocks between two nodes go as a whole, by one lane. That lane differs from pair to pair.
constexpr Tunable short_between{"whole",
                                "bytes",
                                4096,
                                0,
                                std::numeric_limits<std::int32_t>::max(),
                                "what one node has for another goes by one lane, and not by all, "
                                "up to so many bytes: a message then in place of one a "
                                "lane"};

/// Bytes from which on blocks between two nodes go as MPI libraries send them. Lanes are full by then where each process
/// uses all of them, and no byte takes a way within a node.
constexpr Tunable long_between{"straight",
                               "bytes",
                               0,
                               0,
                               std::numeric_limits<std::int32_t>::max(),
                               "what one node has for another goes straight from process to "
                               "process from so many bytes on; 0: never"};

constexpr Tunable segment_between = Tunable{"segment",
                                            "bytes",
                                            16 << 10,
                                            64,
                                            1 << 30,
                                            "a segment of a lane's share of what one node has for "
                                            "another: of longer shares there are up to 8"};

/// The idea of algorithms that serve rows in segments, for their documentation.
constexpr const char* lane_by_rows_in_segments =
    "lane, one other node after the other, each row in up to 8 segments, several of them under way "
    "at once: while one is on "
    "the lanes, others are on the nodes";

/// Rows that leave the calling process's node, or that come to it, as that process sees them. Their way is from the
/// origins to the owners of lanes, over the lanes, and on to the targets.
class Passages {
public:
    Passages(bool leave, std::vector<BlocksBetween> rows, const BlockMatrix& blocks,
             const Decomposition& on);

    /// Brings rows, on the node that they leave, to the owners of lanes; on the node that they come to, from the
    /// owners.
    void within_node() const;
    /// Sends or receives rows over a lane that the process serves.
    void over_lane(int lane, Exchange& messages) const;

private:
    /// A lane's share of a row, on a lane that the process serves. It stands in scratch memory, or, where all of it is
    /// the process's own, in place.
    struct Served {
        std::int64_t first;  ///< its place in the scratch memory
        bool in_place;
    };
    /// A piece of a share that one process exchanges with the share's owner.
    struct Piece {
        Buffer in_row, in_share;
    };
    using Pieces = std::vector<Piece>;

    /// The calling process's runs of a lane's share.
    std::vector<BlocksBetween::Run> own_runs(const BlocksBetween& row, int lane) const
    {
        return row.runs(lane, side_, on_.node.rank());
    }
    const Served& served(std::size_t row, int lane) const
    {
        return served_[static_cast<std::size_t>(lane / on_.node.size()) * rows_.size() + row];
    }
    Buffer in_row(const BlocksBetween::Run& run) const;
    std::vector<Pieces> pieces_by_process(int lane) const;

    bool leave_;
    BlocksBetween::Side side_;
    std::vector<BlocksBetween> rows_;
    const BlockMatrix& blocks_;
    const Decomposition& on_;
    std::vector<Served> served_;  ///< by lane, and by row
    std::optional<Scratch> shares_;
};

/// Exchanges all blocks of a matrix at once.
void exchange_blocks(const BlockMatrix& blocks, const RowSizes& sizes, const Decomposition& on);

/// Exchanges rows with one other node after the other, each in segments, several of them under way at once.
void exchange_blocks_in_segments(const BlockMatrix& blocks, const RowSizes& sizes, const Cut& cut,
                                 const Decomposition& on);

/// The size classes that the tunables `whole` and `straight` say.
inline RowSizes row_sizes(const Tunables& tunables)
{
    return {tunables["whole"], tunables["straight"]};
}

/// @name What a vector collective does as an algorithm
/// @{
template <class Call>
void rows_by_all_lanes(const Call& call, const Decomposition& on, const Tunables& tunables)
{
    exchange_blocks(MatrixOf<Call>(call, on), row_sizes(tunables), on);
}
template <class Call>
void rows_in_segments(const Call& call, const Decomposition& on, const Tunables& tunables)
{
    exchange_blocks_in_segments(MatrixOf<Call>(call, on), row_sizes(tunables), as_told(tunables),
                                on);
}
/// The exchange by the first lane alone.
template <class Call>
void rows_by_leaders(const Call& call, const Decomposition& on)
{
    constexpr std::int64_t never = 0;
    exchange_blocks(MatrixOf<Call>(call, on), {.whole = never}, on.with_leaders(1));
}
/// Each pair of nodes has a lane of its own.
template <class Call>
void rows_by_one_lane_a_pair(const Call& call, const Decomposition& on)
{
    constexpr std::int64_t always = std::numeric_limits<std::int64_t>::max();
    exchange_blocks(MatrixOf<Call>(call, on), {.whole = always}, on);
}
/// @}

}  // namespace laneway
