// SPDX-License-Identifier: BSD-3-Clause
#include "call/short_segments.hpp"

#include <atomic>
#include <string>

#include "text/text.hpp"

namespace laneway {
namespace {

/// Shorter messages cost a process as much time as these.
constexpr std::int64_t sensible_bytes = 1024;
constexpr std::int64_t sensible_number = 4096;

}  // namespace

void say_if_segments_are_short(std::string_view algorithm, const Tunables& tunables,
                               std::int64_t bytes, Member me)
{
    static std::atomic_flag said = ATOMIC_FLAG_INIT;
    if (bytes <= sensible_number || me.rank != 0) return;
    for (const auto& [name, value] : tunables.all()) {
        if (name != "segment" || value >= sensible_bytes || bytes / value <= sensible_number)
            continue;
        if (said.test_and_set()) return;
        say(std::string(algorithm) + "(segment=" + std::to_string(value) + ") cuts " +
            std::to_string(bytes) + " bytes into " + std::to_string(bytes / value) +
            " segments, each of which takes nearly as long as one of " +
            std::to_string(sensible_bytes) + " bytes: choose a longer segment for long messages");
    }
}

}  // namespace laneway
