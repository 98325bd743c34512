// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/communicator.hpp"

namespace laneway {

/// The ranks of every node, ascending; nodes in the order of their first rank.
using Nodes = std::vector<std::vector<int>>;

/// The nodes of a communicator of `size` processes. Collective, by one allgather.
Nodes find_nodes(MPI_Comm comm, int size, const Settings& settings);

Shape shape_of(const Nodes& nodes, const Settings& settings);

/// A communicator decomposed into nodes and lanes (Traeff and Hunold, "Decomposing collectives for
/// exploiting multi-lane communication", Section 3), for any communicator.
///
/// Nodes are numbered by their first rank, the processes of a node by rank. There are as many lanes
/// as processes on the smallest node, or as network lanes where those are more (but never more than
/// processes on the largest node). Lane j joins process j mod n of every node, n being that node's
/// size: one process a node, ordered by node. On a regular communicator process j of each node is on
/// lane j alone; elsewhere a process of a small node may serve several lanes, and some of a large
/// node none: they take part in the node phases only.
class Decomposition {
public:
    /// Collective over `world`, a private communicator that outlives the decomposition. `scope` is
    /// that of its parts: user for a communicator of the user's, component for parts of parts.
    /// Throws Error, on all ranks, where communicators ran out.
    Decomposition(const Comm& world, Nodes nodes, Scope scope,
                  const std::shared_ptr<const Settings>& settings);

    /// From now on the parts serve components as a rule says; null: as it is for all.
    void use(const Components* components);

    struct Place {
        int node;
        int local;  ///< rank on the node
    };
    Place locate(int rank) const { return places_[static_cast<std::size_t>(rank)]; }

    int nodes() const { return static_cast<int>(members_.size()); }
    int lanes() const { return lanes_; }
    /// Every node has the same number of processes.
    bool regular() const { return regular_; }
    /// Ranks ascend from node to node and on each node.
    bool consecutive() const { return consecutive_; }
    /// The node of the calling process.
    int node_index() const { return locate(world.rank()).node; }
    /// Ranks on a node, ascending.
    const std::vector<int>& members(int index) const
    {
        return members_[static_cast<std::size_t>(index)];
    }

    /// Rank, on node `at`, of the process that serves `lane` there.
    int owner(int lane, int at) const { return lane % static_cast<int>(members(at).size()); }
    bool serves(int lane) const { return owner(lane, node_index()) == node.rank(); }
    /// The communicator of a lane that the calling process serves; ranks are nodes.
    const Communicator& lane(int lane) const
    {
        return *lane_comms_[static_cast<std::size_t>(lane)];
    }

    /// `body(lane)` for the lanes that the calling process serves, in the order that all keep to, so
    /// that processes serving several lanes don't wait for each other in a circle.
    template <class Body>
    void for_lanes(const Body& body) const
    {
        for (int lane = 0; lane < lanes_; ++lane)
            if (serves(lane)) body(lane);
    }

private:
    Nodes members_;
    std::vector<Place> places_;
    bool regular_ = true;
    bool consecutive_ = true;
    int lanes_ = 0;
    const Components* components_ = nullptr;
    std::vector<std::unique_ptr<Communicator>> lane_comms_;

public:
    const Comm& world;
    Communicator node;
};

/// Splits off a private communicator such that all ranks of `parent` learn whether it worked for
/// all: throws Error on every rank if on any.
Comm split_agreed(MPI_Comm parent, int color, int key);

}  // namespace laneway
