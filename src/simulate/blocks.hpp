// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "simulate/record.hpp"

namespace laneway::simulate {

/// Gives a job the layout of its blocks. Where that is a file, the count is the mean of those in it. Throws
/// Misunderstood.
void lay_out_blocks(Job& job, const std::string& name);

}  // namespace laneway::simulate
