// SPDX-License-Identifier: BSD-3-Clause
#include "call/short_segments.hpp"

#include <string>

#include "text/text.hpp"

namespace laneway {
namespace {

/// Shorter messages than these cost a process as much time.
constexpr std::int64_t sensible_bytes = 1024;
constexpr std::int64_t sensible_number = 4096;

}  // namespace

void say_if_segments_are_short(std::string_view algorithm, const Tunables& tunables,
                               std::int64_t bytes, Member me)
{
    static Remark remark;
    if (bytes <= sensible_number || me.rank != 0) return;
    for (const auto& [name, value] : tunables.all()) {
        if (name != "segment" || value >= sensible_bytes || bytes / value <= sensible_number)
            continue;
        return remark.say([&, segment = value] {
            return std::string(algorithm) + "(segment=" + std::to_string(segment) + ") cuts " +
                   std::to_string(bytes) + " bytes into " + std::to_string(bytes / segment) +
                   " segments, each of which takes nearly as long as one of " +
                   std::to_string(sensible_bytes) +
                   " bytes: choose a longer segment for long messages";
        });
    }
}

}  // namespace laneway
