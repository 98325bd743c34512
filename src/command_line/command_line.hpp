// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/text.hpp"

/// Command lines of programs: options, whose help is printed, and words that are none.
namespace laneway {

/// An option of a program, or a word that it must be given.
struct Option {
    std::string names;  ///< "-n,--count": the first long one stands in messages
    std::string value;  ///< its name in help, of as many words as are taken; empty: none
    std::string help;
    std::function<void(const std::string& value)> take;  ///< called wherever the option stands

    /// The name that stands in messages.
    std::string name() const;
};

/// @name Options whose value is kept as it is
/// @{
Option flag(std::string names, std::string help, bool& kept);
Option with_word(std::string names, std::string value, std::string help, std::string& kept);
/// The number, from `least` to `most`, that the option of that name has for its value. Throws Misunderstood.
std::int64_t number_for(const std::string& name, const std::string& value, std::int64_t least,
                        std::int64_t most);
/// `take(number)`: a number from `least` on, as far as `Number` reaches.
template <std::integral Number, std::invocable<Number> Take>
Option with_number(std::string names, std::string value, std::string help, const Take& take,
                   std::int64_t least = 0)
{
    constexpr Number most = std::numeric_limits<Number>::max();
    constexpr std::int64_t reach = std::in_range<std::int64_t>(most)
                                       ? static_cast<std::int64_t>(most)
                                       : std::numeric_limits<std::int64_t>::max();
    Option option{std::move(names), std::move(value), std::move(help), {}};
    option.take = [take, least, name = option.name()](const std::string& text) {
        take(static_cast<Number>(number_for(name, text, least, reach)));
    };
    return option;
}
template <std::integral Number>
Option with_number(std::string names, std::string value, std::string help, Number& kept,
                   std::int64_t least = 0)
{
    return with_number<Number>(
        std::move(names), std::move(value), std::move(help),
        [&kept](Number number) { kept = number; }, least);
}
/// @}

/// The options of a program, and other words. Where several options say the same, the last one holds.
class CommandLine {
public:
    /// `about`: the beginning of the help, `closing` its end.
    explicit CommandLine(std::string about, std::string closing = {});

    /// Options under a title of their own.
    void add(std::string title, std::vector<Option> options);
    /// Words that must be there, in this order. The names of these have no dashes, and are those of their values.
    void add_parameters(std::vector<Option> parameters);
    /// Further words that are no options are handed to `take`. Without it, there may be none.
    void add_words(std::function<void(const std::string& word)> take);

    /// Takes all words. False: the help is asked for. Throws Misunderstood.
    bool read(std::span<const std::string> words) const;
    bool read(int argc, char** argv) const;
    /// As read(). Where the help is asked for, or a fault is found, that is printed, and the process ends.
    void read_or_exit(int argc, char** argv) const;

    std::string help() const;

private:
    struct Group {
        std::string title;
        std::vector<Option> options;
    };

    const Option* find(std::string_view name) const;
    [[noreturn]] void refuse(std::string_view word) const;
    bool read_option(const std::string& word, std::span<const std::string>& rest) const;

    std::string about_, closing_;
    std::vector<Option> parameters_;
    std::vector<Group> groups_;
    std::function<void(const std::string&)> take_word_;
};

}  // namespace laneway
