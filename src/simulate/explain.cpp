// SPDX-License-Identifier: BSD-3-Clause
#include "simulate/explain.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "schedule/costs.hpp"
#include "schedule/goal.hpp"
#include "text/text.hpp"

namespace laneway::simulate {
namespace {

/// A schedule and where its ranks are.
struct View {
    const Schedule& schedule;
    const Layout& layout;
    int lanes;
    std::vector<std::uint32_t> rounds;

    /// It is a send, and to another rank.
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
    /// The lane of its own side.
    std::string lane(std::uint32_t message) const
    {
        if (!crosses(message)) return "null";
        return std::to_string(layout.locate(schedule.rank_of(message)).local % lanes);
    }
};

void print_costs(const Recorded& recorded, const Costs& costs)
{
    const auto number = [](const char* name, auto value) {
        std::printf(", \"%s\": %lld", name, static_cast<long long>(value));
    };
    std::printf("{\"kind\": \"costs\", \"served_by\": %s, \"needs\": %s",
                recorded.served_by.empty() ? "null" : in_json(recorded.served_by).c_str(),
                in_json(recorded.needs).c_str());
    number("bytes", recorded.bytes);
    number("rounds", costs.rounds);
    number("messages", costs.messages);
    number("process_messages", costs.process_messages);
    number("process_bytes", costs.process_bytes);
    number("lane_bytes", costs.lane_bytes);
    number("node_bytes", costs.node_bytes);
    number("inside_bytes", costs.inside_bytes);
    number("scratch_bytes", costs.scratch_bytes);
    std::printf(", \"of_lanes\": [");
    for (std::size_t lane = 0; lane < costs.of_lanes.size(); ++lane)
        std::printf("%s[%lld, %lld]", lane > 0 ? ", " : "",
                    static_cast<long long>(costs.of_lanes[lane].sent),
                    static_cast<long long>(costs.of_lanes[lane].received));
    std::printf("], \"inside\": [");
    for (std::size_t node = 0; node < costs.inside.size(); ++node)
        std::printf("%s%lld", node > 0 ? ", " : "", static_cast<long long>(costs.inside[node]));
    std::printf("]}\n");
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
        std::printf(
            "{\"kind\": \"round\", \"round\": %zu, \"messages\": %lld, \"on_lanes\": %lld, "
            "\"lane_bytes\": %lld, \"inside_bytes\": %lld}\n",
            at + 1, static_cast<long long>(rounds[at].messages),
            static_cast<long long>(rounds[at].on_lanes),
            static_cast<long long>(rounds[at].lane_bytes),
            static_cast<long long>(rounds[at].inside_bytes));
}

void print_messages(const View& view)
{
    for (std::uint32_t message = 0; message < view.rounds.size(); ++message)
        if (view.leaves(message))
            std::printf(
                "{\"kind\": \"message\", \"round\": %u, \"from\": %d, \"to\": %d, \"bytes\": %lld, "
                "\"lane\": %s}\n",
                view.rounds[message], view.schedule.rank_of(message),
                view.schedule.step_of(message).peer,
                static_cast<long long>(view.schedule.step_of(message).bytes),
                view.lane(message).c_str());
}

/// The messages that a wait is for: `["receive", 3]`, from rank 3.
std::string waited_for(const Schedule& schedule, const Schedule::Step& wait)
{
    std::string text;
    for (const std::uint32_t message : schedule.awaited(wait)) {
        const Schedule::Step& own = schedule.step_of(message);
        text += (text.empty() ? "[\"" : ", [\"") + std::string(word_of(own.kind)) + "\", " +
                std::to_string(own.peer) + "]";
    }
    return "[" + text + "]";
}

void print_strand(const View& view, std::uint32_t strand, std::uint32_t first)
{
    const Schedule& schedule = view.schedule;
    std::uint32_t message = schedule.strands()[strand].first_message;
    for (std::uint32_t at = schedule.strands()[strand].first_step; at < schedule.end_of(strand);
         ++at) {
        const Schedule::Step& step = schedule.steps()[at];
        std::printf("{\"kind\": \"step\", \"strand\": %u, \"step\": \"%s\"", strand - first,
                    word_of(step.kind));
        switch (step.kind) {
        case Operation::Kind::send:
        case Operation::Kind::receive:
            std::printf(", \"peer\": %d, \"bytes\": %lld, \"round\": %u, \"lane\": %s", step.peer,
                        static_cast<long long>(step.bytes), view.rounds[message],
                        view.lane(message).c_str());
            ++message;
            break;
        case Operation::Kind::wait:
            std::printf(", \"for\": %s", waited_for(schedule, step).c_str());
            break;
        case Operation::Kind::copy:
        case Operation::Kind::reduce:
            std::printf(", \"bytes\": %lld", static_cast<long long>(step.bytes));
            break;
        case Operation::Kind::fork:
        case Operation::Kind::join:
            std::printf(", \"other\": %u", static_cast<std::uint32_t>(step.peer) - first);
            break;
        case Operation::Kind::pack:
        case Operation::Kind::unpack:
            break;  // over MPI alone
        }
        std::printf("}\n");
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
