// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "elements.hpp"

/// Where the reproducible mode (choose/reproducible.hpp) sets brackets, written down from the claim alone.
namespace laneway::in_process {

/// What a reduction gives `rank` of one element of each rank: of all ranks, in a scan of those up to its own, in
/// an exclusive scan of those before it, of which there is one.
Value in_brackets(std::string_view collective, int rank, const std::vector<Value>& operands);

}  // namespace laneway::in_process
