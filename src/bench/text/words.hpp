// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "text/text.hpp"

/// The words that the benchmark is asked by.
namespace laneway::bench {

/// The words of a list separated by commas, of which those in parentheses are parts of words.
std::vector<std::string> split(std::string_view list);

/// The list of some words.
std::string joined(const std::vector<std::string>& words);

/// A number of at least `least`; throws Misunderstood that names the option.
template <class Number>
Number number(std::string_view option, std::string_view text, Number least)
{
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least))
        throw Misunderstood(std::string("--").append(option).append(": '").append(text) +
                            "' is no number from " + std::to_string(least) + " up");
    return value;
}

/// "MPI_Double" as it is called here, "double"; and "MPI_Bcast", "bcast".
std::string plain_name(std::string name);

/// What the entries of a table are called.
template <class Table, class Name>
std::vector<std::string> names(const Table& table, Name name)
{
    std::vector<std::string> all;
    for (const auto& entry : table) all.emplace_back(std::invoke(name, entry));
    return all;
}

/// The entry of a table that is called so, here or by MPI; where none is, throws Misunderstood that
/// begins with `complaint` and names all.
template <class Table, class Name>
const auto& named(const Table& table, Name name, std::string_view complaint,
                  const std::string& wanted)
{
    for (const auto& entry : table)
        if (plain_name(wanted) == std::invoke(name, entry)) return entry;
    throw Misunderstood(std::string(complaint) + " '" + wanted +
                        "'; known: " + joined(names(table, name)));
}

}  // namespace laneway::bench
