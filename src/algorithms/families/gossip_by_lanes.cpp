// SPDX-License-Identifier: BSD-3-Clause
#include "algorithms/families/gossip_by_lanes.hpp"

#include <algorithm>
#include <deque>
#include <vector>

#include "messages/exchange.hpp"

namespace laneway {

Travel travel_of(const Partition& part, std::int64_t element, std::int64_t around,
                 const Decomposition& on)
{
    const Partition nodes = Shares(part, on).by_node();
    std::int64_t most = 0;
    for (int node = 0; node < nodes.parts(); ++node) most = std::max(most, nodes.size(node));
    const std::int64_t more = most * (nodes.parts() - 1) - (nodes.count() - most);
    const bool pays = more * element > (nodes.parts() - 2) * around * on.lanes();
    return pays ? Travel::round_nodes : Travel::straight;
}

namespace {

/// The pieces of a row that travel together.
class PiecesOf {
public:
    PiecesOf(const Buffer& row, const Shares& shares) : row_(row), shares_(shares) {}

    PiecesOf& add(int lane, int node)
    {
        shares_.for_pieces(lane, node, [&](std::int64_t place, std::int64_t count) {
            pieces_.push_back(row_.slice(place, count));
        });
        return *this;
    }
    void send(int to, Exchange& messages) const
    {
        for_messages([&](const auto& data) { messages.send(data, to); });
    }
    void receive(int from, Exchange& messages) const
    {
        for_messages([&](const auto& data) { messages.receive(data, from); });
    }

private:
    /// Short pieces are one message.
    template <class Body>
    void for_messages(const Body& body) const
    {
        if (!are_packed(pieces_)) {
            for (const Buffer& piece : pieces_) body(piece);
            return;
        }
        Stretches all(row_.slice(0, 0));
        for (const Buffer& piece : pieces_) all.add(piece);
        body(all);
    }

    const Buffer& row_;
    const Shares& shares_;
    std::vector<Buffer> pieces_;
};

}  // namespace

void gossip_by_lanes(const Buffer& row, const Shares& shares, Travel travel,
                     const Decomposition& on)
{
    const int nodes = on.nodes(), node = on.node_index(), size = on.node.size();
    const int self = on.node.rank();
    const auto pieces = [&](int lane, int of_node) {
        return PiecesOf(row, shares).add(lane, of_node);
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
                pieces(lane, coming).receive(from, messages);
                pieces(lane, leaving).send(to, messages);
            });
            for (Exchange& messages : lanes) messages.wait();
        }
    } else {
        on.for_lanes([&](int lane) {
            Exchange& messages = lanes.emplace_back(on.lane(lane));
            for (int step = 1; step < nodes; ++step) {
                const int to = (node + step) % nodes, from = (node - step + nodes) % nodes;
                pieces(lane, from).receive(from, messages);
                pieces(lane, node).send(to, messages);
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
            PiecesOf all(row, shares);
            for (int of_node = 0; of_node < nodes; ++of_node) all.add(lane, of_node);
            owner == self ? all.send(to, inside) : all.receive(from, inside);
        }
    }
    inside.wait();
}

}  // namespace laneway
