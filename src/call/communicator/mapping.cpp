// SPDX-License-Identifier: BSD-3-Clause
#include "call/communicator/mapping.hpp"

#include <algorithm>
#include <memory>
#include <ranges>
#include <utility>
#include <vector>

#include "choose/rules.hpp"
#include "library/error.hpp"
#include "library/real.hpp"
#include "machine/node.hpp"

namespace laneway {

Mapping find_mapping(MPI_Comm comm, int size, const Settings& settings)
{
    constexpr int numbers = sizeof(Home) / sizeof(std::uint64_t);
    std::vector<Home> homes(static_cast<std::size_t>(size));
    const Home mine{node_of_this_process(settings.virtual_nodes()),
                    static_cast<std::uint64_t>(socket_of_this_process(settings.virtual_nodes()))};
    check(real::Allgather(&mine, numbers, MPI_UINT64_T, homes.data(), numbers, MPI_UINT64_T, comm));
    return mapping_of(homes);
}

Shape shape_of(const Nodes& nodes, const Settings& settings)
{
    Shape shape{.ranks = 0,
                .nodes = static_cast<int>(nodes.size()),
                .lanes = settings.lanes(),
                .binding = settings.binding()};
    const auto [smallest, largest] = std::ranges::minmax(
        nodes | std::views::transform([](const auto& ranks) { return ranks.size(); }));
    shape.smallest = static_cast<int>(smallest);
    shape.largest = static_cast<int>(largest);
    for (const auto& ranks : nodes) shape.ranks += static_cast<int>(ranks.size());
    return shape;
}

namespace {

ServedPart served_part(Scope part, const Settings& settings)
{
    const Rules& rules = settings.rules();
    if (!rules.choose(part)) return {};
    const auto serving = [part, &settings](const Nodes& nodes) -> Serving {
        const auto selector =
            std::make_shared<const Selector>(settings.rules(), part, shape_of(nodes, settings));
        return [selector](Collective collective, std::int64_t bytes) -> const Choice* {
            const Rule* const rule = selector->rule(collective, bytes);
            return rule ? &rule->choice : nullptr;
        };
    };
    return {serving, rules.decompose(part)};
}

}  // namespace

ServedParts served_parts(const Settings& settings)
{
    return {served_part(Scope::node, settings), served_part(Scope::lane, settings)};
}

}  // namespace laneway
