// SPDX-License-Identifier: BSD-3-Clause
// The parts that come before the fabric: clocks, and memory for frames.
#include <stdexcept>
#include <vector>

#include "cases/case.hpp"
#include "switch/clock.hpp"
#include "switch/ring.hpp"
#include "times.hpp"

namespace laneway::lanes {
namespace {

using cases::Register;

constexpr std::size_t mib = std::size_t{1} << 20U, gib = mib << 10U;
constexpr std::size_t longest = 16704, burst = 18432;

/// Two clocks, one `apart` ahead of the other. Before each reading some time passes.
struct Clocks {
    Time apart;
    std::vector<Time> passing;
    Time now = 0;
    std::size_t readings = 0;

    Time told()
    {
        const Time told = ahead([&] { return read(); }, [&] { return read() + apart; });
        return told;
    }

private:
    Time read() { return now += readings < passing.size() ? passing[readings++] : 20; }
};

const Register interrupted("no interruption makes a frame come earlier", [] {
    for (const Time apart : {Time{-5}, Time{0}, 1'700'000'000 * second}) {
        EQUAL((Clocks{apart, {0, 0, 0}}.told()), apart);
        for (std::size_t at = 0; at < 3; ++at) {
            std::vector<Time> passing(3, 20);
            passing[at] = 3 * ms;
            const Time told = Clocks{apart, passing}.told();
            TRUE(told <= apart && told >= apart - us);
            const Time always = Clocks{apart, std::vector<Time>(100, 3 * ms)}.told();
            TRUE(always <= apart && always >= apart - 3 * ms);  // And it comes to an end.
        }
    }
});

const Register usual("rings hold more than a burst", [] {
    const Ring ring = ring_for(8, longest, 4 * gib);
    TRUE(ring.slots() >= 512 && ring.slots() < 520);
    TRUE(ring.slot_bytes > longest);
    TRUE(ring.slots_a_block * ring.slot_bytes <= Ring::block_bytes);
    for (std::size_t slot = 0; slot < ring.slots(); ++slot) {
        TRUE(ring.at(slot) + ring.slot_bytes <= ring.bytes());
        TRUE(ring.at(slot) / Ring::block_bytes ==
             (ring.at(slot) + ring.slot_bytes - 1) / Ring::block_bytes);
    }
});

const Register many("the rings of many ports have no more than there is", [] {
    for (const std::size_t ports : {1, 8, 64, 128, 256})
        TRUE(ports * ring_for(ports, longest, 2 * gib).bytes() <= 192 * mib);
    const Ring least = ring_for(1024, longest, 16 * gib);
    TRUE(least.slots() >= 32 && 1024 * least.bytes() <= 2 * gib);
    std::string said;
    try {
        ring_for(1024, longest, 2 * gib);
    } catch (const std::runtime_error& error) {
        said = error.what();
    }
    EQUAL(said, std::string("the network of 1024 lanes needs 671 MB of memory, more than an eighth "
                            "of the 2147 MB here: take fewer nodes or lanes"));
});

const Register overflowing("no ring overflows while it is left alone", [] {
    for (const std::int64_t mbit : {1, 100, 1000, 32000})
        for (const std::size_t slots : {35U, 98U, 280U, 518U}) {
            const Pace pace{.rate = mbit * 1'000'000, .latency = 100 * ms};
            const Time alone = unwatched(pace, slots, burst);
            const auto coming = static_cast<std::size_t>(alone / pace.on_wire(shortest));
            if (alone > 0) TRUE(burst / 66 + coming <= slots);
            EQUAL(alone > 0, slots > burst / 66);  // Otherwise each frame wakes it.
        }
    TRUE(unwatched({.rate = 100'000'000}, 518, burst) > 500 * us);
});

}  // namespace
}  // namespace laneway::lanes
