// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "bench/options/options.hpp"

namespace laneway::bench {

/// Reads the command line; throws Misunderstood. Needs no MPI.
Options parse(int argc, char** argv);

/// Reads more words; settings that they don't mention are as in `options`.
Options parse(Options options, const std::vector<std::string>& words);

/// The text of --help.
std::string usage();

}  // namespace laneway::bench
