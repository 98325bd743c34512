// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "choose/where.hpp"

namespace laneway {

/// The conditions before `use`; both are taken off `rest`.
struct Conditions {
    Where where;
    std::optional<std::string> inferred;
    bool complete;  ///< `use` was there
};

/// Reads `nodes=2.. bytes=64K..`; among them, `inferred` or `inferred=hydra`, which is no condition. Throws
/// Misunderstood.
Conditions read_conditions(std::string_view& rest);

}  // namespace laneway
