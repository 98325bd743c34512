// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "blocks/crossing.hpp"

namespace laneway::simulate {

/// A row of what laneway-simulate prints, its members in the order in which they were added.
using Json = nlohmann::ordered_json;

/// A number rounded to so many digits behind the point: more mean nothing, and would only be read.
inline double rounded(double value, int digits)
{
    const double factor = std::pow(10, digits);
    return std::round(value * factor) / factor;
}

inline Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

inline Json json_of(const Crossing& crossing)
{
    return {{"bytes", crossing.bytes}, {"peers", crossing.peers}, {"mutual", crossing.mutual}};
}

/// Prints a line. A text that is no UTF-8, in a name that somebody has given, must not end a simulation.
inline void print(const Json& row)
{
    std::puts(row.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace laneway::simulate
