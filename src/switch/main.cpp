// SPDX-License-Identifier: BSD-3-Clause
// laneway-switch: the switch of an emulated cluster whose lanes have a latency. `laneway cluster up`
// starts it in the network namespace of the login node; no MPI in it. Usage below.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "switch/switch.hpp"

namespace laneway::lanes {
namespace {

constexpr const char* usage =
    "usage: laneway-switch NODES LANES separate|joint RATE LATENCY GAP LONGEST\n"
    "Carries frames between the interfaces p<node>-lane<lane>: RATE in bits a second, LATENCY and\n"
    "GAP in nanoseconds, LONGEST bytes in one piece at most. Prints `ready`, then runs until it "
    "is\n"
    "killed. Answers at the abstract Unix socket `laneway-switch` how late frames were.\n";

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

constexpr int priority = 50;  ///< Above ranks in real time.

std::int64_t number(std::string_view text)
{
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0)
        throw std::invalid_argument("no number: " + std::string(text));
    return value;
}

/// As struct sched_attr of the kernel, see sched_setattr(2), for which there is no function.
struct Schedule {
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
};

constexpr std::uint64_t reclaim = 2;  ///< SCHED_FLAG_RECLAIM: what others leave may be used, too.

/// Of each millisecond 0.6, as soon as there is something to do. Nothing comes before that, not even
/// the time that the kernel takes from real-time processes for all others: 50 ms of each second, in
/// which no frame would get on.
bool keep_deadlines()
{
    const Schedule wanted{.size = sizeof wanted,
                          .policy = SCHED_DEADLINE,
                          .flags = reclaim,
                          .nice = 0,
                          .priority = 0,
                          .runtime = 600'000,
                          .deadline = 1'000'000,
                          .period = 1'000'000};
    return syscall(SYS_sched_setattr, 0, &wanted, 0) == 0;
}

/// Ahead of everything else, where that is allowed; to the nanosecond in any case.
bool become_realtime()
{
    prctl(PR_SET_TIMERSLACK, 1);
    const sched_param wanted{.sched_priority = priority};
    return keep_deadlines() || sched_setscheduler(0, SCHED_FIFO, &wanted) == 0;
}

/// Memory that is never paged out, where there may be as much of it as is needed.
void lock_memory()
{
    const rlimit all{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_MEMLOCK, &all) == 0) mlockall(MCL_CURRENT | MCL_FUTURE);
}

/// Whoever started us reads no more.
void detach()
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return;
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, each);
}

int main(std::span<const char* const> words)
{
    if (words.size() != 7) {
        std::fputs(usage, stderr);
        return 2;
    }
    const Layout layout{.nodes = static_cast<std::size_t>(number(words[0])),
                        .lanes = static_cast<std::size_t>(number(words[1])),
                        .joint = words[2] == std::string_view("joint")};
    const Pace pace{.rate = number(words[3]), .latency = number(words[4]), .gap = number(words[5])};
    Switch made(layout, pace, static_cast<std::size_t>(number(words[6])));
    lock_memory();
    made.realtime(become_realtime());
    std::puts("ready");
    std::fflush(stdout);
    detach();
    made.run();
}

}  // namespace
}  // namespace laneway::lanes

int main(int argc, char** argv)
{
    try {
        return laneway::lanes::main({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-switch: %s\n", error.what());
        return 1;
    }
}
