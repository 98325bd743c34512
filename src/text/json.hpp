// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <ranges>
#include <string>
#include <string_view>

#include "text/text.hpp"

/// Values as JSON, in one line.
namespace laneway {

/// A text that is JSON.
struct Json {
    std::string text;
};

/// A text, a number, whether something is so; a pair or a row of these, as an array; or what is JSON already.
template <class Value>
std::string in_json(const Value& value)
{
    if constexpr (std::same_as<Value, Json>) {
        return value.text;
    } else if constexpr (std::convertible_to<Value, std::string_view>) {
        return in_json(std::string_view(value));
    } else if constexpr (std::same_as<Value, bool>) {
        return value ? "true" : "false";
    } else if constexpr (std::integral<Value>) {
        return std::to_string(value);
    } else if constexpr (std::ranges::range<Value>) {
        std::string all;
        for (const auto& each : value) all += (all.empty() ? "" : ", ") + in_json(each);
        return "[" + all + "]";
    } else {
        return "[" + in_json(value.first) + ", " + in_json(value.second) + "]";
    }
}

/// An object, written key by key.
class JsonObject {
public:
    template <class Value>
    JsonObject& add(std::string_view key, const Value& value)
    {
        if (!members_.empty()) members_ += ", ";
        members_ += in_json(key) + ": " + in_json(value);
        return *this;
    }
    /// Adds the members of `other`, behind those of this one.
    void join(const JsonObject& other)
    {
        if (!members_.empty() && !other.members_.empty()) members_ += ", ";
        members_ += other.members_;
    }
    Json json() const { return {"{" + members_ + "}"}; }

private:
    std::string members_;
};

}  // namespace laneway
