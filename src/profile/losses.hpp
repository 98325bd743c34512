// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "choose/where.hpp"

/// Calls that rules take from earlier ones of the same collective.
namespace laneway {

/// A rule, as far as it is compared.
struct Claim {
    Where where;
    std::size_t file, service;  ///< equal where the files, the services are
};

/// The losses of a rule, by the places of the rules that take from it.
struct Losses {
    std::optional<std::size_t> hidden_by;    ///< takes all; the rest does not matter then
    std::vector<std::size_t> overlapped_by;  ///< each takes a part
    std::size_t more = 0;                    ///< rules that take a part and are not named
};

/// The losses of each of these rules, the later of which win. An exception from a rule, which lies within it, is meant,
/// and so is all that another file says. Rules that serve alike make no difference. Where more rules overlap than
/// anybody reads about, `complete` is false: not all are compared.
std::vector<Losses> losses_of(const std::vector<Claim>& claims, bool& complete);

}  // namespace laneway
