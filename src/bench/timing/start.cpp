// SPDX-License-Identifier: BSD-3-Clause
#include "bench/timing/start.hpp"

#include <algorithm>
#include <random>

#include "bench/job/clock.hpp"
#include "bench/text/words.hpp"
#include "library/error.hpp"
#include "text/text.hpp"

namespace laneway::bench {

double Arrival::delay(int rank, int size, int repetition, unsigned seed) const
{
    if (pattern == Pattern::late) return rank == size - 1 ? seconds : 0;
    if (pattern == Pattern::balanced) return 0;
    std::seed_seq mix{seed, static_cast<unsigned>(rank), static_cast<unsigned>(repetition)};
    std::minstd_rand generator(mix);
    return std::uniform_real_distribution<>(0, seconds)(generator);
}

double Arrival::spread(int size, int repetition, unsigned seed) const
{
    double first = seconds, last = 0;
    for (int rank = 0; rank < size; ++rank) {
        const double moment = delay(rank, size, repetition, seed);
        first = std::min(first, moment);
        last = std::max(last, moment);
    }
    return last - first;
}

const char* name(Sync sync)
{
    return sync == Sync::barrier ? "barrier" : sync == Sync::library ? "library" : "clock";
}

const char* name(Arrival::Pattern pattern)
{
    using enum Arrival::Pattern;
    return pattern == balanced ? "balanced" : pattern == late ? "late" : "random";
}

Sync sync(const std::string& text)
{
    for (const Sync each : {Sync::barrier, Sync::library, Sync::clock})
        if (text == name(each)) return each;
    throw Misunderstood("--sync: '" + text + "' is none of barrier, library, clock");
}

static double arriving(const std::string& text)
{
    constexpr double microsecond = 1e-6;
    try {
        return seconds(text, microsecond);
    } catch (const Misunderstood& why) {
        throw Misunderstood(std::string("--arrival: ") + why.what());
    }
}

Arrival arrival(const std::string& text)
{
    using enum Arrival::Pattern;
    if (text == name(balanced)) return {};
    const std::size_t colon = text.find(':');
    for (const Arrival::Pattern each : {late, random})
        if (colon != std::string::npos && text.substr(0, colon) == name(each))
            return {each, arriving(text.substr(colon + 1))};
    throw Misunderstood("--arrival: '" + text +
                        "' is none of balanced, late:MICROSECONDS, random:MICROSECONDS");
}

Starter::Starter(Sync sync, Arrival arrival, unsigned seed, const Team& team,
                 const GlobalClock& clock, Notice& notice)
    : sync_(sync),
      arrival_(arrival),
      seed_(seed),
      team_(team),
      clock_(clock),
      notice_(notice)
{
}

Start Starter::operator()(int repetition)
{
    double start = 0, hearing = 0;
    switch (sync_) {
    case Sync::barrier:
        team_.barrier();
        start = now();
        break;
    case Sync::library:
        check(MPI_Barrier(team_.own));
        start = now();
        break;
    case Sync::clock:
        team_.barrier();  // Else a rank that is behind would be late for reasons of its own.
        start = clock_.global(now()) + notice_.seconds;
        check(MPI_Bcast(&start, 1, MPI_DOUBLE, 0, team_.own));
        start = clock_.local(start);
        hearing = now() - start + notice_.seconds;
        break;
    }
    start += arrival_.delay(team_.machine.rank, team_.machine.size, repetition, seed_);
    wait_until(start);
    const double begun = now();  // Waiting may take longer than it should.
    return {.time = begun,
            .late = sync_ == Sync::clock && begun > start + Start::tolerated,
            .hearing = hearing};
}

double Starter::planned_skew(int repetition) const
{
    return arrival_.spread(team_.machine.size, repetition, seed_);
}

bool Starter::were_in_time(std::vector<double> heard_after)
{
    if (sync_ != Sync::clock || heard_after.empty()) return true;
    std::ranges::sort(heard_after);
    const bool most = heard_after[heard_after.size() / 2] <= notice_.seconds;
    const double nearly_all = heard_after[heard_after.size() * 9 / 10];
    notice_.seconds = std::clamp(1.5 * nearly_all, Notice::at_least, Notice::at_most);
    return most;
}

}  // namespace laneway::bench
