// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

/// The facts about the calling process that a report has.
namespace laneway {

/// A number that tells the calling process from all others, of other jobs and earlier ones too.
std::uint64_t id_of_process();

/// The host that the process takes itself to be on.
std::string host();

/// The row of the process, of that rank and number.
std::string process_row(int rank, int pid);

}  // namespace laneway
