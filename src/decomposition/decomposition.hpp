// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "choose/rules.hpp"
#include "choose/settings.hpp"
#include "decomposition/programs.hpp"
#include "layout/layout.hpp"
#include "mpi/comm.hpp"

namespace laneway {

class Parts;

/// The nodes and sockets of a communicator of `size` processes. Collective, by one allgather.
Mapping find_mapping(MPI_Comm comm, int size, const Settings& settings);

Shape shape_of(const Nodes& nodes, const Settings& settings);

/// A private communicator together with what the selector needs to serve collectives on it, which
/// algorithms then call as their components. Unlike a communicator of the user's it is decomposed, if a
/// setting asks for that, when it is made: never in the middle of an algorithm.
class Communicator {
public:
    /// Collective over `comm`.
    Communicator(Comm comm, Scope scope, std::shared_ptr<const Settings> settings);
    /// All components are plain.
    explicit Communicator(Comm comm);
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator();

    int rank() const { return comm_.rank(); }
    int size() const { return comm_.size(); }
    operator const Comm&() const { return comm_; }

    /// See Comm::attach. What waits on its parts goes on with the channel as well.
    void attach(const Comm::Near& near);

    /// Its own parts, for components that are chosen; null: all are plain.
    const Parts* parts() const { return parts_.get(); }

    /// What serves a component of `bytes`: what `named` says, else what the settings choose for this scope
    /// and shape; null: neither says.
    template <class Call>
    const Choice<Call>* choice(std::int64_t bytes, const Components* named) const
    {
        if (const auto* choice = named ? named->find<Call>(scope_) : nullptr) return choice;
        const Rule<Call>* const rule = selector_.rule<Call>(bytes);
        return rule ? &rule->choice : nullptr;
    }

private:
    Comm comm_;
    Scope scope_;
    Selector selector_;
    std::unique_ptr<Parts> parts_;
};

/// The parts of a communicator for one rank: its node and its lanes. They carry messages by MPI, or, where
/// there is only a layout, can be recorded on.
class Parts {
public:
    /// Collective over `world`, a private communicator that outlives the parts. `scope` is theirs: user for
    /// a communicator of the user's, component for parts of parts. Throws Error, on all ranks, where
    /// communicators ran out.
    Parts(const Comm& world, Mapping mapping, Scope scope,
          const std::shared_ptr<const Settings>& settings);

    /// Those of rank `rank` of a layout, without MPI. Components are plain.
    Parts(std::shared_ptr<const Layout> layout, int rank);

    /// None: for flat algorithms, which look at `world` and at the layout alone.
    Parts(const Comm& world, Mapping mapping, int network_lanes);

    /// What waits on any of them goes on with the channel.
    void attach(const Comm::Near& near);

    const Layout& layout() const { return *layout_; }
    const Communicator& lane(int lane) const { return *lane_comms_[index_of(lane)]; }

    /// Programs of calls on this communicator.
    Programs& programs() const { return programs_; }

private:
    int node_index() const { return layout_->locate(world.rank()).node; }
    bool serves(int lane) const { return layout_->owner(lane, node_index()) == node.rank(); }

    /// Of the lanes that this process serves, each as many on as the node has processes.
    std::size_t lanes_served() const
    {
        return static_cast<std::size_t>((layout_->lanes() - node.rank() + node.size() - 1) /
                                        node.size());
    }
    std::size_t index_of(int lane) const { return static_cast<std::size_t>(lane / node.size()); }

    std::shared_ptr<const Layout> layout_;
    Comm own_world_;                                         ///< of parts without MPI
    std::vector<std::unique_ptr<Communicator>> lane_comms_;  ///< that it serves
    mutable Programs programs_;

public:
    const Comm& world;
    Communicator node;
};

/// A part as one call sees it: with what the rule that chose its algorithm says of components.
class Part {
public:
    Part(const Communicator& comm, const Components* components)
        : comm_(comm),
          components_(components)
    {
    }

    int rank() const { return comm_.rank(); }
    int size() const { return comm_.size(); }
    operator const Comm&() const { return comm_; }
    const Parts* parts() const { return comm_.parts(); }
    template <class Call>
    const Choice<Call>* choice(std::int64_t bytes) const
    {
        return comm_.choice<Call>(bytes, components_);
    }

private:
    const Communicator& comm_;
    const Components* components_;
};

/// A communicator decomposed into nodes and lanes, as one rank sees it in one call: what algorithms run on.
class Decomposition {
public:
    /// `components`: what the rule that chose the algorithm says of them; null: nothing. The parts must
    /// outlive it.
    explicit Decomposition(const Parts& parts, const Components* components = nullptr)
        : parts_(parts),
          components_(components),
          world(parts.world),
          node(parts.node, components)
    {
    }

    const Components* components() const { return components_; }
    Programs& programs() const { return parts_.programs(); }
    /// Texts have tags below, those of components' components on the node included.
    int tags() const { return 2 * std::max(lanes(), layout().largest()) + 2; }

    /// @name The layout
    /// @{
    operator const Layout&() const { return layout(); }
    using Place = Layout::Place;
    Place locate(int rank) const { return layout().locate(rank); }
    int nodes() const { return layout().nodes(); }
    int lanes() const { return layout().lanes(); }
    bool regular() const { return layout().regular(); }
    bool consecutive() const { return layout().consecutive(); }
    const std::vector<int>& members(int index) const { return layout().members(index); }
    int owner(int lane, int at) const { return layout().owner(lane, at); }
    /// @}

    /// The node of the calling process.
    int node_index() const { return locate(world.rank()).node; }
    bool serves(int lane) const { return owner(lane, node_index()) == node.rank(); }
    /// Rank of the process that serves a lane at node `at`: the node's port.
    int port(int lane, int at) const
    {
        return members(at)[static_cast<std::size_t>(owner(lane, at))];
    }
    /// The communicator of a lane that the calling process serves; ranks are nodes.
    Part lane(int lane) const { return {parts_.lane(lane), components_}; }

    /// `body(lane)` for the lanes that the calling process serves, in the order that all keep to, so
    /// that processes serving several lanes don't wait for each other in a circle.
    template <class Body>
    void for_lanes(const Body& body) const
    {
        for (int lane = node.rank(); lane < lanes(); lane += node.size()) body(lane);
    }

private:
    const Layout& layout() const { return parts_.layout(); }

    const Parts& parts_;
    const Components* components_;

public:
    const Comm& world;
    const Part node;
};

/// Splits off a private communicator such that all ranks of `parent` learn whether it worked for
/// all: throws Error on every rank if on any.
Comm split_agreed(MPI_Comm parent, int color, int key);

}  // namespace laneway
