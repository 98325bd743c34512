// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "case.hpp"

namespace laneway::property {

struct Options {
    std::optional<std::size_t> cases = 1000;  ///< empty: every case
    unsigned long seed = 1;
    std::string collective, algorithm, id;
    unsigned timeout = 120;
    bool with_wrong = false;
    bool list = false;

    bool want(std::string_view of, std::string_view by) const
    {
        return (collective.empty() || of == collective) && (algorithm.empty() || by == algorithm);
    }
    bool want(const Case& the_case) const { return id.empty() || the_case.id() == id; }
};

/// Also sets how calls are made and packed. Ends the process where help is asked for, or what is asked makes no
/// sense.
Options read(int argc, char** argv);

}  // namespace laneway::property
