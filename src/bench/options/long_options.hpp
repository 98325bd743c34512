// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

namespace laneway::bench {

/// An option that has a whole word for its name, or several.
struct LongOption {
    std::vector<std::string> names;
    bool takes_value;
};

/// The words of a command line, with long options in full and behind two dashes. One dash will do, and names may be
/// cut short as long as no other option's begins so. That is as always with getopt_long_only(3), and in IMB's
/// benchmarks. A value that '=' joins to its option becomes a word of its own: it may be empty.
std::vector<std::string> in_full(const std::vector<std::string>& words,
                                 const std::vector<LongOption>& known);

}  // namespace laneway::bench
