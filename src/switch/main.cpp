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

#include <cli11/CLI11.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "switch/switch.hpp"

namespace laneway::lanes {
namespace {

constexpr const char* about =
    "laneway-switch: the lanes of an emulated cluster, interfaces p<node>-lane<lane>\n"
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

/// Reads the command line. Throws CLI::ParseError; `app` says more of it.
Wanted read(CLI::App& app, int argc, char** argv)
{
    Wanted wanted;
    std::string fabric;
    const auto from = [](std::int64_t least) {
        return CLI::Range(least, std::numeric_limits<std::int64_t>::max()).description("");
    };
    app.add_option("NODES", wanted.layout.nodes, "nodes")->check(from(1));
    app.add_option("LANES", wanted.layout.lanes, "lanes of each")->check(from(1));
    app.add_option("FABRIC", fabric, "a network a lane, or one for all")
        ->check(CLI::IsMember({"separate", "joint"}));
    app.add_option("RATE", wanted.pace.rate, "of a lane, in bits a second")->check(from(1));
    app.add_option("LATENCY", wanted.pace.latency, "of a lane, in nanoseconds")->check(from(0));
    app.add_option("GAP", wanted.pace.gap, "between two frames at least, in nanoseconds")
        ->check(from(0));
    app.add_option("FULL", wanted.sending.full, "bytes of a full frame");
    app.add_option("LONGEST", wanted.sending.longest,
                   "bytes that a node sends in one piece at most");
    app.add_option("BURST", wanted.sending.burst, "bytes that a node sends at once");
    for (CLI::Option* option : app.get_options())
        if (option->get_positional()) option->required();
    app.add_flag("--check", wanted.only_check, "only say whether so many lanes can be");
    app.parse(argc, argv);
    wanted.layout.joint = fabric == "joint";
    return wanted;
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
    constexpr int misused = 2;
    CLI::App app(about);
    try {
        carry(read(app, argc, argv));
        return 0;
    } catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    } catch (const CLI::ParseError& error) {
        std::fprintf(stderr, "laneway-switch: %s; see --help\n", error.what());
        return misused;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "laneway-switch: %s\n", error.what());
        return 1;
    }
}
