// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "schedule/program.hpp"

namespace laneway {

/// A step of a program in words: "rank 3: send to rank 4, 8 elements, tag 0, on lane 1, segment 2".
std::string told(const Program& program, int rank, std::uint32_t strand,
                 const Operation& operation);

}  // namespace laneway
