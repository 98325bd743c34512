// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/costs.hpp"

#include <algorithm>

#include "schedule/rounds.hpp"

namespace laneway {
namespace {

std::int64_t most_of(const std::vector<Traffic>& all)
{
    std::int64_t most = 0;
    for (const Traffic& one : all) most = std::max(most, one.most());
    return most;
}

}  // namespace

Costs costs_of(const Schedule& schedule, const Layout& layout, int network_lanes)
{
    const auto ranks = static_cast<std::size_t>(layout.ranks());
    const auto nodes = static_cast<std::size_t>(layout.nodes());
    const auto lanes = static_cast<std::size_t>(network_lanes);
    std::vector<Traffic> bytes(ranks), messages(ranks), of_nodes(nodes);
    Costs costs{.scratch_bytes = schedule.scratch_bytes(),
                .of_lanes = std::vector<Traffic>(nodes * lanes),
                .inside = std::vector<std::int64_t>(nodes)};
    const auto lane_of = [&](Layout::Place place) -> Traffic& {
        return costs.of_lanes[static_cast<std::size_t>(place.node) * lanes +
                              static_cast<std::size_t>(place.local) % lanes];
    };

    for (std::uint32_t message = 0; message < schedule.messages().size(); ++message) {
        if (!schedule.is_send(message)) continue;
        const Schedule::Step& step = schedule.step_of(message);
        const int from = schedule.rank_of(message), to = step.peer;
        if (from == to) continue;
        ++costs.messages;
        ++messages[static_cast<std::size_t>(from)].sent;
        ++messages[static_cast<std::size_t>(to)].received;
        bytes[static_cast<std::size_t>(from)].sent += step.bytes;
        bytes[static_cast<std::size_t>(to)].received += step.bytes;
        const Layout::Place start = layout.locate(from), end = layout.locate(to);
        if (start.node == end.node) {
            costs.inside[static_cast<std::size_t>(start.node)] += step.bytes;
            continue;
        }
        of_nodes[static_cast<std::size_t>(start.node)].sent += step.bytes;
        of_nodes[static_cast<std::size_t>(end.node)].received += step.bytes;
        lane_of(start).sent += step.bytes;
        lane_of(end).received += step.bytes;
    }

    const auto rounds = rounds_of(schedule);
    costs.rounds = rounds.empty() ? 0 : std::ranges::max(rounds);
    costs.unit_steps = unit_steps_of(schedule, layout, network_lanes);
    costs.process_messages = most_of(messages);
    costs.process_bytes = most_of(bytes);
    costs.lane_bytes = most_of(costs.of_lanes);
    costs.node_bytes = most_of(of_nodes);
    costs.inside_bytes = costs.inside.empty() ? 0 : std::ranges::max(costs.inside);
    return costs;
}

}  // namespace laneway
