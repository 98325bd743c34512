// SPDX-License-Identifier: BSD-3-Clause
// Counted costs, against schedules that are known.
#include <algorithm>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "cases/case.hpp"
#include "providers/providers.hpp"
#include "schedule/costs.hpp"
#include "schedule/rounds.hpp"
#include "simulate/record.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

Recorded bcast(const std::string& algorithm, const std::shared_ptr<const Layout>& layout,
               std::int64_t count, int root = 0)
{
    return record({.collective = "bcast",
                   .algorithm = algorithm,
                   .count = count,
                   .type = MPI_BYTE,
                   .root = root,
                   .saves_bytes = false,
                   .layout = layout});
}

const Register binomial_bytes("rounds and bytes of a binomial tree", [] {
    const auto layout = layout_of({2, 2, 2, 2});
    const Schedule schedule =
        recorded(layout, [](const Decomposition& on) { binomial_bcast(bytes(10), on.world); });
    const Costs costs = costs_of(schedule, *layout, 1);
    EQUAL(costs.rounds, 3U);
    EQUAL(costs.process_messages, 3);
    EQUAL(costs.process_bytes, 30);
    EQUAL(costs.node_bytes, 20);    // rank 0 to ranks 4 and 2
    EQUAL(costs.inside_bytes, 10);  // and to rank 1
    EQUAL(costs.scratch_bytes, std::size_t{0});
});

const Register bytes_on_lanes("bytes are counted on the lanes of those that send and receive", [] {
    const auto layout = layout_of({2, 2}, 2);
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        if (on.world.rank() == 0) send(on, 7, 3);
        if (on.world.rank() == 3) receive(on, 7, 0);
    });
    const Costs two = costs_of(schedule, *layout, 2);
    EQUAL(two.of_lanes[0].sent, 7);
    EQUAL(two.of_lanes[1].sent, 0);
    EQUAL(two.of_lanes[2].received, 0);
    EQUAL(two.of_lanes[3].received, 7);
    EQUAL(costs_of(schedule, *layout, 1).of_lanes[1].received, 7);
});

/// The bytes that node 1 receives on each of two lanes of 3 and 1, or of 1 and 0.
std::vector<std::int64_t> received(const std::string& collective, const std::string& algorithm,
                                   const std::vector<std::int64_t>& weights,
                                   const std::vector<int>& nodes = {4, 4, 4})
{
    const NetworkLanes lanes{2, weights};
    const auto layout = layout_of(nodes, lanes);
    const Recorded call = record({.collective = collective,
                                  .algorithm = algorithm,
                                  .count = 48'000,
                                  .type = MPI_INT,
                                  .root = 0,
                                  .saves_bytes = true,
                                  .layout = layout});
    const Costs costs = costs_of(call.schedule, *layout, 2);
    const auto most = [&](std::size_t lane) { return costs.of_lanes[2 + lane].most(); };
    return {most(0), most(1)};
}

/// Algorithms that cut their data by lanes.
const std::vector<std::pair<std::string, std::string>> by_lanes{
    {"bcast", "lane"},
    {"bcast", "lane_regular"},
    {"bcast", "lane_root_bcast"},
    {"bcast", "lane_segmented"},
    {"bcast", "lane_pipeline"},
    {"bcast", "lane_circulant"},
    {"bcast", "lane_two_tree"},
    {"bcast", "lane_binary"},
    {"bcast", "lane_mutualcast"},
    {"reduce", "lane"},
    {"reduce", "lane_regular"},
    {"reduce", "lane_segmented"},
    {"reduce", "lane_pipeline"},
    {"reduce", "lane_circulant"},
    {"reduce", "lane_two_tree"},
    {"reduce", "lane_binary"},
    {"reduce", "lane_mutualcast"},
    {"reduce", "lane_root_reduce"},
    {"allreduce", "lane"},
    {"allreduce", "lane_regular"},
    {"allreduce", "lane_segmented"},
    {"scan", "lane"},
    {"scan", "lane_segmented"},
    {"exscan", "lane"},
    {"exscan", "lane_segmented"},
    {"allgather", "lane"},
    {"allgather", "lane_reorder"},
    {"allgather", "lane_segmented"},
    {"allgatherv", "lane"},
    {"allgatherv", "lane_segmented"},
    {"gather", "lane"},
    {"gather", "lane_segmented"},
    {"gatherv", "lane"},
    {"gatherv", "lane_segmented"},
    {"scatter", "lane"},
    {"scatter", "lane_segmented"},
    {"scatterv", "lane"},
    {"scatterv", "lane_segmented"},
    {"alltoall", "lane"},
    {"alltoall", "lane_reorder"},
    {"alltoall", "lane_node_first"},
    {"alltoall", "lane_segmented"},
    {"alltoall", "node_aware"},
    {"alltoallv", "lane"},
    {"alltoallv", "lane_segmented"},
    {"reduce_scatter_block", "lane"},
    {"reduce_scatter_block", "lane_regular"},
    {"reduce_scatter_block", "lane_segmented"},
    {"reduce_scatter", "lane"},
    {"reduce_scatter", "lane_segmented"}};

const Register weighed("lanes carry as their weights say, in all algorithms that cut by lanes", [] {
    for (const auto& [collective, algorithm] : by_lanes) {
        const auto expect = [&](bool holds, const char* what) {
            if (!holds) cases::fail(__FILE__, __LINE__, collective + "/" + algorithm + ": " + what);
        };
        const auto of = [&](const std::vector<std::int64_t>& weights) {
            return received(collective, algorithm, weights);
        };
        const auto three = of({3, 1});
        expect(three[1] > 0 && std::abs(three[0] - 3 * three[1]) * 50 < three[0], "3:1");
        expect(of({1, 0})[1] == 0, "1:0");
        expect(of({0, 1})[0] == 0, "0:1");
        expect(of({7, 7}) == of({}), "7:7");
    }
});

/// The most bytes of each lane of each node, where node 1 of three has a slow lane.
std::vector<std::int64_t> with_a_sick_node(const std::string& collective,
                                           const std::string& algorithm, const LaneWeights& slow)
{
    NetworkLanes lanes{2, {10, 10}};
    lanes.of_nodes.push_back({"1", slow});
    Mapping mapping{{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}, {}, {0, 1, 0}};
    const auto layout = std::make_shared<const Layout>(mapping, lanes);
    const Recorded call = record({.collective = collective,
                                  .algorithm = algorithm,
                                  .count = 48'000,
                                  .type = MPI_INT,
                                  .root = 0,
                                  .saves_bytes = true,
                                  .layout = layout});
    const Costs costs = costs_of(call.schedule, *layout, 2);
    std::vector<std::int64_t> most;
    for (const auto& lane : costs.of_lanes) most.push_back(lane.most());
    return most;
}

const Register sick_node(
    "where one node has a slow lane, the lanes of the others carry as much", [] {
        for (const auto& [collective, algorithm] :
             std::vector<std::pair<std::string, std::string>>{{"gather", "lane"},
                                                              {"gather", "lane_regular"},
                                                              {"gather", "lane_segmented"},
                                                              {"scatter", "lane"},
                                                              {"scatter", "lane_segmented"},
                                                              {"gatherv", "lane"},
                                                              {"gatherv", "lane_segmented"},
                                                              {"scatterv", "lane"},
                                                              {"scatterv", "lane_segmented"}}) {
            const auto expect = [&](bool holds, const char* what) {
                if (!holds)
                    cases::fail(__FILE__, __LINE__, collective + "/" + algorithm + ": " + what);
            };
            const auto slow = with_a_sick_node(collective, algorithm, {10, 1});
            expect(std::abs(slow[0] - slow[1]) * 50 < slow[0], "the root's lanes");
            expect(std::abs(slow[2] - 10 * slow[3]) * 10 < slow[2], "the lanes of the sick node");
            expect(with_a_sick_node(collective, algorithm, {10, 0})[3] == 0, "a lane that is out");
        }
        for (const std::string algorithm :
             {"lane", "lane_reorder", "lane_segmented", "node_aware"}) {
            const auto slow = with_a_sick_node("alltoall", algorithm, {10, 0});
            if (slow[3] != 0 || (slow[5] == 0 && algorithm != "node_aware"))
                cases::fail(__FILE__, __LINE__, algorithm);
        }
    });

const Register a_pair("each pair of nodes has a lane, and lanes have pairs as their weights say",
                      [] {
                          const auto node_aware = [](const std::vector<std::int64_t>& weights) {
                              return received("alltoallv", "node_aware", weights,
                                              std::vector<int>(9, 4));
                          };
                          const auto three = node_aware({3, 1});
                          TRUE(three[1] > 0);
                          EQUAL(three[0], 3 * three[1]);
                          EQUAL(node_aware({1, 0})[1], 0);
                          EQUAL(node_aware({0, 1})[0], 0);
                          TRUE(node_aware({7, 7}) == node_aware({}));
                      });

const Register one_lane("an algorithm that takes one lane takes the one that carries most", [] {
    for (const std::string collective :
         {"bcast", "reduce", "allreduce", "allgather", "allgatherv", "gather", "scatter",
          "reduce_scatter_block", "reduce_scatter", "scan", "exscan"})
        for (const std::size_t best : {0U, 1U}) {
            std::vector<std::int64_t> weights{1, 1};
            weights[best] = 2;
            if (received(collective, "hierarchical", weights)[1 - best] != 0)
                cases::fail(__FILE__, __LINE__, collective);
        }
});

const Register self("a message to oneself is none", [] {
    const auto layout = layout_of({1});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        Messages messages(on.world);
        messages.receive(bytes(7).slice(7, 7), 0, 0);
        messages.send(bytes(7), 0, 0);
        messages.wait();
    });
    const Costs costs = costs_of(schedule, *layout, 1);
    EQUAL(costs.process_bytes, 0);
    EQUAL(costs.process_messages, 0);
    EQUAL(costs.inside_bytes, 0);
});

const Register waits("a message that waits for one of its sender's own is in a later round", [] {
    const auto layout = layout_of({1, 1});
    const auto rounds = [&](bool at_once) {
        return costs_of(recorded(layout,
                                 [&](const Decomposition& on) {
                                     Messages messages(on.world);
                                     for (int i = 0; i < 3; ++i) {
                                         if (on.world.rank() == 0)
                                             messages.send(bytes(1), 1, 0);
                                         else
                                             messages.receive(bytes(1), 0, 0);
                                         if (!at_once) messages.wait();
                                     }
                                     messages.wait();
                                 }),
                        *layout, 1)
            .rounds;
    };
    EQUAL(rounds(true), 1U);
    EQUAL(rounds(false), 3U);
});

/// The costs of a broadcast or a reduction of so many segments for each process of a node.
Costs in_segments(const char* collective, const std::string& algorithm, int nodes, int node,
                  std::int64_t segment, std::int64_t segments, int root,
                  const std::string& tunables = "")
{
    const auto layout = layout_of(std::vector<int>(static_cast<std::size_t>(nodes), node));
    const Recorded recorded =
        record({.collective = collective,
                .algorithm = algorithm + "(segment=" + std::to_string(segment) + tunables + ")",
                .count = segment * segments * node,
                .type = MPI_BYTE,
                .root = root,
                .saves_bytes = false,
                .layout = layout});
    for (std::uint32_t message = 0; message < recorded.schedule.messages().size(); ++message)
        EQUAL(recorded.schedule.step_of(message).bytes, segment);
    return costs_of(recorded.schedule, *layout, node);
}

const Register replicas("a pipelined algorithm on k lanes: Proposition 1", [] {
    // Traeff and Hunold 2020, Section 5: T(N, m) steps of one process on each of N nodes become T(N, m/k) and some few.
    const std::pair<const char*, const char*> algorithms[] = {{"chain", "lane_pipeline"},
                                                              {"binary", "lane_binary"},
                                                              {"two_tree", "lane_two_tree"},
                                                              {"circulant", "lane_circulant"}};
    constexpr std::int64_t segment = 64;
    for (const auto& [flat, replicated] : algorithms)
        for (const int nodes : {2, 3, 5, 8, 11})
            for (const int node : {2, 3, 4})
                for (const std::int64_t segments : {2, 8})
                    for (const int root : {0, node * (nodes - 1) + node / 2}) {
                        // A reduction takes the rounds of the broadcast backwards.
                        const Costs one =
                            in_segments("bcast", flat, nodes, 1, segment, segments, root / node);
                        for (const char* collective : {"bcast", "reduce"}) {
                            const Costs all = in_segments(collective, replicated, nodes, node,
                                                          segment, segments, root);
                            EQUAL(all.rounds, one.rounds + 2);
                            EQUAL(all.lane_bytes, one.process_bytes);
                            EQUAL(all.node_bytes, node * one.process_bytes);
                        }
                    }
});

const Register back("where its share comes back from the last node, the root sends each byte once",
                    [] {
                        constexpr std::int64_t segment = 64;
                        for (const int nodes : {2, 3, 8})
                            for (const int node : {2, 4})
                                for (const std::int64_t segments : {1, 3, 20})
                                    for (const int root : {0, node * (nodes - 1) + node / 2}) {
                                        const auto of = [&](const char* tunables) {
                                            return in_segments("bcast", "lane_pipeline", nodes,
                                                               node, segment, segments, root,
                                                               tunables);
                                        };
                                        const Costs without = of(""), with = of(",back=1");
                                        EQUAL(with.rounds, without.rounds + 1);
                                        EQUAL(with.process_bytes, node * segment * segments);
                                        EQUAL(with.lane_bytes, without.lane_bytes);
                                        EQUAL(with.messages, without.messages);
                                    }
                    });

const Register chain_pipeline("chain is the single-ported pipeline", [] {
    const auto layout = layout_of({2, 2});
    const Recorded recorded = bcast("chain(segment=64)", layout, 64 * 10, 1);
    EQUAL(costs_of(recorded.schedule, *layout, 1).rounds, 4U - 2 + 10);
    EQUAL(costs_of(recorded.schedule, *layout, 1).process_bytes, 64 * 10);
});

/// The costs of components that save bytes, with `ranks` alone on their nodes.
Costs of_component(int ranks, const Text& text)
{
    const auto layout = layout_of(std::vector<int>(static_cast<std::size_t>(ranks), 1));
    return costs_of(recorded(layout, text, true), *layout, 1);
}

const Register allreduce("an allreduce that saves bytes sends the fewest, by few messages", [] {
    constexpr std::int64_t message = 5040;
    const struct {
        int ranks, rounds;  // two rounds a prime factor
    } shapes[] = {{2, 2}, {3, 2}, {4, 4}, {5, 2}, {6, 4}, {8, 6}, {12, 6}, {16, 8}, {36, 8}};
    for (const auto& [ranks, rounds] : shapes) {
        const Costs costs = of_component(ranks, [](const Decomposition& on) {
            const Buffer both = bytes(2 * message);
            ours::serve(Allreduce{both.slice(0, message), both.slice(message, message), MPI_SUM},
                        on.world);
        });
        EQUAL(costs.process_bytes, 2 * message * (ranks - 1) / ranks);
        EQUAL(costs.rounds, static_cast<std::uint32_t>(rounds));
        TRUE(costs.scratch_bytes <= message);
    }
    // Fewer elements than ranks take few rounds, of groups of four.
    const Costs few = of_component(16, [](const Decomposition& on) {
        ours::serve(Allreduce{bytes(15), bytes(15), MPI_SUM}, on.world);
    });
    EQUAL(few.rounds, 2U);
});

const Register reduce("a reduction that saves bytes brings no root more than one message", [] {
    constexpr std::int64_t message = 5040;
    for (const int ranks : {2, 3, 4, 6, 7, 11})
        for (int root = 0; root < ranks; ++root) {
            const bool between = 0 < root && root < ranks - 1;
            const Costs costs = of_component(ranks, [&](const Decomposition& on) {
                const Buffer both = bytes(2 * message);
                ours::serve(
                    Reduce{both.slice(0, message), both.slice(message, message), MPI_SUM, root},
                    on.world);
            });
            EQUAL(costs.process_bytes, message);
            EQUAL(costs.rounds, static_cast<std::uint32_t>(between ? 2 : ranks - 1));
        }
});

/// In how many steps all nodes have heard of a broadcast, if a process sends to one other node in a step.
int steps_on_lanes(const Schedule& schedule, const Layout& layout, int root)
{
    const auto rounds = rounds_of(schedule);
    std::vector<std::uint32_t> messages;
    for (std::uint32_t message = 0; message < rounds.size(); ++message)
        if (schedule.is_send(message)) messages.push_back(message);
    std::ranges::stable_sort(messages, {}, [&](std::uint32_t message) { return rounds[message]; });

    constexpr int never = -1;
    std::vector<int> heard(static_cast<std::size_t>(layout.nodes()), never);
    std::vector<int> busy(static_cast<std::size_t>(layout.ranks()), 0);
    heard[static_cast<std::size_t>(layout.locate(root).node)] = 0;
    for (const std::uint32_t message : messages) {
        const int sender = schedule.rank_of(message);
        const int from = layout.locate(sender).node;
        const int to = layout.locate(schedule.step_of(message).peer).node;
        if (from == to) continue;
        int& step = busy[static_cast<std::size_t>(sender)];
        step = std::max(step, heard[static_cast<std::size_t>(from)]) + 1;
        EQUAL(heard[static_cast<std::size_t>(to)], never);  // a node hears once
        heard[static_cast<std::size_t>(to)] = step;
    }
    EQUAL(std::ranges::count(heard, never), 0);
    return std::ranges::max(heard);
}

const Register k_ported("a short broadcast takes the steps of the best tree over nodes", [] {
    // ceil(log N / log(k+1)), as each process of a node sends to another node: k ports.
    const struct {
        int nodes, node, steps;
    } trees[] = {{3, 2, 1}, {5, 1, 3}, {4, 2, 2}, {2, 3, 1}, {9, 2, 2}, {10, 2, 3}, {64, 3, 3}};
    for (const char* algorithm : {"k_ported", "lane", "hierarchical"})
        for (const auto& [nodes, node, steps] : trees) {
            const auto layout = layout_of(std::vector<int>(static_cast<std::size_t>(nodes), node));
            EQUAL(steps_on_lanes(bcast(algorithm, layout, 4, 1).schedule, *layout, 1), steps);
        }
});

/// A call of k_ported on so many nodes of `node` processes.
Schedule ported(const char* collective, int nodes, int node, int root)
{
    return record({.collective = collective,
                   .algorithm = "k_ported",
                   .count = 1,
                   .type = MPI_BYTE,
                   .root = root,
                   .saves_bytes = false,
                   .layout = layout_of(std::vector<int>(static_cast<std::size_t>(nodes), node))})
        .schedule;
}

/// Messages from other nodes to the process that receives most of them.
int most_from_nodes(const Schedule& schedule, int node)
{
    std::vector<int> count(static_cast<std::size_t>(schedule.ranks()), 0);
    for (std::uint32_t message = 0; message < schedule.messages().size(); ++message) {
        const int rank = schedule.rank_of(message), peer = schedule.step_of(message).peer;
        if (!schedule.is_send(message) && rank / node != peer / node)
            ++count[static_cast<std::size_t>(rank)];
    }
    return std::ranges::max(count);
}

const Register ports("nodes with k ports know of all others in ceil(log N / log(k+1)) rounds", [] {
    const struct {
        int nodes, node, rounds;
    } shapes[] = {{2, 1, 1}, {4, 4, 1}, {5, 4, 1}, {8, 4, 2}, {25, 4, 2}, {26, 4, 3}, {7, 1, 3}};
    for (const auto& [nodes, node, rounds] : shapes) {
        for (const char* collective :
             {"allreduce", "allgather", "barrier", "scan", "exscan", "reduce", "gather"})
            EQUAL(most_from_nodes(ported(collective, nodes, node, 0), node), rounds);
        const auto layout = layout_of(std::vector<int>(static_cast<std::size_t>(nodes), node));
        EQUAL(steps_on_lanes(ported("scatter", nodes, node, node), *layout, node), rounds);
    }
});

}  // namespace
}  // namespace laneway::simulate
