// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/k_ported.hpp"

#include <ranges>

#include "data/scratch.hpp"
#include "decomposition/shares.hpp"
#include "messages/messages.hpp"

namespace laneway {

void broadcast_whole(const Bcast& call, const Decomposition& on)
{
    const auto [root_node, root_local] = on.locate(call.root);
    const int nodes = on.nodes(), node = on.node_index();
    const int self = (node - root_node + nodes) % nodes;
    const auto process = [&, root = root_node](int port, int position) {
        return on.port(port, (root + position) % nodes);
    };

    if (self == 0) serve(Bcast{call.data, root_local}, on.node);
    Messages messages(on.world);
    for (const Split& split : splits(self, nodes, on.lanes() + 1)) {
        for (int port = 0; self == split.first && port < split.parts - 1; ++port)
            if (on.serves(port))
                messages.send(call.data, process(port, split.begin(port + 1)), port);
        if (split.mine > 0 && self == split.begin(split.mine)) {
            const int port = split.mine - 1;
            if (on.serves(port)) messages.receive(call.data, process(port, split.first), port);
            messages.wait();
            serve(Bcast{call.data, on.owner(port, node)}, on.node);
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
    return on_.port(port, (root_node_ + position) % on_.nodes());
}

/// Calls `body(row, port)` for each child, in the order of positions.
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

}  // namespace laneway
