// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/ordinary_time.hpp"

#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <string>

namespace laneway::bench {
namespace {

/// Sets the policy of all threads, those of the MPI library included. A thread that does not get it can do without.
void schedule(int policy, int priority)
{
    const sched_param parameters{.sched_priority = priority};
    std::error_code gone;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", gone))
        sched_setscheduler(std::stoi(thread.path().filename()), policy, &parameters);
}

}  // namespace

OrdinaryTime::OrdinaryTime()
{
    sched_param parameters{};
    if (geteuid() != 0 || sched_getscheduler(0) != SCHED_RR) return;
    sched_getparam(0, &parameters);
    priority_ = parameters.sched_priority;
    schedule(SCHED_OTHER, 0);
}

OrdinaryTime::~OrdinaryTime()
{
    if (priority_) schedule(SCHED_RR, *priority_);
}

}  // namespace laneway::bench
