// SPDX-License-Identifier: BSD-3-Clause
// Steps of the k-lane model (Traeff and Hunold 2020, Section 5), against schedules that are known.
#include <string>
#include <vector>

#include "cases/case.hpp"
#include "schedule/rounds.hpp"
#include "simulate/record.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

std::vector<int> nodes_of(int nodes, int node)
{
    return std::vector<int>(static_cast<std::size_t>(nodes), node);
}

/// The steps of a broadcast, on so many nodes of `node` processes with `lanes` lanes.
std::uint32_t steps_of(const std::string& algorithm, int nodes, int node, int lanes,
                       std::int64_t count = 1, int root = 0)
{
    const auto layout = layout_of(nodes_of(nodes, node));
    const Recorded recorded = record({.collective = "bcast",
                                      .algorithm = algorithm,
                                      .count = count,
                                      .type = MPI_BYTE,
                                      .root = root,
                                      .saves_bytes = false,
                                      .layout = layout});
    return unit_steps_of(recorded.schedule, *layout, lanes);
}

const Register one_step("a step has a message out of a lane, and one to each process of the node",
                        [] {
                            EQUAL(steps_of("linear", 1, 5, 1), 1U);
                            EQUAL(steps_of("linear", 5, 1, 1), 4U);
                            EQUAL(steps_of("linear", 2, 3, 3),
                                  3U);  // three messages leave by the root's lane
                            EQUAL(steps_of("binomial", 8, 1, 1), 3U);
                            EQUAL(steps_of("linear", 1, 1, 1), 0U);
                            const auto layout = layout_of({2});
                            const auto twice = [](const Decomposition& on) {
                                Messages messages(on.world);
                                for (const int tag : {0, 1})
                                    on.world.rank() == 0
                                        ? messages.send(bytes(2).slice(tag, 1), 1, tag)
                                        : messages.receive(bytes(2).slice(tag, 1), 0, tag);
                                messages.wait();
                            };
                            EQUAL(unit_steps_of(recorded(layout, twice), *layout, 1), 2U);
                        });

const Register by_turns("k' processes on k lanes take k'/k times as many steps", [] {
    constexpr int node = 6;
    const auto layout = layout_of(nodes_of(3, node));
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        const int ranks = on.world.size(), rank = on.world.rank();
        Messages messages(on.world);
        messages.receive(bytes(2).slice(1, 1), (rank - node + ranks) % ranks);
        messages.send(bytes(1), (rank + node) % ranks);
        messages.wait();
    });
    for (const int lanes : {1, 2, 3, 6})
        EQUAL(unit_steps_of(schedule, *layout, lanes), static_cast<std::uint32_t>(node / lanes));
    EQUAL(unit_steps_of(schedule, *layout, 4), 2U);
});

const Register as_one("a pipeline on k lanes takes as many steps as one, and three: Proposition 1",
                      [] {
                          constexpr std::int64_t segment = 64;
                          for (const int nodes : {2, 3, 5, 8})
                              for (const int node : {2, 3, 4})
                                  for (const std::int64_t segments : {2, 16})
                                      for (const int root : {0, node * nodes - 1}) {
                                          const auto one =
                                              steps_of("chain(segment=64)", nodes, 1, 1,
                                                       segment * segments, root / node);
                                          const auto all =
                                              steps_of("lane_pipeline(segment=64,back=1)", nodes,
                                                       node, node, segment * segments * node, root);
                                          EQUAL(all, one + 3);
                                      }
                      });

const Register by_ports("a broadcast by k ports takes at most twice the steps of k ports", [] {
    const struct {
        int nodes, node;
        unsigned steps;
    } trees[] = {{3, 2, 1}, {9, 2, 2}, {10, 2, 3}, {16, 3, 2}, {64, 3, 3}};
    for (const auto& [nodes, node, steps] : trees) {
        const auto found = steps_of("k_ported", nodes, node, node);
        TRUE(steps < found && found <= 2 * steps + 1);  // the last nodes tell their processes
    }
});

}  // namespace
}  // namespace laneway::simulate
