// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/gossip_by_lanes.hpp"

#include <algorithm>
#include <deque>

#include "messages/exchange.hpp"

namespace laneway {
Travel travel_of(const Shares& shares)
{
    const Partition nodes = shares.by_node();
    std::int64_t most = 0;
    for (int node = 0; node < nodes.parts(); ++node) most = std::max(most, nodes.size(node));
    constexpr int fifths = 5;
    const bool is_lopsided = fifths * most * nodes.parts() > (fifths + 1) * nodes.count();
    return is_lopsided ? Travel::round_nodes : Travel::straight;
}

void gossip_by_lanes(const Buffer& row, const Shares& shares, Travel travel,
                     const Decomposition& on)
{
    const int nodes = on.nodes(), node = on.node_index(), size = on.node.size();
    const int self = on.node.rank();
    const auto for_pieces = [&](int lane, int of_node, const auto& body) {
        shares.for_pieces(lane, of_node, [&](std::int64_t place, std::int64_t count) {
            body(row.slice(place, count));
        });
    };
    shares.to_owners(row);

    std::deque<Exchange> lanes;
    if (travel == Travel::round_nodes) {
        for (int step = 0; step < nodes - 1; ++step) {
            lanes.clear();
            const int to = (node + 1) % nodes, from = (node - 1 + nodes) % nodes;
            const int leaving = (node - step + nodes) % nodes,
                      coming = (from - step + nodes) % nodes;
            on.for_lanes([&](int lane) {
                Exchange& messages = lanes.emplace_back(on.lane(lane));
                for_pieces(lane, coming,
                           [&](const Buffer& piece) { messages.receive(piece, from); });
                for_pieces(lane, leaving, [&](const Buffer& piece) { messages.send(piece, to); });
            });
            for (Exchange& messages : lanes) messages.wait();
        }
    } else {
        on.for_lanes([&](int lane) {
            Exchange& messages = lanes.emplace_back(on.lane(lane));
            for (int step = 1; step < nodes; ++step) {
                const int to = (node + step) % nodes, from = (node - step + nodes) % nodes;
                for_pieces(lane, from, [&](const Buffer& piece) { messages.receive(piece, from); });
                for_pieces(lane, node, [&](const Buffer& piece) { messages.send(piece, to); });
            }
        });
        for (Exchange& messages : lanes) messages.wait();
    }

    Exchange inside(on.node);
    for (int step = 1; step < size; ++step) {
        const int to = (self + step) % size, from = (self - step + size) % size;
        for (int lane = 0; lane < on.lanes(); ++lane) {
            const int owner = on.owner(lane, node);
            if (owner != from && owner != self) continue;
            for (int of_node = 0; of_node < nodes; ++of_node)
                for_pieces(lane, of_node, [&](const Buffer& piece) {
                    owner == self ? inside.send(piece, to) : inside.receive(piece, from);
                });
        }
    }
    inside.wait();
}

}  // namespace laneway
