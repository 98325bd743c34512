// SPDX-License-Identifier: BSD-3-Clause
#include "bench/text/row.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace laneway::bench {
namespace {

/// A number with three digits behind the point, as many as mean something in microseconds; infinity and the like are
/// no numbers of JSON.
Json decimal(double value)
{
    std::array<char, 64> text{};
    const auto [end, error] =
        std::to_chars(text.begin(), text.end(), value, std::chars_format::fixed, /*precision=*/3);
    const bool fits = error == std::errc{} && std::isfinite(value);
    return {fits ? std::string(text.begin(), end) : "null"};
}

}  // namespace

template <class Value>
Row& Row::member(std::string_view key, const Value& value)
{
    members_.add(key, value);
    return *this;
}

Row& Row::add(std::string_view key, std::string_view value) { return member(key, value); }
Row& Row::add(std::string_view key, bool value) { return member(key, value); }
Row& Row::add(std::string_view key, std::int64_t value) { return member(key, value); }
Row& Row::add(std::string_view key, double value) { return member(key, decimal(value)); }
Row& Row::add(std::string_view key, const Row& value) { return member(key, value.members_.json()); }

Row& Row::add_null(std::string_view key) { return member(key, Json{"null"}); }

Row& Row::add(std::string_view key, const std::vector<std::string>& values)
{
    return member(key, values);
}

Row& Row::add(std::string_view key, const std::vector<std::int64_t>& values)
{
    return member(key, values);
}

Row& Row::add(std::string_view key, const std::vector<std::vector<std::int64_t>>& values)
{
    return member(key, values);
}

Row& Row::add(std::string_view key, const std::vector<double>& values)
{
    std::vector<Json> all;
    for (const double value : values) all.push_back(decimal(value));
    return member(key, all);
}

Row& Row::add(std::string_view key, const std::map<std::string, std::string>& values)
{
    JsonObject all;
    for (const auto& [name, value] : values) all.add(name, value);
    return member(key, all.json());
}

Row& Row::join(const Row& other)
{
    members_.join(other.members_);
    return *this;
}

}  // namespace laneway::bench
