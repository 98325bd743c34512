// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/choice.hpp"
#include "data/partition.hpp"
#include "decomposition/programs.hpp"
#include "layout/layout.hpp"
#include "messages/comm.hpp"
#include "providers/described.hpp"

namespace laneway {

class Parts;

/// The choice that serves components of so many bytes on one part; null: nobody has chosen anything.
using Serving = std::function<const Choice*(Collective collective, std::int64_t bytes)>;

/// The choices that the caller of a decomposition has made for components on one kind of parts.
struct ServedPart {
    /// The choices, by the nodes that a part's ranks are on; none: nothing is chosen there.
    std::function<Serving(const Nodes&)> serving = {};
    /// Whether an algorithm may serve that wants nodes and lanes of the part.
    bool decomposed = false;
};

/// The choices for nodes and for lanes.
struct ServedParts {
    ServedPart node, lane;

    const ServedPart& of(Scope part) const { return part == Scope::lane ? lane : node; }
};

/// There are no communicators to be had, as all ranks know. It says why, in words.
class NoCommunicators : public std::exception {
public:
    explicit NoCommunicators(const char* why, bool for_good = true) : why_(why), for_good_(for_good)
    {
    }
    const char* what() const noexcept override { return why_; }
    /// False: there may be communicators in a later call.
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

/// Splits off private communicators, one after the other. All ranks of `parent` learn whether each split has worked for
/// all; else this throws NoCommunicators on all. It also throws where some process must not make any now.
std::vector<Comm> split_agreed(MPI_Comm parent, const std::vector<Membership>& splits);

/// A part of a private communicator together with the choices that serve collectives on it. Algorithms call these as
/// their components. Unlike a communicator of the user's it is decomposed, if an algorithm wants that, when it is made:
/// never in the middle of an algorithm.
class Communicator {
public:
    /// All components are plain.
    explicit Communicator(Comm comm, Scope scope, const Described& described = {});
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator();

    /// Some components are chosen: those that flat algorithms serve. Local.
    void serve_by(Serving serving, Mapping mapping, const NetworkLanes& network_lanes);
    /// Other algorithms may serve components, too: their nodes and lanes are parts of `own`, a communicator of the same
    /// processes. Collective.
    void decompose(Comm own, Mapping mapping, const NetworkLanes& network_lanes);
    /// Gives the library a communicator of the same processes for its collectives.
    void adopt(Comm own) { comm_.adopt(std::move(own)); }

    Scope scope() const { return scope_; }
    const Described& described() const { return described_; }
    int rank() const { return comm_.rank(); }
    int size() const { return comm_.size(); }
    operator const Comm&() const { return comm_; }

    /// Waits on its own parts go on with the channel, too, on which these parts have no messages.
    void go_on_with(const std::shared_ptr<NodeChannel>& channel);

    /// Its own parts, for components that are chosen; null: all are plain.
    const Parts* parts() const { return parts_.get(); }

    /// The choice for a component of `bytes`: that of `named`, else the one made for this part; null: there is neither.
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
    /// The parts of a communicator of the user's, whose private one is `world`; in the mapping are its ranks. Nodes and
    /// lanes are parts of `world` (Comm::part), without communicators of their own. Local, unless components are
    /// decomposed. Throws NoCommunicators.
    Parts(Comm world, const Mapping& mapping, const NetworkLanes& network_lanes,
          const ServedParts& served);

    /// The parts of a component, or of a rank without MPI. All components are plain.
    Parts(Comm world, std::shared_ptr<const Layout> layout, Scope of_node = Scope::component,
          Scope of_lanes = Scope::component, const Described& described = {});

    /// The parts of rank `rank` of a layout, without MPI.
    Parts(const std::shared_ptr<const Layout>& layout, int rank, bool divides_operators = false,
          const Described& described = {});

    /// No parts: for flat algorithms, which look at `world` and at the layout alone. `world` must outlive this object.
    Parts(const Comm& world, Mapping mapping, const NetworkLanes& network_lanes,
          const Described& described = {});

    /// Gives nodes and lanes communicators of their own, for the library's collectives, but not parts of all processes.
    /// Where there are none left, as all learn, components stay ours. Collective the first time; then it does nothing.
    void make_communicators();

    /// Messages between processes of the node go through the channel from now on, on all parts. Waits on any of the
    /// parts go on with it.
    void attach(const std::shared_ptr<NodeChannel>& channel);
    /// Waits on any of the parts go on with the channel.
    void go_on_with(const std::shared_ptr<NodeChannel>& channel)
    {
        own_world_.attach(channel, nullptr);
    }

    const Layout& layout() const { return *layout_; }
    /// Gives lanes other weights, by node, for decompositions made from then on. All do so between the same calls.
    void weigh(const std::vector<LaneWeights>& of_nodes);
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

    /// The index of a lane that this process serves; such lanes are as many apart as the node has processes.
    std::size_t index_of(int lane) const { return static_cast<std::size_t>(lane / node.size()); }

    std::shared_ptr<const Layout> layout_;
    std::vector<std::shared_ptr<const Layout>>
        earlier_;     ///< with other weights; some still use them
    Comm own_world_;  ///< none for flat algorithms
    std::vector<std::unique_ptr<Communicator>> lane_comms_;  ///< the lanes that it serves
    mutable Programs programs_;
    bool has_tried_ = false;  ///< to make communicators

public:
    const Comm& world;
    Communicator node;
};

/// A part as one call sees it: with the components that the rule names that chose its algorithm.
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
    /// `components`: those that the rule names that chose the algorithm; null: none. The parts must outlive
    /// this object.
    explicit Decomposition(const Parts& parts, const Components* components = nullptr)
        : parts_(parts),
          components_(components),
          layout_(&parts.layout()),
          lanes_(layout_->lanes()),
          world(parts.world),
          node(parts.node, components)
    {
    }

    /// This decomposition with the first `leaders` lanes alone, if there are other nodes; 0: with all lanes. So many
    /// processes of a node carry data that are cut into a share a lane, in fewer and longer messages. Where lanes are
    /// not alike, it has as many more as it takes for one of those that carry most.
    Decomposition with_leaders(std::int64_t leaders) const
    {
        return leaders > 0 && nodes() > 1 ? with_first_lanes(leaders) : *this;
    }
    /// This decomposition with the first lanes alone, so many and as with_leaders() more, wherever it is.
    Decomposition with_first_lanes(std::int64_t number) const
    {
        Decomposition result = *this;
        result.lanes_ = static_cast<int>(
            std::min<std::int64_t>(std::max<std::int64_t>(number, leading_lane() + 1), lanes()));
        return result;
    }

    const Components* components() const { return components_; }
    Programs& programs() const { return parts_.programs(); }
    const Described& described() const { return parts_.described(); }
    /// Texts have tags below this number, those of components' components on the node included.
    int tags() const { return 2 * std::max(layout().lanes(), layout().largest()) + 2; }

    /// @name The layout
    /// @{
    operator const Layout&() const { return layout(); }
    using Place = Layout::Place;
    Place locate(int rank) const { return layout().locate(rank); }
    int nodes() const { return layout().nodes(); }
    int lanes() const { return lanes_; }
    bool equal_nodes() const { return layout().equal_nodes(); }
    /// Whether all nodes and lanes are alike, and each process serves a lane.
    bool regular() const { return layout().regular() && lanes() == layout().lanes(); }
    bool alike() const { return layout().alike(); }
    bool consecutive() const { return layout().consecutive(); }
    const std::vector<int>& members(int index) const { return layout().members(index); }
    int owner(int lane, int at) const { return layout().owner(lane, at); }
    /// @}

    /// `count` elements in one share a lane, by weights (empty: those for data of all nodes). All algorithms cut here.
    Partition by_lanes(std::int64_t count, const LaneWeights& weights = {}) const;
    LaneWeights weights_between(int one, int other) const;     ///< for data of two nodes
    std::vector<LaneWeights> weights_towards(int root) const;  ///< by node, for data of one and all

    /// The lane for what two nodes exchange by one alone. Others have other lanes, each as often as its weight says.
    int lane_between(int one, int other) const;

    /// The lane for data that go by one alone: `wanted`, unless others carry more, then the first of the fastest.
    int leading_lane(int wanted = 0) const;

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

    /// Calls `body(lane)` for the lanes that the calling process serves. All keep to their order, so that
    /// processes serving several lanes don't wait for each other in a circle.
    template <class Body>
    void for_lanes(const Body& body) const
    {
        for (int lane = node.rank(); lane < lanes(); lane += node.size()) body(lane);
    }

private:
    const Layout& layout() const { return *layout_; }

    const Parts& parts_;
    const Components* components_;
    const Layout* layout_;
    int lanes_;

public:
    const Comm& world;
    const Part node;
};

}  // namespace laneway
