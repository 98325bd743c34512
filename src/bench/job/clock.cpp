// SPDX-License-Identifier: BSD-3-Clause
#include "bench/job/clock.hpp"

#include <sched.h>
#include <sys/stat.h>

#include <cmath>
#include <ctime>
#include <fstream>
#include <functional>
#include <limits>
#include <string>

namespace laneway::bench {
namespace {

constexpr double spinning = 100e-6;  // Seconds by which a sleep may be late.

}  // namespace

int system_key()
{
    std::string text;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> text;
    struct stat name_space{};
    if (stat("/proc/self/ns/time", &name_space) == 0) text += std::to_string(name_space.st_ino);
    return static_cast<int>(std::hash<std::string>{}(text)&std::numeric_limits<int>::max());
}

double now()
{
    std::timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

void sleep_for(double seconds)
{
    if (seconds <= 0) return;
    std::timespec rest{};
    rest.tv_sec = static_cast<std::time_t>(seconds);
    rest.tv_nsec = static_cast<long>((seconds - std::floor(seconds)) * 1e9);
    nanosleep(&rest, nullptr);
}

void wait_until(double time)
{
    sleep_for(time - now() - spinning);
    while (now() < time) sched_yield();
}

}  // namespace laneway::bench
