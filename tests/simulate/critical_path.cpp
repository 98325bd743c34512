// SPDX-License-Identifier: BSD-3-Clause
// The parts of a simulated call that its time goes to.
#include "carriers/simulated/critical_path.hpp"

#include <numeric>

#include "cases/case.hpp"
#include "simulate/record.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace on_path {
namespace {

using cases::Register;

CriticalPath path(const Schedule& schedule, const Layout& layout, const Machine& machine)
{
    Trace trace(schedule);
    Simulated simulated(schedule, layout, machine, &trace);
    simulated.run();
    const auto found = critical_path_of(schedule, layout, machine, trace, simulated);
    EQUAL(std::accumulate(found.time.begin(), found.time.end(), Time{0}), simulated.end());
    return found;
}

void one_message(const Decomposition& on)
{
    if (on.world.rank() == 0) send(on, 1000, 1);
    if (on.world.rank() == 1) receive(on, 1000, 0);
}

const Register one("the parts of one message", [] {
    const auto across = layout_of({1, 1});
    const auto found = path(recorded(across, one_message), *across, example());
    EQUAL(found.rank, 1);
    EQUAL(found.time[CriticalPath::lane], Time{50'000 + 80 * 1000});
    EQUAL(found.time[CriticalPath::latency], Time{2'000'000});
    EQUAL(found.time[CriticalPath::overhead], Time{250'000});
    const auto within = layout_of({2});
    const auto inside = path(recorded(within, one_message), *within, example());
    EQUAL(inside.time[CriticalPath::node], Time{10 * 1000});
    EQUAL(inside.time[CriticalPath::latency], Time{300'000});
});

const Register late("a long message that waits for its receiver is that one's work", [] {
    const auto layout = layout_of({1, 1});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        const Buffer data = bytes(1000);
        if (on.world.rank() == 0) return send(on, 1000, 1);
        Recorder::current()->reduce(data, data.slice(1000, 1000));
        receive(on, 1000, 0);
    });
    const Machine long_messages{
        .lane_byte = 10, .lane_latency = 700, .reduce_byte = 50, .lane_eager = 0};
    const auto found = path(schedule, *layout, long_messages);
    EQUAL(found.time[CriticalPath::reduce], Time{50000});
    EQUAL(found.time[CriticalPath::handshake], Time{700});
    EQUAL(found.time[CriticalPath::lane], Time{10000});
    EQUAL(found.time[CriticalPath::latency], Time{700});
});

const Register held("links that hold messages back, those that wait behind them, too", [] {
    const auto layout = layout_of({2, 1, 1});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        if (on.world.rank() == 0) send(on, 1000, 2);
        if (on.world.rank() == 1) send(on, 1000, 3);
        if (on.world.rank() > 1) receive(on, 1000, on.world.rank() - 2);
    });
    const Machine slow{.lane_byte = 10,
                       .lane_latency = 700,
                       .network = {.kind = Topology::Kind::torus, .shape = {3}, .link_byte = 20}};
    const auto found = path(schedule, *layout, slow);
    EQUAL(found.rank, 3);
    EQUAL(found.time[CriticalPath::link], Time{40000});
});

const Register whole("the parts of any call add up to its time", [] {
    Topology torus{.kind = Topology::Kind::torus, .shape = {3, 2}, .link_byte = 100, .hop = 500};
    for (const auto& [collective, algorithm] : {std::pair{"bcast", "lane_pipeline(segment=1K)"},
                                                {"bcast", "binomial"},
                                                {"allreduce", "lane"},
                                                {"allreduce", "recursive_doubling"},
                                                {"allreduce", "lane_segmented(segment=64)"},
                                                {"alltoall", "pairwise"},
                                                {"alltoall", "lane"},
                                                {"scan", "lane"},
                                                {"allgather", "bruck"}})
        for (const auto& [fair, fragment] :
             {std::pair{false, 0}, {true, 0}, {false, 200}, {true, 200}})
            for (const std::int64_t eager : {INT64_MAX, std::int64_t{2000}})
                for (const Topology& topology : {Topology{}, torus}) {
                    const auto layout = layout_of({3, 3, 2, 3, 1}, 2);
                    Machine own = example();
                    own.fair = fair;
                    own.node_fragment = fragment;
                    own.node_copy_byte = 40;
                    own.node_pack_byte = fragment == 0 ? 0 : 60;
                    own.lane_eager = own.node_eager = eager;
                    own.network = topology;
                    const Job job{.collective = collective,
                                  .algorithm = algorithm,
                                  .count = 3000,
                                  .type = MPI_BYTE,
                                  .root = 0,
                                  .saves_bytes = false,
                                  .layout = layout};
                    const Recorded recorded = record(job);
                    EQUAL(recorded.served_by.empty(), false);
                    (void)path(recorded.schedule, *layout, own);
                }
});

}  // namespace
}  // namespace on_path
}  // namespace laneway::simulate
