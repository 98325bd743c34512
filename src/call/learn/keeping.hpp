// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <string>

/// The profile of what was learnt, which later jobs of the user's begin with (choose/learned.hpp).
namespace laneway {

/// Writes what this process has learnt since the last time, where it is the first one of its job. Never fails: it says
/// once why nothing can be kept. The file is replaced as a whole, and stays as it is where that cannot be done.
void keep_what_was_learnt();

/// As keep_what_was_learnt(), once a minute at most: jobs may be ended at any time.
void keep_now_and_then();

/// The rules of an earlier file (the text of statements) together with those that were learnt: `rest` by `call`, where
/// an empty one is forgotten.
std::map<std::string, std::string> together(const std::map<std::string, std::string>& earlier,
                                            const std::map<std::string, std::string>& learnt);

}  // namespace laneway
