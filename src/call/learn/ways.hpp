// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "choose/settings.hpp"
#include "collectives/facts.hpp"
#include "layout/layout.hpp"

/// The ways of serving a class of calls that are worth a try.
namespace laneway {

/// A way: a rule that chooses it; null: native.
using Way = const Rule*;

/// Whether an algorithm serves such calls itself, and nothing in its stead.
bool serves_itself(Way way, const Facts& facts, const Layout& on);

/// Native, the `standard`, which would serve anyway (null: native), and few more. These are what rules choose for about
/// as many bytes, what is usually good on such a shape, and what rules choose elsewhere. They are equal on all
/// processes that have agreed on the settings.
std::vector<Way> ways_of(const Settings& settings, const Shape& shape, const Layout& on, Scope form,
                         Collective collective, const Facts& facts, Way standard);

}  // namespace laneway
