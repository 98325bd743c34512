// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/decomposition.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "choose/node.hpp"
#include "decomposition/contexts.hpp"
#include "mpi/error.hpp"
#include "mpi/quirks.hpp"
#include "mpi/real.hpp"

namespace laneway {
namespace {

/// Where a process is.
struct Home {
    std::uint64_t node;
    std::uint64_t socket;
};

Mapping mapping_of(const std::vector<Home>& homes)
{
    Mapping mapping;
    std::unordered_map<std::uint64_t, std::size_t> index;
    for (int rank = 0; rank < static_cast<int>(homes.size()); ++rank) {
        const Home& home = homes[static_cast<std::size_t>(rank)];
        const auto [place, is_new] = index.try_emplace(home.node, mapping.nodes.size());
        if (is_new) mapping.nodes.emplace_back();
        mapping.nodes[place->second].push_back(rank);
        mapping.sockets.push_back(static_cast<int>(home.socket));
    }
    return mapping;
}

}  // namespace

Mapping find_mapping(MPI_Comm comm, int size, const Settings& settings)
{
    constexpr int numbers = sizeof(Home) / sizeof(std::uint64_t);
    std::vector<Home> homes(static_cast<std::size_t>(size));
    const Home mine{node_of_this_process(settings),
                    static_cast<std::uint64_t>(socket_of_this_process(settings))};
    check(real::Allgather(&mine, numbers, MPI_UINT64_T, homes.data(), numbers, MPI_UINT64_T, comm));
    return mapping_of(homes);
}

Shape shape_of(const Nodes& nodes, const Settings& settings)
{
    Shape shape{.ranks = 0, .nodes = static_cast<int>(nodes.size()), .lanes = settings.lanes()};
    const auto [smallest, largest] = std::ranges::minmax(
        nodes | std::views::transform([](const auto& ranks) { return ranks.size(); }));
    shape.smallest = static_cast<int>(smallest);
    shape.largest = static_cast<int>(largest);
    for (const auto& ranks : nodes) shape.ranks += static_cast<int>(ranks.size());
    return shape;
}

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
    for (const auto [color, key] : splits) {  // all of them: the others are in each
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

Communicator::Communicator(Comm comm, Scope scope) : comm_(std::move(comm)), scope_(scope) {}

Communicator::~Communicator() = default;

void Communicator::go_on_with(const std::shared_ptr<NodeChannel>& channel)
{
    if (parts_) parts_->go_on_with(channel);
}

void Communicator::select(Mapping mapping, const Settings& settings)
{
    selector_ = Selector(settings.rules(), scope_, shape_of(mapping.nodes, settings));
    parts_ = std::make_unique<Parts>(comm_, std::move(mapping), settings.lanes());
}

void Communicator::decompose(Comm own, Mapping mapping, const Settings& settings)
{
    parts_ = std::make_unique<Parts>(
        std::move(own).dividing_operators(settings.divides_operators()),
        std::make_shared<const Layout>(std::move(mapping), settings.lanes()));
    parts_->make_communicators();
}

namespace {

/// Lanes that a process has in common with another one are as many apart as its node has processes, or more: so
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

Parts::Parts(Comm own_world, std::shared_ptr<const Layout> layout, Scope of_node, Scope of_lanes)
    : layout_(std::move(layout)),
      own_world_(std::move(own_world).shared_by(contexts_of(*layout_))),
      world(own_world_),
      node(node_of(world, *layout_), of_node)
{
    for (int lane = node.rank(); lane < layout_->lanes(); lane += node.size())
        lane_comms_.push_back(
            std::make_unique<Communicator>(lane_of(world, *layout_, lane), of_lanes));
}

Parts::Parts(const std::shared_ptr<const Layout>& layout, int rank, bool divides_operators)
    : Parts(Comm::recorded(context::world, rank, layout->ranks(), nullptr)
                .dividing_operators(divides_operators),
            layout)
{
}

Parts::Parts(const Comm& world_, Mapping mapping, int network_lanes)
    : layout_(std::make_shared<const Layout>(std::move(mapping), network_lanes)),
      world(world_),
      node(Comm(), Scope::component)
{
}

Parts::Parts(Comm own_world, const Mapping& mapping, const Settings& settings)
    : Parts(std::move(own_world).dividing_operators(settings.divides_operators()),
            std::make_shared<const Layout>(mapping, settings.lanes()), Scope::node, Scope::lane)
{
    const Rules& rules = settings.rules();
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
        if (rules.choose(part.scope())) part.select(of(ranks), settings);
    });
    if (!rules.decompose(Scope::node) && !rules.decompose(Scope::lane)) return;
    auto own = split();
    for_parts([&, next = own.begin()](Communicator& part, const std::vector<int>& ranks) mutable {
        Comm& comm = *next++;
        if (rules.decompose(part.scope())) part.decompose(std::move(comm), of(ranks), settings);
    });
}

/// `body(part, its ranks)` for the parts of this process that have several: the node, its lanes.
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

/// A communicator for each of these parts, in their order. Collective. Throws NoCommunicators.
std::vector<Comm> Parts::split() const
{
    std::vector<Membership> splits{{node.size() > 1 ? node_index() : MPI_UNDEFINED, world.rank()}};
    const auto split_lanes = [&](bool takes_part, int lane) {
        splits.push_back({takes_part ? lane : MPI_UNDEFINED, node_index()});
    };
    if (layout_->nodes() == 1) {
        // There are none.
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
    // Parts of several processes have all of them, and the world's.
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

}  // namespace laneway
