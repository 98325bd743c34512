// SPDX-License-Identifier: BSD-3-Clause
#include "core/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace laneway {
namespace {

/// A map file names a node a process; a larger file is not one.
constexpr std::uintmax_t largest_map = 16u << 20;

/// What is wrong, in words for the user.
struct Misunderstood : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string_view trimmed(std::string_view text)
{
    constexpr std::string_view blank = " \t\r";
    const auto first = text.find_first_not_of(blank);
    if (first == text.npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

/// The part of `rest` up to `separator`, which is taken off it.
std::string_view next(std::string_view& rest, char separator)
{
    const auto end = rest.find(separator);
    const std::string_view part = rest.substr(0, end);
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    return part;
}

int positive(std::string_view variable, std::string_view value)
{
    int number = 0;
    const auto [end, failed] = std::from_chars(value.begin(), value.end(), number);
    if (failed != std::errc{} || end != value.end() || number < 1)
        throw Misunderstood(std::string(variable) + ": " + in_quotes(value) +
                            " is no number of at least 1");
    return number;
}

/// The node names of a map file, one a process.
std::string read_map(const std::string& path)
{
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed))
        throw Misunderstood("LANEWAY_NODE_SIZE: " + in_quotes(path) +
                            " is neither a number nor a map file");
    if (std::filesystem::file_size(path, failed) > largest_map)
        throw Misunderstood("LANEWAY_NODE_SIZE: " + in_quotes(path) +
                            " is too large for a map file");
    std::ifstream file(path);
    if (!file) throw Misunderstood("LANEWAY_NODE_SIZE: " + in_quotes(path) + " cannot be read");

    std::string lines;
    std::string line;
    for (int number = 1; std::getline(file, line); ++number) {
        const std::string_view name = trimmed(std::string_view(line).substr(0, line.find('#')));
        if (name.empty()) continue;
        if (name.find_first_of(" \t") != name.npos || name.find('\0') != name.npos)
            throw Misunderstood("LANEWAY_NODE_SIZE: " + path + ":" + std::to_string(number) +
                                ": one node name a line, please");
        lines += "node " + std::string(name) + "\n";
    }
    if (lines.empty())
        throw Misunderstood("LANEWAY_NODE_SIZE: " + in_quotes(path) + " names no node");
    return lines;
}

std::string read_environment()
{
    const auto get = [](const char* variable) {
        const char* value = std::getenv(variable);
        return std::string(value ? value : "");
    };
    std::string text;
    const auto line = [&](const char* key, const std::string& value) {
        if (!value.empty()) text += key + (" " + value) + "\n";
    };
    const auto one_line = [](std::string value) {
        for (char& c : value)
            if (c == '\n') c = ' ';
        return value;
    };
    // First, so that it holds for whatever is wrong further down.
    line("strict", one_line(get("LANEWAY_STRICT")));
    line("switch", one_line(get("LANEWAY")));
    line("algorithm", one_line(get("LANEWAY_ALGORITHM")));
    line("lanes", one_line(get("LANEWAY_LANES")));
    const std::string nodes = one_line(get("LANEWAY_NODE_SIZE"));
    try {
        if (nodes.find_first_not_of("-0123456789") == nodes.npos)
            line("node_size", nodes);
        else
            text += read_map(nodes);
    } catch (const Misunderstood& why) {
        line("error", why.what());
    }
    return text;
}

Scope scope_named(std::string_view name)
{
    if (name == "node") return Scope::node;
    if (name == "lane") return Scope::lane;
    throw Misunderstood("LANEWAY_ALGORITHM: no scope " + in_quotes(name) + "; known: node, lane");
}

/// Throws with the names that would have been understood.
template <class Call>
void must_know(std::string_view algorithm)
{
    if (Registry<Call>::knows(algorithm)) return;
    std::string known = "native";
    for (const auto& other : Registry<Call>::all()) known += ", " + std::string(other.name);
    throw Misunderstood("LANEWAY_ALGORITHM: no " + std::string(Call::name) + " algorithm " +
                        in_quotes(algorithm) + "; known: " + known);
}

}  // namespace

std::shared_ptr<const Settings> Settings::own()
{
    static const auto settings = std::make_shared<const Settings>(read_environment());
    return settings;
}

Settings::Settings(std::string text) : text_(std::move(text))
{
    try {
        std::string_view rest = text_;
        while (!rest.empty()) {
            std::string_view line = next(rest, '\n');
            const std::string_view key = next(line, ' ');
            read(key, line);
        }
    } catch (const Misunderstood& why) {
        error_ = why.what();
        off_ = true;
    }
    if (off_) choices_ = {};
}

void Settings::read(std::string_view key, std::string_view value)
{
    if (key == "switch") {
        if (value != "off" && value != "on")
            throw Misunderstood("LANEWAY: " + in_quotes(value) + " is neither 'on' nor 'off'");
        off_ = value == "off";
    } else if (key == "strict") {
        if (value != "1" && value != "0")
            throw Misunderstood("LANEWAY_STRICT: " + in_quotes(value) + " is neither '1' nor '0'");
        strict_ = value == "1";
    } else if (key == "algorithm") {
        read_algorithms(value);
    } else if (key == "lanes") {
        lanes_ = positive("LANEWAY_LANES", value);
    } else if (key == "node_size") {
        node_size_ = positive("LANEWAY_NODE_SIZE", value);
    } else if (key == "node") {
        node_map_.emplace_back(value);
    } else {
        throw Misunderstood(std::string(value));
    }
}

void Settings::read_algorithms(std::string_view list)
{
    while (!list.empty()) {
        std::string_view algorithm = trimmed(next(list, ','));
        if (algorithm.empty()) continue;
        const std::string_view rule = algorithm;
        std::string_view where = trimmed(next(algorithm, '='));
        algorithm = trimmed(algorithm);
        if (algorithm.empty())
            throw Misunderstood("LANEWAY_ALGORITHM: " + in_quotes(rule) +
                                " is not of the form collective=algorithm");
        const bool component = where.find('@') != where.npos;
        const std::string_view collective = next(where, '@');
        const Scope scope = component ? scope_named(where) : Scope::user;

        bool known = false;
        [&]<class... Call>(std::tuple<Call...>*) {
            const auto set = [&]<class C>(C*) {
                if (collective != C::name) return;
                known = true;
                must_know<C>(algorithm);
                std::get<const Algorithm<C>*>(choices_[static_cast<std::size_t>(scope)]) =
                    Registry<C>::find(algorithm);
            };
            (set(static_cast<Call*>(nullptr)), ...);
        }(static_cast<Calls*>(nullptr));
        if (!known)
            throw Misunderstood("LANEWAY_ALGORITHM: no collective " + in_quotes(collective) +
                                " is served; see `laneway algorithms`");
    }
}

bool Settings::chooses(Scope scope) const
{
    return choices_[static_cast<std::size_t>(scope)] != Choices{};
}

}  // namespace laneway
