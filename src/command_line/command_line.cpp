// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/command_line.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>

namespace laneway {
namespace {

constexpr std::size_t names_from = 6, help_from = 28, help_width = 70;
constexpr const char* help_names = "-h,--help";

std::vector<std::string> parts(std::string_view text, char separator)
{
    std::vector<std::string> all;
    while (!text.empty()) all.emplace_back(next(text, separator));
    return all;
}

bool is_long(std::string_view name) { return name.starts_with("--"); }

/// A number below zero is none.
bool is_option(std::string_view word)
{
    return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

/// Short names, long ones in a column, and what the value is called.
std::string heading(const Option& option)
{
    std::string line = "  ";
    for (const std::string& name : parts(option.names, ',')) {
        const bool is_first = line.find('-') == line.npos;
        if (!is_first) line += ", ";
        if (is_first && is_long(name)) line.resize(names_from, ' ');
        line += name;
    }
    return option.value.empty() ? line : line + " " + option.value;
}

/// Words in lines that begin in the column of help.
std::string wrapped(std::string_view text)
{
    std::string all;
    std::size_t width = 0;
    for (const std::string& word : parts(text, ' ')) {
        if (width > 0 && width + 1 + word.size() > help_width) {
            all += "\n" + std::string(help_from, ' ');
            width = 0;
        }
        if (width > 0) all += ' ';
        all += word;
        width += (width > 0 ? 1 : 0) + word.size();
    }
    return all;
}

std::string described(const Option& option)
{
    std::string line = heading(option);
    if (line.size() >= help_from) line += "\n";
    const std::size_t begins = line.ends_with('\n') ? line.size() : 0;
    line.resize(begins + help_from, ' ');
    return line + wrapped(option.help) + "\n";
}

}  // namespace

std::string Option::name() const
{
    const auto all = parts(names, ',');
    const auto found = std::ranges::find_if(all, is_long);
    return found == all.end() ? all.front() : *found;
}

Option flag(std::string names, std::string help, bool& kept)
{
    return {std::move(names), {}, std::move(help), [&kept](const std::string&) { kept = true; }};
}

Option with_word(std::string names, std::string value, std::string help, std::string& kept)
{
    return {std::move(names), std::move(value), std::move(help),
            [&kept](const std::string& word) { kept = word; }};
}

std::int64_t number_for(const std::string& name, const std::string& value, std::int64_t least,
                        std::int64_t most)
{
    try {
        return number(value, least, most);
    } catch (const Misunderstood& why) {
        throw Misunderstood(name + ": " + why.what());
    }
}

CommandLine::CommandLine(std::string about, std::string closing)
    : about_(std::move(about)),
      closing_(std::move(closing))
{
}

void CommandLine::add(std::string title, std::vector<Option> options)
{
    groups_.push_back({std::move(title), std::move(options)});
}

void CommandLine::add_parameters(std::vector<Option> parameters)
{
    parameters_ = std::move(parameters);
}

void CommandLine::add_words(std::function<void(const std::string&)> take)
{
    take_word_ = std::move(take);
}

const Option* CommandLine::find(std::string_view name) const
{
    for (const Group& group : groups_)
        for (const Option& option : group.options)
            if (std::ranges::count(parts(option.names, ','), name) > 0) return &option;
    return nullptr;
}

void CommandLine::refuse(std::string_view word) const
{
    std::string known;
    for (const Group& group : groups_)
        for (const Option& option : group.options)
            known += (known.empty() ? "; known: " : ", ") + option.name();
    throw Misunderstood("no option " + in_quotes(word) + known);
}

bool CommandLine::read_option(const std::string& word, std::span<const std::string>& rest) const
{
    const std::size_t end = std::min(is_long(word) ? word.find('=') : 2, word.size());
    const std::string name = word.substr(0, end);
    std::optional<std::string> joined;
    if (end < word.size()) joined = word.substr(end + (word[end] == '=' ? 1 : 0));
    if (std::ranges::count(parts(help_names, ','), name) > 0) return false;
    const Option* const option = find(name);
    if (!option) refuse(word);
    if (option->value.empty()) {
        if (joined && is_long(name)) throw Misunderstood(option->name() + " takes no value");
        option->take({});
        return !joined || read_option("-" + *joined, rest);  // -cf: two of them
    }
    std::string value;
    for (std::size_t wanted = parts(option->value, ' ').size(); wanted > 0; --wanted) {
        if (!joined && rest.empty()) throw Misunderstood(option->name() + " needs a value");
        value += (value.empty() ? "" : " ") + (joined ? *joined : rest.front());
        if (!joined) rest = rest.subspan(1);
        joined.reset();
    }
    option->take(value);
    return true;
}

bool CommandLine::read(std::span<const std::string> words) const
{
    auto parameter = parameters_.begin();
    while (!words.empty()) {
        const std::string word = words.front();
        words = words.subspan(1);
        if (is_option(word)) {
            if (!read_option(word, words)) return false;
        } else if (parameter != parameters_.end()) {
            parameter++->take(word);
        } else if (take_word_) {
            take_word_(word);
        } else {
            throw Misunderstood("not expected: " + word);
        }
    }
    if (parameter != parameters_.end()) throw Misunderstood(parameter->name() + " is required");
    return true;
}

bool CommandLine::read(int argc, char** argv) const
{
    return read(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}

void CommandLine::read_or_exit(int argc, char** argv) const
{
    constexpr int misused = 2;
    try {
        if (read(argc, argv)) return;
    } catch (const Misunderstood& why) {
        const std::string_view path = argc > 0 ? argv[0] : "";
        const std::string program(path.substr(path.rfind('/') + 1));
        std::fprintf(stderr, "%s: %s; see --help\n", program.c_str(), why.what());
        std::exit(misused);
    }
    std::fputs(help().c_str(), stdout);
    std::exit(EXIT_SUCCESS);
}

std::string CommandLine::help() const
{
    std::string all = about_ + "\n";
    const auto add = [&all](const std::string& title, const std::vector<Option>& options) {
        if (!options.empty()) all += "\n" + title + ":\n";
        for (const Option& option : options) all += described(option);
    };
    add("Parameters", parameters_);
    for (const Group& group : groups_) add(group.title, group.options);
    if (groups_.empty()) all += "\n";
    all += described({help_names, {}, "this text", {}});
    return closing_.empty() ? all : all + "\n" + closing_ + "\n";
}

}  // namespace laneway
