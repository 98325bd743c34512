// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/options.hpp"

namespace laneway::bench {

/// An option: its names, those of OSU's and IMB's among them, and what it does.
struct Entry {
    std::vector<std::string> names;  ///< The first is the one in messages.
    char letter;                     ///< 0: none.
    const char* value;               ///< What its value is called; null where it takes none.
    std::string help;                ///< Lines; empty for another's second form.
    std::function<void(Options&, const std::string&)> set;
};

/// Options that belong together, under a title in --help.
struct Group {
    const char* title;
    std::vector<Entry> entries;
};

/// All of them.
const std::vector<Group>& groups();

}  // namespace laneway::bench
