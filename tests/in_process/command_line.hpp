// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cases.hpp"

namespace laneway::in_process {

/// Ends the process where help is asked for, or what is asked makes no sense.
Options read(int argc, char** argv);

}  // namespace laneway::in_process
