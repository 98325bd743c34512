// SPDX-License-Identifier: BSD-3-Clause
#include "bench/text/row.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace laneway::bench {
namespace {

using Json = nlohmann::json;

/// A value as JSON text. A text that is no UTF-8, in a variable of the environment say, must not end a measurement.
std::string text_of(const Json& value)
{
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A number with three digits behind the point, as many as mean something in microseconds; infinity and the like are
/// no numbers of JSON.
std::string decimal(double value)
{
    std::array<char, 64> text{};
    const auto [end, error] =
        std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, /*precision=*/3);
    const bool fits = error == std::errc{} && std::isfinite(value);
    return fits ? std::string(text.begin(), end) : "null";
}

}  // namespace

Row& Row::member(std::string_view key, std::string_view json)
{
    if (!members_.empty()) members_ += ", ";
    members_.append(text_of(key)).append(": ").append(json);
    return *this;
}

Row& Row::add(std::string_view key, std::string_view value) { return member(key, text_of(value)); }
Row& Row::add(std::string_view key, bool value) { return member(key, text_of(value)); }
Row& Row::add(std::string_view key, std::int64_t value) { return member(key, text_of(value)); }
Row& Row::add(std::string_view key, double value) { return member(key, decimal(value)); }
Row& Row::add(std::string_view key, const Row& value) { return member(key, value.json()); }

Row& Row::add_null(std::string_view key) { return member(key, "null"); }

Row& Row::add(std::string_view key, const std::vector<std::string>& values)
{
    return member(key, text_of(values));
}

Row& Row::add(std::string_view key, const std::vector<std::int64_t>& values)
{
    return member(key, text_of(values));
}

Row& Row::add(std::string_view key, const std::vector<std::vector<std::int64_t>>& values)
{
    return member(key, text_of(values));
}

Row& Row::add(std::string_view key, const std::vector<double>& values)
{
    std::string list;
    for (const double value : values) list += (list.empty() ? "" : ", ") + decimal(value);
    return member(key, "[" + list + "]");
}

Row& Row::add(std::string_view key, const std::map<std::string, std::string>& values)
{
    return member(key, text_of(values));
}

Row& Row::join(const Row& other)
{
    if (!members_.empty() && !other.members_.empty()) members_ += ", ";
    members_ += other.members_;
    return *this;
}

}  // namespace laneway::bench
