// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm, on machines of all shapes.
#include <algorithm>

#include "cases/case.hpp"
#include "collectives/algorithm.hpp"
#include "schedule/costs.hpp"
#include "schedule/goal.hpp"
#include "simulate/elements.hpp"
#include "simulate/record.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const std::vector<std::vector<int>> shapes{{1},    {3},       {1, 1, 1, 1}, {2, 2, 2},
                                           {4, 4}, {3, 1, 2}, {4, 2, 4, 1}, {5, 5, 5}};

template <class Body>
void for_all(std::int64_t count, const Body& body)
{
    for (const auto& shape : shapes)
        for_each_call([&]<class Call>(std::type_identity<Call>) {
            for (const auto& algorithm : laneway::registry::all(laneway::collective_of<Call>)) {
                const Job job{.collective = Call::name,
                              .algorithm = algorithm.name,
                              .count = count,
                              .type = datatype_named("double"),
                              .root = 0,
                              .saves_bytes = false,
                              .layout = layout_of(shape, 2)};
                const Recorded recorded = record(job);
                if (recorded.served_by == algorithm.name) body(job, recorded.schedule);
            }
        });
}

const Register components("what is flat has no parts that run beside each other", [] {
    for_each_call([]<class Call>(std::type_identity<Call>) {
        for (const auto& algorithm : laneway::registry::all(laneway::collective_of<Call>))
            TRUE(!(algorithm.flat && algorithm.concurrent));
    });
});

const Register lanes("no lane carries more than it can", [] {
    Machine machine{.lanes = 2, .lane_byte = 800, .lane_latency = 1000};
    for_all(2000, [&](const Job& job, const Schedule& schedule) {
        const Costs costs = costs_of(schedule, *job.layout, machine.lanes);
        for (const bool fair : {false, true}) {
            machine.fair = fair;
            const Time took = std::ranges::max(ends(schedule, *job.layout, machine));
            TRUE(took >= static_cast<Time>(costs.lane_bytes) * 800);
            if (costs.lane_bytes > 0) TRUE(took >= machine.lane_latency);
        }
    });
});

const Register latency("with latency alone, a schedule takes no longer than its rounds", [] {
    for_all(40, [](const Job& job, const Schedule& schedule) {
        const auto rounds = costs_of(schedule, *job.layout, 1).rounds;
        // A send is over as soon as it has left: rounds that only wait for that take no time here.
        const Time took = std::ranges::max(
            ends(schedule, *job.layout, {.lane_latency = 1000, .node_latency = 1000}));
        TRUE(took <= rounds * Time{1000});
        TRUE((took > 0) == (rounds > 0));
    });
});

const Register shares(
    "what requires elements to share out serves with empty shares where that is asked for", [] {
        Job job{.collective = "allreduce",
                .algorithm = "lane",
                .count = 1,
                .type = datatype_named("int"),
                .root = 0,
                .saves_bytes = false,
                .layout = layout_of({4, 4}, 4)};
        EQUAL(record(job).served_by, std::string("hierarchical"));
        job.empty_shares = true;
        const Recorded recorded = record(job);
        EQUAL(recorded.served_by, std::string("lane"));
        EQUAL(recorded.needs, std::string());
        // One lane has a share.
        const Costs costs = costs_of(recorded.schedule, *job.layout, 4);
        EQUAL(costs.lane_bytes, std::int64_t{4});
        job.layout = layout_of({4, 3}, 4);
        job.algorithm = "lane_regular";
        EQUAL(record(job).served_by, std::string("hierarchical"));
    });

const Register same("two runs are the same to the last digit", [] {
    Machine machine{.lanes = 2,
                    .lane_byte = 77,
                    .lane_latency = 1234,
                    .node_byte = 13,
                    .node_latency = 99,
                    .send = 17,
                    .receive = 31,
                    .reduce_byte = 7};
    for_all(300, [&](const Job& job, const Schedule& schedule) {
        for (const bool fair : {false, true}) {
            machine.fair = fair;
            TRUE(ends(schedule, *job.layout, machine) ==
                 ends(record(job).schedule, *job.layout, machine));
        }
    });
});

const Register goal("GOAL has a line for each step, and refers to lines before", [] {
    for_all(40, [](const Job&, const Schedule& schedule) {
        std::string text;
        write_goal(
            schedule, [](const auto&) { return 1; }, [&](const auto& piece) { text += piece; });
        const auto count = [&](std::string_view word) {
            std::size_t found = 0;
            for (std::size_t at = 0; (at = text.find(word, at)) != text.npos; ++at) ++found;
            return found;
        };
        EQUAL(count(": send "), schedule.messages().size() / 2);
        EQUAL(count(": recv "), schedule.messages().size() / 2);
        EQUAL(count("rank "), static_cast<std::size_t>(schedule.ranks()));
        EQUAL(count(" requires l-1"), std::size_t{0});
    });
});

}  // namespace
}  // namespace laneway::simulate
