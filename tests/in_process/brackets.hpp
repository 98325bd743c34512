// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>
#include <vector>

#include "elements.hpp"

/// The brackets of the reproducible mode (choose/reproducible.hpp), written down from the claim alone.
namespace laneway::in_process {

/// The result of a reduction for `rank`, of one element of each rank. It is of all ranks, in a scan of those up to its
/// own, in an exclusive scan of those before it (at least one).
Value in_brackets(std::string_view collective, int rank, const std::vector<Value>& operands);

}  // namespace laneway::in_process
