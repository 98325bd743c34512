// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "choose/where.hpp"

namespace laneway {

/// The calls that a rule was learnt from, as it says; this decides nothing.
struct Learned {
    std::string date;  ///< 2026-11-25
    std::int64_t calls = 0;
    std::string gain;  ///< how many times as fast as native: `1.41..1.90`; empty: it does not say
};

/// A gain as rules have it: `1.41..1.90`. Empty where few times are behind it: the ends are so far apart that it says
/// nothing.
std::string gain_text(double least, double most);

/// The conditions before `use`; both are taken off `rest`.
struct Conditions {
    Where where;
    std::optional<std::string> inferred;
    std::optional<Learned> learned;
    bool complete;  ///< `use` was there
};

/// Reads `nodes=2.. bytes=64K..`; among them `inferred` or `inferred=hydra`, and `learned=2026-11-25 calls=812
/// gain=1.41..1.90`, which are no conditions. Throws Misunderstood.
Conditions read_conditions(std::string_view& rest);

}  // namespace laneway
