// SPDX-License-Identifier: BSD-3-Clause
// laneway-switch: the switch of an emulated cluster whose lanes have a latency. `laneway cluster up`
// starts it in the network namespace of the login node; no MPI in it.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

#include "command_line/command_line.hpp"
#include "switch/switch.hpp"
#include "text/text.hpp"

namespace laneway::lanes {
namespace {

constexpr const char* about =
    "laneway-switch: the lanes of an emulated cluster, interfaces p<node>-lane<lane>\n"
    "\n"
    "Usage: laneway-switch NODES LANES FABRIC RATE LATENCY GAP FULL LONGEST BURST [--check]\n"
    "\n"
    "Prints `ready`, then carries frames until it is killed. Answers at the\n"
    "abstract Unix socket `laneway-switch` how late frames were.";

/// The command line.
struct Wanted {
    Layout layout;
    Pace pace{};
    Sending sending{};
    bool only_check = false;
};

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

constexpr int priority = 50;  ///< The priority: above ranks in real time.

CommandLine command_line(Wanted& wanted)
{
    const auto fabric = [&wanted](const std::string& word) {
        if (word != "separate" && word != "joint")
            throw Misunderstood("FABRIC: " + in_quotes(word) + " is neither separate nor joint");
        wanted.layout.joint = word == "joint";
    };
    CommandLine line(about);
    line.add_parameters(
        {with_number("NODES", {}, "nodes", wanted.layout.nodes, 1),
         with_number("LANES", {}, "lanes of each", wanted.layout.lanes, 1),
         {"FABRIC", {}, "separate, a network a lane, or joint, one for all", fabric},
         with_number("RATE", {}, "of a lane, in bits a second", wanted.pace.rate, 1),
         with_number("LATENCY", {}, "of a lane, in nanoseconds", wanted.pace.latency),
         with_number("GAP", {}, "between two frames at least, in nanoseconds", wanted.pace.gap),
         with_number("FULL", {}, "bytes of a full frame", wanted.sending.full),
         with_number("LONGEST", {}, "bytes that a node sends in one piece at most",
                     wanted.sending.longest),
         with_number("BURST", {}, "bytes that a node sends at once", wanted.sending.burst)});
    line.add("Options",
             {flag("--check", "only say whether so many lanes can be", wanted.only_check)});
    return line;
}

/// The kernel's struct sched_attr, see sched_setattr(2), for which there is no function.
struct Schedule {
    std::uint32_t size;
    std::uint32_t policy;
    std::uint64_t flags;
    std::int32_t nice;
    std::uint32_t priority;
    std::uint64_t runtime, deadline, period;
};

constexpr std::uint64_t reclaim = 2;  ///< SCHED_FLAG_RECLAIM: what others leave may be used, too.

/// Keeps 0.6 of each millisecond for us, as soon as there is something to do. Nothing comes before that, not even the
/// time that the kernel takes from real-time processes for all others. That is 50 ms of each second, in which no
/// frame would get on.
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

/// Puts the process ahead of everything else, where that is allowed; it wakes to the nanosecond in any case. Returns
/// the policy that it came to: the kernel gives no more deadlines than it can keep.
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

/// Locks the memory, so that it is never paged out, where there may be as much of it as is needed.
void lock_memory()
{
    const rlimit all{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    if (setrlimit(RLIMIT_MEMLOCK, &all) == 0) mlockall(MCL_CURRENT | MCL_FUTURE);
}

/// Closes the standard streams: whoever started us reads no more.
void detach()
{
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return;
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, each);
}

void carry(const Wanted& wanted)
{
    const Ring ring = ring_for(wanted.layout.ports(), wanted.sending.longest, memory());
    allow_files(wanted.layout.ports());
    if (wanted.only_check) return;
    Switch made(wanted.layout, wanted.pace, wanted.sending, ring);
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
    using namespace laneway::lanes;
    try {
        Wanted wanted;
        command_line(wanted).read_or_exit(argc, argv);
        carry(wanted);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-switch: %s\n", error.what());
        return 1;
    }
}
