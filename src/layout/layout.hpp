// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "layout/weights.hpp"

namespace laneway {

/// The ranks of every node, ascending; nodes in the order of their first rank.
using Nodes = std::vector<std::vector<int>>;

/// The places of the ranks, of which a layout is made.
struct Mapping {
    Nodes nodes;
    /// Sockets by rank; those of a node have different numbers. Empty: there is one a node.
    std::vector<int> sockets;
    /// By node: its number in NetworkLanes::of_nodes, plus 1; 0: it has the weights of all others. Empty: all nodes have.
    std::vector<std::size_t> weighed = {};
};

/// Where a process is, in numbers that are equal on the processes of one node, and of one socket of it.
struct Home {
    std::uint64_t node;
    std::uint64_t socket;
    std::uint64_t weighed = 0;  ///< as in Mapping
};

/// The mapping of ranks whose homes are these, by rank.
Mapping mapping_of(const std::vector<Home>& homes);

/// The network lanes of a node.
struct NetworkLanes {
    int number = 1;
    /// Weights of the lanes, of which at least one is above 0: the bytes that each carries in the time of the others'.
    /// 0 takes a lane out. Empty: all lanes are alike.
    LaneWeights weights = {};
    /// A node whose lanes have other weights, on the same scale.
    struct OfNode {
        std::string node;  ///< its name
        LaneWeights weights;
        bool operator==(const OfNode&) const = default;
    };
    std::vector<OfNode> of_nodes = {};

    NetworkLanes(int lanes) : number(lanes) {}  // NOLINT(google-explicit-constructor)
    NetworkLanes(int lanes, LaneWeights of_each) : number(lanes), weights(std::move(of_each)) {}

    bool operator==(const NetworkLanes&) const = default;

    /// The weights of a node whose number in Mapping::weighed is this one.
    const LaneWeights& weights_of(std::size_t weighed) const
    {
        return weighed == 0 ? weights : of_nodes[weighed - 1].weights;
    }

    /// The greatest weight.
    static constexpr std::int64_t most = 10'000;
};

/// Which ranks are on which node and which lane (Traeff and Hunold, "Decomposing collectives for exploiting
/// multi-lane communication", Section 3), for any communicator. Pure, and the same for all ranks.
///
/// Nodes are numbered by their first rank, the processes of a node by rank. There are as many lanes
/// as processes on the smallest node, or as network lanes where those are more. There are never more lanes
/// than processes on the largest node. Lane j joins process j mod n of every node of n processes: one
/// process a node, ordered by node. On a regular communicator process j of each node is on
/// lane j alone. Elsewhere a process of a small node may serve several lanes. Some processes of a large
/// node serve none: they take part in the node phases only.
///
/// Lane j is taken to go over number j mod L of L network lanes. Lanes that share one divide its weight.
/// (weights.hpp has what follows from weights that differ between nodes.)
class Layout {
public:
    /// `network_lanes`: those of a node. Nodes are not empty, and hold ranks 0, 1 ... once each.
    Layout(Nodes nodes, const NetworkLanes& network_lanes)
        : Layout(Mapping{std::move(nodes), {}}, network_lanes)
    {
    }
    Layout(Mapping mapping, const NetworkLanes& network_lanes);

    struct Place {
        int node;
        int local;  ///< rank on the node
    };
    Place locate(int rank) const { return places_[static_cast<std::size_t>(rank)]; }

    int ranks() const { return static_cast<int>(places_.size()); }
    int nodes() const { return static_cast<int>(members_.size()); }
    int lanes() const { return static_cast<int>(on_lane_.size()); }
    /// Whether every node has the same number of processes.
    bool equal_nodes() const { return smallest_ == largest_; }
    /// Whether nodes are equal, and lanes are alike. Then a lane's share of a node's blocks is the block of one process.
    bool regular() const { return equal_nodes() && alike(); }
    /// Whether all lanes carry as much.
    bool alike() const { return weights_.empty(); }
    /// Gives the network lanes of each node other weights, all on one scale; one row: those of all nodes; none: they are
    /// alike.
    void weigh(const std::vector<LaneWeights>& of_nodes);
    /// Weights of the lanes for data that pass all nodes; empty: they are alike.
    std::span<const std::int64_t> weights() const { return weights_; }
    /// @name Weights that differ between nodes
    /// @{
    bool differs_by_node() const { return !by_node_.empty(); }
    /// The weights of the first lanes, so many, between two nodes: a lane is as fast as its slower end.
    LaneWeights weights_between(int one, int other, int lanes) const;
    /// The weights of these by node, for data that go to one node from all others, or back: as much a process.
    std::vector<LaneWeights> weights_towards(int root, int lanes) const;
    /// @}
    /// Whether ranks ascend from node to node and on each node.
    bool consecutive() const { return consecutive_; }
    /// Ranks on a node, ascending.
    const std::vector<int>& members(int node) const
    {
        return members_[static_cast<std::size_t>(node)];
    }
    /// @name All processes in a row, node after node
    /// @{
    int starts_at(int node) const { return starts_[static_cast<std::size_t>(node)]; }
    Place by_node(int index) const;
    /// @}
    /// @name All processes in a row, socket after socket on each node
    /// Where some node has several sockets.
    /// @{
    bool has_sockets() const { return !by_socket_.empty(); }
    int by_socket(int index) const { return by_socket_[static_cast<std::size_t>(index)]; }
    int index_by_socket(int rank) const { return index_by_socket_[static_cast<std::size_t>(rank)]; }
    struct Range {
        int begin;
        int size;
    };
    /// The range of the socket of the process at `index`.
    Range socket_around(int index) const;
    /// @}
    /// Rank, on `node`, of the process that serves `lane` there.
    int owner(int lane, int node) const { return lane % static_cast<int>(members(node).size()); }
    /// Ranks on a lane, by node.
    const std::vector<int>& on_lane(int lane) const
    {
        return on_lane_[static_cast<std::size_t>(lane)];
    }
    /// Processes of the smallest node, and of the largest.
    int smallest() const { return static_cast<int>(smallest_); }
    int largest() const { return static_cast<int>(largest_); }
    /// Whether some process may serve several lanes.
    bool shares_lanes() const { return static_cast<std::size_t>(lanes()) > smallest_; }

private:
    void put_by_socket(const std::vector<int>& sockets);

    Nodes members_;
    std::vector<Place> places_;
    std::vector<int> starts_;
    std::size_t smallest_ = 0;
    std::size_t largest_ = 0;
    bool consecutive_ = true;
    std::vector<std::vector<int>> on_lane_;
    LaneWeights weights_;
    std::vector<LaneWeights>
        by_node_;  ///< weights of the lanes; none: they are the same on all nodes
    std::vector<int> by_socket_;
    std::vector<int> index_by_socket_;
    std::vector<int> socket_starts_;
};

}  // namespace laneway
