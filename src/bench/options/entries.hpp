// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/options/options.hpp"

namespace laneway::bench {

/// An option: its names, also those in OSU's and IMB's benchmarks, and what it does.
struct Entry {
    const char* names;  ///< "-n,--count": the first long one is used in messages.
    const char* value;  ///< The name of its value; null where it takes none.
    std::string help;
    std::function<void(Options&, const std::string&)> set;
};

/// Options that belong together, under a title in --help.
struct Group {
    const char* title;
    std::vector<Entry> entries;
};

/// All options but --help.
const std::vector<Group>& groups();

}  // namespace laneway::bench
