// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "text/json.hpp"

namespace laneway::bench {

/// One JSON object, written key by key. A copy of a row that is begun goes on from there. So the keys that the rows
/// of a case have in common are turned into text once, while nobody waits for it.
class Row {
public:
    Row() = default;
    explicit Row(std::string_view kind) { add("kind", kind); }

    Row& add(std::string_view key, std::string_view value);
    Row& add(std::string_view key, const char* value) { return add(key, std::string_view(value)); }
    Row& add(std::string_view key, bool value);
    Row& add(std::string_view key, int value) { return add(key, std::int64_t{value}); }
    Row& add(std::string_view key, std::int64_t value);
    Row& add(std::string_view key, double value);  ///< Written with three digits behind the point.
    Row& add(std::string_view key, const std::vector<std::string>& values);
    Row& add(std::string_view key, const std::vector<std::int64_t>& values);
    Row& add(std::string_view key, const std::vector<std::vector<std::int64_t>>& values);
    Row& add(std::string_view key, const std::vector<double>& values);
    Row& add(std::string_view key, const std::map<std::string, std::string>& values);
    Row& add(std::string_view key, const Row& value);
    Row& add_null(std::string_view key);

    /// The value where it applies, null where it does not.
    template <class Value>
    Row& add_if(std::string_view key, bool applies, const Value& value)
    {
        return applies ? add(key, value) : add_null(key);
    }

    /// Adds the members of `other`, behind those of this row.
    Row& join(const Row& other);

    /// The row as text, in one line.
    std::string json() const { return members_.json().text; }

private:
    template <class Value>
    Row& member(std::string_view key, const Value& value);

    JsonObject members_;
};

}  // namespace laneway::bench
