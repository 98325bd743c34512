// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "carriers/simulated/machine.hpp"
#include "layout/layout.hpp"

namespace laneway {

/// Where ranks are on a machine. Lanes are numbered node after node.
class Places {
public:
    Places(const Layout& layout, const Machine& machine)
        : lanes_(machine.lanes),
          by_receiver_(machine.by_receiver),
          node_latency_(machine.node_latency),
          socket_latency_(machine.socket_latency),
          nodes_(layout.nodes())
    {
        for (int rank = 0; rank < layout.ranks(); ++rank) {
            const auto [node, local] = layout.locate(rank);
            places_.push_back({node, local % lanes_, socket_of(layout, rank)});
        }
    }

    int nodes() const { return nodes_; }
    int lanes() const { return lanes_; }
    int node(int rank) const { return places_[static_cast<std::size_t>(rank)].node; }
    bool crosses(int from, int to) const { return node(from) != node(to); }
    /// The latency between ranks of one node.
    Time latency_within(int from, int to) const
    {
        return socket(from) == socket(to) ? node_latency_ : node_latency_ + socket_latency_;
    }

    /// @name The lanes that a message between nodes leaves and comes by
    /// @{
    std::uint32_t out(int from, int to) const { return lane(node(from), by_receiver_ ? to : from); }
    std::uint32_t in(int to) const { return lane(node(to), to); }
    /// @}

private:
    struct Place {
        int node, lane, socket;
    };
    /// A number that the ranks of a socket share, and no others of the node.
    static int socket_of(const Layout& layout, int rank)
    {
        return layout.has_sockets() ? layout.socket_around(layout.index_by_socket(rank)).begin : 0;
    }
    int socket(int rank) const { return places_[static_cast<std::size_t>(rank)].socket; }
    std::uint32_t lane(int node, int like) const
    {
        return static_cast<std::uint32_t>(node * lanes_ +
                                          places_[static_cast<std::size_t>(like)].lane);
    }

    int lanes_;
    bool by_receiver_;
    Time node_latency_, socket_latency_;
    int nodes_;
    std::vector<Place> places_;
};

}  // namespace laneway
