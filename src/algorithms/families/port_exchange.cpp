// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/port_exchange.hpp"

#include <climits>
#include <cstdint>
#include <ranges>
#include <vector>

#include "data/scratch.hpp"
#include "decomposition/node_phase.hpp"
#include "messages/messages.hpp"

namespace laneway {

PortExchange::PortExchange(const Decomposition& on)
    : on_(on),
      splits_(laneway::splits(on.node_index(), on.nodes(), on.lanes() + 1))
{
}

/// Another part that the calling process is the port for.
struct PortExchange::Peer {
    int part;
    int port;               ///< the part's number among those that are not the node's own
    int partner;            ///< the rank there that the calling process goes with
    std::vector<int> them;  ///< the ranks there that go with the calling process
};

/// Calls `body(peer)` for each. Nodes at one place of their parts go together. Parts differ in length by one at most.
/// So two nodes of another part may go with a node, or none. Each part begins at another place, so that these nodes are
/// not always the first ones.
template <class Body>
void PortExchange::for_peers(const Split& split, const Body& body) const
{
    const int mine = split.mine, place = on_.node_index() - split.begin(mine);
    for (int part = 0; part < split.parts; ++part) {
        const int port = part < mine ? part : part - 1, theirs = mine < part ? mine : mine - 1;
        if (part == mine || !on_.serves(port)) continue;
        const auto rank = [&](int at) { return on_.port(theirs, split.begin(part) + at); };
        Peer peer{part, port, rank((place + mine) % split.length(part)), {}};
        for (int at = 0; at < split.length(part); ++at)
            if ((at + part) % split.length(mine) == place) peer.them.push_back(rank(at));
        body(peer);
    }
}

void PortExchange::bring(const Split& split, const Buffer& own, const Buffer& brought,
                         const Partition& by_port) const
{
    Messages messages(on_.world);
    for_peers(split, [&](const Peer& peer) {
        messages.receive(by_port.block(brought, peer.port), peer.partner, peer.part);
        for (const int rank : peer.them) messages.send(own, rank, split.mine);
    });
    messages.wait();
}

/// Adds up the blocks that the processes of the node have for the parts before and after their own, to the ports.
void PortExchange::add_up_for_ports(const Buffer& before, const Buffer& after, const Buffer& sums,
                                    const Partition& by_port, MPI_Op op) const
{
    const Scratch addends(by_port.count(), before.type);
    if (before.count > 0) copy(before, addends.buffer().slice(0, before.count), on_.world);
    if (after.count > 0) copy(after, addends.buffer().slice(before.count, after.count), on_.world);
    reduce_scatter_parts(addends.buffer(), sums, by_port, op, on_);
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

    const Scratch sums(owned_count(by_port, on_), whole.type);
    add_up_for_ports(before, after, sums.buffer(), by_port, op);

    int arrivals = 0;
    for_peers(split, [&](const Peer& peer) { arrivals += static_cast<int>(peer.them.size()); });
    const Scratch rooms(arrivals * own.count, whole.type);
    const Partition room(arrivals * own.count, arrivals);
    Messages messages(on_.world);
    std::int64_t sent = 0;
    int arrival = 0;
    for_peers(split, [&](const Peer& peer) {
        const std::int64_t length = by_port.size(peer.port);
        messages.send(sums.buffer().slice(sent, length), peer.partner, split.mine);
        sent += length;
        for (const int rank : peer.them)
            messages.receive(room.block(rooms.buffer(), arrival++), rank, peer.part);
    });
    messages.wait();
    for (arrival = 0; arrival < arrivals; ++arrival)
        reduce_local(room.block(rooms.buffer(), arrival), own, op);
}

namespace {

/// The sum of a part, among the sums that were brought and the node's own one.
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
        serve(Bcast{by_port.block(brought, port), on_.owner(port, on_.node_index())}, on_.node);
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
