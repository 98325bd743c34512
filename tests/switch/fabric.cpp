// SPDX-License-Identifier: BSD-3-Clause
#include "switch/fabric.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "case.hpp"

namespace laneway::lanes {
namespace {

constexpr Time us = 1000, ms = 1000 * us;
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

/// What must hold whatever comes.
void check_any(const std::vector<std::tuple<Time, std::size_t, std::size_t, Frame>>& sent,
               const std::vector<Arrived>& arrived)
{
    EQUAL(arrived.size(), sent.size());
    std::map<std::uint64_t, std::vector<std::byte>> order;
    std::vector<std::vector<Time>> starts(4);
    for (const Arrived& each : arrived) order[each.connection].push_back(each.mark);
    for (auto& [connection, marks] : order) {
        std::size_t at = 0;
        for (const auto& [when, from, to, of] : sent)
            if (of.facts.connection == connection) TRUE(marks[at++] == of.data.front());
    }
    std::map<std::uint64_t, std::size_t> seen;
    std::map<std::uint64_t, std::vector<const std::tuple<Time, std::size_t, std::size_t, Frame>*>>
        by;
    for (const auto& each : sent) by[std::get<3>(each).facts.connection].push_back(&each);
    for (const Arrived& each : arrived) {
        const auto& [when, from, to, of] = *by[each.connection][seen[each.connection]++];
        const Time passing = pace.passing(of.facts.size);
        EQUAL(each.to, to);
        TRUE(each.due >= when + pace.latency + passing);
        if (of.facts.message) starts[to].push_back(each.due - passing);
    }
    for (auto& own : starts) {
        std::ranges::sort(own);
        for (std::size_t i = 1; i < own.size(); ++i) TRUE(own[i] - own[i - 1] >= pace.gap);
    }
}

const Register any("whatever comes: all arrive once, in order, never too soon", [] {
    for (unsigned seed = 0; seed < 50; ++seed) {
        std::mt19937 random(seed);
        const auto below = [&](unsigned end) { return random() % end; };
        std::vector<std::tuple<Time, std::size_t, std::size_t, Frame>> sent;
        Time when = 0;
        for (int i = 0; i < 200; ++i) {
            when += below(2) * below(200) * us;
            const std::size_t from = below(4), to = (from + 1 + below(3)) % 4;
            const std::uint64_t connection = (from * 4 + to) * 3 + below(3);
            sent.emplace_back(when, from, to, frame(66 + below(8948), connection, below(4) > 0, i));
        }
        Watched on;
        for (const auto& [time, from, to, of] : sent) {
            on.run(time);
            on.fabric.arrive(time, from, to, of);
        }
        on.run();
        check_any(sent, on.arrived);
        EQUAL(on.fabric.held(), 0);
    }
});

}  // namespace
}  // namespace laneway::lanes
