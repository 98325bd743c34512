// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/k_ported.hpp"

#include <climits>
#include <ranges>

#include "decomposition/node_phase.hpp"
#include "decomposition/shares.hpp"
#include "mpi/messages.hpp"
#include "mpi/scratch.hpp"

namespace laneway {
namespace {

/// The process that is this port of a node, counted from node `first` on.
int process_at(int port, int position, int first, const Decomposition& on)
{
    const int node = (first + position) % on.nodes();
    return on.members(node)[static_cast<std::size_t>(on.owner(port, node))];
}

}  // namespace

void broadcast_whole(const Bcast& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int nodes = on.nodes(), node = on.node_index();
    const int self = (node - root_node + nodes) % nodes;
    const auto process = [&, root = root_node](int port, int position) {
        return process_at(port, position, root, on);
    };

    if (self == 0) bcast(call.data, root_local, on.node);
    Messages messages(on.world);
    for (const Split& split : splits(self, nodes, on.lanes() + 1)) {
        for (int port = 0; self == split.first && port < split.parts - 1; ++port)
            if (on.serves(port))
                messages.send(call.data, process(port, split.begin(port + 1)), port);
        if (split.mine > 0 && self == split.begin(split.mine)) {
            const int port = split.mine - 1;
            if (on.serves(port)) messages.receive(call.data, process(port, split.first), port);
            messages.wait();
            bcast(call.data, on.owner(port, node), on.node);
        }
        messages.wait();
    }
}

PortTree::PortTree(int root, const Decomposition& on)
    : on_(on),
      root_node_(on.locate(root).node),
      position_((on.node_index() - root_node_ + on.nodes()) % on.nodes()),
      holder_(on.locate(root).local),
      below_{position_, position_ == 0 ? on.nodes() : 1}
{
    for (const Split& split : splits(position_, on.nodes(), on.lanes() + 1)) {
        if (split.first == position_) {
            splits_.push_back(split);
        } else if (split.begin(split.mine) == position_) {
            port_ = split.mine - 1;
            parent_ = split.first;
            holder_ = on.owner(port_, on.node_index());
            below_.size = split.length(split.mine);
        }
    }
}

int PortTree::process(int port, int position) const
{
    return process_at(port, position, root_node_, on_);
}

/// `body(row, port)`, in the order of positions.
template <class Body>
void PortTree::for_children(const Split& split, const Body& body) const
{
    for (int part = 1; part < split.parts; ++part)
        body(Row{split.begin(part), split.length(part)}, part - 1);
}

void PortTree::hand_on(const Load& load, Row row, int from, int to, int port) const
{
    const Scratch room(load.count(row), load.type);
    Messages message(on_.world);
    message.receive(room.buffer(), from, port);
    message.wait();
    message.send(room.buffer(), to, port);
    message.wait();
}

void PortTree::down(const Load& load) const
{
    Messages arriving(on_.world), leaving(on_.world);
    if (position_ != 0 && is_holder())
        arriving.receive(load.place(below_), process(port_, parent_), port_);
    arriving.wait();
    const int holder = on_.members(on_.node_index())[static_cast<std::size_t>(holder_)];
    for (const Split& split : splits_)
        for_children(split, [&](Row row, int port) {
            const int there = process(port, row.first);
            if (is_holder())
                leaving.send(load.place(row), serves(port) ? there : process(port, position_),
                             port);
            else if (serves(port))
                hand_on(load, row, holder, there, port);
        });
    leaving.wait();
}

void PortTree::up(const Load& load) const
{
    const int holder = on_.members(on_.node_index())[static_cast<std::size_t>(holder_)];
    for (const Split& split : splits_ | std::views::reverse)
        for_children(split, [&](Row row, int port) {
            const int there = process(port, row.first);
            if (!is_holder() && serves(port)) hand_on(load, row, there, holder, port);
            if (!is_holder()) return;
            Messages arriving(on_.world);
            arriving.receive(load.place(row), serves(port) ? there : process(port, position_),
                             port);
            arriving.wait();
            load.arrived();
        });
    Messages leaving(on_.world);
    if (position_ != 0 && is_holder())
        leaving.send(load.place(below_), process(port_, parent_), port_);
    leaving.wait();
}

Partition PortTree::blocks(std::int64_t length) const
{
    const Partition by_node = node_blocks(length, on_);
    std::vector<std::int64_t> sizes;
    for (int position = 0; position < on_.nodes(); ++position)
        sizes.push_back(by_node.size((root_node_ + position) % on_.nodes()));
    return Partition(sizes);
}

Datatype PortTree::places(std::int64_t length, MPI_Datatype type) const
{
    std::vector<int> displacements;
    for (int position = 0; position < on_.nodes(); ++position)
        for (const int rank : on_.members((root_node_ + position) % on_.nodes()))
            displacements.push_back(static_cast<int>(rank * length));
    return Datatype::indexed(std::vector<int>(displacements.size(), static_cast<int>(length)),
                             displacements, type);
}

PortTree::Load PortTree::load(const Partition& blocks, const Buffer& held) const
{
    const auto count = [&](Row row) {
        return blocks.first(row.first + row.size) - blocks.first(row.first);
    };
    const std::int64_t before = blocks.first(position_);
    return {held.type, count, [&blocks, held, before, count](Row row) {
                return held.slice(blocks.first(row.first) - before, count(row));
            }};
}

int head_of_reduction(const Reduce& call, const Decomposition& on)
{
    const bool in_order = pmpi::is_commutative(call.op) || on.locate(call.root).node == 0;
    return in_order ? call.root : 0;
}

PortExchange::PortExchange(const Decomposition& on)
    : on_(on),
      splits_(laneway::splits(on.node_index(), on.nodes(), on.lanes() + 1))
{
}

/// A part that the calling process exchanges with.
struct PortExchange::Peer {
    int port;   ///< its number among those that are not the node's own
    int other;  ///< among all
    int here;   ///< the place of the node in its own part
    int mine, length, others;
    std::function<int(int at)> process;

    /// The place in the other part that goes with this one; parts differ in length by one at most, so it may go with
    /// two of the other's. That it is not always the first one, each part begins at another place.
    int partner() const { return (here + mine) % others; }
    /// Whether this place is the partner of place `at` of the other part.
    bool is_partner_of(int at) const { return (at + other) % length == here; }
};

template <class Body>
void PortExchange::for_peers(const Split& split, const Body& body) const
{
    const int mine = split.mine;
    for (int other = 0; other < split.parts; ++other) {
        const int port = other < mine ? other : other - 1, theirs = mine < other ? mine : mine - 1;
        if (other == mine || !on_.serves(port)) continue;
        const auto process = [&](int at) {
            return process_at(theirs, split.begin(other) + at, 0, on_);
        };
        body(Peer{port, other, on_.node_index() - split.begin(mine), mine, split.length(mine),
                  split.length(other), process});
    }
}

void PortExchange::bring(const Split& split, const Buffer& own, const Buffer& brought,
                         const Partition& by_port) const
{
    Messages messages(on_.world);
    for_peers(split, [&](const Peer& peer) {
        messages.receive(by_port.block(brought, peer.port), peer.process(peer.partner()),
                         peer.other);
        for (int at = 0; at < peer.others; ++at)
            if (peer.is_partner_of(at)) messages.send(own, peer.process(at), peer.mine);
    });
    messages.wait();
}

void PortExchange::hand_over(const Split& split, const Partition& nodes, const Buffer& whole,
                             MPI_Op op) const
{
    const auto row = [&](int first, int last) {
        return whole.slice(nodes.first(first), nodes.first(last) - nodes.first(first));
    };
    const int begin = split.begin(split.mine), end = split.begin(split.mine + 1);
    const Buffer own = row(begin, end);
    const Buffer before = row(split.first, begin), after = row(end, split.first + split.size);
    std::vector<std::int64_t> sizes;
    for (int part = 0; part < split.parts; ++part)
        if (part != split.mine)
            sizes.push_back(row(split.begin(part), split.begin(part + 1)).count);
    const Partition by_port(sizes);

    const Scratch addends(by_port.count(), whole.type);
    if (before.count > 0) copy(before, addends.buffer().slice(0, before.count), on_.world);
    if (after.count > 0) copy(after, addends.buffer().slice(before.count, after.count), on_.world);
    const Scratch sums(owned_count(by_port, on_), whole.type);
    reduce_scatter_parts(addends.buffer(), sums.buffer(), by_port, op, on_);

    int arrivals = 0;
    for_peers(split, [&](const Peer& peer) {
        for (int at = 0; at < peer.others; ++at) arrivals += peer.is_partner_of(at);
    });
    const Scratch rooms(arrivals * own.count, whole.type);
    const auto room = [&](int arrival) {
        return rooms.buffer().slice(arrival * own.count, own.count);
    };
    Messages messages(on_.world);
    std::int64_t sent = 0;
    int arrival = 0;
    for_peers(split, [&](const Peer& peer) {
        const std::int64_t length = by_port.size(peer.port);
        messages.send(sums.buffer().slice(sent, length), peer.process(peer.partner()), peer.mine);
        sent += length;
        for (int at = 0; at < peer.others; ++at)
            if (peer.is_partner_of(at))
                messages.receive(room(arrival++), peer.process(at), peer.other);
    });
    messages.wait();
    for (arrival = 0; arrival < arrivals; ++arrival) reduce_local(room(arrival), own, op);
}

namespace {

/// The sum of a part, among those that were brought and the own one.
Buffer sum_of(int part, const Split& split, const Buffer& own, const Buffer& brought)
{
    if (part == split.mine) return own;
    return brought.slice((part < split.mine ? part : part - 1) * own.count, own.count);
}

}  // namespace

void PortExchange::bring_sums(const Split& split, const Buffer& own, const Buffer& brought) const
{
    const int others = split.parts - 1;
    const Partition by_port(others * own.count, others);
    bring(split, own, brought, by_port);
    if (by_port.count() <= INT_MAX)
        return allgather_parts(brought.slice(0, by_port.count()), by_port, on_);
    for (int port = 0; port < others; ++port)
        bcast(by_port.block(brought, port), on_.owner(port, on_.node_index()), on_.node);
}

void PortExchange::add_up(const Split& split, const Buffer& own, const Buffer& brought,
                          MPI_Op op) const
{
    const Buffer sum = sum_of(split.parts - 1, split, own, brought);
    for (int part = split.parts - 2; part >= 0; --part)
        reduce_local(sum_of(part, split, own, brought), sum, op);
    if (sum.data != own.data) copy(sum, own, on_.world);
}

Prefixes::Prefixes(const Buffer& row, int parts, MPI_Op op) : row_(row), sums_(row.count, parts)
{
    for (int part = 1; part < parts; ++part) reduce_local(up_to(part - 1), up_to(part), op);
}

void PortExchange::prefix(const Buffer& total, const Buffer& before, MPI_Op op) const
{
    const Scratch brought(most_parts() * total.count, total.type);
    bool has_before = false;
    for (const Split& split : splits_ | std::views::reverse) {
        bring_sums(split, total, brought.buffer());
        for (int part = split.mine - 1; part >= 0; --part) {
            const Buffer sum = sum_of(part, split, total, brought.buffer());
            if (has_before)
                reduce_local(sum, before, op);
            else
                copy(sum, before, on_.world);
            has_before = true;
        }
        add_up(split, total, brought.buffer(), op);
    }
}

}  // namespace laneway
