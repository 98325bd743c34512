// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>

#include "algorithms/families/gossip_by_lanes.hpp"
#include "algorithms/families/scatter_gather.hpp"
#include "collectives/calls.hpp"
#include "data/scratch.hpp"
#include "decomposition/segmented.hpp"
#include "decomposition/shares.hpp"
#include "messages/messages.hpp"

/// Collectives on blocks, by the lanes' shares of these. One function serves whole blocks and segments, which are a
/// stretch of every block: `shares` knows how the blocks stand. In a segment, one's own block is the stretch alone. The
/// row of all blocks begins with the stretch of its first block.
namespace laneway {

/// Scatter and gather. The root exchanges each lane's column, straight from or to its places, with the processes of its
/// node. Then all lanes work at once. Where nodes differ, shares become blocks on every node.
template <class Call>
void blocks_by_shares(const Call& call, const Shares& shares, const Decomposition& on)
{
    constexpr Way way = way_of<Call>;
    const Decomposition::Place root = on.locate(call.root);
    const bool at_root = on.node_index() == root.node, is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;

    const bool several = on.nodes() > 1;
    const Scratch columns(at_root && several ? shares.served() : 0, type);
    const Scratch redistributed(on.regular() ? 0 : shares.owned(), type);
    const Buffer owned = on.regular() ? call.mine : redistributed.buffer();
    const auto for_lanes = [&](const auto& body) {
        shares.for_lanes(columns.buffer(), owned, body);
    };

    // Columns go straight from or to their places at the root. In place, the root's own block stands where a gather
    // brings data, and must have left before.
    Messages messages(on.node);
    const auto exchange = [&](const Shares::Served& its) {
        if (at_root && !is_root) way.with_inner(messages, its.column, root.local, its.lane);
    };
    way.phases(
        [&] {
            for (int lane = 0; is_root && lane < on.lanes(); ++lane)
                if (!on.serves(lane))
                    way.with_outer(messages, shares.places(lane, call.whole),
                                   on.owner(lane, root.node), lane);
            for_lanes([&](const Shares::Served& its) {
                if (is_root)
                    way.copy(shares.places(its.lane, call.whole), its.column, on.node);
                else if (way.out)
                    exchange(its);
            });
            messages.wait();
        },
        [&] {
            for_lanes([&](const Shares::Served& its) {
                if (several)
                    blocks(way, its.column, its.share, its.nodes, root.node, on.lane(its.lane));
                // Inwards, one lane's column goes to the root while the next lane is busy.
                if (!way.out) exchange(its);
            });
        },
        [&] {
            if (on.regular()) return;
            way.out ? shares.to_blocks(owned, call.mine) : shares.from_blocks(call.mine, owned);
        });
}

/// Scatter or gather of whole blocks.
template <class Call>
void blocks_by_lanes(const Call& call, const Decomposition& on)
{
    blocks_by_shares(call, Shares(call.mine.count, on).towards(on.locate(call.root).node), on);
}

/// Scatter or gather of segments, several of them under way at once.
template <class Call>
void blocks_in_segments(const Call& call, const Decomposition& on, const Tunables& tunables)
{
    const std::int64_t block = call.mine.count;
    const int root = on.locate(call.root).node;
    std::map<std::int64_t, Shares> all;  // segments have two lengths at most
    const auto shares = [&](std::int64_t count) -> const Shares& {
        const auto known = all.find(count);
        if (known != all.end()) return known->second;
        return all.emplace(count, Shares(count, block, on).towards(root)).first->second;
    };
    in_segments(block, call.mine.extent, as_told(tunables), on,
                [&](std::int64_t first, std::int64_t count) {
                    Call segment = call;
                    segment.whole = call.whole.slice(first, 0);
                    segment.mine = call.mine.slice(first, count);
                    blocks_by_shares(segment, shares(count), on);
                });
}

/// Reduce-scatter of a row of blocks, one's own to `result`. The blocks are brought into the order of the lanes first,
/// so that both reduce-scatters work on consecutive data. Partial sums go as `travel` says; round the nodes only where
/// the operator commutes.
void reduce_scatter_by_lanes(const Buffer& input, const Buffer& result, MPI_Op op,
                             const Shares& shares, const Decomposition& on,
                             Travel travel = Travel::straight);

}  // namespace laneway
