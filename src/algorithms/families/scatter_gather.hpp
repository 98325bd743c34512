// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <type_traits>

#include "algorithms/families/k_ported.hpp"
#include "collectives/calls.hpp"
#include "data/partition.hpp"
#include "data/scratch.hpp"
#include "decomposition/components.hpp"
#include "decomposition/shares.hpp"
#include "messages/messages.hpp"
#include "messages/way.hpp"

/// Scatter and gather, which differ by direction only: `Call` is either of them (see messages/way.hpp).
namespace laneway {

template <class Call>
inline constexpr Way way_of = std::is_same_v<Call, Scatter> ? outwards : inwards;

/// @name The components, between a row of blocks on `root` and one's own
/// @{
inline void blocks(Way way, const Buffer& row, const Buffer& own, int root, const Part& on)
{
    way.out ? serve(Scatter{row, own, root}, on) : serve(Gather{own, row, root}, on);
}
inline void blocks(Way way, const Buffer& row, const Buffer& own, const Partition& part, int root,
                   const Part& on)
{
    way.out ? serve(Scatterv{row, own, part, root}, on) : serve(Gatherv{own, row, part, root}, on);
}
/// @}

/// Scatter or gather by a leader on every node, on the root's lane: nodes get all of their blocks, then processes
/// theirs.
template <class Call>
void blocks_by_leaders(const Call& call, const Decomposition& on)
{
    constexpr Way way = way_of<Call>;
    const Decomposition::Place root = on.locate(call.root);
    const int node = on.node_index();
    const std::int64_t length = call.mine.count;
    const MPI_Datatype type = call.mine.type;
    const bool is_root = on.world.rank() == call.root;

    // Takes the root's lane, if it has one, and no other carries more; else all goes through the leader of the root's node.
    const int lane = on.leading_lane(root.local % on.lanes());
    const int leader = on.owner(lane, node);
    const bool leads = on.node.rank() == leader;
    // Where ranks are consecutive, blocks ordered by node are ordered by rank.
    const bool direct = on.consecutive() && on.owner(lane, root.node) == root.local;
    const bool reorders = leads && node == root.node && !direct;

    const std::int64_t all = length * on.world.size(), of_node = length * on.node.size();
    const Scratch reordered(reorders ? all : 0, type), held(leads ? of_node : 0, type);
    const Buffer row = (is_root && direct ? call.whole : reordered.buffer()).slice(0, all);
    const Buffer node_row = held.buffer().slice(0, of_node);

    way.phases(
        [&] {
            if (direct || !(is_root || reorders)) return;
            Stretches by_node(call.whole);
            if (is_root) by_node = node_order(length, call.whole, on);
            const auto [places, type_of_places] = by_node.all();
            if (is_root && reorders) return way.copy(places, row, on.node);
            Messages messages(on.node);
            if (is_root) way.with_outer(messages, places, leader);
            if (reorders) way.with_inner(messages, row, root.local);
            messages.wait();
        },
        [&] {
            if (leads && on.equal_nodes()) blocks(way, row, node_row, root.node, on.lane(lane));
            if (leads && !on.equal_nodes())
                blocks(way, row, node_row, node_blocks(length, on), root.node, on.lane(lane));
        },
        [&] { blocks(way, node_row, call.mine, leader, on.node); });
}

/// Scatter or gather by all lanes, where nodes are equal and their ranks consecutive. Process j of the root's node gets
/// a column of the row: every n-th block from block j on. Each lane takes one column. Columns interlace by strided
/// datatypes.
template <class Call>
void blocks_by_columns(const Call& call, const Decomposition& on)
{
    constexpr Way way = way_of<Call>;
    const Decomposition::Place root = on.locate(call.root);
    const int nodes = on.nodes(), size = on.node.size(), local = on.node.rank();
    const int length = static_cast<int>(call.mine.count);
    const MPI_Datatype type = call.mine.type;
    const bool at_root = on.node_index() == root.node, is_root = on.world.rank() == call.root;

    std::optional<Datatype> block, column;
    if (is_root) {
        block = Datatype::strided(1, length, length, type, size * length);
        column = Datatype::strided(nodes, length, size * length, type, length);
    }
    const Buffer columns = is_root ? Buffer::of(call.whole.data, size, *column) : call.whole;
    const Scratch scratch(at_root && !is_root ? nodes * call.mine.count : 0, type);
    const Buffer own_column = is_root ? Buffer::of(columns.slice(local, 1).data, nodes, *block)
                                      : scratch.buffer().slice(0, nodes * call.mine.count);

    const auto exchange = [](const Buffer& row, const Buffer& own, int leader, const Part& part) {
        way.out ? serve_plainly(Scatter{row, own, leader}, part)
                : serve_plainly(Gather{own, row, leader}, part);
    };
    way.phases(
        [&] {
            if (at_root)
                exchange(columns, is_root ? columns.slice(local, 1) : own_column, root.local,
                         on.node);
        },
        [&] { exchange(own_column, call.mine, root.node, on.lane(local)); });
}

/// Scatter or gather by nodes as processors with k ports: nodes get the blocks of all nodes below them, then processes
/// theirs.
template <class Call>
void blocks_by_ports(const Call& call, const Decomposition& on)
{
    constexpr Way way = way_of<Call>;
    const PortTree tree(call.root, on);
    const MPI_Datatype type = call.mine.type;
    const Partition parts = tree.blocks(call.mine.count);
    const auto [first, size] = tree.below();
    const std::int64_t of_node = parts.size(first);
    const Scratch held(tree.is_holder() ? parts.first(first + size) - parts.first(first) : 0, type);
    const PortTree::Load load = tree.load(parts, held.buffer());

    way.phases(
        [&] {
            if (on.world.rank() != call.root) return;
            const Datatype places = tree.places(call.mine.count, type);
            way.copy(Buffer::of(call.whole.data, 1, places), held.buffer(), on.world);
        },
        [&] { way.out ? tree.down(load) : tree.up(load); },
        [&] { blocks(way, held.buffer().slice(0, of_node), call.mine, tree.holder(), on.node); });
}

}  // namespace laneway
