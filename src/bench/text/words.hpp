// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <charconv>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "text/text.hpp"

/// Words of the command line: lists, numbers and names.
namespace laneway::bench {

/// The words of a list that commas separate; a comma in parentheses is part of a word.
std::vector<std::string> split(std::string_view list);

/// A list of these words.
std::string joined(const std::vector<std::string>& words);

/// A number of at least `least`; else throws Misunderstood that names the option.
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

/// The name that the benchmark has for one of MPI's: "double" for "MPI_Double", "bcast" for "MPI_Bcast".
std::string plain_name(std::string name);

/// The names of a table's entries.
template <class Table, class Name>
std::vector<std::string> names(const Table& table, Name name)
{
    std::vector<std::string> all;
    for (const auto& entry : table) all.emplace_back(std::invoke(name, entry));
    return all;
}

/// The entry of a table with this name, the benchmark's or MPI's. Where there is none, throws Misunderstood that
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
