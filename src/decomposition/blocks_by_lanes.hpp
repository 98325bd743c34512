// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "collectives/calls.hpp"
#include "decomposition/scatter_gather.hpp"
#include "decomposition/segmented.hpp"
#include "decomposition/shares.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

/// Collectives on blocks by the lanes' shares of these or, the same text for a segment of them, of a stretch of every
/// block: `shares` knows how the blocks stand. One's own block is the stretch alone; the row of all blocks begins with
/// the stretch of its first block.
namespace laneway {

/// Scatter and gather: the root exchanges what each lane carries, straight from or to its places, with the processes of
/// its node; then all lanes at once; where nodes differ, shares become blocks on every node.
template <class Call>
void blocks_by_shares(const Call& call, const Shares& shares, const Decomposition& on)
{
    constexpr Way way = way_of<Call>;
    const Decomposition::Place root = on.locate(call.root);
    const bool at_root = on.node_index() == root.node, is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;

    const Scratch columns(at_root ? shares.served() : 0, type);
    const Scratch redistributed(on.regular() ? 0 : shares.owned(), type);
    const Buffer owned = on.regular() ? call.mine : redistributed.buffer();

    // What lanes carry has its places at the root, straight. In place, the root's own block is among what a gather brings
    // there, and must have left before.
    Messages messages(on.node);
    const auto exchange = [&](const Shares::Served& its) {
        way.with_inner(messages, its.column, root.local, its.lane);
    };
    way.phases(
        [&] {
            std::vector<Datatype> places;
            for (int lane = 0; is_root && lane < on.lanes(); ++lane) {
                places.push_back(shares.places(lane, type));
                way.with_outer(messages, Buffer::of(call.whole.data, 1, places.back()),
                               on.owner(lane, root.node), lane);
            }
            if (at_root && way.out) shares.for_lanes(columns.buffer(), owned, exchange);
            messages.wait();
        },
        [&] {
            shares.for_lanes(columns.buffer(), owned, [&](const Shares::Served& its) {
                blocks(way, its.column, its.share, its.nodes, root.node, on.lane(its.lane));
                // Inwards, one lane's goes to the root while the next one is busy.
                if (at_root && !way.out) exchange(its);
            });
        },
        [&] {
            if (on.regular()) return;
            way.out ? shares.to_blocks(owned, call.mine) : shares.from_blocks(call.mine, owned);
        });
}

/// Of whole blocks.
template <class Call>
void blocks_by_lanes(const Call& call, const Decomposition& on)
{
    blocks_by_shares(call, Shares(call.mine.count, on), on);
}

/// Of segments, several of them under way at once.
template <class Call>
void blocks_in_segments(const Call& call, const Decomposition& on, const Tunables& tunables)
{
    const std::int64_t block = call.mine.count;
    in_segments(block, call.mine.extent, tunables, on, [&](std::int64_t first, std::int64_t count) {
        Call segment = call;
        segment.whole = call.whole.slice(first, 0);
        segment.mine = call.mine.slice(first, count);
        blocks_by_shares(segment, Shares(count, block, on), on);
    });
}

/// The blocks are brought into the order of the lanes first, so that both reduce-scatters work on consecutive data.
void reduce_scatter_by_lanes(const ReduceScatterBlock& call, const Shares& shares,
                             const Decomposition& on);

}  // namespace laneway
