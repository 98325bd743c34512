// SPDX-License-Identifier: BSD-3-Clause
// The simulated clock against times that can be worked out by hand.
#include <algorithm>
#include <random>
#include <stdexcept>

#include "cases/case.hpp"
#include "providers/providers.hpp"
#include "simulate/record.hpp"
#include "texts.hpp"

namespace laneway::simulate {
namespace {

using cases::Register;

const Register events("events come by time, and in their order where that is the same", [] {
    std::mt19937_64 random(1);
    EventQueue queue;
    std::vector<EventQueue::Event> waiting;
    Time now = 0;
    for (std::uint32_t number = 0; number < 20000 || !queue.empty();) {
        if (number < 20000 && random() % 2 == 0) {
            const EventQueue::Event event{now + random() % (random() % 4 == 0 ? 100000 : 4),
                                          number++, 0};
            queue.push(event);
            waiting.push_back(event);
        } else if (!queue.empty()) {
            const auto event = queue.pop();
            const auto first = std::ranges::min_element(waiting, {}, &EventQueue::Event::time);
            EQUAL(event.time, first->time);
            EQUAL(event.about, first->about);
            waiting.erase(first);
            now = event.time;
        }
    }
});

void one_message(const Decomposition& on)
{
    if (on.world.rank() == 0) send(on, 1000, 1);
    if (on.world.rank() == 1) receive(on, 1000, 0);
}

const Register message("a message takes the work of both sides, the latency and its bytes", [] {
    const Machine machine = example();
    EQUAL(end(layout_of({1, 1}), machine, one_message),
          machine.send + machine.lane_message + 80 * 1000 + machine.lane_latency + machine.receive);
    EQUAL(end(layout_of({2}), machine, one_message),
          machine.send + 10 * 1000 + machine.node_latency + machine.receive);
    Machine fair = machine;
    fair.fair = true;
    EQUAL(end(layout_of({1, 1}), fair, one_message), end(layout_of({1, 1}), machine, one_message));
});

const Register between_sockets("a message between sockets takes longer than one within", [] {
    Machine machine = example();
    machine.socket_latency = 40'000;
    for (const bool apart : {false, true}) {
        const auto layout =
            std::make_shared<const Layout>(Mapping{{{0, 1, 2}}, {0, apart ? 1 : 0, 1}}, 2);
        for (const std::int64_t eager : {10'000, 10}) {
            machine.node_eager = eager;
            const int latencies = eager < 1000 ? 3 : 1;
            EQUAL(end(layout, machine, one_message),
                  machine.send + 10 * 1000 +
                      latencies * (machine.node_latency + (apart ? 40'000 : 0)) + machine.receive);
        }
    }
});

const Register binomial("a binomial tree of 2^k small messages takes k of them", [] {
    const Machine machine = example();
    for (int k = 0; k <= 8; ++k) {
        const Time all =
            end(layout_of(std::vector<int>(1U << static_cast<unsigned>(k), 1)), machine,
                [](const Decomposition& on) { binomial_bcast(bytes(8), on.world); });
        EQUAL(all, static_cast<Time>(k) * (machine.send + machine.lane_message + 80 * 8 +
                                           machine.lane_latency + machine.receive));
    }
});

const Register doubling("recursive doubling of 2^k takes k exchanges and reductions", [] {
    Machine machine = example();
    machine.copy_byte = 0;
    for (int k = 1; k <= 7; ++k) {
        const auto layout = layout_of(std::vector<int>(1U << static_cast<unsigned>(k), 1));
        const Job job{.collective = "allreduce",
                      .algorithm = "recursive_doubling",
                      .count = 100,
                      .type = MPI_BYTE,
                      .root = 0,
                      .saves_bytes = false,
                      .layout = layout};
        const Recorded recorded = record(job);
        const Time exchange = machine.send + machine.lane_message + 80 * 100 +
                              machine.lane_latency + machine.receive + 100 * 100;
        EQUAL(std::ranges::max(ends(recorded.schedule, *layout, machine)),
              static_cast<Time>(k) * exchange);
    }
});

/// Segments of a thousand bytes along all ranks, one node each.
const Register chain("a chain of segments takes its bandwidth and one latency a process", [] {
    constexpr Time segment = 80 * 1000, latency = 2'000'000;
    for (const int ranks : {2, 3, 7})
        for (const int segments : {1, 2, 9}) {
            const Machine machine{.lane_byte = 80, .lane_latency = latency};
            const Time all = end(layout_of(std::vector<int>(static_cast<std::size_t>(ranks), 1)),
                                 machine, [&](const Decomposition& on) {
                                     const int rank = on.world.rank();
                                     for (int i = 0; i < segments; ++i) {
                                         if (rank > 0) receive(on, 1000, rank - 1);
                                         if (rank < ranks - 1) send(on, 1000, rank + 1);
                                     }
                                 });
            EQUAL(all, static_cast<Time>(ranks - 1) * (segment + latency) +
                           static_cast<Time>(segments - 1) * segment);
        }
});

/// Ranks 0 and 1 of the first node, on one lane, send to a node each: a long message and a short one.
Text long_and_short(std::int64_t longer, std::int64_t shorter)
{
    return [=](const Decomposition& on) {
        const int rank = on.world.rank();
        if (rank == 0) send(on, longer, 2);
        if (rank == 1) send(on, shorter, 3);
        if (rank == 2) receive(on, longer, 0);
        if (rank == 3) receive(on, shorter, 1);
    };
}

const Register sharing("messages on a lane follow each other, or share it", [] {
    const auto layout = layout_of({2, 1, 1});
    const Schedule schedule = recorded(layout, long_and_short(10000, 1000));
    Machine machine{.lane_byte = 10, .lane_latency = 500};
    const auto fifo = ends(schedule, *layout, machine);
    EQUAL(fifo[2], Time{100000 + 500});
    EQUAL(fifo[3], Time{110000 + 500});
    machine.fair = true;
    const auto fair = ends(schedule, *layout, machine);
    EQUAL(fair[2], Time{110000 + 500});
    EQUAL(fair[3], Time{20000 + 500});
    machine.lanes = 2;
    EQUAL(ends(schedule, *layout, machine)[3], Time{10000 + 500});
});

const Register leaving("messages leave by their sender's lane, or by their receivers'", [] {
    const auto layout = layout_of({1, 2});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        if (on.world.rank() > 0) return receive(on, 1000, 0);
        Messages messages(on.world);
        for (const int to : {1, 2}) messages.send(bytes(1000), to, 0);
        messages.wait();
    });
    Machine machine{.lanes = 2, .lane_byte = 10, .lane_latency = 500};
    EQUAL(std::ranges::max(ends(schedule, *layout, machine)), Time{20000 + 500});
    machine.by_receiver = true;
    EQUAL(std::ranges::max(ends(schedule, *layout, machine)), Time{10000 + 500});
});

const Register incast("messages to one process share its lane, whoever sends", [] {
    const auto layout = layout_of({1, 1, 1, 1, 1});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        if (on.world.rank() > 0) return send(on, 1000, 0);
        Messages messages(on.world);
        for (int from = 1; from < 5; ++from) messages.receive(bytes(1000), from, 0);
        messages.wait();
    });
    for (const bool fair : {false, true})
        EQUAL(ends(schedule, *layout, {.lane_byte = 10, .lane_latency = 7, .fair = fair})[0],
              Time{4 * 10000 + 7});
});

const Register inside("the processes of a node share its bandwidth", [] {
    const auto layout = layout_of({6});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        const int rank = on.world.rank();
        rank % 2 == 0 ? send(on, 1000, rank + 1) : receive(on, 1000, rank - 1);
    });
    for (const bool fair : {false, true})
        EQUAL(std::ranges::max(ends(schedule, *layout, {.fair = fair, .node_byte = 10})),
              Time{3 * 10000});
});

const Register eager("a long message waits for its receiver, a short one does not", [] {
    const auto layout = layout_of({1, 1});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        const Buffer data = bytes(1000);
        if (on.world.rank() == 0) return send(on, 1000, 1);
        Recorder::current()->reduce(data, data.slice(1000, 1000));  // takes time before it receives
        receive(on, 1000, 0);
    });
    Machine machine{.lane_byte = 10, .lane_latency = 700, .reduce_byte = 50, .lane_eager = 1000};
    EQUAL(ends(schedule, *layout, machine)[1], Time{50000});
    EQUAL(ends(schedule, *layout, machine)[0], Time{10000});
    machine.lane_eager = 999;
    EQUAL(ends(schedule, *layout, machine)[1], Time{50000 + 700 + 10000 + 700});
    EQUAL(ends(schedule, *layout, machine)[0], Time{50000 + 700 + 10000});
    machine.reduce_byte = 0;  // the receiver is ready first: one message there, one back
    EQUAL(ends(schedule, *layout, machine)[1], Time{700 + 700 + 10000 + 700});
    machine.lane_handshake = 3000;
    EQUAL(ends(schedule, *layout, machine)[1], Time{3000 + 10000 + 700});
});

const Register eager_inside("what is eager within a node need not be so between nodes", [] {
    const Schedule schedule = recorded(layout_of({2}), one_message);
    const auto took = [&](std::int64_t lane_eager, std::int64_t node_eager) {
        return ends(schedule, *layout_of({2}),
                    {.node_byte = 10,
                     .node_latency = 300,
                     .lane_eager = lane_eager,
                     .node_eager = node_eager})[1];
    };
    EQUAL(took(999, 1000), Time{10000 + 300});
    EQUAL(took(1000, 999), Time{3 * 300 + 10000});
});

/// A bucket of 600 bytes: after a pause as many pass at once, and fill again as fast as the lane carries.
const Register bursts("a burst passes a lane at once, once the bucket is full again", [] {
    for (const bool fair : {false, true}) {
        const Machine machine{
            .lane_byte = 10, .lane_latency = 700, .lane_burst = 6000, .fair = fair};
        const auto all = [&](std::int64_t size, int messages, bool waits) {
            return end(layout_of({1, 1}), machine, [=](const Decomposition& on) {
                const int other = 1 - on.world.rank();
                for (int i = 0; i < messages; ++i) {
                    if (on.world.rank() == 0) send(on, size, other);
                    if (on.world.rank() == 1) receive(on, size, other);
                    if (waits && on.world.rank() == 1) send(on, 1, other);
                    if (waits && on.world.rank() == 0) receive(on, 1, other);
                }
            });
        };
        EQUAL(all(500, 1, false), Time{700});
        EQUAL(all(1000, 1, false), Time{4000 + 700});
        EQUAL(all(1000, 3, false), Time{24000 + 700});
        // The bucket fills for 1400 between the first message and the second: of 500, 40 wait.
        EQUAL(all(500, 2, true), Time{2600 + 4 * 700});
    }
    // Without bytes there is the work of a message all the same.
    EQUAL(end(layout_of({1, 1}), {.lane_byte = 10, .lane_message = 50, .lane_burst = 6000},
              one_message),
          Time{50 + 4000});
});

const Register core("concurrent segments share the core of their process", [] {
    const auto layout = layout_of({1, 1});
    const Text text = [](const Decomposition& on) {
        Recorder::current()->concurrently(3, 3, [&](int) {
            const Buffer data = bytes(1000);
            Recorder::current()->reduce(data, data.slice(1000, 1000));
            on.world.rank() == 0 ? send(on, 1000, 1) : receive(on, 1000, 0);
        });
    };
    // Reductions follow each other on a core; messages travel meanwhile.
    EQUAL(end(layout, {.lane_byte = 10, .lane_latency = 100, .reduce_byte = 50}, text),
          Time{3 * 50000 + 10000 + 100});
});

/// Rank 0 works for each segment of 1000 bytes for 200000; the last segment comes first, the first one last.
const Register turns("the earliest segment goes first, not the one that was there first", [] {
    const auto layout = layout_of({1, 1, 1, 1});
    const Text text = [](const Decomposition& on) {
        const int rank = on.world.rank();
        Recorder::current()->concurrently(3, 3, [&](int segment) {
            const auto work = [](std::int64_t count) {
                Recorder::current()->reduce(bytes(count), bytes(count).slice(count, count));
            };
            const int other = rank == 0 ? segment + 1 : 0;
            if (rank == 0) {
                receive(on, 1000, other);
                work(4000);
                send(on, 1000, other);
            } else if (rank == segment + 1) {
                work(1000 * (3 - segment));
                send(on, 1000, other);
                receive(on, 1000, other);
            }
        });
    };
    const auto all = ends(recorded(layout, text), *layout, {.lane_byte = 1, .reduce_byte = 50});
    constexpr Time began = 50000 + 1000;
    EQUAL(all[3], began + 200000 + 1000);
    EQUAL(all[1], began + 2 * 200000 + 1000);
    EQUAL(all[2], began + 3 * 200000 + 1000);
});

/// The first segment could go on when the second has begun.
const Register forks("what a process has to begin it begins before it looks what could go on", [] {
    const auto layout = layout_of({1, 1});
    const Text text = [](const Decomposition& on) {
        Recorder::current()->concurrently(3, 3, [&](int segment) {
            const auto work = [] {
                Recorder::current()->reduce(bytes(1000), bytes(1000).slice(1000, 1000));
            };
            const bool receives = on.world.rank() == 0;
            if (receives) work();
            if (segment > 0) return;
            receives ? receive(on, 1000, 1) : send(on, 1000, 0);
            if (receives) work();
            receives ? send(on, 1000, 1) : receive(on, 1000, 0);
        });
    };
    const Machine machine{.lane_byte = 1, .receive = 100, .reduce_byte = 50};
    EQUAL(ends(recorded(layout, text), *layout, machine)[1], Time{4 * 50000 + 1000 + 100});
});

const Register unmatched("a message without another side, or of another length, is told", [] {
    const auto said = [](const Text& text) -> std::string {
        try {
            (void)recorded(layout_of({1, 1}), text);
        } catch (const Unmatched& why) {
            return why.what();
        }
        return "";
    };
    TRUE(said([](const Decomposition& on) {
             if (on.world.rank() == 0) send(on, 1, 1);
         }) == "rank 0 sends to rank 1 what nobody receives");
    TRUE(said([](const Decomposition& on) {
             if (on.world.rank() == 1) receive(on, 1, 0);
         }) == "rank 1 receives from rank 0 what nobody sends");
    TRUE(said([](const Decomposition& on) {
             on.world.rank() == 0 ? send(on, 1, 1) : receive(on, 2, 0);
         }).find("another length") != std::string::npos);
});

const Register deadlock("a deadlock is told", [] {
    const auto layout = layout_of({1, 1});
    const Schedule schedule = recorded(layout, [](const Decomposition& on) {
        receive(on, 1, 1 - on.world.rank());
        send(on, 1, 1 - on.world.rank());
    });
    try {
        (void)ends(schedule, *layout, example());
        TRUE(!"it ended");
    } catch (const std::logic_error& why) {
        TRUE(std::string(why.what()) == "a deadlock: rank 0 never ends");
    }
});

}  // namespace
}  // namespace laneway::simulate
