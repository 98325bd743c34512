// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/rooted.hpp"

#include <optional>
#include <type_traits>
#include <vector>

#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {
namespace {

template <class Call>
constexpr bool to_root = std::is_same_v<Call, Gather>;

/// Steps in the order that leads to the root; from it, the last one comes first.
template <class Call, class First, class... Others>
void on_the_way(const First& first, const Others&... others)
{
    if constexpr (to_root<Call>) first();
    if constexpr (sizeof...(others) > 0) on_the_way<Call>(others...);
    if constexpr (!to_root<Call>) first();
}

/// @name A step between everyone's own blocks and the row of all of them at the root of a part
/// @{
template <class Call>
void move(const Buffer& mine, const Buffer& whole, int root, const Part& on)
{
    if constexpr (to_root<Call>)
        gather(mine, whole, root, on);
    else
        scatter(whole, mine, root, on);
}

/// Both sides' types may differ.
template <class Call>
void move_plainly(const Buffer& mine, const Buffer& whole, int root, const Part& on)
{
    if constexpr (to_root<Call>)
        plain::gather(mine, whole, root, on);
    else
        plain::scatter(whole, mine, root, on);
}

template <class Call>
void move_parts(const Buffer& mine, const Buffer& whole, const Partition& part, int root,
                const Part& on)
{
    if constexpr (to_root<Call>)
        gatherv(mine, whole, part, root, on);
    else
        scatterv(whole, mine, part, root, on);
}
/// @}

/// A step between a process and the root itself, which is above.
template <class Call>
void pass(Messages& messages, bool below, const Buffer& data, int peer, int tag = 0)
{
    if (below == to_root<Call>)
        messages.send(data, peer, tag);
    else
        messages.receive(data, peer, tag);
}

}  // namespace

template <class Call>
void by_roots_lane(const Call& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int node = on.node_index();
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;
    const Partition nodes = node_blocks(call.mine.count, on);

    // The root's lane, if it has one; else the leader of its node stands between it and the lane.
    const int lane = root_local % on.lanes();
    const int leader = on.owner(lane, node);
    const bool leads = on.node.rank() == leader;
    // Where ranks are consecutive, blocks ordered by node are ordered by rank.
    const bool direct = on.consecutive() && on.owner(lane, root_node) == root_local;
    const bool is_between = leads && node == root_node && !direct;

    const Scratch of_node(leads ? nodes.size(node) : 0, type);
    const Scratch of_all(is_between ? nodes.count() : 0, type);
    const Buffer on_node{of_node.buffer().data, nodes.size(node), type, of_node.buffer().extent};
    const Buffer by_node = is_root && direct ? call.whole : of_all.buffer();

    const auto with_leaders = [&] { move<Call>(call.mine, on_node, leader, on.node); };
    const auto among_leaders = [&, root_node = root_node] {
        if (!leads) return;
        if (!on.regular())
            return move_parts<Call>(on_node, by_node, nodes, root_node, on.lane(lane));
        const Buffer all{by_node.data, nodes.count(), type, on_node.extent};
        move<Call>(on_node, all, root_node, on.lane(lane));
    };
    const auto with_root = [&, root_local = root_local] {
        if (direct) return;
        std::optional<Datatype> places;  // of the root's blocks, by node
        if (is_root) places = node_order(call.mine.count, type, on);
        Messages messages(on.node);
        if (is_root) pass<Call>(messages, false, Buffer::of(call.whole.data, 1, *places), leader);
        if (is_between) pass<Call>(messages, true, by_node, root_local);
        messages.wait();
    };
    on_the_way<Call>(with_leaders, among_leaders, with_root);
}

template <class Call>
void by_columns(const Call& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int nodes = on.nodes(), size = on.node.size(), local = on.node.rank();
    const int length = static_cast<int>(call.mine.count);
    const MPI_Datatype type = call.mine.type;
    const bool is_root = on.world.rank() == call.root;

    const Datatype block = Datatype::strided(1, length, length, type, size * length);
    const Datatype column = Datatype::strided(nodes, length, size * length, type, length);
    const bool has_column = on.node_index() == root_node && !is_root;
    const Scratch scratch(has_column ? nodes * call.mine.count : 0, type);
    const Buffer own_column =
        is_root
            ? Buffer::of(call.whole.slice(std::int64_t{local} * length, 0).data, nodes, block)
            : Buffer{scratch.buffer().data, nodes * call.mine.count, type, scratch.buffer().extent};

    const auto on_lanes = [&, root_node = root_node] {
        move_plainly<Call>(call.mine, own_column, root_node, on.lane(local));
    };
    const auto with_root = [&, root_node = root_node, root_local = root_local] {
        if (on.node_index() != root_node) return;
        const Buffer whole = Buffer::of(call.whole.data, size, column);
        move_plainly<Call>(is_root ? whole.slice(local, 1) : own_column, whole, root_local,
                           on.node);
    };
    on_the_way<Call>(on_lanes, with_root);
}

template <class Call>
void by_lanes(const Call& call, const Shares& shares, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const bool at_root = on.node_index() == root_node;
    const bool is_root = on.world.rank() == call.root;
    const MPI_Datatype type = call.mine.type;

    // Of each lane that the process serves, what it owns and, on the root's node, the column of all nodes.
    const Scratch redistributed(on.regular() ? 0 : shares.owned(), type);
    const Buffer owned = on.regular() ? call.mine : redistributed.buffer();
    const Scratch columns(at_root ? shares.served() : 0, type);
    const auto for_columns = [&](const auto& body) {
        std::int64_t from = 0, to = 0;
        on.for_lanes([&](int lane) {
            const std::int64_t length = shares.of_node(on.node_index()).size(lane);
            const Buffer column = columns.buffer().slice(to, shares.on_lane(lane).count());
            body(lane, owned.slice(from, length), column);
            from += length;
            to += column.count;
        });
    };

    const auto with_owners = [&] {
        if (on.regular()) return;
        if constexpr (to_root<Call>)
            shares.from_blocks(call.mine, owned);
        else
            shares.to_blocks(owned, call.mine);
    };
    const auto on_lanes = [&, root_node = root_node] {
        for_columns([&](int lane, const Buffer& own, const Buffer& column) {
            move_parts<Call>(own, column, shares.on_lane(lane), root_node, on.lane(lane));
        });
    };
    // Columns stand at their places in the root's row. In place, its own block is among them, and must have left before.
    const auto with_root = [&, root_node = root_node, root_local = root_local] {
        if (!at_root) return;
        Messages messages(on.node);
        for_columns([&](int lane, const Buffer&, const Buffer& column) {
            pass<Call>(messages, true, column, root_local, lane);
        });
        std::vector<Datatype> places;
        for (int lane = 0; is_root && lane < on.lanes(); ++lane) {
            places.push_back(shares.places(lane, type));
            pass<Call>(messages, false, Buffer::of(call.whole.data, 1, places.back()),
                       on.owner(lane, root_node), lane);
        }
        messages.wait();
    };
    on_the_way<Call>(with_owners, on_lanes, with_root);
}

template void by_roots_lane(const Gather&, const Decomposition&);
template void by_roots_lane(const Scatter&, const Decomposition&);
template void by_columns(const Gather&, const Decomposition&);
template void by_columns(const Scatter&, const Decomposition&);
template void by_lanes(const Gather&, const Shares&, const Decomposition&);
template void by_lanes(const Scatter&, const Shares&, const Decomposition&);

}  // namespace laneway
