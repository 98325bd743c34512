// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace laneway::bench {

/// Numbers of at least `least`, separated by commas. This and the following throw UsageError, which
/// names the option.
std::vector<int> numbers(const std::string& option, const std::string& list, int least);

/// Whether a text is "yes" and not "no".
bool yes_or_no(const std::string& option, const std::string& text);

/// "native#b=1.2": a contestant, and the factor by which it is slowed.
std::pair<std::string, double> delay(const std::string& text);

/// Words with commas between them, for the text of --help.
std::string joined(const std::vector<std::string>& words);

}  // namespace laneway::bench
