// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "case.hpp"

/// Defects of the MPI library itself, with nothing of ours involved. There is no native result to compare with, or no
/// sound component to build upon.
namespace laneway::property {

struct Defect {
    const char* what;
    bool (*concerns)(const Case& the_case);
};

/// The defects of the library at hand.
const std::vector<Defect>& defects();

/// The library writes to the input itself, in a component if not in the whole call.
bool library_writes_to_input(const Case& the_case);

}  // namespace laneway::property
