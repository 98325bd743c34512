// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/outcome.hpp"

#include <tuple>
#include <utility>
#include <vector>

#include "carriers/simulated/critical_path.hpp"
#include "carriers/simulated/places.hpp"
#include "carriers/simulated/topology.hpp"
#include "carriers/simulated/usage.hpp"

namespace laneway::simulate {
namespace {

double microseconds(Time time) { return static_cast<double>(time) / 1e6; }

/// A lane, or a link, by name.
struct Named {
    std::string name;
    Usage::Load load;
    double busy;
};

std::string lane_name(std::size_t lane, const Machine& machine, bool comes)
{
    const auto lanes = static_cast<std::size_t>(machine.lanes);
    return "node " + std::to_string(lane / lanes) + ", lane " + std::to_string(lane % lanes) +
           (comes ? " in" : " out");
}

double part_of(double time, const Outcome& of)
{
    const Time all = of.simulated.end();
    return all > 0 ? time / static_cast<double>(all) : 0;
}

Named lane_of(const Outcome& of, const Usage& usage, std::size_t lane, bool comes)
{
    const Time busy = of.simulated.lane_busy(static_cast<std::uint32_t>(lane), comes);
    return {lane_name(lane, of.machine, comes), (comes ? usage.in : usage.out)[lane],
            part_of(static_cast<double>(busy), of)};
}

Named link_of(const Outcome& of, const Usage& usage, std::size_t link)
{
    const Routes routes(of.machine.network, of.layout.nodes());
    const Usage::Load& load = usage.links[link];
    return {routes.name(static_cast<std::uint32_t>(link)), load,
            part_of(static_cast<double>(load.bytes) * of.machine.network.link_byte, of)};
}

/// The number of the load that keeps its lane or link busy longest; of several, the first.
template <class Busy>
std::size_t busiest(const std::vector<Usage::Load>& loads, const Busy& busy)
{
    std::size_t most = 0;
    for (std::size_t at = 1; at < loads.size(); ++at)
        if (busy(at) > busy(most)) most = at;
    return most;
}

Json row_of(const Named& named)
{
    return {{"name", named.name},
            {"bytes", named.load.bytes},
            {"messages", named.load.messages},
            {"busy", rounded(named.busy, 4)}};
}

}  // namespace

Json Outcome::json() const
{
    const Usage usage = usage_of(schedule, layout, machine);
    const auto lane = [&](bool comes) {
        const auto& loads = comes ? usage.in : usage.out;
        const auto busy = [&](std::size_t at) {
            return std::pair(simulated.lane_busy(static_cast<std::uint32_t>(at), comes),
                             loads[at].bytes);
        };
        return lane_of(*this, usage, busiest(loads, busy), comes);
    };
    const Named out = lane(false), in = lane(true);
    const bool comes = std::tie(in.busy, in.load.bytes) > std::tie(out.busy, out.load.bytes);
    Json row = {{"busiest_lane", row_of(comes ? in : out)}};
    if (!usage.links.empty() && machine.network.link_byte > 0) {
        const auto bytes = [&](std::size_t at) { return usage.links[at].bytes; };
        row["busiest_link"] = row_of(link_of(*this, usage, busiest(usage.links, bytes)));
    }
    if (!trace) return row;
    const CriticalPath path = critical_path_of(schedule, layout, machine, *trace, simulated);
    Json& bound_by = row["bound_by"] = Json::object();
    for (std::size_t cause = 0; cause < CriticalPath::causes; ++cause)
        if (path.time[cause] > 0)
            bound_by[CriticalPath::names[cause]] = microseconds(path.time[cause]);
    row["last_rank"] = path.rank;
    return row;
}

void Outcome::print_loads() const
{
    const Usage usage = usage_of(schedule, layout, machine);
    const auto print = [](const char* kind, const Named& named) {
        if (named.load.messages == 0) return;
        Json row = {{"kind", kind}};
        row.update(row_of(named));
        simulate::print(row);
    };
    for (std::size_t lane = 0; lane < usage.out.size(); ++lane)
        for (const bool comes : {false, true}) print("lane", lane_of(*this, usage, lane, comes));
    for (std::size_t link = 0; link < usage.links.size(); ++link)
        print("link", link_of(*this, usage, link));
}

void print_trace(const Schedule& schedule, const Layout& layout, const Machine& machine,
                 const Trace& trace)
{
    const Places places(layout, machine);
    const auto& strands = schedule.strands();
    for (std::uint32_t strand = 0; strand < strands.size(); ++strand) {
        const int rank = strands[strand].rank;
        for (std::uint32_t at = strands[strand].first_step; at < schedule.end_of(strand); ++at) {
            const Schedule::Step& step = schedule.steps()[at];
            if (trace.began[at] == trace.ended[at]) continue;
            Json row = {{"kind", "step"},
                        {"rank", rank},
                        {"node", places.node(rank)},
                        {"strand", strand - schedule.first_strand(rank)},
                        {"step", word_of(step.kind)},
                        {"began_us", microseconds(trace.began[at])},
                        {"ended_us", microseconds(trace.ended[at])}};
            if (step.kind == Operation::Kind::send) row["peer"] = step.peer;
            if (step.kind != Operation::Kind::wait && step.kind != Operation::Kind::join)
                row["bytes"] = step.bytes;
            print(row);
        }
    }
    for (const Trace::Passage& passage : trace.passages) {
        const auto lanes = static_cast<std::uint32_t>(machine.lanes);
        print({{"kind", "passage"},
               {"node", passage.lane / lanes},
               {"lane", passage.lane % lanes},
               {"comes", passage.comes},
               {"from", schedule.rank_of(passage.message)},
               {"to", schedule.step_of(passage.message).peer},
               {"bytes", schedule.step_of(passage.message).bytes},
               {"began_us", microseconds(passage.began)},
               {"ended_us", microseconds(passage.ended)}});
    }
}

}  // namespace laneway::simulate
