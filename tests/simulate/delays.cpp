// SPDX-License-Identifier: BSD-3-Clause
// Delays of messages by their length, and what processes of a node copy.
#include "carriers/simulated/delays.hpp"

#include "cases/case.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const Register delay_lines("delays lie on lines between what is known, and are the same beyond",
                           [] {
                               const Delays delays({{1000, 10.0}, {2000, 30.0}, {4000, 20.0}});
                               EQUAL(delays.of(0), Time{10});
                               EQUAL(delays.of(1000), Time{10});
                               EQUAL(delays.of(1500), Time{20});
                               EQUAL(delays.of(3000), Time{25});
                               EQUAL(delays.of(1'000'000), Time{20});
                               EQUAL(Delays().of(7), Time{0});
                           });

Time end_of(const std::vector<int>& nodes, const Machine& machine, std::int64_t length)
{
    const auto layout = layout_of(nodes);
    const Schedule schedule = recorded(layout, [&](const Decomposition& on) {
        Messages messages(on.world);
        if (on.world.rank() == 0) messages.send(bytes(length), 1);
        if (on.world.rank() == 1) messages.receive(bytes(length), 0);
        messages.wait();
    });
    Simulated simulated(schedule, *layout, machine);
    simulated.run();
    return simulated.end();
}

Machine delaying()
{
    return {.lane_byte = 80,
            .lane_latency = 2'000'000,
            .lane_delays = Delays({{0, 600'000}}),
            .node_byte = 10,
            .node_latency = 300'000,
            .node_copy_byte = 50,
            .send = 100'000,
            .receive = 150'000,
            .lane_eager = 5000,
            .node_eager = 5000};
}

const Register halves("of an eager message both sides work for half of its delay", [] {
    const Machine machine = delaying();
    const Time usual = machine.send + machine.receive + machine.lane_latency + 600'000;
    EQUAL(end_of({1, 1}, machine, 1000), usual + 1000 * 80);
    EQUAL(end_of({1, 1}, machine, 9000), usual + 9000 * 80 + 2 * machine.lane_latency);
});

const Register copied_twice(
    "within a node both sides copy, and what is long the receiver alone", [] {
        const Machine machine = delaying();
        const Time usual = machine.send + machine.receive + machine.node_latency;
        EQUAL(end_of({2}, machine, 1000), usual + 1000 * 10 + 2 * 1000 * 50);
        EQUAL(end_of({2}, machine, 9000), usual + 9000 * 10 + 9000 * 50 + 2 * machine.node_latency);
    });

const Register in_pieces(
    "in pieces, the receiver copies while the sender and memory do, or as fast as these", [] {
        Machine machine = delaying();
        machine.node_fragment = 1000;
        const Time usual = machine.send + machine.receive + machine.node_latency;
        EQUAL(end_of({2}, machine, 1000), usual + 1000 * 10 + 2 * 1000 * 50);
        EQUAL(end_of({2}, machine, 4000), usual + 1000 * 50 + 4000 * 50);
        EQUAL(end_of({2}, machine, 9000), usual + 9000 * 50 + 2 * machine.node_latency);
        machine.node_byte = 200;
        EQUAL(end_of({2}, machine, 4000), usual + 1000 * 50 + 4000 * 200);
    });

const Register packed_as_copied("what is not in a row is packed by copying, where that is so", [] {
    Machine machine = delaying();
    machine.pack_byte = 30;
    EQUAL(machine.packing_for(false, true, 1000), Time{1000 * 30});
    machine.node_pack_byte = 60;
    EQUAL(machine.packing_for(false, true, 1000), Time{1000 * 10});
    EQUAL(machine.packing_for(false, false, 9000), Time{9000 * 30});
    EQUAL(machine.packing_for(true, false, 1000), Time{1000 * 30});
});

}  // namespace
}  // namespace laneway::simulate
