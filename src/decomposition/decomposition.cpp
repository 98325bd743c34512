// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/decomposition.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "choose/node.hpp"
#include "mpi/error.hpp"
#include "mpi/real.hpp"

namespace laneway {
namespace {

/// The scope of a component: parts of parts are all the same to the selector.
Scope part(Scope scope, Scope name) { return scope == Scope::user ? name : Scope::component; }

}  // namespace

Mapping find_mapping(MPI_Comm comm, int size, const Settings& settings)
{
    struct Home {
        std::uint64_t node;
        std::uint64_t socket;
    };
    constexpr int numbers = sizeof(Home) / sizeof(std::uint64_t);
    std::vector<Home> homes(static_cast<std::size_t>(size));
    const Home mine{node_of_this_process(settings),
                    static_cast<std::uint64_t>(socket_of_this_process(settings))};
    check(real::Allgather(&mine, numbers, MPI_UINT64_T, homes.data(), numbers, MPI_UINT64_T, comm));

    Mapping mapping;
    std::unordered_map<std::uint64_t, std::size_t> index;
    for (int rank = 0; rank < size; ++rank) {
        const Home& home = homes[static_cast<std::size_t>(rank)];
        const auto [place, is_new] = index.try_emplace(home.node, mapping.nodes.size());
        if (is_new) mapping.nodes.emplace_back();
        mapping.nodes[place->second].push_back(rank);
        mapping.sockets.push_back(static_cast<int>(home.socket));
    }
    return mapping;
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

Comm split_agreed(MPI_Comm parent, int color, int key)
{
    Comm child;
    int code = MPI_SUCCESS;
    try {
        child = Comm::split(parent, color, key);
    } catch (const Error& error) {
        code = error.code();
    }
    const int worked_here = code == MPI_SUCCESS;
    int worked = 0;
    check(real::Allreduce(&worked_here, &worked, 1, MPI_INT, MPI_MIN, parent));
    if (!worked) throw Error(code == MPI_SUCCESS ? MPI_ERR_OTHER : code);
    return child;
}

Communicator::Communicator(Comm comm, Scope scope, std::shared_ptr<const Settings> settings)
    : comm_(std::move(comm)),
      scope_(scope)
{
    const bool component = scope == Scope::node || scope == Scope::lane;
    if (!component || !settings->rules().choose(scope) || comm_.size() == 1) return;
    try {
        Mapping mapping = find_mapping(comm_.handle(), comm_.size(), *settings);
        selector_ = Selector(settings->rules(), scope, shape_of(mapping.nodes, *settings));
        parts_ =
            settings->rules().decompose(scope)
                ? std::make_unique<Parts>(comm_, std::move(mapping), Scope::component, settings)
                : std::make_unique<Parts>(comm_, std::move(mapping), settings->lanes());
    } catch (const Error&) {
        parts_.reset();  // no communicator left, as all ranks know: components stay plain
    }
}

Communicator::Communicator(Comm comm) : comm_(std::move(comm)), scope_(Scope::component) {}

Communicator::~Communicator() = default;

void Communicator::attach(const Comm::Near& near)
{
    comm_.attach(near);
    if (parts_) parts_->attach({near.channel, 0, {}});
}

Parts::Parts(const Comm& world_, Mapping mapping, Scope scope,
             const std::shared_ptr<const Settings>& settings)
    : layout_(std::make_shared<const Layout>(std::move(mapping), settings->lanes())),
      world(world_),
      node(split_agreed(world.handle(), node_index(), world.rank()).as_node(),
           part(scope, Scope::node), settings)
{
    const auto join = [&](int lane) {
        const bool serving = lane != MPI_UNDEFINED;
        Comm comm = split_agreed(world.handle(), lane, node_index());
        if (serving)
            lane_comms_[index_of(lane)] =
                std::make_unique<Communicator>(std::move(comm), part(scope, Scope::lane), settings);
    };
    lane_comms_.resize(lanes_served());
    if (!layout_->shares_lanes()) {
        // No process serves two lanes: one split makes them all.
        join(node.rank() < layout_->lanes() ? node.rank() : MPI_UNDEFINED);
    } else {
        for (int lane = 0; lane < layout_->lanes(); ++lane)
            join(serves(lane) ? lane : MPI_UNDEFINED);
    }
}

void Parts::attach(const Comm::Near& near)
{
    node.attach(near);
    for (const auto& lane : lane_comms_) lane->attach(near);
}

namespace {

enum Context : int { on_world, on_node, on_first_lane };

Comm node_of(const Layout& layout, int rank)
{
    const auto [node, local] = layout.locate(rank);
    const auto& members = layout.members(node);
    return Comm::recorded(on_node, local, static_cast<int>(members.size()), members.data())
        .as_node();
}

}  // namespace

Parts::Parts(std::shared_ptr<const Layout> layout, int rank)
    : layout_(std::move(layout)),
      own_world_(Comm::recorded(on_world, rank, layout_->ranks(), nullptr)),
      world(own_world_),
      node(node_of(*layout_, rank))
{
    lane_comms_.reserve(lanes_served());
    for (int lane = node.rank(); lane < layout_->lanes(); lane += node.size())
        lane_comms_.push_back(std::make_unique<Communicator>(Comm::recorded(
            on_first_lane + lane, node_index(), layout_->nodes(), layout_->on_lane(lane).data())));
}

Parts::Parts(const Comm& world_, Mapping mapping, int network_lanes)
    : layout_(std::make_shared<const Layout>(std::move(mapping), network_lanes)),
      world(world_),
      node(Comm())
{
}

}  // namespace laneway
