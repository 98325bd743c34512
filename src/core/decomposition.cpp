// SPDX-License-Identifier: BSD-3-Clause
#include "core/decomposition.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_map>
#include <utility>

#include "core/node.hpp"
#include "mpi/error.hpp"
#include "mpi/real.hpp"

namespace laneway {
namespace {

std::vector<Decomposition::Place> places_of(const Nodes& members, int size)
{
    std::vector<Decomposition::Place> places(static_cast<std::size_t>(size));
    for (std::size_t node = 0; node < members.size(); ++node)
        for (std::size_t local = 0; local < members[node].size(); ++local)
            places[static_cast<std::size_t>(members[node][local])] = {static_cast<int>(node),
                                                                      static_cast<int>(local)};
    return places;
}

/// The scope of a component: parts of parts are all the same to the selector.
Scope part(Scope scope, Scope name) { return scope == Scope::user ? name : Scope::component; }

}  // namespace

Nodes find_nodes(MPI_Comm comm, int size, const Settings& settings)
{
    std::vector<std::uint64_t> node_of(static_cast<std::size_t>(size));
    const std::uint64_t mine = node_of_this_process(settings);
    check(real::Allgather(&mine, 1, MPI_UINT64_T, node_of.data(), 1, MPI_UINT64_T, comm));

    Nodes members;
    std::unordered_map<std::uint64_t, std::size_t> index;
    for (int rank = 0; rank < size; ++rank) {
        const auto [place, is_new] =
            index.try_emplace(node_of[static_cast<std::size_t>(rank)], members.size());
        if (is_new) members.emplace_back();
        members[place->second].push_back(rank);
    }
    return members;
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

Decomposition::Decomposition(const Comm& world_, Nodes nodes, Scope scope,
                             const std::shared_ptr<const Settings>& settings)
    : members_(std::move(nodes)),
      places_(places_of(members_, world_.size())),
      world(world_),
      node(split_agreed(world.handle(), node_index(), world.rank()), part(scope, Scope::node),
           settings)
{
    std::size_t smallest = places_.size(), largest = 0;
    int next = 0;
    for (const auto& ranks : members_) {
        smallest = std::min(smallest, ranks.size());
        largest = std::max(largest, ranks.size());
        for (const int rank : ranks) consecutive_ = consecutive_ && rank == next++;
    }
    regular_ = smallest == largest;
    const auto wanted = static_cast<std::size_t>(settings->lanes());
    lanes_ = static_cast<int>(std::max(smallest, std::min(wanted, largest)));

    const auto join = [&](int lane) {
        const bool serving = lane != MPI_UNDEFINED;
        Comm comm = split_agreed(world.handle(), lane, node_index());
        if (serving)
            lane_comms_[static_cast<std::size_t>(lane)] =
                std::make_unique<Communicator>(std::move(comm), part(scope, Scope::lane), settings);
    };
    lane_comms_.resize(static_cast<std::size_t>(lanes_));
    if (std::cmp_equal(lanes_, smallest)) {
        // No process serves two lanes: one split makes them all.
        join(node.rank() < lanes_ ? node.rank() : MPI_UNDEFINED);
    } else {
        for (int lane = 0; lane < lanes_; ++lane) join(serves(lane) ? lane : MPI_UNDEFINED);
    }
}

void Decomposition::use(const Components* components)
{
    if (components == components_) return;
    components_ = components;
    node.use(components);
    for (const auto& lane : lane_comms_)
        if (lane) lane->use(components);
}

}  // namespace laneway
