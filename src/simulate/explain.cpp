// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/explain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "schedule/costs.hpp"
#include "schedule/goal.hpp"
#include "schedule/rounds.hpp"
#include "simulate/json.hpp"

namespace laneway::simulate {
namespace {

/// A schedule and where its ranks are.
struct View {
    const Schedule& schedule;
    const Layout& layout;
    int lanes;
    std::vector<std::uint32_t> rounds;

    /// Whether a message is a send, and to another rank.
    bool leaves(std::uint32_t message) const
    {
        return schedule.is_send(message) &&
               schedule.rank_of(message) != schedule.step_of(message).peer;
    }
    bool crosses(std::uint32_t message) const
    {
        return layout.locate(schedule.rank_of(message)).node !=
               layout.locate(schedule.step_of(message).peer).node;
    }
    /// The lane of the message's own side.
    Json lane(std::uint32_t message) const
    {
        if (!crosses(message)) return nullptr;
        return layout.locate(schedule.rank_of(message)).local % lanes;
    }
};

void print_costs(const Recorded& recorded, const Costs& costs)
{
    Json of_lanes = Json::array();
    for (const Traffic& lane : costs.of_lanes) of_lanes.push_back({lane.sent, lane.received});
    Json row = {{"kind", "costs"},
                {"served_by", text_or_null(recorded.served_by)},
                {"needs", recorded.needs},
                {"bytes", recorded.bytes},
                {"rounds", costs.rounds},
                {"unit_steps", costs.unit_steps},
                {"messages", costs.messages},
                {"process_messages", costs.process_messages},
                {"process_bytes", costs.process_bytes},
                {"lane_bytes", costs.lane_bytes},
                {"node_bytes", costs.node_bytes},
                {"inside_bytes", costs.inside_bytes},
                {"scratch_bytes", costs.scratch_bytes},
                {"of_lanes", std::move(of_lanes)},
                {"inside", costs.inside}};
    if (recorded.crossing) row["crossing"] = json_of(*recorded.crossing);
    print(row);
}

void print_rounds(const View& view)
{
    struct Round {
        std::int64_t messages = 0, on_lanes = 0, lane_bytes = 0, inside_bytes = 0;
    };
    std::vector<Round> rounds;
    for (std::uint32_t message = 0; message < view.rounds.size(); ++message) {
        if (!view.leaves(message)) continue;
        if (rounds.size() < view.rounds[message]) rounds.resize(view.rounds[message]);
        Round& round = rounds[view.rounds[message] - 1];
        const bool crosses = view.crosses(message);
        ++round.messages;
        round.on_lanes += crosses;
        (crosses ? round.lane_bytes : round.inside_bytes) += view.schedule.step_of(message).bytes;
    }
    for (std::size_t at = 0; at < rounds.size(); ++at)
        print({{"kind", "round"},
               {"round", at + 1},
               {"messages", rounds[at].messages},
               {"on_lanes", rounds[at].on_lanes},
               {"lane_bytes", rounds[at].lane_bytes},
               {"inside_bytes", rounds[at].inside_bytes}});
}

void print_messages(const View& view)
{
    for (std::uint32_t message = 0; message < view.rounds.size(); ++message)
        if (view.leaves(message))
            print({{"kind", "message"},
                   {"round", view.rounds[message]},
                   {"from", view.schedule.rank_of(message)},
                   {"to", view.schedule.step_of(message).peer},
                   {"bytes", view.schedule.step_of(message).bytes},
                   {"lane", view.lane(message)}});
}

/// The messages that a wait is for: `["receive", 3]`, from rank 3.
Json waited_for(const Schedule& schedule, const Schedule::Step& wait)
{
    Json messages = Json::array();
    for (const std::uint32_t message : schedule.awaited(wait)) {
        const Schedule::Step& own = schedule.step_of(message);
        messages.push_back({word_of(own.kind), own.peer});
    }
    return messages;
}

void print_strand(const View& view, std::uint32_t strand, std::uint32_t first)
{
    const Schedule& schedule = view.schedule;
    std::uint32_t message = schedule.strands()[strand].first_message;
    for (std::uint32_t at = schedule.strands()[strand].first_step; at < schedule.end_of(strand);
         ++at) {
        const Schedule::Step& step = schedule.steps()[at];
        Json row = {{"kind", "step"}, {"strand", strand - first}, {"step", word_of(step.kind)}};
        switch (step.kind) {
        case Operation::Kind::send:
        case Operation::Kind::receive:
            row.update({{"peer", step.peer},
                        {"bytes", step.bytes},
                        {"round", view.rounds[message]},
                        {"lane", view.lane(message)}});
            ++message;
            break;
        case Operation::Kind::wait:
            row["for"] = waited_for(schedule, step);
            break;
        case Operation::Kind::copy:
        case Operation::Kind::reduce:
            row["bytes"] = step.bytes;
            break;
        case Operation::Kind::fork:
        case Operation::Kind::join:
            row["other"] = static_cast<std::uint32_t>(step.peer) - first;
            break;
        case Operation::Kind::pack:
        case Operation::Kind::unpack:
            break;  // over MPI alone
        }
        print(row);
    }
}

void print_steps(const View& view, int rank)
{
    const std::uint32_t first = view.schedule.first_strand(rank);
    const auto& strands = view.schedule.strands();
    for (std::uint32_t strand = first; strand < strands.size() && strands[strand].rank == rank;
         ++strand)
        print_strand(view, strand, first);
}

}  // namespace

void explain(const Recorded& recorded, const Job& job, int network_lanes, const Explanation& wanted)
{
    const Schedule& schedule = recorded.schedule;
    print_costs(recorded, costs_of(schedule, *job.layout, network_lanes));
    if (schedule.ranks() == 0) return;
    const View view{schedule, *job.layout, network_lanes, rounds_of(schedule)};
    if (wanted.rounds) print_rounds(view);
    if (wanted.messages) print_messages(view);
    if (wanted.rank >= 0) print_steps(view, wanted.rank);
}

void print_goal(const Schedule& schedule, const Machine& machine)
{
    const auto nanoseconds = [&](const Schedule::Step& step) {
        const double byte =
            (step.kind == Operation::Kind::copy ? machine.copy_byte : machine.reduce_byte) +
            (step.packs ? machine.pack_byte : 0);
        return static_cast<std::int64_t>(
            std::llround(static_cast<double>(step.bytes) * byte / 1e3));
    };
    write_goal(schedule, nanoseconds,
               [](const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); });
}

}  // namespace laneway::simulate
