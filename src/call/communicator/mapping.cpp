// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/mapping.hpp"

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "choose/lane_weights.hpp"
#include "choose/rules.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "machine/node.hpp"

namespace laneway {

namespace {

/// The facts that each process tells the others of itself.
struct ProcessFacts {
    Home home;
    OwnCores cores;
};

Cores cores_on(const Nodes& nodes, const std::vector<ProcessFacts>& all)
{
    Cores found = Cores::each;
    for (const auto& ranks : nodes) {
        std::vector<OwnCores> own;
        for (const int rank : ranks) own.push_back(all[static_cast<std::size_t>(rank)].cores);
        found = both(found, cores_of(own));
    }
    return found;
}

}  // namespace

Whereabouts find_whereabouts(MPI_Comm comm, int size, const Settings& settings)
{
    constexpr int numbers = sizeof(ProcessFacts) / sizeof(std::uint64_t);
    std::vector<ProcessFacts> all(static_cast<std::size_t>(size));
    const VirtualNodes& virtual_nodes = settings.virtual_nodes();
    const std::size_t weighed = weighed_as(settings.network_lanes(), name_of_node(virtual_nodes));
    const ProcessFacts mine{
        {node_of_this_process(virtual_nodes),
         static_cast<std::uint64_t>(socket_of_this_process(virtual_nodes)), weighed},
        own_cores()};
    check(real::Allgather(&mine, numbers, MPI_UINT64_T, all.data(), numbers, MPI_UINT64_T, comm));
    std::vector<Home> homes;
    for (const ProcessFacts& one : all) homes.push_back(one.home);
    Mapping mapping = mapping_of(homes);
    const Cores cores = cores_on(mapping.nodes, all);
    return {std::move(mapping), cores};
}

Shape shape_of(const Nodes& nodes, Cores cores, const Settings& settings)
{
    Shape shape{.ranks = 0,
                .nodes = static_cast<int>(nodes.size()),
                .lanes = settings.lanes(),
                .binding = settings.binding(),
                .cores = settings.cores() == Cores::unknown ? cores : settings.cores()};
    const auto [smallest, largest] = std::ranges::minmax(
        nodes | std::views::transform([](const auto& ranks) { return ranks.size(); }));
    shape.smallest = static_cast<int>(smallest);
    shape.largest = static_cast<int>(largest);
    for (const auto& ranks : nodes) shape.ranks += static_cast<int>(ranks.size());
    return shape;
}

namespace {

ServedPart served_part(Scope part, Cores cores, const Settings& settings)
{
    const Rules& rules = settings.rules();
    if (!rules.matter(part)) return {};
    const auto serving = [part, cores, &settings](const Nodes& nodes) -> Serving {
        const auto selector = std::make_shared<const Selector>(settings.rules(), part,
                                                               shape_of(nodes, cores, settings));
        return [selector](Collective collective, std::int64_t bytes) -> const Choice* {
            const Rule* const rule = selector->rule(collective, bytes);
            return rule ? &rule->choice : nullptr;
        };
    };
    return {serving, rules.decompose(part)};
}

}  // namespace

ServedParts served_parts(Cores cores, const Settings& settings)
{
    return {served_part(Scope::node, cores, settings), served_part(Scope::lane, cores, settings)};
}

}  // namespace laneway
