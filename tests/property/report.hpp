// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "case.hpp"

namespace laneway::property {

/// The command line that runs nothing but this case.
std::string reproduction(const Case& the_case);

/// Prints one line: what happened, how to see it again, why.
void report(const char* what, const Case& the_case, const std::string& why);

/// From now on a crash of the process says that it was in this case. After `seconds` the process says so, too, and
/// ends, and with it the job.
void watch(const Case& the_case, unsigned seconds);

/// Options that a reproduction needs besides the case, such as " --with-wrong".
void reproduce_with(const std::string& options);

}  // namespace laneway::property
