// SPDX-License-Identifier: BSD-3-Clause
#include "switch/fabric.hpp"

#include <algorithm>
#include <map>
#include <random>

#include "cases/case.hpp"
#include "times.hpp"

namespace laneway::lanes {
namespace {

using cases::Register;

constexpr Pace pace{.rate = 100'000'000, .latency = ms, .gap = 100 * us};
constexpr std::int64_t full = 9014;
constexpr Time of_full = full * 80;  // A bit takes 10 ns, a byte 80.
constexpr std::int64_t much = 1 << 30;

struct Arrived {
    std::size_t to;
    Time due;
    std::uint64_t connection;
    std::byte mark;
};

Frame frame(std::int64_t bytes, std::uint64_t connection = 1, bool message = true, int mark = 0)
{
    return {.facts = {.size = {.last = bytes}, .message = message, .connection = connection},
            .data = std::vector<std::byte>(static_cast<std::size_t>(bytes), std::byte(mark))};
}

/// A fabric whose frames are looked at only when it says that there is something.
struct Watched {
    Fabric fabric;
    std::vector<Arrived> arrived;

    explicit Watched(const Pace& of = pace, std::size_t ports = 4) : fabric(ports, of, full, much)
    {
    }

    void run(Time until = INT64_MAX)
    {
        for (auto next = fabric.next(); next && *next <= until; next = fabric.next())
            fabric.run(*next, [&](std::size_t to, Time due, const Frame& of) {
                EQUAL(due, *next);  // Nothing is late that is looked at in time.
                arrived.push_back({to, due, of.facts.connection, of.data.front()});
            });
    }
};

const Register alone("a frame alone", [] {
    Watched on;
    on.fabric.arrive(5 * us, 0, 1, frame(1000));
    on.run();
    EQUAL(on.arrived.size(), 1U);
    EQUAL(on.arrived[0].to, 1U);
    EQUAL(on.arrived[0].due, 5 * us + 80 * us + ms);  // The receiving lane cuts through.
    EQUAL(on.fabric.held(), 0);
    EQUAL(on.fabric.most_held(), 1000);
});

const Register gaps("messages start a gap apart", [] {
    Watched on;
    for (int i = 0; i < 3; ++i) on.fabric.arrive(0, 0, 1, frame(100));
    on.run();
    for (int i = 0; i < 3; ++i) EQUAL(on.arrived[std::size_t(i)].due, ms + 8 * us + i * pace.gap);
});

const Register bytes("bytes take longer than a gap", [] {
    Watched on;
    for (int i = 0; i < 3; ++i) on.fabric.arrive(0, 0, 1, frame(full));
    on.run();
    for (int i = 0; i < 3; ++i) EQUAL(on.arrived[std::size_t(i)].due, ms + (i + 1) * of_full);
});

const Register acknowledgements("acknowledgements need no gap, but the wire", [] {
    Watched on;
    on.fabric.arrive(0, 0, 1, frame(100, 1));
    on.fabric.arrive(0, 0, 1, frame(66, 2, false));
    on.fabric.arrive(0, 0, 1, frame(66, 3, false));
    on.fabric.arrive(0, 0, 1, frame(100, 4));
    on.run();
    EQUAL(on.arrived[0].due, ms + 8 * us);
    EQUAL(on.arrived[1].due, ms + 8 * us + 66 * 80);
    EQUAL(on.arrived[2].due, ms + 8 * us + 2 * 66 * 80);
    EQUAL(on.arrived[3].due, ms + 8 * us + pace.gap);
});

const Register receiving("two that send to one share its lane", [] {
    Watched on;
    on.fabric.arrive(0, 0, 2, frame(full, 1));
    on.fabric.arrive(0, 1, 2, frame(full, 2));
    on.fabric.arrive(0, 1, 3, frame(full, 3));
    on.run();
    EQUAL(on.arrived[0].due, ms + of_full);
    EQUAL(on.arrived[1].due, ms + 2 * of_full);  // To 2 behind the first,
    EQUAL(on.arrived[2].due, ms + 2 * of_full);  // to 3 behind it, from 1.
});

const Register gathering("messages from many come a gap apart", [] {
    Watched on;
    for (std::size_t from = 0; from < 3; ++from) on.fabric.arrive(0, from, 3, frame(100, from));
    on.run();
    for (int i = 0; i < 3; ++i) EQUAL(on.arrived[std::size_t(i)].due, ms + 8 * us + i * pace.gap);
});

const Register large("a large segment takes as long as its frames", [] {
    const Size three{.full = 1000, .before = 2, .last = 500};
    Watched on;
    Frame segment = frame(2500);
    segment.facts.size = three;
    on.fabric.arrive(0, 0, 1, std::move(segment));
    on.fabric.arrive(0, 0, 1, frame(100));
    on.run();
    EQUAL(on.arrived[0].due, ms + 2 * pace.gap + 40 * us);  // 80 us each are less than a gap.
    EQUAL(on.arrived[1].due, ms + 3 * pace.gap + 8 * us);
    EQUAL((Pace{.rate = pace.rate}.passing(three)), 200 * us);
});

const Register turns("connections take turns", [] {
    Watched on;
    for (int i = 0; i < 50; ++i) on.fabric.arrive(0, 0, 1, frame(full, 1, true, i));
    on.fabric.arrive(of_full / 2, 0, 1, frame(100, 2));
    on.run();
    EQUAL(on.arrived[1].connection, 2U);  // After the frame that is under way, before 49 others.
    EQUAL(on.arrived[1].due, ms + of_full + 8 * us);
});

const Register fair("connections get the same, whatever their frames", [] {
    Watched on;
    for (int i = 0; i < 100; ++i) on.fabric.arrive(0, 0, 1, frame(full, 1));
    for (int i = 0; i < 1000; ++i) on.fabric.arrive(0, 0, 1, frame(100, 2));
    on.run(ms + 20 * of_full);
    const auto large_ones = std::ranges::count(on.arrived, 1U, &Arrived::connection);
    TRUE(large_ones >= 9 && large_ones <= 11);
});

const Register without_latency("no latency, a gap", [] {
    Watched on({.rate = 1'000'000'000, .latency = 0, .gap = 50 * us});
    on.fabric.arrive(0, 0, 1, frame(1000));
    on.fabric.arrive(0, 0, 1, frame(1000));
    on.run();
    EQUAL(on.arrived[0].due, 8 * us);
    EQUAL(on.arrived[1].due, 58 * us);
});

const Register room("what there is no room for is refused", [] {
    Fabric fabric(2, pace, full, 1500);
    TRUE(fabric.arrive(0, 0, 1, frame(1000)));
    TRUE(!fabric.arrive(0, 0, 1, frame(1000)));
    fabric.run(2 * ms, [](std::size_t, Time, const Frame&) {});
    TRUE(fabric.arrive(2 * ms, 0, 1, frame(1000)));
});

const Register late("frames that are told late arrive no later", [] {
    Watched on;
    on.fabric.arrive(0, 0, 1, frame(100, 1));
    const Time seen = on.fabric.soonest();
    on.fabric.arrive(20 * us, 2, 3, frame(100, 2));  // It came before `seen`.
    TRUE(*on.fabric.next() <= seen + 8 * us);
    on.run();
    EQUAL(on.arrived[1].due, 20 * us + ms + 8 * us);
});

const Register turn("a turn is as long as a full frame", [] {
    Watched on;
    for (int i = 0; i < 30; ++i)
        for (const std::uint64_t connection : {1, 2})
            on.fabric.arrive(0, 0, 1, frame(100, connection));
    on.run();
    std::size_t first = 0;
    while (on.arrived[first].connection == on.arrived[0].connection) ++first;
    EQUAL(first, std::size_t((of_full + pace.gap - 1) / pace.gap));  // Each is busy for a gap.
});

/// A frame that was given to a port.
struct Sent {
    Time when;
    std::size_t from, to;
    Frame frame;
};

/// When a lane was busy with a frame.
struct Busy {
    Time from, until;
    bool message;
};

/// A lane has one frame at a time, and messages a gap apart.
void check_lane(std::vector<Busy> busy)
{
    std::ranges::sort(busy, {}, &Busy::from);
    Time free = 0, next_message = 0;
    for (const Busy& each : busy) {
        TRUE(each.from >= free);
        if (each.message) TRUE(each.from >= next_message);
        free = each.until;
        if (each.message) next_message = each.from + pace.gap;
    }
}

using Marks = std::map<std::uint64_t, std::vector<std::byte>>;

/// Checks what must hold whatever comes. Returns when receiving lanes were busy, by port.
std::vector<std::vector<Busy>> check_any(const std::vector<Sent>& sent,
                                         const std::vector<Arrived>& arrived)
{
    Marks came, went;
    std::map<std::uint64_t, std::vector<const Sent*>> by;
    for (const Arrived& each : arrived) came[each.connection].push_back(each.mark);
    for (const Sent& each : sent) {
        went[each.frame.facts.connection].push_back(each.frame.data.front());
        by[each.frame.facts.connection].push_back(&each);
    }
    std::vector<std::vector<Busy>> busy(4);
    TRUE(came == went);
    if (came != went) return busy;
    std::map<std::uint64_t, std::size_t> seen;
    for (const Arrived& each : arrived) {
        const Sent& own = *by[each.connection][seen[each.connection]++];
        const Time passing = pace.passing(own.frame.facts.size);
        EQUAL(each.to, own.to);
        TRUE(each.due >= own.when + pace.latency + passing);
        busy[own.to].push_back({each.due - passing, each.due, own.frame.facts.message});
    }
    for (const auto& own : busy) check_lane(own);
    return busy;
}

/// Sends at random from the first so many ports; returns when receiving lanes were busy.
std::vector<std::vector<Busy>> send_any(unsigned seed, unsigned senders)
{
    std::mt19937 random(seed);
    const auto below = [&](unsigned end) { return random() % end; };
    std::vector<Sent> sent;
    Time when = 0;
    for (int i = 0; i < 200; ++i) {
        when += below(2) * below(200) * us;
        const std::size_t from = below(senders), to = (from + 1 + below(3)) % 4;
        const std::uint64_t connection = (from * 4 + to) * 3 + below(3);
        sent.push_back({when, from, to, frame(66 + below(8948), connection, below(4) > 0, i)});
    }
    Watched on;
    for (const auto& [time, from, to, of] : sent) {
        on.run(time);
        on.fabric.arrive(time, from, to, of);
    }
    on.run();
    EQUAL(on.fabric.held(), 0);
    return check_any(sent, on.arrived);
}

const Register any("whatever comes: all arrive once, in order, never too soon", [] {
    for (unsigned seed = 0; seed < 50; ++seed) send_any(seed, 4);
});

const Register sending("whatever leaves: one at a time, messages a gap apart", [] {
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::vector<Busy> all;  // No lane waits that receives from a single one: so it left then.
        for (const auto& own : send_any(seed, 1)) all.insert(all.end(), own.begin(), own.end());
        EQUAL(all.size(), 200U);
        check_lane(all);
    }
});

}  // namespace
}  // namespace laneway::lanes
