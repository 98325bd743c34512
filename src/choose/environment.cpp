// SPDX-License-Identifier: BSD-3-Clause
#include "choose/environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include "choose/header.hpp"
#include "choose/learned.hpp"
#include "choose/place.hpp"
#include "choose/profile.hpp"
#include "choose/setting.hpp"
#include "library/identity.hpp"
#include "machine/lanes.hpp"
#include "machine/variable.hpp"
#include "text/text.hpp"

namespace laneway {
namespace {

/// Bytes. A map file names a node a process; a larger file is not one.
constexpr std::uintmax_t largest_map = 16u << 20;

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

/// Whether a profile is meant for nodes of another kind than these, which are virtual, emulated or, if empty, real.
bool is_for_others(const std::vector<Statement>& profile, std::string_view place)
{
    return std::ranges::any_of(profile, [&](const Statement& statement) {
        std::string_view rest = statement.text;
        if (next_outside(rest, ' ') != "place") return false;
        const std::string_view named = trimmed(rest);
        return named != place && (named == "virtual" || named == "emulated");
    });
}

/// A setting of several lines, such as a list, in one.
std::string in_one_line(std::string value)
{
    for (char& c : value)
        if (c == '\n') c = ' ';
    return value;
}

}  // namespace

std::string environment_variables()
{
    std::string all;
    for (const char* const* variable = environ; variable && *variable; ++variable)
        if (std::string_view(*variable).starts_with("LANEWAY"))
            all += *variable + std::string(1, '\0');
    return all;
}

std::string read_environment()
{
    std::string text;
    const auto line = [&](const char* key, const std::string& value) {
        if (!value.empty()) text += key + (" " + value) + "\n";
    };
    const auto lines_of = [&](Setting::Place place) {
        for (const Setting& setting : all_settings()) {
            if (setting.place != place) continue;
            if (!setting.is_switch)
                line(setting.key, in_one_line(variable(setting.variable)));
            else if (is_on(setting.variable))
                line(setting.key, "1");
        }
    };
    lines_of(Setting::Place::before_profiles);
    const bool off = variable("LANEWAY") == "off";
    const std::string nodes = in_one_line(variable("LANEWAY_NODE_SIZE"));
    const std::string place = place_of_nodes();
    // Nodes may differ in their lanes: nothing is said that is not needed.
    if (!off && !lanes_said())
        if (const int lanes = found_lanes().number; lanes > 1)
            line("found_lanes", std::to_string(lanes));
    if (!off && cores_count_for_built_in()) line("found_cores", "1");
    if (!off) line("found_binding", in_one_line(variable("LANEWAY_EMULATED_BINDING")));
    try {
        const Profiles profiles = off ? Profiles{} : profiles_of_environment();
        const std::vector<std::string> learned =
            off ? std::vector<std::string>{} : learned_profiles();
        const auto statements = [&](const char* key, const std::string& path) {
            const std::vector<Statement> all = read_profile(path);
            if (is_for_others(all, place)) return;
            for (const Statement& statement : all)
                if (!is_for_readers(statement.text))  // processes need not agree on those
                    line(key, statement.origin + "\t" + statement.text);
        };
        const auto unwritten = [&](const char* key, const std::vector<std::string>& paths) {
            for (const auto& path : paths) try {
                    statements(key, path);
                } catch (const Misunderstood& why) {
                    line("unreadable", in_one_line(why.what()));
                }
        };
        if (!profiles.built_in.empty() || !profiles.predicted.empty() || !learned.empty() ||
            !profiles.own.empty())
            line("library", in_one_line(library_name()));
        for (const auto& path : profiles.built_in) statements("built_in", path);
        line("unreadable", in_one_line(profiles.unreadable));
        unwritten("predicted", profiles.predicted);
        unwritten("learned", learned);
        for (const auto& path : profiles.own) statements("profile", path);
    } catch (const Misunderstood& why) {
        line("error", why.what());
    }
    lines_of(Setting::Place::after_profiles);
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

std::string other_library_of(const std::string& path)
{
    Headers headers;
    headers.set_library(library_name());
    std::string library;
    for (const Statement& statement : read_profile(path)) {
        if (!headers.read(statement.text, path)) break;
        std::string_view rest = statement.text;
        if (next_outside(rest, ' ') == "library") library = trimmed(rest);
    }
    return headers.holds(path) ? "" : library;
}

}  // namespace laneway
