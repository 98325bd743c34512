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
          nodes_(layout.nodes())
    {
        for (int rank = 0; rank < layout.ranks(); ++rank) {
            const auto [node, local] = layout.locate(rank);
            places_.push_back({node, local % lanes_});
        }
    }

    int nodes() const { return nodes_; }
    int lanes() const { return lanes_; }
    int node(int rank) const { return places_[static_cast<std::size_t>(rank)].node; }
    bool crosses(int from, int to) const { return node(from) != node(to); }

    /// @name The lanes that a message between nodes leaves and comes by
    /// @{
    std::uint32_t out(int from, int to) const { return lane(node(from), by_receiver_ ? to : from); }
    std::uint32_t in(int to) const { return lane(node(to), to); }
    /// @}

private:
    struct NodeAndLane {
        int node, lane;
    };
    std::uint32_t lane(int node, int like) const
    {
        return static_cast<std::uint32_t>(node * lanes_ +
                                          places_[static_cast<std::size_t>(like)].lane);
    }

    int lanes_;
    bool by_receiver_;
    int nodes_;
    std::vector<NodeAndLane> places_;
};

}  // namespace laneway
