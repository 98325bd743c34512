// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/options/options.hpp"

namespace laneway::bench {

/// An option: its names, those of OSU's and IMB's among them, and what it does.
struct Entry {
    const char* names;  ///< "-n,--count": the first long one is that of messages.
    const char* value;  ///< What its value is called; null where it takes none.
    std::string help;
    std::function<void(Options&, const std::string&)> set;
};

/// Options that belong together, under a title in --help.
struct Group {
    const char* title;
    std::vector<Entry> entries;
};

/// All of them but --help.
const std::vector<Group>& groups();

}  // namespace laneway::bench
