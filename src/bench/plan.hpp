// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/operation.hpp"
#include "bench/options.hpp"

namespace laneway::bench {

/// A collective at one count, and the algorithms to be compared there.
struct Case {
    const Operation& operation;
    int count;
    std::vector<std::string> algorithms;
};

/// The cases that the options ask for, in their order. Throws UsageError for whatever is unknown or
/// does not go together, alike on all ranks.
std::vector<Case> plan(const Options& options, int ranks);

}  // namespace laneway::bench
