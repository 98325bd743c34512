// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/decomposition.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decomposition/contexts.hpp"
#include "library/error.hpp"
#include "library/quirks.hpp"
#include "library/real.hpp"
#include "patterns/rounds.hpp"

namespace laneway {
std::vector<Comm> split_agreed(MPI_Comm parent, const std::vector<Membership>& splits)
{
    enum Outcome : int { not_now, none_left, past_limit, made };
    const auto least = [&](Outcome mine) {
        Outcome all = made;
        check(real::Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, parent));
        return all;
    };
    if (quirks().makes_one_communicator_at_a_time &&
        least(Comm::may_be_made() ? made : not_now) == not_now)
        throw NoCommunicators("an MPI_Comm_idup that is under way", false);
    Outcome mine = made;
    std::vector<Comm> children;
    for (const auto [color, key] : splits) {  // all of them: other processes are in each
        try {
            children.push_back(Comm::split(parent, color, key));
        } catch (const Error&) {
            mine = none_left;
        }
    }
    if (mine == made && Comm::alive() > quirks().most_communicators) mine = past_limit;
    const Outcome all = least(mine);
    if (all == past_limit)
        throw NoCommunicators("Laneway's limit of private communicators a process");
    if (all == none_left) throw NoCommunicators("the MPI library has no communicators left");
    return children;
}

Communicator::Communicator(Comm comm, Scope scope, const Described& described)
    : comm_(std::move(comm)),
      scope_(scope),
      described_(described)
{
}

Communicator::~Communicator() = default;

void Communicator::go_on_with(const std::shared_ptr<NodeChannel>& channel)
{
    if (parts_) parts_->go_on_with(channel);
}

void Communicator::serve_by(Serving serving, Mapping mapping, const NetworkLanes& network_lanes)
{
    serving_ = std::move(serving);
    parts_ = std::make_unique<Parts>(comm_, std::move(mapping), network_lanes, described_);
}

void Communicator::decompose(Comm own, Mapping mapping, const NetworkLanes& network_lanes)
{
    parts_ = std::make_unique<Parts>(
        std::move(own), std::make_shared<const Layout>(std::move(mapping), network_lanes),
        Scope::component, Scope::component, described_);
    parts_->make_communicators();
}

namespace {

/// Lanes that a process has in common with another one are as many apart as its node has processes, or more. So
/// they have different contexts.
int context_of(int lane, const Layout& layout)
{
    return context::first_lane + lane / layout.smallest();
}

int contexts_of(const Layout& layout) { return context_of(layout.lanes() - 1, layout) + 1; }

Comm node_of(const Comm& world, const Layout& layout)
{
    const auto [node, local] = layout.locate(world.rank());
    const auto& members = layout.members(node);
    return world.part(context::node, local, static_cast<int>(members.size()), members.data())
        .as_node();
}

Comm lane_of(const Comm& world, const Layout& layout, int lane)
{
    return world.part(context_of(lane, layout), layout.locate(world.rank()).node, layout.nodes(),
                      layout.on_lane(lane).data());
}

}  // namespace

Parts::Parts(Comm own_world, std::shared_ptr<const Layout> layout, Scope of_node, Scope of_lanes,
             const Described& described)
    : layout_(std::move(layout)),
      own_world_(std::move(own_world).shared_by(contexts_of(*layout_))),
      world(own_world_),
      node(node_of(world, *layout_), of_node, described)
{
    for (int lane = node.rank(); lane < layout_->lanes(); lane += node.size())
        lane_comms_.push_back(
            std::make_unique<Communicator>(lane_of(world, *layout_, lane), of_lanes, described));
}

Parts::Parts(const std::shared_ptr<const Layout>& layout, int rank, bool divides_operators,
             const Described& described)
    : Parts(Comm::recorded(context::world, rank, layout->ranks(), nullptr)
                .dividing_operators(divides_operators),
            layout, Scope::component, Scope::component, described)
{
}

Parts::Parts(const Comm& world_, Mapping mapping, const NetworkLanes& network_lanes,
             const Described& described)
    : layout_(std::make_shared<const Layout>(std::move(mapping), network_lanes)),
      world(world_),
      node(Comm(), Scope::component, described)
{
}

Parts::Parts(Comm own_world, const Mapping& mapping, const NetworkLanes& network_lanes,
             const ServedParts& served)
    : Parts(std::move(own_world), std::make_shared<const Layout>(mapping, network_lanes),
            Scope::node, Scope::lane)
{
    const auto of = [&](const std::vector<int>& ranks) {
        std::vector<Home> homes;
        for (const int rank : ranks)
            homes.push_back(
                {static_cast<std::uint64_t>(layout_->locate(rank).node),
                 static_cast<std::uint64_t>(
                     mapping.sockets.empty() ? 0
                                             : mapping.sockets[static_cast<std::size_t>(rank)])});
        return mapping_of(homes);
    };
    for_parts([&](Communicator& part, const std::vector<int>& ranks) {
        const auto& serving = served.of(part.scope()).serving;
        if (!serving) return;
        Mapping its = of(ranks);
        part.serve_by(serving(its.nodes), its, network_lanes);
    });
    if (!served.node.decomposed && !served.lane.decomposed) return;
    auto own = split();
    for_parts([&, next = own.begin()](Communicator& part, const std::vector<int>& ranks) mutable {
        Comm& comm = *next++;
        if (served.of(part.scope()).decomposed)
            part.decompose(std::move(comm).dividing_operators(world.divides_operators()), of(ranks),
                           network_lanes);
    });
}

/// Calls `body(part, its ranks)` for the parts of this process that have several ranks: the node, its lanes.
template <class Body>
void Parts::for_parts(Body body)
{
    if (node.size() > 1) body(node, layout_->members(node_index()));
    if (layout_->nodes() == 1) return;
    int lane = node.rank();
    for (const auto& comm : lane_comms_) {
        body(*comm, layout_->on_lane(lane));
        lane += node.size();
    }
}

void Parts::attach(const std::shared_ptr<NodeChannel>& channel)
{
    own_world_.attach(channel, &layout_->members(node_index()));
    if (layout_->nodes() == 1) own_world_.become_node();
    for_parts([&](Communicator& part, const auto&) { part.go_on_with(channel); });
}

/// A communicator for each part of for_parts(), in their order. Collective. Throws NoCommunicators.
std::vector<Comm> Parts::split() const
{
    std::vector<Membership> splits{{node.size() > 1 ? node_index() : MPI_UNDEFINED, world.rank()}};
    const auto split_lanes = [&](bool takes_part, int lane) {
        splits.push_back({takes_part ? lane : MPI_UNDEFINED, node_index()});
    };
    if (layout_->nodes() == 1) {
        // No lane has several processes.
    } else if (!layout_->shares_lanes()) {
        split_lanes(node.rank() < layout_->lanes(), node.rank());  // makes them all
    } else {
        for (int lane = 0; lane < layout_->lanes(); ++lane) split_lanes(serves(lane), lane);
    }
    auto made = split_agreed(world.handle(), splits);
    std::erase_if(made, [](const Comm& comm) { return comm.handle() == MPI_COMM_NULL; });
    return made;
}

void Parts::make_communicators()
{
    if (std::exchange(has_tried_, true)) return;
    // Parts of several processes have all processes, and the world's communicator.
    if (layout_->nodes() == 1 || layout_->largest() == 1) return;
    try {
        auto own = split();
        for_parts([&, next = own.begin()](Communicator& part, const auto&) mutable {
            part.adopt(std::move(*next++));
        });
    } catch (const NoCommunicators& none) {
        has_tried_ = none.for_good();  // as all know: components are ours
    }
}

void Parts::weigh(const std::vector<LaneWeights>& of_nodes)
{
    auto weighed = std::make_shared<Layout>(*layout_);
    weighed->weigh(of_nodes);
    earlier_.push_back(std::exchange(layout_, std::move(weighed)));
}

Partition Decomposition::by_lanes(std::int64_t count, const LaneWeights& weights) const
{
    if (!weights.empty()) return Partition::weighted(count, weights);
    if (alike()) return {count, lanes()};
    return Partition::weighted(count, layout().weights().first(static_cast<std::size_t>(lanes())));
}

LaneWeights Decomposition::weights_between(int one, int other) const
{
    if (!layout().differs_by_node()) return {};
    return layout().weights_between(one, other, lanes());
}

std::vector<LaneWeights> Decomposition::weights_towards(int root) const
{
    if (!layout().differs_by_node()) return {};
    return layout().weights_towards(root, lanes());
}

/// Where lanes are not alike, each has a stretch of the rounds in which all nodes meet. A round goes to the lane that has
/// the middle of it.
int Decomposition::lane_between(int one, int other) const
{
    if (alike()) return (one + other) % lanes();
    const auto weights = layout().weights().first(static_cast<std::size_t>(lanes()));
    const auto all = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
    const std::int64_t middle = 2 * meeting(one, other, nodes()) + 1;
    int lane = 0;
    for (std::int64_t up_to = weights[0]; 2 * meetings(nodes()) * up_to <= middle * all;)
        up_to += weights[static_cast<std::size_t>(++lane)];
    return lane;
}

int Decomposition::leading_lane(int wanted) const
{
    if (alike()) return wanted;
    const auto weights = layout().weights();
    const auto most = std::ranges::max_element(weights);
    return weights[static_cast<std::size_t>(wanted)] == *most
               ? wanted
               : static_cast<int>(most - weights.begin());
}

}  // namespace laneway
