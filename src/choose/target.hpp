// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "collectives/catalogue.hpp"
#include "collectives/choice.hpp"

namespace laneway {

/// `bcast`, `ibcast`, `bcast_init` or `bcast@lane`.
struct Target {
    std::string_view collective;
    Scope scope = Scope::user;
};
/// The target that `text` names. Throws Misunderstood for a scope that is none.
Target target_of(std::string_view text);
/// The target as text.
std::string name_of(const Target& target);

/// The collective of that name. Throws Misunderstood.
Collective collective_named(std::string_view name);

}  // namespace laneway
