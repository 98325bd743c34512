// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/choice.hpp"
#include "decomposition/programs.hpp"
#include "layout/layout.hpp"
#include "messages/comm.hpp"
#include "providers/described.hpp"

namespace laneway {

class Parts;

/// What serves components of so many bytes on one part; null: nobody has chosen anything.
using Serving = std::function<const Choice*(Collective collective, std::int64_t bytes)>;

/// What the caller of a decomposition has chosen for components on one kind of parts.
struct ServedPart {
    /// By the nodes that a part's ranks are on; none: nothing is chosen there.
    std::function<Serving(const Nodes&)> serving = {};
    /// An algorithm may serve that wants nodes and lanes of the part.
    bool decomposed = false;
};

/// The same for nodes and for lanes.
struct ServedParts {
    ServedPart node, lane;

    const ServedPart& of(Scope part) const { return part == Scope::lane ? lane : node; }
};

/// As all ranks know, there are no communicators to be had for them: why, in words.
class NoCommunicators : public std::exception {
public:
    explicit NoCommunicators(const char* why, bool for_good = true) : why_(why), for_good_(for_good)
    {
    }
    const char* what() const noexcept override { return why_; }
    /// Else there may be in a later call.
    bool for_good() const { return for_good_; }

private:
    const char* why_;
    bool for_good_;
};

/// Which of the communicators that a split makes a process is on, and where.
struct Membership {
    int color;
    int key;
};

/// Splits off private communicators, one after the other, such that all ranks of `parent` learn whether each has worked
/// for all: else throws NoCommunicators on all. So it does where some process must not make any now.
std::vector<Comm> split_agreed(MPI_Comm parent, const std::vector<Membership>& splits);

/// A part of a private communicator together with what serves collectives on it, which algorithms then call as their
/// components. Unlike a communicator of the user's it is decomposed, if an algorithm wants that, when it is made:
/// never in the middle of an algorithm.
class Communicator {
public:
    /// All components are plain.
    explicit Communicator(Comm comm, Scope scope, const Described& described = {});
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator();

    /// Some are chosen: those of algorithms that are flat. Local.
    void serve_by(Serving serving, Mapping mapping, int network_lanes);
    /// Others, too: their nodes and lanes are parts of `own`, a communicator of the same processes. Collective.
    void decompose(Comm own, Mapping mapping, int network_lanes);
    /// Gives the library one of the same processes for its collectives.
    void adopt(Comm own) { comm_.adopt(std::move(own)); }

    Scope scope() const { return scope_; }
    const Described& described() const { return described_; }
    int rank() const { return comm_.rank(); }
    int size() const { return comm_.size(); }
    operator const Comm&() const { return comm_; }

    /// What waits on its own parts goes on with the channel, too, on which these have no messages.
    void go_on_with(const std::shared_ptr<NodeChannel>& channel);

    /// Its own parts, for components that are chosen; null: all are plain.
    const Parts* parts() const { return parts_.get(); }

    /// What serves a component of `bytes`: what `named` says, else what is chosen for this part; null: neither says.
    const Choice* choice(Collective collective, std::int64_t bytes, const Components* named) const
    {
        if (const auto* const choice = named ? named->find(scope_, collective) : nullptr)
            return choice;
        return serving_ ? serving_(collective, bytes) : nullptr;
    }

private:
    Comm comm_;
    Scope scope_;
    Described described_;
    Serving serving_;
    std::unique_ptr<Parts> parts_;
};

/// The parts of a communicator for one rank: its node and its lanes. They carry messages by MPI, or, where
/// there is only a layout, can be recorded on.
class Parts {
public:
    /// Of a communicator of the user's, whose private one is `world`; in the mapping are its ranks. Nodes and lanes are
    /// parts of it (Comm::part), without communicators of their own; local, unless components are decomposed. Throws
    /// NoCommunicators.
    Parts(Comm world, const Mapping& mapping, int network_lanes, const ServedParts& served);

    /// Of a component, or those of a rank without MPI. All components are plain.
    Parts(Comm world, std::shared_ptr<const Layout> layout, Scope of_node = Scope::component,
          Scope of_lanes = Scope::component, const Described& described = {});

    /// Those of rank `rank` of a layout, without MPI.
    Parts(const std::shared_ptr<const Layout>& layout, int rank, bool divides_operators = false,
          const Described& described = {});

    /// None: for flat algorithms, which look at `world`, which must outlive them, and at the layout alone.
    Parts(const Comm& world, Mapping mapping, int network_lanes, const Described& described = {});

    /// Nodes and lanes get communicators of their own, for the library's collectives, but those of all processes; where
    /// there are none left, as all learn, components stay ours. Collective the first time, then nothing.
    void make_communicators();

    /// Messages between processes of the node go through the channel from now on, on all parts, and what waits on any of
    /// them goes on with it.
    void attach(const std::shared_ptr<NodeChannel>& channel);
    /// What waits on any of them goes on with the channel.
    void go_on_with(const std::shared_ptr<NodeChannel>& channel)
    {
        own_world_.attach(channel, nullptr);
    }

    const Layout& layout() const { return *layout_; }
    const Communicator& lane(int lane) const { return *lane_comms_[index_of(lane)]; }

    /// Programs of calls on this communicator.
    Programs& programs() const { return programs_; }
    const Described& described() const { return node.described(); }

private:
    int node_index() const { return layout_->locate(world.rank()).node; }
    bool serves(int lane) const { return layout_->owner(lane, node_index()) == node.rank(); }

    template <class Body>
    void for_parts(Body body);
    std::vector<Comm> split() const;

    /// Of the lanes that this process serves, each as many on as the node has processes.
    std::size_t index_of(int lane) const { return static_cast<std::size_t>(lane / node.size()); }

    std::shared_ptr<const Layout> layout_;
    Comm own_world_;                                         ///< not of flat ones
    std::vector<std::unique_ptr<Communicator>> lane_comms_;  ///< that it serves
    mutable Programs programs_;
    bool has_tried_ = false;  ///< to make communicators

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
    const Described& described() const { return comm_.described(); }
    const Choice* choice(Collective collective, std::int64_t bytes) const
    {
        return comm_.choice(collective, bytes, components_);
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
          lanes_(parts.layout().lanes()),
          world(parts.world),
          node(parts.node, components)
    {
    }

    /// The same with the first `leaders` lanes alone, if there are other nodes; 0: with all. So many processes of a node
    /// carry what is cut into a share a lane, in fewer and longer messages.
    Decomposition with_leaders(std::int64_t leaders) const
    {
        Decomposition result = *this;
        if (leaders > 0 && nodes() > 1)
            result.lanes_ = static_cast<int>(std::min<std::int64_t>(leaders, lanes()));
        return result;
    }

    const Components* components() const { return components_; }
    Programs& programs() const { return parts_.programs(); }
    const Described& described() const { return parts_.described(); }
    /// Texts have tags below, those of components' components on the node included.
    int tags() const { return 2 * std::max(layout().lanes(), layout().largest()) + 2; }

    /// @name The layout
    /// @{
    operator const Layout&() const { return layout(); }
    using Place = Layout::Place;
    Place locate(int rank) const { return layout().locate(rank); }
    int nodes() const { return layout().nodes(); }
    int lanes() const { return lanes_; }
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
    int lanes_;

public:
    const Comm& world;
    const Part node;
};

}  // namespace laneway
