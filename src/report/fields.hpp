// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "text/text.hpp"

/// Fields of JSON objects, each with the comma after it.
namespace laneway {

inline std::string field(const char* name, std::string_view text)
{
    return std::string("\"") + name + "\": " + in_json(text) + ", ";
}

inline std::string field(const char* name, std::int64_t number)
{
    return std::string("\"") + name + "\": " + std::to_string(number) + ", ";
}

}  // namespace laneway
