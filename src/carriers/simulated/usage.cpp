// SPDX-License-Identifier: BSD-3-Clause
#include "carriers/simulated/usage.hpp"

#include <cstddef>
#include <optional>

#include "carriers/simulated/places.hpp"
#include "carriers/simulated/topology.hpp"

namespace laneway {

Usage usage_of(const Schedule& schedule, const Layout& layout, const Machine& machine)
{
    const Places places(layout, machine);
    const auto nodes = static_cast<std::size_t>(layout.nodes());
    const std::size_t lanes = nodes * static_cast<std::size_t>(machine.lanes);
    Usage usage{.out = std::vector<Usage::Load>(lanes),
                .in = std::vector<Usage::Load>(lanes),
                .links = {},
                .inside = std::vector<Usage::Load>(nodes)};
    std::optional<Routes> routes;
    if (machine.network.kind != Topology::Kind::flat) {
        routes.emplace(machine.network, layout.nodes());
        usage.links.resize(routes->links());
    }
    std::vector<std::uint32_t> way;
    for (std::uint32_t message = 0; message < schedule.messages().size(); ++message) {
        const Schedule::Step& step = schedule.step_of(message);
        const int from = schedule.rank_of(message), to = step.peer;
        if (step.kind != Operation::Kind::send || from == to) continue;
        const auto add = [&](Usage::Load& load) {
            load.bytes += step.bytes;
            ++load.messages;
        };
        if (!places.crosses(from, to)) {
            add(usage.inside[static_cast<std::size_t>(places.node(from))]);
            continue;
        }
        add(usage.out[places.out(from, to)]);
        add(usage.in[places.in(to)]);
        if (!routes) continue;
        way.clear();
        routes->add(places.node(from), places.node(to), places.in(to), way);
        for (const std::uint32_t link : way) add(usage.links[link]);
    }
    return usage;
}

}  // namespace laneway
