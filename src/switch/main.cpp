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
    "usage: laneway-switch NODES LANES separate|joint RATE LATENCY GAP FULL LONGEST BURST "
    "[--check]\n"
    "Carries frames between the interfaces p<node>-lane<lane>: RATE in bits a second, LATENCY and\n"
    "GAP in nanoseconds. Nodes send FULL bytes in a full frame, LONGEST in one piece at most, "
    "BURST\n"
    "at once. Prints `ready`, then runs until it is killed. Answers at the abstract Unix socket\n"
    "`laneway-switch` how late frames were. With --check it only says whether so many lanes can "
    "be.\n";

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

/// Ahead of everything else, where that is allowed; to the nanosecond in any case. Returns the policy
/// that it came to: the kernel gives no more deadlines than it can keep.
std::string_view become_realtime()
{
    prctl(PR_SET_TIMERSLACK, 1);
    if (keep_deadlines()) return "SCHED_DEADLINE";
    const sched_param wanted{.sched_priority = priority};
    return sched_setscheduler(0, SCHED_FIFO, &wanted) == 0 ? "SCHED_FIFO" : "SCHED_OTHER";
}

std::size_t memory()
{
    return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
           static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// Each port is a file. Most systems allow a process 1024, and more if it asks.
void allow_files(std::size_t ports)
{
    constexpr std::size_t others = 16;
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max < ports + others)
        throw std::runtime_error("the network of " + std::to_string(ports) + " lanes needs " +
                                 std::to_string(ports + others) + " open files; allowed are " +
                                 std::to_string(files.rlim_max) + " (`ulimit -Hn`)");
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
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
    const bool only_check = words.size() == 10 && words.back() == std::string_view("--check");
    if (words.size() != 9 && !only_check) {
        std::fputs(usage, stderr);
        return 2;
    }
    const auto size = [&](std::size_t at) { return static_cast<std::size_t>(number(words[at])); };
    const Layout layout{
        .nodes = size(0), .lanes = size(1), .joint = words[2] == std::string_view("joint")};
    const Pace pace{.rate = number(words[3]), .latency = number(words[4]), .gap = number(words[5])};
    const Sending sending{.full = size(6), .longest = size(7), .burst = size(8)};
    const Ring ring = ring_for(layout.ports(), sending.longest, memory());
    allow_files(layout.ports());
    if (only_check) return 0;
    Switch made(layout, pace, sending, ring);
    lock_memory();
    made.scheduling(become_realtime());
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
