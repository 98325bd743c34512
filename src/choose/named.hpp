// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

#include "choose/rules.hpp"

/// The names in calls of the C API: an algorithm of the registry, or one with tunables, `lane_pipeline(segment=32K)`.
namespace laneway {

/// The rule that `collective=text` makes, and nothing else; kept for as long as the process lives. Throws
/// Misunderstood.
const Rules& rules_named(std::string_view collective, std::string_view text);

inline const Rule& rule_named(Collective collective, std::string_view text)
{
    return rules_named(names_of_collectives[collective], text).all(Scope::user, collective).front();
}

}  // namespace laneway
